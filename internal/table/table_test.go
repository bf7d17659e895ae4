package table_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
)

var update = flag.Bool("update", false, "write the golden files anew")

var at = time.Date(2026, 1, 15, 10, 30, 0, 123_000_000, time.UTC)

func fullProfile() table.Profile {
	return table.Profile{
		UserID: "u1", Username: "Google_1", Email: "dana@example.com", PrimaryEmailID: "e1", FirstName: "Dana", LastName: "Reyes",
		Phone: "+14155550123", Status: table.Deleted, Version: 3, Seq: 7, EmailCount: 2, CreatedAt: at, UpdatedAt: at.Add(time.Hour),
		SuspendedAt: at.Add(2 * time.Hour), SuspendReason: "fraud", DeletedAt: at.Add(3 * time.Hour),
		PurgeAfter: at.Add(720 * time.Hour).Truncate(time.Second), TokensValidAfter: at.Add(3 * time.Hour),
	}
}

func fullEmail() table.Email {
	return table.Email{EmailID: "e1", UserID: "u1", Email: "dana@example.com", IsPrimary: true, IsVerified: true, VerifiedAt: at, CreatedAt: at}
}

func fullCode() table.Code {
	return table.Code{UserID: "u1", EmailID: "e1", CodeID: "c1", KeyID: "k1", Attempts: 2, MaxAttempts: 5, ExpiresAt: at.Truncate(time.Second).Add(15 * time.Minute), SentAt: at}
}

func fullClaim() table.Claim {
	return table.Claim{Email: "dana@example.com", UserID: "u1", EmailID: "e1", ClaimedAt: at, LeaseUntil: at.Truncate(time.Second).Add(24 * time.Hour)}
}

func fullBudget() table.Budget {
	return table.Budget{Hour: at.Unix() / 3600, HourCount: 3, Day: at.Unix() / 86400, DayCount: 9, Rev: 12}
}

// TestStoredForm holds every stored shape to a golden file: a change of it is a change of everybody's tables.
func TestStoredForm(t *testing.T) {
	t.Parallel()
	for name, item := range map[string]dynamo.Item{
		"profile":       fullProfile().Item(),
		"profile_least": table.Profile{UserID: "u1", Status: table.Active, Version: 1, Seq: 1, EmailCount: 1, CreatedAt: at, UpdatedAt: at}.Item(),
		"email":         fullEmail().Item(),
		"email_least":   table.Email{EmailID: "e1", UserID: "u1", Email: "dana@example.com", CreatedAt: at}.Item(),
		"code":          fullCode().Item(),
		"claim":         fullClaim().Item(),
		"claim_forever": table.Claim{Email: "dana@example.com", UserID: "u1", EmailID: "e1", ClaimedAt: at}.Item(),
		"fleet":         table.Fleet{TokensValidAfter: at}.Item(),
		"budget":        fullBudget().Item("u1", "dana@example.com"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := json.MarshalIndent(plain(t, item), "", "  ")
			require.NoError(t, err)
			file := filepath.Join("testdata", name+".json")
			if *update {
				require.NoError(t, os.WriteFile(file, append(got, '\n'), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.JSONEq(t, string(want), string(got))
		})
	}
}

// plain is an item as DynamoDB's JSON shows it.
func plain(t *testing.T, item dynamo.Item) map[string]map[string]any {
	t.Helper()
	out := map[string]map[string]any{}
	for name, v := range item {
		switch v := v.(type) {
		case *types.AttributeValueMemberS:
			out[name] = map[string]any{"S": v.Value}
		case *types.AttributeValueMemberN:
			out[name] = map[string]any{"N": v.Value}
		case *types.AttributeValueMemberBOOL:
			out[name] = map[string]any{"BOOL": v.Value}
		default:
			require.Failf(t, "unexpected type", "%s: %T", name, v)
		}
	}
	return out
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	profile, err := table.DecodeProfile(fullProfile().Item())
	require.NoError(t, err)
	require.Equal(t, fullProfile(), profile)
	email, err := table.DecodeEmail(fullEmail().Item())
	require.NoError(t, err)
	require.Equal(t, fullEmail(), email)
	code, err := table.DecodeCode(fullCode().Item())
	require.NoError(t, err)
	require.Equal(t, fullCode(), code)
	claim, err := table.DecodeClaim(fullClaim().Item())
	require.NoError(t, err)
	require.Equal(t, fullClaim(), claim)
	budget, err := table.DecodeBudget(fullBudget().Item("u1", "dana@example.com"))
	require.NoError(t, err)
	require.Equal(t, fullBudget(), budget)
}

func TestDecodeRefusesOtherTypes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"userId", "version", "createdAt", "purgeAfter"} {
		item := fullProfile().Item()
		item[name] = &types.AttributeValueMemberBOOL{Value: true}
		_, err := table.DecodeProfile(item)
		require.ErrorIs(t, err, dynamo.ErrCorrupt)
		require.ErrorContains(t, err, name)
	}
	item := fullProfile().Item()
	item["later"] = &types.AttributeValueMemberSS{Value: []string{"x"}}
	_, err := table.DecodeProfile(item)
	require.NoError(t, err, "attributes of a later version are left alone")
}

func TestUpdateTouchesOnlyWhatDiffers(t *testing.T) {
	t.Parallel()
	was := fullProfile()
	is := was
	is.Seq, is.FirstName, is.Phone, is.SuspendedAt = 8, "Ann", "", time.Time{}
	e := was.To(is)
	require.Equal(t, "SET #firstName = :firstName, #seq = :seq REMOVE #phone, #suspendedAt", e.Text)
	require.Len(t, e.Names, 4)
	require.Len(t, e.Values, 2)
}

func TestTimesThatConditionsCompare(t *testing.T) {
	t.Parallel()
	claim, code := fullClaim(), fullCode()
	for _, c := range []struct {
		after time.Duration
		want  bool
	}{{-time.Second, false}, {-time.Millisecond, false}, {0, true}, {time.Millisecond, true}} {
		require.Equal(t, c.want, claim.Lapsed(claim.LeaseUntil.Add(c.after)), "%v", c.after)
		require.Equal(t, c.want, code.Expired(code.ExpiresAt.Add(c.after)), "%v", c.after)
	}
	require.False(t, table.Claim{}.Lapsed(at), "a verified claim never lapses")
}

func TestBudgetCountsByHourAndDay(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2026, 1, 16, 0, 0, 0, 0, time.UTC)
	b := table.Budget{}.Charged(midnight.Add(-time.Second))
	b = b.Charged(midnight.Add(-time.Second))
	require.EqualValues(t, 2, b.HourCount)
	require.Equal(t, midnight, b.HourEnds())
	require.Equal(t, midnight, b.DayEnds())
	b = b.Charged(midnight)
	require.EqualValues(t, 1, b.HourCount)
	require.EqualValues(t, 1, b.DayCount)
	b = b.Charged(midnight.Add(time.Hour))
	require.EqualValues(t, 1, b.HourCount)
	require.EqualValues(t, 2, b.DayCount)
	b = b.Charged(midnight.Add(-time.Minute))
	require.EqualValues(t, 2, b.HourCount, "a clock that steps back drops nothing")
	require.EqualValues(t, 3, b.DayCount)
	require.EqualValues(t, 5, b.Rev)
}

func TestOwnsKey(t *testing.T) {
	t.Parallel()
	for _, key := range []dynamo.Item{
		table.ProfileKey("u1"), table.EmailKey("u1", "e1"), table.CodeKey("u1", "e1"), table.BudgetKey("u1", "a@b.example"), table.ClaimKey("a@b.example"),
		table.FleetKey(),
	} {
		require.True(t, table.OwnsKey(key))
	}
	str := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	for _, key := range []dynamo.Item{
		{}, {"PK": str("USER#u1"), "SK": str("NOTE#1")}, {"PK": str("EMAIL#a@b.example"), "SK": str("NOTE")}, {"PK": str("TENANT#1"), "SK": str("PROFILE")},
		{"id": str("USER#u1")},
	} {
		require.False(t, table.OwnsKey(key))
	}
}
