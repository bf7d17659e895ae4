package adopt

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/table"
)

var now = time.Date(2026, 1, 15, 10, 30, 0, 0, time.UTC)

func testRules() rules {
	return rules{maxEmails: 5, lease: 24 * time.Hour, retention: 30 * 24 * time.Hour}
}

// plain is an account of the plain layout with a primary and an unverified address.
func plain(change func(*found)) found {
	f := found{
		profile: table.Profile{UserID: "u1", Email: "one@example.com", Status: table.Active, Version: 4, CreatedAt: now.Add(-time.Hour)},
		rows: []table.Email{
			{EmailID: "e1", UserID: "u1", Email: "one@example.com", IsPrimary: true, IsVerified: true},
			{EmailID: "e2", UserID: "u1", Email: "two@example.com"},
		},
		claims: map[string]table.Claim{}, rivals: map[string]bool{},
	}
	change(&f)
	return f
}

func TestPlainAccount(t *testing.T) {
	t.Parallel()
	p, problems := testRules().decide(plain(func(*found) {}), now)
	require.Empty(t, problems)
	require.Empty(t, p.rows)
	require.Equal(t, []table.Claim{
		{Email: "one@example.com", UserID: "u1", EmailID: "e1", ClaimedAt: now},
		{Email: "two@example.com", UserID: "u1", EmailID: "e2", ClaimedAt: now, LeaseUntil: now.Add(24 * time.Hour)},
	}, p.claims)
	require.Equal(t, "e1", p.profile.PrimaryEmailID)
	require.Equal(t, int64(2), p.profile.EmailCount)
	require.Equal(t, int64(4), p.profile.Version)

	t.Run("adopted", func(t *testing.T) {
		t.Parallel()
		f := plain(func(f *found) {
			f.profile = p.profile
			f.profile.Seq = 1
			for _, claim := range p.claims {
				f.claims[claim.Email] = claim
			}
		})
		again, problems := testRules().decide(f, now.Add(time.Hour))
		require.Nil(t, again)
		require.Empty(t, problems)
	})
}

func TestDecisionsForAPerson(t *testing.T) {
	t.Parallel()
	verified := func(id, address string, primary bool) table.Email {
		return table.Email{EmailID: id, UserID: "u1", Email: address, IsVerified: true, IsPrimary: primary}
	}
	for name, c := range map[string]struct {
		change  func(*found)
		problem Kind
		left    bool   // nothing is done
		primary string // else, what becomes primary
	}{
		"no_primary":          {func(f *found) { f.rows[0].IsPrimary, f.profile.Email = false, "gone@example.com" }, NoPrimary, true, ""},
		"profile_names_one":   {func(f *found) { f.rows[0].IsPrimary = false }, "", false, "e1"},
		"none_verified":       {func(f *found) { f.rows = f.rows[1:] }, "", false, ""},
		"two_primaries":       {func(f *found) { f.rows[1], f.profile.Email = verified("e2", "two@example.com", true), "" }, SeveralPrimaries, true, ""},
		"profile_names_a_two": {func(f *found) { f.rows[1] = verified("e2", "two@example.com", true) }, "", false, "e1"},
		"rows_lead":           {func(f *found) { f.profile.Email, f.profile.PrimaryEmailID, f.profile.Seq = "two@example.com", "e2", 9 }, "", false, "e1"},
		"primary_unverified":  {func(f *found) { f.rows[0].IsVerified = false }, PrimaryUnverified, true, ""},
		"not_canonical":       {func(f *found) { f.rows[0].Email = "One@example.com" }, NotCanonical, true, ""},
		"not_accepted":        {func(f *found) { f.rows[1].Email = "no address" }, NotAccepted, true, ""},
		"held_by_another":     {func(f *found) { f.claims["two@example.com"] = table.Claim{UserID: "u2"} }, DuplicateAddress, false, "e1"},
		"verified_by_another": {func(f *found) { f.rivals["one@example.com"] = true }, DuplicateAddress, false, "e1"},
		"too_many": {func(f *found) {
			for _, id := range []string{"a", "b", "c", "d"} {
				f.rows = append(f.rows, verified(id, id+"@example.com", false))
			}
		}, TooManyAddresses, false, "e1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := plain(c.change)
			p, problems := testRules().decide(f, now)
			if c.problem == "" {
				require.Empty(t, problems)
			} else {
				require.Equal(t, []Kind{c.problem}, problems)
			}
			require.Equal(t, c.left, p == nil)
			if p == nil {
				return
			}
			require.Equal(t, c.primary, p.profile.PrimaryEmailID)
			for _, claim := range p.claims {
				require.False(t, f.rivals[claim.Email], "nobody gets a contested address")
			}
			for _, row := range p.rows {
				require.Equal(t, row.EmailID == c.primary, row.IsPrimary)
			}
		})
	}
}

func TestDeletedAccount(t *testing.T) {
	t.Parallel()
	p, _ := testRules().decide(plain(func(f *found) { f.profile.Status, f.profile.UpdatedAt = table.Deleted, now.Add(-time.Minute) }), now)
	require.Equal(t, now.Add(-time.Minute), p.profile.DeletedAt)
	require.Equal(t, now.Add(30*24*time.Hour), p.profile.PurgeAfter, "retained from the adoption on: nobody was told before")
}
