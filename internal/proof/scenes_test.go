package proof

import (
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/userstore"
)

// Texts of conditions that several operations have.
const (
	absent     = "attribute_not_exists(PK)"
	present    = "attribute_exists(PK)"
	seqIs      = "seq = :wasSeq"
	heldByUser = "userId = :holder"
	heldByRow  = "emailId = :heldRow"
	month      = 30 * 24 * time.Hour
)

// scenes are all scenes of the proof. Together they need every condition that the library sends.
func scenes() []scene {
	return slices.Concat(changeScenes(), createScenes(), lifeScenes(), takeOverScenes(), addScenes(), sendScenes(), confirmScenes(), rowScenes())
}

func needs(k kind, part string, texts ...string) []condition {
	list := make([]condition, len(texts))
	for i, text := range texts {
		list[i] = condition{operation: k, part: part, text: text}
	}
	return list
}

type caller = func(ctx context.Context, s *stage) error

type intruder = func(s *stage, in *dynamodb.TransactWriteItemsInput)

// meanwhile is an intruder that calls the library.
func meanwhile(calls ...caller) intruder {
	return func(s *stage, _ *dynamodb.TransactWriteItemsInput) { s.do(calls...) }
}

// byHand is an intruder that writes beside the library.
func byHand(write func(s *stage)) intruder {
	return func(s *stage, _ *dynamodb.TransactWriteItemsInput) { write(s) }
}

// first sets the stage by calls of the library.
func first(calls ...caller) func(*stage) { return func(s *stage) { s.do(calls...) } }

func (s *stage) do(calls ...caller) {
	for _, call := range calls {
		require.NoError(s.t, call(s.t.Context(), s))
	}
}

// The calls of the scenes, on u1 where nothing else is said.

func updates(ctx context.Context, s *stage) error {
	name := "Ann"
	if s.note["name"] == name {
		name = "Bea"
	}
	s.note["name"] = name // another name each time, so that there is something to write
	_, err := s.Users.Update(ctx, "u1", userstore.Changes{FirstName: &name})
	return err
}

func suspends(ctx context.Context, s *stage) error {
	_, err := s.Users.Suspend(ctx, "u1", "fraud")
	return err
}

func reinstates(ctx context.Context, s *stage) error {
	_, err := s.Users.Reinstate(ctx, "u1")
	return err
}

func deletes(ctx context.Context, s *stage) error {
	_, err := s.Users.Delete(ctx, "u1")
	return err
}

func restores(ctx context.Context, s *stage) error {
	_, err := s.Users.Restore(ctx, "u1")
	return err
}

func revokes(ctx context.Context, s *stage) error {
	_, err := s.Users.RevokeTokens(ctx, "u1")
	return err
}

func erases(ctx context.Context, s *stage) error { return s.Users.Erase(ctx, "u1") }
func purges(ctx context.Context, s *stage) error { return s.Users.Purge(ctx, "u1") }

func creates(user, address string) caller {
	return func(ctx context.Context, s *stage) error {
		_, err := s.Users.Create(ctx, userstore.NewUser{UserID: user, Email: address, EmailVerified: true})
		return err
	}
}

func adds(user, address string) caller {
	return func(ctx context.Context, s *stage) error {
		_, err := s.Emails.Add(ctx, user, address)
		return err
	}
}

func sends(ctx context.Context, s *stage) error {
	_, err := s.Emails.SendCode(ctx, "u1", s.third)
	return err
}

// confirms uses the code that the stage was set with.
func confirms(ctx context.Context, s *stage) error {
	_, err := s.Emails.Confirm(ctx, "u1", s.third, s.code)
	return err
}

// confirmsNewest uses the code that was mailed last.
func confirmsNewest(ctx context.Context, s *stage) error {
	_, err := s.Emails.Confirm(ctx, "u1", s.third, s.Mail.Code(s.t, thirdAddress))
	return err
}

// mistakes is a wrong code.
func mistakes(ctx context.Context, s *stage) error {
	_, err := s.Emails.Confirm(ctx, "u1", s.third, s.Mail.Wrong(thirdAddress))
	if outcomeOf(confirm, err) != wrongCode {
		return err
	}
	return nil
}

func makesSecondPrimary(ctx context.Context, s *stage) error {
	_, err := s.Emails.SetPrimary(ctx, "u1", s.second)
	return err
}

func removesSecond(ctx context.Context, s *stage) error {
	return s.Emails.Remove(ctx, "u1", s.second)
}

func removesThird(ctx context.Context, s *stage) error {
	return s.Emails.Remove(ctx, "u1", s.third)
}

func later(d time.Duration) caller {
	return func(_ context.Context, s *stage) error { s.Clock.Advance(d); return nil }
}

// changeScenes are what every change of an existing account needs: its lock, and a place for its events.
func changeScenes() []scene {
	var all []scene
	for _, c := range []struct {
		kind   kind
		before []caller
		call   caller
		nth    int
		other  []caller
	}{
		{kind: updating, call: updates, other: []caller{revokes}},
		{kind: suspend, call: suspends, other: []caller{updates}},
		{kind: reinstate, before: []caller{suspends}, call: reinstates, other: []caller{revokes}},
		{kind: deleting, call: deletes, other: []caller{updates}},
		{kind: restore, before: []caller{deletes}, call: restores, other: []caller{restores, deletes}},
		{kind: revoke, call: revokes, other: []caller{updates}},
		{kind: purge, before: []caller{deletes, later(month)}, call: purges, other: []caller{adds("u2", thirdAddress)}},
		{kind: erase, call: erases, other: []caller{updates}},
		{kind: add, call: adds("u1", "new@example.com"), other: []caller{updates}},
		{kind: confirm, call: confirms, nth: 1, other: []caller{updates}},
		{kind: setPrimary, call: makesSecondPrimary, other: []caller{updates}},
		{kind: remove, call: removesThird, other: []caller{updates}},
	} {
		all = append(all, scene{
			name: "account_changed_meanwhile", needs: needs(c.kind, "Update PROFILE", seqIs), kind: c.kind, user: "u1",
			before: first(c.before...), call: c.call, between: meanwhile(c.other...), nth: c.nth,
		}, scene{
			name: "events_of_that_number_are_there", needs: needs(c.kind, "Put OUTBOX", absent), kind: c.kind, user: "u1",
			before: first(c.before...), call: c.call, between: occupy("Put OUTBOX"), nth: c.nth, byHand: true, want: userstore.ErrCorrupt,
		})
	}
	return all
}
