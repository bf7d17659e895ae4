package proof

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/internal/suite"
)

// scene is one call with what happens between its read and its write, and the one right result. Without a condition that it
// needs the result must be another one.
type scene struct {
	name  string
	needs []condition
	// before sets the stage.
	before func(s *stage)
	// kind and user are the operation of the call.
	kind kind
	user string
	call func(ctx context.Context, s *stage) error
	// between happens when the call is about to send its transaction number nth, counted from 0.
	between func(s *stage, in *dynamodb.TransactWriteItemsInput)
	nth     int
	// byHand says that somebody writes into the table beside the library, so that it need not be sound afterwards.
	byHand bool
	// want is the error of the call, nil for success.
	want error
	// after is what else must be so.
	after func(s *stage) error
}

// stage is a world with two accounts: u1 with a primary, a verified and an unverified address, and u2 with one.
type stage struct {
	*suite.World
	t                    testing.TB
	other                *emails.Store // of another process
	first, second, third string
	code                 string // of the third address

	sent map[condition]bool
	note map[string]string // what a scene keeps for its after
}

const thirdAddress = "third@example.com"

// play runs a scene without one condition, or with all of them. The error is what differs from the one right result.
func (sc scene) play(t testing.TB, dropped *condition) (*stage, error) {
	t.Helper()
	s := &stage{t: t, sent: map[condition]bool{}, note: map[string]string{}}
	transactions := 0
	s.World = suite.New(t, suite.WithRewrite(func(ctx context.Context, in *dynamodb.TransactWriteItemsInput) *dynamodb.TransactWriteItemsInput {
		op, ok := operationOf(ctx)
		if !ok {
			return in
		}
		s.record(op, in)
		if transactions++; transactions-1 == sc.nth && sc.between != nil {
			sc.between(s, in)
		}
		if dropped == nil {
			return in
		}
		return without(op, *dropped, in)
	}))
	s.set(t)
	if sc.before != nil {
		sc.before(s)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := sc.call(operating(ctx, sc.kind, sc.user), s)
	if !errors.Is(err, sc.want) || sc.want == nil && err != nil {
		return s, fmt.Errorf("the call gives %v, not %v", err, sc.want)
	}
	if sc.after != nil {
		if err := sc.after(s); err != nil {
			return s, err
		}
	}
	if sc.byHand {
		return s, nil
	}
	for _, v := range s.Audit(t) {
		return s, fmt.Errorf("the audit finds %s %s", v.Invariant, v.Kind)
	}
	return s, s.CheckEvents(t)
}

func (s *stage) set(t testing.TB) {
	t.Helper()
	var err error
	s.other, err = emails.New(s.Client, s.Mail, suite.Secrets(), emails.Config{Store: s.Config})
	require.NoError(t, err)
	s.first = s.User(t, "u1").PrimaryEmailID
	s.User(t, "u2")
	s.second = s.Verified(t, "u1", "second@example.com").EmailID
	added, err := s.Emails.Add(t.Context(), "u1", thirdAddress)
	require.NoError(t, err)
	s.third, s.code = added.EmailID, s.Mail.Code(t, thirdAddress)
}

func (s *stage) record(op operation, in *dynamodb.TransactWriteItemsInput) {
	for _, action := range in.TransactItems {
		names, _ := conditionsOf(op, action)
		for _, name := range names {
			s.sent[name] = true
		}
	}
}

// item is a stored item under a key, nil for none.
func (s *stage) item(pk, sk string) map[string]types.AttributeValue {
	out, err := s.Plain().GetItem(s.t.Context(), &dynamodb.GetItemInput{
		TableName: &s.Config.Table, Key: key(pk, sk), ConsistentRead: aws.Bool(true),
	})
	require.NoError(s.t, err)
	return out.Item
}

// write puts an item by hand.
func (s *stage) write(item map[string]types.AttributeValue) {
	_, err := s.Plain().PutItem(s.t.Context(), &dynamodb.PutItemInput{TableName: &s.Config.Table, Item: item})
	require.NoError(s.t, err)
}

// erase deletes an item by hand.
func (s *stage) erase(pk, sk string) {
	_, err := s.Plain().DeleteItem(s.t.Context(), &dynamodb.DeleteItemInput{TableName: &s.Config.Table, Key: key(pk, sk)})
	require.NoError(s.t, err)
}

// alter sets attributes of a stored item by hand; a nil value removes one.
func (s *stage) alter(pk, sk string, set map[string]types.AttributeValue) {
	item := s.item(pk, sk)
	require.NotNil(s.t, item)
	maps.Copy(item, set)
	maps.DeleteFunc(item, func(_ string, v types.AttributeValue) bool { return v == nil })
	s.write(item)
}

// occupy writes an item by hand under the key of a part that is about to be put.
func occupy(part string) intruder { return occupyOf("", part) }

// occupyOf is occupy for the part of one account.
func occupyOf(user, part string) intruder {
	return func(s *stage, in *dynamodb.TransactWriteItemsInput) {
		i := slices.IndexFunc(in.TransactItems, func(a types.TransactWriteItem) bool {
			return suite.PartName(a) == part && strings.HasPrefix(value(putItem(a)["SK"]), user)
		})
		require.GreaterOrEqual(s.t, i, 0, "the transaction has no %s", part)
		item := in.TransactItems[i].Put.Item
		s.write(map[string]types.AttributeValue{"PK": item["PK"], "SK": item["SK"], "writtenBy": text("hand")})
	}
}

func key(pk, sk string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"PK": text(pk), "SK": text(sk)}
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n int64) types.AttributeValue { return &types.AttributeValueMemberN{Value: fmt.Sprint(n)} }

func truth(b bool) types.AttributeValue { return &types.AttributeValueMemberBOOL{Value: b} }
