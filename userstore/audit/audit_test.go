package audit_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/internal/table"
	"github.com/usercore-go/usercore/userstore/audit"
)

type item = map[string]types.AttributeValue

// place is a table with an account u1 (a primary, a verified and an unverified address) and an account u2, both clean.
type place struct {
	*suite.World
	first, second, third string
}

func newPlace(t *testing.T) place {
	t.Helper()
	w := suite.New(t)
	user := w.User(t, "u1")
	second := w.Verified(t, "u1", "second@example.com")
	third, err := w.Emails.Add(t.Context(), "u1", "third@example.com")
	require.NoError(t, err)
	w.User(t, "u2")
	return place{w, user.PrimaryEmailID, second.EmailID, third.EmailID}
}

func (p place) put(t *testing.T, i item) {
	t.Helper()
	_, err := p.Client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &p.Config.Table, Item: i})
	require.NoError(t, err)
}

func (p place) remove(t *testing.T, key item) {
	t.Helper()
	_, err := p.Client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &p.Config.Table, Key: key})
	require.NoError(t, err)
}

// change rewrites one attribute of an item.
func (p place) change(t *testing.T, key item, name string, value types.AttributeValue) {
	t.Helper()
	out, err := p.Client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &p.Config.Table, Key: key})
	require.NoError(t, err)
	require.NotEmpty(t, out.Item)
	if out.Item[name] = value; value == nil {
		delete(out.Item, name)
	}
	p.put(t, out.Item)
}

func yes(b bool) types.AttributeValue      { return &types.AttributeValueMemberBOOL{Value: b} }
func str(s string) types.AttributeValue    { return &types.AttributeValueMemberS{Value: s} }
func number(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} }

func TestCleanTable(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.put(t, item{"PK": str("TENANT#1"), "SK": str("MEMBER#u1")}) // somebody else's
	report, err := audit.Run(t.Context(), p.Client, audit.Config{Table: p.Config.Table})
	require.NoError(t, err)
	require.Equal(t, audit.Report{Users: 2, Emails: 4, Claims: 4, Violations: []audit.Violation{}}, report)
	text, err := json.Marshal(report)
	require.NoError(t, err)
	require.JSONEq(t, `{"users":2,"emails":4,"claims":4,"violations":[]}`, string(text))
}

func TestPlantedDefects(t *testing.T) {
	t.Parallel()
	for kind, c := range map[string]struct {
		invariant string
		plant     func(t *testing.T, p place)
		others    []string // kinds that the same defect implies
	}{
		"claim_missing": {"I2", func(t *testing.T, p place) { p.remove(t, table.ClaimKey("second@example.com")) }, nil},
		"claim_of_other_row": {"I2", func(t *testing.T, p place) {
			p.change(t, table.ClaimKey("second@example.com"), "emailId", str("other"))
		}, []string{"claim_without_row"}},
		"claim_without_row": {"I2", func(t *testing.T, p place) {
			p.put(t, table.Claim{Email: "ghost@example.com", UserID: "u1", EmailID: "gone", ClaimedAt: time.Now()}.Item())
		}, nil},
		"address_shared": {"I1", func(t *testing.T, p place) {
			p.put(t, table.Email{EmailID: "dup", UserID: "u2", Email: "second@example.com", IsVerified: true}.Item())
			p.change(t, table.ProfileKey("u2"), "emailCount", number("2"))
		}, nil},
		"verified_with_lease": {"I2", func(t *testing.T, p place) {
			p.change(t, table.ClaimKey("second@example.com"), "leaseUntil", number("1"))
		}, nil},
		"unverified_without_lease": {"I2", func(t *testing.T, p place) {
			p.change(t, table.ClaimKey("third@example.com"), "leaseUntil", nil)
		}, nil},
		"profile_missing": {"I2", func(t *testing.T, p place) { p.remove(t, table.ProfileKey("u2")) }, nil},
		"row_misplaced": {"I2", func(t *testing.T, p place) {
			p.change(t, table.EmailKey("u1", p.second), "userId", str("u2"))
		}, nil},
		"primary_unverified": {"I3", func(t *testing.T, p place) {
			p.change(t, table.EmailKey("u1", p.first), "isVerified", yes(false))
		}, []string{"unverified_without_lease"}},
		"primary_not_marked": {"I3", func(t *testing.T, p place) {
			p.change(t, table.EmailKey("u1", p.first), "isPrimary", yes(false))
		}, nil},
		"second_primary": {"I3", func(t *testing.T, p place) {
			p.change(t, table.EmailKey("u1", p.second), "isPrimary", yes(true))
		}, nil},
		"primary_differs": {"I3", func(t *testing.T, p place) {
			p.change(t, table.ProfileKey("u1"), "email", str("second@example.com"))
		}, nil},
		"primary_missing": {"I3", func(t *testing.T, p place) {
			p.change(t, table.ProfileKey("u1"), "primaryEmailId", str("gone"))
		}, []string{"second_primary"}},
		"no_primary": {"I3", func(t *testing.T, p place) {
			p.change(t, table.ProfileKey("u1"), "primaryEmailId", nil)
		}, []string{"second_primary"}},
		"count_wrong": {"I4", func(t *testing.T, p place) {
			p.change(t, table.ProfileKey("u1"), "emailCount", number("2"))
		}, nil},
		"too_many_addresses": {"I4", func(t *testing.T, p place) {
			for _, id := range []string{"a", "b", "c"} {
				row := table.Email{EmailID: id, UserID: "u1", Email: id + "@example.com", IsVerified: true}
				p.put(t, row.Item())
				p.put(t, table.Claim{Email: row.Email, UserID: "u1", EmailID: id}.Item())
			}
			p.change(t, table.ProfileKey("u1"), "emailCount", number("6"))
		}, nil},
		"no_address": {"I4", func(t *testing.T, p place) {
			user, err := p.Users.Get(t.Context(), "u2")
			require.NoError(t, err)
			p.remove(t, table.EmailKey("u2", user.PrimaryEmailID))
			p.remove(t, table.ClaimKey("u2@example.com"))
			p.change(t, table.ProfileKey("u2"), "emailCount", number("0"))
		}, nil},
		"code_without_row": {"I8", func(t *testing.T, p place) {
			p.put(t, table.Code{UserID: "u1", EmailID: "gone", CodeID: "c", KeyID: "k1", ExpiresAt: time.Now()}.Item())
		}, nil},
		"code_of_verified": {"I8", func(t *testing.T, p place) {
			p.put(t, table.Code{UserID: "u1", EmailID: p.second, CodeID: "c", KeyID: "k1", ExpiresAt: time.Now()}.Item())
		}, nil},
		"unreadable": {"shape", func(t *testing.T, p place) {
			p.change(t, table.CodeKey("u1", p.third), "attempts", str("many"))
		}, nil},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			c.plant(t, p)
			report, err := audit.Run(t.Context(), p.Client, audit.Config{Table: p.Config.Table})
			require.NoError(t, err)
			var kinds []string
			for _, v := range report.Violations {
				kinds = append(kinds, v.Kind)
				require.NotContains(t, v.Detail+v.EmailID, "@example.com", "no address is shown")
				if v.Kind == kind {
					require.Equal(t, c.invariant, v.Invariant)
				}
			}
			require.ElementsMatch(t, append([]string{kind}, c.others...), kinds)
		})
	}
}

// TestAuditDuringChanges audits a table in use: what is half read is no violation.
func TestAuditDuringChanges(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for ids := []string{p.first, p.second}; ; ids[0], ids[1] = ids[1], ids[0] {
			if _, err := p.Emails.SetPrimary(t.Context(), "u1", ids[1]); err != nil {
				return
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	for range 30 {
		require.Nil(t, p.Audit(t))
	}
	close(stop)
	<-done
}

func TestConfigNamesTheBadField(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	_, err := audit.Run(t.Context(), p.Client, audit.Config{})
	require.ErrorContains(t, err, "Config.Table")
	_, err = audit.Run(t.Context(), p.Client, audit.Config{Table: "t", MaxEmails: 31})
	require.ErrorContains(t, err, "Config.MaxEmails")
	_, err = audit.Run(t.Context(), nil, audit.Config{Table: "t"})
	require.ErrorContains(t, err, "client")
}
