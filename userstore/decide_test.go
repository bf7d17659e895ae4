package userstore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/table"
)

var now = time.Date(2026, 1, 15, 10, 30, 0, 0, time.UTC)

// states are one account in each state that a decision tells apart.
func states() map[string]table.Profile {
	active := table.Profile{
		UserID: "u1", Email: "dana@example.com", PrimaryEmailID: "e1", FirstName: "Dana", LastName: "Reyes", Phone: "+14155550123",
		Status: table.Active, Version: 3, Seq: 7, EmailCount: 1, CreatedAt: now.Add(-time.Hour), UpdatedAt: now.Add(-time.Hour),
	}
	suspended := active
	suspended.Status, suspended.SuspendedAt, suspended.SuspendReason = table.Suspended, now.Add(-time.Minute), "abuse"
	deleted := active
	deleted.Status, deleted.DeletedAt, deleted.PurgeAfter = table.Deleted, now.Add(-time.Minute), now.Add(time.Second)
	deletedSuspended := deleted
	deletedSuspended.SuspendedAt, deletedSuspended.SuspendReason = suspended.SuspendedAt, "abuse"
	expired := deleted
	expired.PurgeAfter = now
	purged := table.Profile{UserID: "u1", Status: table.Deleted, Version: 4, Seq: 9, CreatedAt: active.CreatedAt, DeletedAt: deleted.DeletedAt}
	return map[string]table.Profile{
		"active": active, "suspended": suspended, "deleted": deleted, "deleted_while_suspended": deletedSuspended,
		"retention_over": expired, "purged": purged,
	}
}

// outcome is what a decision says: an error, "already so", or the status and event of a change.
type outcome struct {
	err    error
	same   bool
	status table.Status
	event  string
}

func refused(err error) outcome                  { return outcome{err: err} }
func same() outcome                              { return outcome{same: true} }
func moved(s table.Status, event string) outcome { return outcome{status: s, event: event} }
func see(c *account.Change, err error) outcome {
	switch {
	case err != nil:
		return refused(err)
	case c == nil:
		return same()
	}
	return moved(c.Profile.Status, c.Events[0].Type)
}

func TestLifeCycleDecisions(t *testing.T) {
	t.Parallel()
	commands := map[string]struct {
		decide func(table.Profile) (*account.Change, error)
		want   map[string]outcome
	}{
		"suspend": {
			func(p table.Profile) (*account.Change, error) { return decideSuspend(p, "fraud", now) },
			map[string]outcome{
				"active": moved(table.Suspended, "user.suspended"), "suspended": same(), "deleted": refused(ErrStatus),
				"deleted_while_suspended": refused(ErrStatus), "retention_over": refused(ErrStatus), "purged": refused(ErrStatus),
			},
		},
		"reinstate": {
			func(p table.Profile) (*account.Change, error) { return decideReinstate(p, now) },
			map[string]outcome{
				"active": same(), "suspended": moved(table.Active, "user.reactivated"), "deleted": refused(ErrStatus),
				"deleted_while_suspended": refused(ErrStatus), "retention_over": refused(ErrStatus), "purged": refused(ErrStatus),
			},
		},
		"delete": {
			func(p table.Profile) (*account.Change, error) { return decideDelete(p, time.Hour, now) },
			map[string]outcome{
				"active": moved(table.Deleted, "user.deleted"), "suspended": moved(table.Deleted, "user.deleted"), "deleted": same(),
				"deleted_while_suspended": same(), "retention_over": same(), "purged": same(),
			},
		},
		"restore": {
			func(p table.Profile) (*account.Change, error) { return decideRestore(p, now) },
			map[string]outcome{
				"active": refused(ErrStatus), "suspended": refused(ErrStatus), "deleted": moved(table.Active, "user.restored"),
				"deleted_while_suspended": moved(table.Suspended, "user.restored"), "retention_over": refused(ErrStatus), "purged": refused(ErrStatus),
			},
		},
		"purge": {
			func(p table.Profile) (*account.Change, error) {
				return decidePurge(account.Account{Profile: p}, "users", now)
			},
			map[string]outcome{
				"active": refused(ErrStatus), "suspended": refused(ErrStatus), "deleted": refused(ErrStatus),
				"deleted_while_suspended": refused(ErrStatus), "retention_over": moved(table.Deleted, "user.purged"), "purged": same(),
			},
		},
		"update": {
			func(p table.Profile) (*account.Change, error) {
				return decideUpdate(p, Changes{FirstName: new("Jo")}, now)
			},
			map[string]outcome{
				"active": moved(table.Active, "user.updated"), "suspended": refused(ErrNotActive), "deleted": refused(ErrNotActive),
				"deleted_while_suspended": refused(ErrNotActive), "retention_over": refused(ErrNotActive), "purged": refused(ErrNotActive),
			},
		},
	}
	for name, c := range commands {
		for state, profile := range states() {
			t.Run(name+"/"+state, func(t *testing.T) {
				t.Parallel()
				change, err := c.decide(profile)
				require.Equal(t, c.want[state], see(change, err))
				if change != nil && name != "purge" {
					require.Equal(t, profile.Version+1, change.Profile.Version)
					require.Equal(t, now, change.Profile.UpdatedAt)
				}
			})
		}
	}
}

func TestUpdateDecision(t *testing.T) {
	t.Parallel()
	active, suspended := states()["active"], states()["suspended"]
	t.Run("status_before_version", func(t *testing.T) {
		t.Parallel()
		_, err := decideUpdate(suspended, Changes{FirstName: new("Jo"), ExpectedVersion: 99}, now)
		require.ErrorIs(t, err, ErrNotActive)
	})
	t.Run("version_before_no_difference", func(t *testing.T) {
		t.Parallel()
		_, err := decideUpdate(active, Changes{FirstName: new("Dana"), ExpectedVersion: 2}, now)
		require.ErrorIs(t, err, ErrVersionConflict)
	})
	t.Run("nothing_differs", func(t *testing.T) {
		t.Parallel()
		change, err := decideUpdate(active, Changes{FirstName: new("Dana"), Phone: new("+14155550123"), ExpectedVersion: 3}, now)
		require.NoError(t, err)
		require.Nil(t, change)
	})
	t.Run("names_the_changed_fields", func(t *testing.T) {
		t.Parallel()
		change, err := decideUpdate(active, Changes{FirstName: new("Dana"), LastName: new("Roe"), Phone: new("")}, now)
		require.NoError(t, err)
		require.Equal(t, map[string]any{"changedFields": []string{"lastName", "phone"}}, change.Events[0].Data)
		require.Equal(t, "Roe", change.Profile.LastName)
		require.Empty(t, change.Profile.Phone)
	})
}

func TestLifeCycleStamps(t *testing.T) {
	t.Parallel()
	s := states()
	change, _ := decideSuspend(s["active"], "fraud", now)
	require.Equal(t, now, change.Profile.SuspendedAt)
	require.Equal(t, now, change.Profile.TokensValidAfter)
	require.Equal(t, "fraud", change.Profile.SuspendReason)
	require.Equal(t, map[string]any{"reason": "fraud"}, change.Events[0].Data)
	change, _ = decideReinstate(s["suspended"], now)
	require.Zero(t, change.Profile.SuspendedAt)
	require.Empty(t, change.Profile.SuspendReason)
	change, _ = decideDelete(s["suspended"], 30*24*time.Hour, now)
	require.Equal(t, now, change.Profile.DeletedAt)
	require.Equal(t, now, change.Profile.TokensValidAfter)
	require.Equal(t, now.Add(30*24*time.Hour), change.Profile.PurgeAfter)
	require.Equal(t, s["suspended"].SuspendedAt, change.Profile.SuspendedAt, "kept for Restore")
	change, _ = decideRestore(s["deleted"], now)
	require.Zero(t, change.Profile.DeletedAt)
	require.Zero(t, change.Profile.PurgeAfter)
	require.Equal(t, table.Restorable(now), change.Guard, "seq implies it, but on rows written by hand")
}

func TestPurgeDecision(t *testing.T) {
	t.Parallel()
	p := states()["retention_over"]
	acc := account.Account{
		Profile: p,
		Emails: []table.Email{
			{EmailID: "e1", UserID: "u1", Email: "dana@example.com", IsVerified: true},
			{EmailID: "e2", UserID: "u1", Email: "dana.two@example.com"},
		},
		Codes: map[string]table.Code{"e2": {EmailID: "e2"}},
	}
	change, err := decidePurge(acc, "users", now)
	require.NoError(t, err)
	require.Len(t, change.Rows, 5, "two rows, two claims, one code")
	require.Equal(t, table.Purgeable(now), change.Guard, "seq implies it, but on rows written by hand")
	require.Equal(t, table.Profile{
		UserID: "u1", Status: table.Deleted, Version: p.Version, Seq: p.Seq, CreatedAt: p.CreatedAt, DeletedAt: p.DeletedAt,
	}, change.Profile, "nothing personal stays")
}

func TestEraseDecision(t *testing.T) {
	t.Parallel()
	want := map[string][]string{
		"active": {"user.deleted", "user.purged"}, "suspended": {"user.deleted", "user.purged"}, "deleted": {"user.purged"},
		"deleted_while_suspended": {"user.purged"}, "retention_over": {"user.purged"}, "purged": nil,
	}
	for state, p := range states() {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			acc := account.Account{
				Profile: p, Emails: []table.Email{
					{EmailID: "e1", UserID: "u1", Email: "dana@example.com", IsVerified: true},
					{EmailID: "e2", UserID: "u1", Email: "dana.two@example.com"},
					{EmailID: "e3", UserID: "u1", Email: "dana.three@example.com"},
				},
				Codes: map[string]table.Code{"e3": {EmailID: "e3"}},
			}
			change := decideErase(acc, "users", now)
			if want[state] == nil {
				require.Nil(t, change)
				return
			}
			var types []string
			for _, e := range change.Events {
				types = append(types, e.Type)
			}
			require.Equal(t, want[state], types)
			require.Len(t, change.Rows, 8, "three rows, three claims, and the codes of both unverified addresses, seen or not")
			deletedAt := p.DeletedAt
			if deletedAt.IsZero() {
				deletedAt = now
			}
			require.Equal(t, table.Profile{
				UserID: "u1", Status: table.Deleted, Version: p.Version, Seq: p.Seq, CreatedAt: p.CreatedAt, DeletedAt: deletedAt,
			}, change.Profile)
		})
	}
}
