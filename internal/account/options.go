package account

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
)

// Options is what a caller adds to one operation.
type Options struct {
	// With are the caller's own actions, committed in the same transaction.
	With []types.TransactWriteItem
	// Failed is what the failed condition of one of them means, by its index.
	Failed func(index int, old dynamo.Item) error
	// Loaded is the account as the caller has just read it, in place of the read.
	Loaded *Account
	// Bad is an option that makes no sense.
	Bad error
}

// Gather applies options in their order.
func Gather[O ~func(*Options)](options []O) Options {
	var o Options
	for i, option := range options {
		if option == nil {
			o.Bad = fmt.Errorf("%w: option %d is nil", ErrInvalid, i)
			continue
		}
		option(&o)
	}
	return o
}

// Check refuses options, and a request id, that cannot be carried out, before anything is sent.
func (o Options) Check(ctx context.Context, tableName, userID string) error {
	if o.Bad != nil {
		return o.Bad
	}
	if err := checkRequestID(ctx); err != nil {
		return err
	}
	if o.Loaded != nil && o.Loaded.Profile.UserID != userID {
		return fmt.Errorf("%w: Loaded: the user is another one", ErrInvalid)
	}
	for i, action := range o.With {
		name, key := dynamo.Target(action)
		switch {
		case name == "":
			return fmt.Errorf("%w: With: item %d has no action or no table", ErrInvalid, i)
		case dynamo.Kinds(action) > 1:
			return fmt.Errorf("%w: With: item %d has more than one action", ErrInvalid, i)
		case bare(name) == bare(tableName) && table.OwnsKey(key):
			return fmt.Errorf("%w: With: item %d has a key of the account's own items", ErrInvalid, i)
		}
	}
	return nil
}

// bare is the name of a table that is given by its name or its ARN, as DynamoDB takes either. Tables of one name in two AWS
// accounts count as one, which refuses too much and never too little.
func bare(name string) string {
	if _, after, isARN := strings.Cut(name, ":table/"); isARN {
		return after
	}
	return name
}

// Parts are the caller's actions.
func (o Options) Parts() []dynamo.Part {
	parts := make([]dynamo.Part, len(o.With))
	for i, action := range o.With {
		parts[i] = dynamo.Raw(action).Means(func(old dynamo.Item) error { return o.Failed(i, old) })
	}
	return parts
}
