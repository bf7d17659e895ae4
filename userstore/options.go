package userstore

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/internal/account"
)

// Option adds to one change of this package or of package emails.
type Option func(*account.Options)

// With commits the caller's own actions in the same transaction: all of it, or nothing. A failed condition of theirs
// is an *ItemError. The actions may be on any table of the region but not on the account's own items, and with them a
// transaction has at most 100 actions (each change's own number is in the package's cost table). A call that finds the
// account where it shall go writes nothing, and so not the actions either. Items of yours in the account's partition
// (PK USER#{userId}) are read, and paid for, with the account's when their SK sorts after BUDGET#; a prefix like APP# does not.
func With(actions ...types.TransactWriteItem) Option {
	return func(o *account.Options) {
		o.With = append(o.With, actions...)
		o.Failed = func(index int, old map[string]types.AttributeValue) error { return &ItemError{Index: index, Old: old} }
	}
}

// Loaded hands in a user that this package has just returned, and saves the change its read. An old one is not wrong,
// it only costs a second try. Methods that decide on rows and codes too (SendCode, Confirm, SetPrimary and Remove of package
// emails) need more than the user, and read all the same.
func Loaded(u *User) Option {
	return func(o *account.Options) {
		if u == nil || u.stored.Profile.UserID == "" {
			o.Bad = fmt.Errorf("%w: Loaded: the user was not returned by userstore", ErrInvalid)
			return
		}
		o.Loaded = &u.stored
	}
}

// WithRequestID returns a context whose changes carry the id of the request that asked for them, in events
// (correlationId) and logs: UTF-8 of at most 256 bytes. A change with another id is refused with ErrInvalid.
func WithRequestID(ctx context.Context, id string) context.Context {
	return account.WithRequestID(ctx, id)
}
