package audit_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/table"
	"github.com/usercore-go/usercore/userstore/audit"
)

// tornClient shows address rows as they were before a change beside the PROFILE after it: in the scan, and in the first Query. DynamoDB allows
// that, for a Query is read-committed against transactions.
type tornClient struct {
	audit.Client
	old     map[table.RowID]item
	queries atomic.Int64
}

func (c *tornClient) tear(items []item) {
	for i, one := range items {
		if row, ok := c.old[table.RowIDOf(one)]; ok && table.IsEmail(one) {
			items[i] = row
		}
	}
}

func (c *tornClient) Scan(ctx context.Context, in *dynamodb.ScanInput, options ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	out, err := c.Client.Scan(ctx, in, options...)
	if err == nil {
		c.tear(out.Items)
	}
	return out, err
}

func (c *tornClient) Query(ctx context.Context, in *dynamodb.QueryInput, options ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	out, err := c.Client.Query(ctx, in, options...)
	if err == nil && c.queries.Add(1) == 1 {
		c.tear(out.Items)
	}
	return out, err
}

// TestTornReadIsNoViolation: rows and PROFILE of two moments have the seq of the later one, and the same number of rows.
func TestTornReadIsNoViolation(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	torn := &tornClient{Client: p.Client, old: map[table.RowID]item{}}
	for _, one := range p.contents(t) {
		if table.IsEmail(one) {
			torn.old[table.RowIDOf(one)] = one
		}
	}
	_, err := p.Emails.SetPrimary(t.Context(), p.u1, p.second)
	require.NoError(t, err)
	report, err := audit.Run(t.Context(), torn, audit.Config{Table: p.Config.Table})
	require.NoError(t, err)
	require.Positive(t, torn.queries.Load(), "the scan showed something to suspect")
	require.Empty(t, report.Violations)
}
