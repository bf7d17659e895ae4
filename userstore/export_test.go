package userstore_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/userstore"
)

var update = flag.Bool("update", false, "write the golden file of an export anew")

var newID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// TestExport holds an export to its golden file; ids of addresses are random and masked.
func TestExport(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	w.User(t, "u1")
	w.Clock.Advance(time.Second) // addresses come oldest first
	w.Verified(t, "u1", "work@example.com")
	w.Clock.Advance(time.Second)
	added, err := w.Emails.Add(t.Context(), "u1", "spare@example.com")
	require.NoError(t, err)
	_, err = w.Emails.Confirm(t.Context(), "u1", added.EmailID, w.Mail.Wrong("spare@example.com"))
	require.Error(t, err)
	w.Clock.Advance(time.Minute)
	_, err = w.Users.Suspend(t.Context(), "u1", "chargebacks")
	require.NoError(t, err)

	export, err := w.Users.Export(t.Context(), "u1")
	require.NoError(t, err)
	got, err := json.MarshalIndent(export, "", "  ")
	require.NoError(t, err)
	got = append(newID.ReplaceAll(got, []byte("an-id")), '\n')
	const golden = "testdata/export.json"
	if *update {
		require.NoError(t, os.WriteFile(golden, got, 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
	require.False(t, bytes.Contains(got, []byte(w.Mail.Code(t, "spare@example.com"))), "the digits of a live code are not in it")
}

func TestExportRefused(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	_, err := w.Users.Export(t.Context(), "nobody")
	require.ErrorIs(t, err, userstore.ErrNotFound)
	_, err = w.Users.Export(t.Context(), "bad id")
	require.ErrorIs(t, err, userstore.ErrInvalid)
}

// TestErase: nothing of the account is left but a tombstone, whatever its status, and its addresses are free.
func TestErase(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(t *testing.T, w *suite.World){
		"active": func(*testing.T, *suite.World) {},
		"suspended": func(t *testing.T, w *suite.World) {
			_, err := w.Users.Suspend(t.Context(), "u1", "")
			require.NoError(t, err)
		},
		"deleted": func(t *testing.T, w *suite.World) {
			_, err := w.Users.Delete(t.Context(), "u1")
			require.NoError(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := suite.New(t)
			w.User(t, "u1")
			added, err := w.Emails.Add(t.Context(), "u1", "work@example.com")
			require.NoError(t, err)
			_, err = w.Emails.Confirm(t.Context(), "u1", added.EmailID, w.Mail.Wrong("work@example.com"))
			require.Error(t, err)
			before(t, w)
			require.NoError(t, w.Users.Erase(t.Context(), "u1"))
			require.NoError(t, w.Users.Erase(t.Context(), "u1"), "it is already so")

			export, err := w.Users.Export(t.Context(), "u1")
			require.NoError(t, err)
			left := export.Account
			require.Equal(t, userstore.ExportedAccount{
				UserID: "u1", Status: userstore.Deleted, Version: left.Version, Changes: left.Changes, CreatedAt: left.CreatedAt, DeletedAt: left.DeletedAt,
			}, left)
			require.Empty(t, export.Emails)
			require.Equal(t, w.Clock.Now(), left.DeletedAt)
			types := w.EventTypes(t, "u1")
			require.Equal(t, []string{"user.deleted", "user.purged"}, types[len(types)-2:])
			require.Nil(t, w.Audit(t))

			w.User(t, "u2")
			_, err = w.Emails.Add(t.Context(), "u2", "u1@example.com")
			require.NoError(t, err, "its addresses are free")
			_, err = w.Users.Create(t.Context(), userstore.NewUser{UserID: "u1", Email: "again@example.com"})
			require.ErrorIs(t, err, userstore.ErrExists)
		})
	}
}

// TestExportBesideATakeOver is for an address that another account holds by the time its claim is read.
func TestExportBesideATakeOver(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	w.User(t, "u1")
	w.User(t, "u2")
	w.Clock.Advance(time.Second) // addresses come oldest first
	spare, err := w.Emails.Add(t.Context(), "u1", "spare@example.com")
	require.NoError(t, err)
	release, reading := w.Faults.Hold(faults.Ops("GetItem"))
	defer release()
	var export userstore.Export
	done := make(chan error, 1)
	go func() {
		var err error
		export, err = w.Users.Export(t.Context(), "u1")
		done <- err
	}()
	<-reading
	require.NoError(t, w.Emails.Remove(t.Context(), "u1", spare.EmailID))
	w.Clock.Advance(time.Minute)
	_, err = w.Emails.Add(t.Context(), "u2", "spare@example.com")
	require.NoError(t, err)
	release()
	require.NoError(t, <-done)
	require.Len(t, export.Emails, 2)
	require.NotZero(t, export.Emails[0].ClaimedAt)
	require.Zero(t, export.Emails[1].ClaimedAt, "when another account claimed it is nothing of this one's")
	require.Zero(t, export.Emails[1].LeaseUntil)
}
