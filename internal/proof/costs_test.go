package proof

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/userstore"
)

// cost is what one call takes of DynamoDB, on an engine that counts as the service documents it. An outbox in the same table is
// included, the relay's work on it is not.
type cost struct {
	Requests   int     `json:"requests"`
	ReadUnits  float64 `json:"readUnits"`
	WriteUnits float64 `json:"writeUnits"`
	Actions    int     `json:"actions"` // of the transaction that has most
}

const costsFile = "testdata/costs.json"

// The typical user: an id as Cognito gives it, and names and addresses of common length.
const (
	dana      = "7f0c1d52-6f0e-4a3b-9d5e-0c8f6a1b2e34"
	sam       = "0b9e8d7c-5a4f-4e3d-8c2b-1a0f9e8d7c6b"
	newcomer  = "c3d4e5f6-a7b8-4c9d-8e0f-1a2b3c4d5e6f"
	danaHome  = "dana.reyes@example.com"
	danaWork  = "dana.reyes@work.example"
	danaNext  = "d.reyes@university.example"
	danaSpare = "dana@reyes.example"
)

// household is the table in which costs are measured: dana with a primary, a verified and an unverified address, and sam.
type household struct {
	*suite.World
	t                 testing.TB
	user              *userstore.User
	home, work, spare string
}

type bill struct {
	name   string
	before []func(ctx context.Context, h *household) error
	call   func(ctx context.Context, h *household) error
}

// TestCosts measures each operation and holds it against the golden file, and the file against the tables in the documents.
func TestCosts(t *testing.T) {
	t.Parallel()
	measured := map[string]cost{}
	for _, b := range bills() {
		measured[b.name] = b.measure(t)
	}
	if *update {
		golden, err := json.MarshalIndent(measured, "", "  ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(costsFile, append(golden, '\n'), 0o644))
	}
	golden, err := os.ReadFile(costsFile)
	require.NoError(t, err)
	var want map[string]cost
	require.NoError(t, json.Unmarshal(golden, &want))
	require.Equal(t, want, measured, "costs changed; if that is meant: go test -run TestCosts ./internal/proof -update")
	for _, table := range costTables() {
		t.Run(table.file, func(t *testing.T) { table.check(t, measured) })
	}
}

// measure makes the call in a household of its own.
func (b bill) measure(t testing.TB) cost {
	t.Helper()
	actions := 0
	counts := func(_ context.Context, in *dynamodb.TransactWriteItemsInput) *dynamodb.TransactWriteItemsInput {
		actions = max(actions, len(in.TransactItems))
		return in
	}
	options := []suite.Option{suite.WithEngineClock(time.Now), suite.WithRewrite(counts)} // and so on the engine that counts
	if b.name == updateWithoutOutbox {
		options = append(options, suite.WithUsers(func(c *userstore.Config) { c.Outbox = nil }))
	}
	h := &household{World: suite.New(t, options...), t: t}
	ctx := userstore.WithRequestID(t.Context(), "1f0e8c1c-58f0-4f3b-a2b6-5d1c0e9a7b43")
	h.move(ctx)
	for _, before := range b.before {
		require.NoError(t, before(ctx, h), b.name)
	}
	h.Engine.ResetUsage()
	actions = 0
	if err := b.call(ctx, h); err != nil {
		require.Contains(t, []outcome{taken, wrongCode}, outcomeOf(kind(b.name), err), "%s: %v", b.name, err)
	}
	usage := h.Engine.Usage()
	c := cost{ReadUnits: usage.ReadUnits, WriteUnits: usage.WriteUnits, Actions: actions}
	for _, n := range usage.Requests {
		c.Requests += n
	}
	return c
}

// move sets the household up.
func (h *household) move(ctx context.Context) {
	h.t.Helper()
	phone := "+14155550123"
	for _, person := range []userstore.NewUser{
		{UserID: dana, Username: dana, Email: danaHome, EmailVerified: true, FirstName: "Dana", LastName: "Reyes"},
		{UserID: sam, Username: sam, Email: "sam.porter@example.com", EmailVerified: true, FirstName: "Sam", LastName: "Porter"},
	} {
		_, err := h.Users.Create(ctx, person)
		require.NoError(h.t, err)
	}
	h.work = h.Verified(h.t, dana, danaWork).EmailID
	spare, err := h.Emails.Add(ctx, dana, danaSpare)
	require.NoError(h.t, err)
	h.spare = spare.EmailID
	h.user, err = h.Users.Update(ctx, dana, userstore.Changes{Phone: &phone})
	require.NoError(h.t, err)
	h.home = h.user.PrimaryEmailID
}
