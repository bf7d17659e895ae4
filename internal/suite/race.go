package suite

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
)

// Race is real contention with a count at the end.
type Race struct {
	// Needs are the parts without whose condition the race must be seen to fail, named as PartName does.
	Needs []string
	// Options of its World.
	Options []Option
	// Run sets the scene, lets the callers loose, and returns what is wrong afterwards. It may be run several times.
	Run func(t testing.TB, w *World) error
}

// proofTries is how often a race is run without a condition before it counts as not needing it.
const proofTries = 200

// Check runs the race with all conditions, and then without each that it needs.
func (r Race) Check(t *testing.T) {
	t.Parallel()
	t.Run("holds", func(t *testing.T) {
		t.Parallel()
		require.NoError(t, r.try(t))
	})
	if Independent() { // that a condition is needed is a matter of the race, not of the engine
		return
	}
	for _, part := range r.Needs {
		t.Run("fails_without_"+part, func(t *testing.T) {
			t.Parallel()
			for range proofTries {
				if r.try(t, Without(part)) != nil {
					return
				}
			}
			t.Errorf("%d runs without the condition of %q and nothing was wrong", proofTries, part)
		})
	}
}

// try runs the race in a new World and audits the table. Requests are delayed a little, so that callers overlap, and not alike,
// so that also on one processor now this one and now that one is first.
func (r Race) try(t testing.TB, options ...Option) error {
	delay := WithFaults(faults.Plan{Delay: func(string) time.Duration { return rand.N(2 * time.Millisecond) }})
	w := New(t, append(append([]Option{delay}, r.Options...), options...)...)
	err := errors.Join(r.Run(t, w), w.CheckEvents(t))
	for _, v := range w.Audit(t) {
		err = errors.Join(err, fmt.Errorf("%s %s: %s", v.Invariant, v.Kind, v.Detail))
	}
	return err
}

// Count sorts the outcomes of a race: how many succeeded, and how many failed with want. Any other error is returned.
func Count(errs []error, want error) (succeeded, refused int, other error) {
	for _, err := range errs {
		switch {
		case err == nil:
			succeeded++
		case want != nil && errors.Is(err, want):
			refused++
		default:
			other = errors.Join(other, err)
		}
	}
	return succeeded, refused, other
}

// Exactly is an error unless that many calls succeeded and all others failed with want.
func Exactly(errs []error, successes int, want error) error {
	succeeded, refused, other := Count(errs, want)
	if other != nil {
		return other
	}
	if succeeded != successes || refused != len(errs)-successes {
		return fmt.Errorf("%d succeeded and %d were refused, want %d and %d", succeeded, refused, successes, len(errs)-successes)
	}
	return nil
}

// Seq is the account's counter of changes as it is stored.
func (w *World) Seq(t testing.TB, userID string) string {
	t.Helper()
	out, err := w.plain.GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: &w.Config.Table, ConsistentRead: aws.Bool(true), Key: profileKey(userID),
	})
	require.NoError(t, err)
	n, ok := out.Item["seq"].(*types.AttributeValueMemberN)
	require.True(t, ok, "the account has no seq")
	return n.Value
}

// Primaries counts, at one moment, the rows of an account that say they are primary, and whether the profile names one of
// them. It reads in a transaction, which shows no half of another one.
func (w *World) Primaries(t testing.TB, userID string, emailIDs []string) (marked int, named bool) {
	t.Helper()
	get := func(key map[string]types.AttributeValue) types.TransactGetItem {
		return types.TransactGetItem{Get: &types.Get{TableName: &w.Config.Table, Key: key}}
	}
	items := []types.TransactGetItem{get(profileKey(userID))}
	for _, id := range emailIDs {
		items = append(items, get(map[string]types.AttributeValue{
			"PK": &types.AttributeValueMemberS{Value: "USER#" + userID}, "SK": &types.AttributeValueMemberS{Value: "EMAIL#" + id},
		}))
	}
	out, err := w.plain.TransactGetItems(t.Context(), &dynamodb.TransactGetItemsInput{TransactItems: items})
	require.NoError(t, err)
	primary, _ := out.Responses[0].Item["primaryEmailId"].(*types.AttributeValueMemberS)
	for i, response := range out.Responses[1:] {
		if is, _ := response.Item["isPrimary"].(*types.AttributeValueMemberBOOL); is != nil && is.Value {
			marked++
			named = named || primary != nil && primary.Value == emailIDs[i]
		}
	}
	return marked, named
}

func profileKey(userID string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: "USER#" + userID}, "SK": &types.AttributeValueMemberS{Value: "PROFILE"},
	}
}
