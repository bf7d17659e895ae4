package memdynamo_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/memdynamo"
)

const (
	tableName = "things"
	indexName = "GSI1"

	validation = "ValidationException"
)

type attrs = map[string]types.AttributeValue

func S(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
func N(v string) types.AttributeValue { return &types.AttributeValueMemberN{Value: v} }
func B(v ...byte) types.AttributeValue {
	return &types.AttributeValueMemberB{Value: append([]byte{}, v...)}
}

func BOOL(v bool) types.AttributeValue    { return &types.AttributeValueMemberBOOL{Value: v} }
func NULL() types.AttributeValue          { return &types.AttributeValueMemberNULL{Value: true} }
func SS(v ...string) types.AttributeValue { return &types.AttributeValueMemberSS{Value: v} }
func NS(v ...string) types.AttributeValue { return &types.AttributeValueMemberNS{Value: v} }
func M(v attrs) types.AttributeValue      { return &types.AttributeValueMemberM{Value: v} }
func L(v ...types.AttributeValue) types.AttributeValue {
	return &types.AttributeValueMemberL{Value: append([]types.AttributeValue{}, v...)}
}

// key is the key of the test table.
func key(pk, sk string) attrs { return attrs{"pk": S(pk), "sk": S(sk)} }

// with returns the union of attributes; later ones win.
func with(all ...attrs) attrs {
	out := attrs{}
	for _, a := range all {
		maps.Copy(out, a)
	}
	return out
}

// clock is a time that the test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// harness is an engine with the test table and a client on it.
type harness struct {
	*testing.T
	db     *memdynamo.DB
	client *dynamodb.Client
	ctx    context.Context
}

// tableInput has pk and sk, and an index with the keys g1pk and g1sk that carries everything.
func tableInput() *dynamodb.CreateTableInput {
	var definitions []types.AttributeDefinition
	for _, name := range []string{"pk", "sk", "g1pk", "g1sk"} {
		definitions = append(definitions, types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: "S"})
	}
	return &dynamodb.CreateTableInput{
		TableName: aws.String(tableName), BillingMode: types.BillingModePayPerRequest, AttributeDefinitions: definitions,
		KeySchema: keySchema("pk", "sk"),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String(indexName), KeySchema: keySchema("g1pk", "g1sk"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}},
	}
}

func keySchema(hash, sort string) []types.KeySchemaElement {
	return []types.KeySchemaElement{
		{AttributeName: aws.String(hash), KeyType: types.KeyTypeHash}, {AttributeName: aws.String(sort), KeyType: types.KeyTypeRange},
	}
}

func setup(t *testing.T, changes ...func(*dynamodb.CreateTableInput)) *harness {
	return setupWith(t, memdynamo.Options{}, changes...)
}

func setupWith(t *testing.T, opts memdynamo.Options, changes ...func(*dynamodb.CreateTableInput)) *harness {
	t.Parallel()
	db := memdynamo.New(opts)
	h := &harness{T: t, db: db, client: db.Client(), ctx: t.Context()}
	h.create(changes...)
	return h
}

func (h *harness) create(changes ...func(*dynamodb.CreateTableInput)) {
	h.Helper()
	in := tableInput()
	for _, change := range changes {
		change(in)
	}
	_, err := h.client.CreateTable(h.ctx, in)
	require.NoError(h, err)
}

func (h *harness) put(items ...attrs) {
	h.Helper()
	for _, it := range items {
		_, err := h.client.PutItem(h.ctx, &dynamodb.PutItemInput{TableName: aws.String(tableName), Item: it})
		require.NoError(h, err)
	}
}

func (h *harness) get(pk, sk string) attrs {
	h.Helper()
	out, err := h.client.GetItem(h.ctx, &dynamodb.GetItemInput{TableName: aws.String(tableName), Key: key(pk, sk)})
	require.NoError(h, err)
	return out.Item
}

func (h *harness) query(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
	in.TableName = aws.String(tableName)
	return h.client.Query(h.ctx, in)
}

func (h *harness) mustQuery(in *dynamodb.QueryInput) *dynamodb.QueryOutput {
	h.Helper()
	out, err := h.query(in)
	require.NoError(h, err)
	return out
}

func (h *harness) transact(items ...types.TransactWriteItem) error {
	_, err := h.client.TransactWriteItems(h.ctx, &dynamodb.TransactWriteItemsInput{TransactItems: items})
	return err
}

// texts lists one string attribute of items.
func texts(items []attrs, name string) []string {
	out := []string{}
	for _, it := range items {
		if s, ok := it[name].(*types.AttributeValueMemberS); ok {
			out = append(out, s.Value)
		}
	}
	return out
}

// code is the error code that a caller of the SDK sees.
func code(err error) string {
	var api smithy.APIError
	switch {
	case err == nil:
		return "none"
	case errors.As(err, &api):
		return api.ErrorCode()
	}
	return fmt.Sprintf("not an API error: %v", err)
}

func requireCode(t testing.TB, want string, err error) {
	t.Helper()
	require.Equal(t, want, code(err), "%v", err)
}

// optional is nil for the empty string, as the SDK wants absent parameters.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
