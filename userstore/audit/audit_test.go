package audit_test

import (
	"encoding/json"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/userstore/audit"
)

type item = map[string]types.AttributeValue

// place is two accounts in a table, both clean: one with a primary, a verified and an unverified address, and one with a primary address.
type place struct {
	*suite.World
	u1, u2               string
	first, second, third string // ids of the addresses of u1
}

func newPlace(t *testing.T) place {
	t.Helper()
	return placeIn(t, suite.New(t), "u")
}

// placeIn makes the accounts in a world; prefix begins their ids.
func placeIn(t *testing.T, w *suite.World, prefix string) place {
	t.Helper()
	p := place{World: w, u1: prefix + "1", u2: prefix + "2"}
	p.first = w.User(t, p.u1).PrimaryEmailID
	p.second = w.Verified(t, p.u1, p.address("second")).EmailID
	third, err := w.Emails.Add(t.Context(), p.u1, p.address("third"))
	require.NoError(t, err)
	p.third = third.EmailID
	w.User(t, p.u2)
	return p
}

// address is one of u1 by its name.
func (p place) address(name string) string { return p.u1 + "." + name + "@example.com" }

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

// audit audits the place with its outbox, and repairs it if that is wanted.
func (p place) audit(t *testing.T, repair bool) audit.Report {
	t.Helper()
	admin, err := outbox.NewAdmin(p.Client, outbox.AdminConfig{Table: outbox.Table{Name: p.Config.Table}})
	require.NoError(t, err)
	cfg := audit.Config{Table: p.Config.Table, Outbox: admin}
	if repair {
		cfg.Repair = &audit.Repair{Store: p.Config}
	}
	report, err := audit.Run(t.Context(), p.Client, cfg)
	require.NoError(t, err)
	return report
}

func TestPlantedDefects(t *testing.T) {
	t.Parallel()
	invariants := map[audit.Kind]string{}
	for _, d := range audit.Defects() {
		invariants[d.Kind] = d.Invariant
		require.Contains(t, allPlanted(), d.Kind, "no place has this defect")
	}
	require.Len(t, invariants, len(allPlanted()))
	for kind, c := range allPlanted() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			require.Empty(t, p.audit(t, false).Violations)
			c.plant(t, p)
			report := p.audit(t, false)
			var kinds []audit.Kind
			for _, v := range report.Violations {
				kinds = append(kinds, v.Kind)
				require.NotContains(t, v.Detail+v.EmailID, "@example.com", "no address is shown")
				require.Equal(t, invariants[v.Kind], v.Invariant)
				require.False(t, v.Repaired)
			}
			require.ElementsMatch(t, append([]audit.Kind{kind}, c.others...), kinds)
			require.Equal(t, len(kinds), report.Found())
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
			if _, err := p.Emails.SetPrimary(t.Context(), p.u1, ids[1]); err != nil {
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
