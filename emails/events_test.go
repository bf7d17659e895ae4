package emails_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/userstore"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestEventForms walks an account through its life and holds each event, as consumers receive it, to a golden file.
func TestEventForms(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	ctx := userstore.WithRequestID(t.Context(), "req-1")
	check := func(_ any, err error) { t.Helper(); require.NoError(t, err) }
	check(w.Users.Create(ctx, userstore.NewUser{UserID: "dana", Email: "dana@example.com", EmailVerified: true}))
	w.Clock.Advance(1500 * time.Millisecond)
	check(w.Users.Update(ctx, "dana", userstore.Changes{FirstName: new("Dana"), Phone: new("+14155550123")}))
	work, err := w.Emails.Add(ctx, "dana", "dana@work.example")
	check(nil, err)
	check(w.Emails.Confirm(ctx, "dana", work.EmailID, w.Mail.Code(t, "dana@work.example")))
	check(w.Emails.SetPrimary(ctx, "dana", work.EmailID))
	list, err := w.Emails.List(ctx, "dana")
	check(nil, err)
	check(nil, w.Emails.Remove(ctx, "dana", list[0].EmailID))
	check(w.Users.RevokeTokens(ctx, "dana"))
	check(w.Users.Suspend(ctx, "dana", "fraud"))
	check(w.Users.Reinstate(ctx, "dana"))
	check(w.Users.Delete(ctx, "dana"))
	check(w.Users.Restore(ctx, "dana"))
	check(w.Users.Delete(ctx, "dana"))
	w.Clock.Advance(30 * 24 * time.Hour)
	check(nil, w.Users.Purge(ctx, "dana"))

	seen := map[string]bool{}
	for _, e := range w.Events(t) {
		if seen[e.Type] {
			continue
		}
		seen[e.Type] = true
		golden(t, e, work.EmailID, list[0].EmailID)
	}
	require.Len(t, seen, 12)
}

func TestEventsOfATakeOver(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	w.User(t, "dana")
	_, err := w.Users.Create(t.Context(), userstore.NewUser{UserID: "squatter", Email: "wanted@example.com"})
	require.NoError(t, err)
	list, err := w.Emails.List(t.Context(), "squatter")
	require.NoError(t, err)
	w.Clock.Advance(24 * time.Hour)
	_, err = w.Emails.Add(userstore.WithRequestID(t.Context(), "req-1"), "dana", "wanted@example.com")
	require.NoError(t, err)
	found := false
	for _, e := range w.Events(t) {
		if e.AggregateID == "squatter" && e.Seq == 2 {
			found = true
			e.Type += ".lapsed"
			golden(t, e, list[0].EmailID, "")
		}
	}
	require.True(t, found, "the old owner's account has an event of it")
}

func TestFirstPrimaryHasTwoEvents(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	_, err := w.Users.Create(t.Context(), userstore.NewUser{UserID: "dana", Email: "dana@example.com"})
	require.NoError(t, err)
	list, err := w.Emails.List(t.Context(), "dana")
	require.NoError(t, err)
	_, err = w.Emails.SendCode(t.Context(), "dana", list[0].EmailID)
	require.NoError(t, err)
	_, err = w.Emails.Confirm(t.Context(), "dana", list[0].EmailID, w.Mail.Code(t, "dana@example.com"))
	require.NoError(t, err)
	require.Equal(t, []string{"user.created", "email.verified", "email.primary.changed"}, w.EventTypes(t, "dana"))
}

func TestNothingCommittedNothingPublished(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	w.User(t, "dana")
	_, err := w.Emails.Add(t.Context(), "dana", "dana@example.com")
	require.Error(t, err)
	_, err = w.Users.Restore(t.Context(), "dana")
	require.ErrorIs(t, err, userstore.ErrStatus)
	require.Equal(t, []string{"user.created"}, w.EventTypes(t, "dana"))
}

// golden compares an event with its file; ids that differ from run to run are replaced by words.
func golden(t *testing.T, e outbox.Event, work, first string) {
	t.Helper()
	encoded, err := userstore.Envelope().Encode(e)
	require.NoError(t, err)
	text := strings.ReplaceAll(string(encoded), e.ID, "EVENT")
	for id, word := range map[string]string{work: "WORK", first: "FIRST"} {
		if id != "" {
			text = strings.ReplaceAll(text, id, word)
		}
	}
	file := filepath.Join("testdata", "events", e.Type+".json")
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text+"\n"), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(want)), text)
}
