package consume_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/consume"
)

// world is a consumer's table, whose names are not the defaults, and what reaches it.
type world struct {
	db        *memdynamo.DB
	transport *faults.Transport
	client    *dynamodb.Client
}

func foreignTable() consume.Table {
	return consume.Table{Name: "foreign", PartitionKey: "id", SortKey: "part", KeyPrefix: "user/", SortValue: "view"}
}

func newWorld(t *testing.T, plan faults.Plan) *world {
	t.Helper()
	w := &world{db: memdynamo.New(memdynamo.Options{})}
	var err error
	w.transport, err = faults.New(w.db.Transport(), plan)
	require.NoError(t, err)
	w.client = w.db.Client(func(o *dynamodb.Options) { o.HTTPClient = &http.Client{Transport: w.transport} })
	_, err = w.client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName:   aws.String("foreign"),
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("part"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("part"), KeyType: types.KeyTypeRange},
		},
	})
	require.NoError(t, err)
	return w
}

func (w *world) state(t *testing.T) *consume.State {
	t.Helper()
	s, err := consume.NewState(w.client, consume.StateConfig{
		Projection: consume.Projection{Table: foreignTable()}, Attributes: []string{"status", "reason"},
	})
	require.NoError(t, err)
	return s
}

func (w *world) delta(t *testing.T) *consume.Delta {
	t.Helper()
	d, err := consume.NewDelta(w.client, consume.DeltaConfig{Projection: consume.Projection{Table: foreignTable()}})
	require.NoError(t, err)
	return d
}

// item returns the projection of an aggregate; empty if there is none.
func (w *world) item(t *testing.T, aggregateID string) consume.Item {
	t.Helper()
	return w.get(t, "user/"+aggregateID, "view")
}

func (w *world) get(t *testing.T, id, part string) consume.Item {
	t.Helper()
	out, err := w.db.Client().GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: aws.String("foreign"), Key: consume.Item{"id": s(id), "part": s(part)}, ConsistentRead: aws.Bool(true),
	})
	require.NoError(t, err)
	return out.Item
}

// put writes an item past the package.
func (w *world) put(t *testing.T, item consume.Item) {
	t.Helper()
	_, err := w.db.Client().PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("foreign"), Item: item})
	require.NoError(t, err)
}

// event returns an event of the aggregate; the same arguments give the same event.
func event(aggregateID string, seq int) outbox.Event {
	return outbox.Event{
		ID:          uuid.NewSHA1(uuid.NameSpaceURL, fmt.Appendf(nil, "%s/%d", aggregateID, seq)).String(),
		Type:        "user.updated",
		AggregateID: aggregateID,
		Seq:         int64(seq),
		Time:        time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC).Add(time.Duration(seq) * time.Second),
		Version:     "1.0",
		Data:        json.RawMessage(`{}`),
	}
}

// stateOf is the state that an event carries. Every other one lacks an attribute, so that what an earlier event left would show.
func stateOf(e outbox.Event) consume.Item {
	state := consume.Item{"status": s("status-" + strconv.FormatInt(e.Seq, 10))}
	if e.Seq%2 == 1 {
		state["reason"] = s("reason-" + strconv.FormatInt(e.Seq, 10))
	}
	return state
}

// changeOf is the change that an event carries. The sum shows an event that is missing or applied twice; the last number shows a wrong
// order, and so does the set, to which each odd event adds an element that the even one after it drops.
func changeOf(e outbox.Event) consume.Change {
	change := consume.Change{Set: consume.Item{"last": n(int(e.Seq))}, Add: consume.Item{"sum": n(int(e.Seq * e.Seq))}}
	if e.Seq%2 == 1 {
		change.Add["open"] = ss(fmt.Sprint(e.Seq))
	} else {
		change.Drop = consume.Item{"open": ss(fmt.Sprint(e.Seq - 1))}
	}
	return change
}

func s(v string) types.AttributeValue     { return &types.AttributeValueMemberS{Value: v} }
func n(v int) types.AttributeValue        { return &types.AttributeValueMemberN{Value: strconv.Itoa(v)} }
func ss(v ...string) types.AttributeValue { return &types.AttributeValueMemberSS{Value: v} }

// requireUpdates checks how many requests came to the table, and that they were all updates.
func (w *world) requireUpdates(t *testing.T, want int) {
	t.Helper()
	counts := w.transport.Counts()
	require.Equal(t, 1, counts["CreateTable"])
	require.Equal(t, want, counts["UpdateItem"])
	delete(counts, "CreateTable")
	delete(counts, "UpdateItem")
	require.Empty(t, counts)
}

// impatient returns a client of the same table that tries once, as if the process had ended with the lost reply.
func (w *world) impatient() *world {
	client := dynamodb.New(w.client.Options(), func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} })
	return &world{db: w.db, transport: w.transport, client: client}
}
