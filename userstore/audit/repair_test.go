package audit_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/table"
	"github.com/usercore-go/usercore/userstore/audit"
)

// contents is all that is in the table.
func (p place) contents(t *testing.T) []item {
	t.Helper()
	out, err := p.Client.Scan(t.Context(), &dynamodb.ScanInput{TableName: &p.Config.Table})
	require.NoError(t, err)
	require.Empty(t, out.LastEvaluatedKey)
	return out.Items
}

// TestRepair: what can be repaired is, the next audit is clean, and repairing again writes nothing. What a person has to decide stays as it is.
func TestRepair(t *testing.T) {
	t.Parallel()
	for kind, c := range allPlanted() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			c.plant(t, p)
			before := p.contents(t)
			report := p.audit(t, true)
			require.NotEmpty(t, report.Violations)
			if c.person {
				require.Zero(t, report.Repaired)
				require.Equal(t, before, p.contents(t))
				return
			}
			for _, v := range report.Violations {
				require.True(t, v.Repaired, v.Kind)
			}
			require.Equal(t, len(report.Violations), report.Repaired)
			require.Empty(t, p.audit(t, false).Violations)
			require.NoError(t, p.CheckEvents(t), "the repair is a change with its event")
			after := p.contents(t)
			require.Empty(t, p.audit(t, true).Violations)
			require.Equal(t, after, p.contents(t))
		})
	}
}

// TestRepairLeavesDoubt: facts that contradict each other are for a person.
func TestRepairLeavesDoubt(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.change(t, table.EmailKey(p.u1, p.first), "isVerified", yes(false))
	p.change(t, table.EmailKey(p.u1, p.first), "verifiedAt", nil)
	p.put(t, table.Email{EmailID: "dup", UserID: p.u2, Email: p.address("second"), IsVerified: true}.Item())
	p.change(t, table.ProfileKey(p.u2), "emailCount", number("2"))
	before := p.contents(t)
	report := p.audit(t, true)
	require.Equal(t, map[audit.Kind]int{"primary_unverified": 1, "unverified_without_lease": 1, "address_shared": 1}, report.Kinds)
	require.Zero(t, report.Repaired)
	require.Equal(t, before, p.contents(t), "the address of somebody is not given away")
}

// TestRepairAll repairs defects that bear on each other. The second run settles what waits for another account: u2 has a row of the address that u1
// has verified, and nobody has the claim.
func TestRepairAll(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, kind := range []audit.Kind{
		"claim_missing", "claim_without_row", "address_shared", "unverified_without_lease", "primary_not_marked", "code_without_row",
	} {
		allPlanted()[kind].plant(t, p)
	}
	p.audit(t, true)
	p.audit(t, true)
	require.Empty(t, p.audit(t, false).Violations)
	require.NoError(t, p.CheckEvents(t))
	user, err := p.Users.GetByEmail(t.Context(), p.address("second"))
	require.NoError(t, err)
	require.Equal(t, p.u1, user.UserID)
}
