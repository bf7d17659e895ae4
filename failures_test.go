package usercore_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/userstore"
)

// TestFailureTable drives the rows of the failure table that accounts and addresses meet, and sees the record and the metric of each.
func TestFailureTable(t *testing.T) {
	t.Parallel()
	type row struct {
		attempts int // of the SDK's client
		drive    func(t *testing.T, w *suite.World) error
		want     error
		record   record
		metric   string
		with     []string
	}
	rename := func(t *testing.T, w *suite.World, version int64) error {
		name := "Robin"
		_, err := w.Users.Update(t.Context(), "u1", userstore.Changes{FirstName: &name, ExpectedVersion: version})
		return err
	}
	for name, r := range map[string]row{
		"dynamodb_throttles_a_read": {
			attempts: 1,
			drive: func(t *testing.T, w *suite.World) error {
				w.Faults.Next(faults.Throttle{}, faults.Ops("GetItem"))
				_, err := w.Users.Get(t.Context(), "u1")
				return err
			},
			want:   userstore.ErrUnavailable,
			record: record{Level: "WARN", Operation: "userstore.get", Outcome: "unavailable", UserID: "u1", Attempts: 1},
			metric: "usercore.dynamodb.throttles", with: []string{"operation=userstore.get"},
		},
		"dynamodb_throttles_a_write": {
			attempts: 1,
			drive: func(t *testing.T, w *suite.World) error {
				w.Faults.Next(faults.PartThrottle{}, faults.Ops("TransactWriteItems"))
				return rename(t, w, 0)
			},
			record: record{Level: "DEBUG", Operation: "userstore.update", Outcome: "ok", UserID: "u1", Attempts: 2},
			metric: "usercore.dynamodb.throttles", with: []string{"operation=userstore.update"},
		},
		"dynamodb_is_unavailable": {
			attempts: 1,
			drive: func(t *testing.T, w *suite.World) error {
				w.Faults.Next(faults.Internal{}, faults.Ops("TransactWriteItems"))
				return rename(t, w, 0)
			},
			want:   userstore.ErrOutcomeUnknown,
			record: record{Level: "WARN", Operation: "userstore.update", Outcome: "outcome_unknown", UserID: "u1", Attempts: 1},
		},
		"concurrent_update_of_a_version": {
			drive:  func(t *testing.T, w *suite.World) error { return rename(t, w, 7) },
			want:   userstore.ErrVersionConflict,
			record: record{Level: "INFO", Operation: "userstore.update", Outcome: "version_conflict", UserID: "u1", Attempts: 1},
			metric: "usercore.transaction.conflicts", with: []string{"operation=userstore.update", "kind=version"},
		},
		"concurrent_transactions": {
			drive: func(t *testing.T, w *suite.World) error {
				w.Faults.Next(faults.Conflict{}, faults.Ops("TransactWriteItems"))
				return rename(t, w, 0)
			},
			record: record{Level: "DEBUG", Operation: "userstore.update", Outcome: "ok", UserID: "u1", Attempts: 2},
			metric: "usercore.transaction.conflicts", with: []string{"operation=userstore.update", "kind=transaction"},
		},
		"address_is_taken": {
			drive: func(t *testing.T, w *suite.World) error {
				_, err := w.Emails.Add(t.Context(), "u1", "u2@example.com")
				return err
			},
			want:   emails.ErrTaken,
			record: record{Level: "INFO", Operation: "emails.add", Outcome: "taken", UserID: "u1", Attempts: 1},
			metric: "usercore.address.races", with: []string{"operation=emails.add"},
		},
		"send_limit_is_reached": {
			drive: func(t *testing.T, w *suite.World) error {
				added, err := w.Emails.Add(t.Context(), "u1", "work@example.com")
				for err == nil {
					_, err = w.Emails.SendCode(t.Context(), "u1", added.EmailID)
				}
				return err
			},
			want:   emails.ErrLimited,
			record: record{Level: "INFO", Operation: "emails.send_code", Outcome: "limited", UserID: "u1", Attempts: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := newSignals()
			w := suite.New(t, suite.WithUsers(seen.observe), suite.WithAttempts(max(r.attempts, 1)))
			w.User(t, "u1")
			w.User(t, "u2")
			require.Zero(t, seen.count(t, r.metric, r.with...))

			require.ErrorIs(t, r.drive(t, w), r.want)

			got := seen.last(t)
			got.Reasons = nil // their order is that of the transaction
			require.Equal(t, r.record, got)
			if r.metric != "" {
				require.EqualValues(t, 1, seen.count(t, r.metric, r.with...))
			}
			require.Zero(t, w.Faults.Pending())
			ended := seen.spans.Ended()
			require.Equal(t, r.record.Operation, ended[len(ended)-1].Name())
		})
	}
}
