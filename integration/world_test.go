package integration_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/userstore"
)

const table = "users"

// world is an AWS account as a function sees it: a DynamoDB with one table for accounts and outbox, and fakes of the rest.
type world struct {
	t        *testing.T
	db       *memdynamo.DB
	dynamodb string // URL
	aws      *fakeAWS
	users    *userstore.Store
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, db: memdynamo.New(memdynamo.Options{}), aws: newFakeAWS(t)}
	server := httptest.NewServer(w.db)
	t.Cleanup(server.Close)
	w.dynamodb = server.URL
	_, err := w.db.Client().CreateTable(t.Context(), userstore.TableDefinition(table))
	require.NoError(t, err)
	w.users = w.store(time.Now)
	return w
}

func (w *world) store(now func() time.Time) *userstore.Store {
	writer, err := outbox.NewWriter(outbox.WriterConfig{Table: outbox.Table{Name: table}, Envelope: userstore.Envelope()})
	require.NoError(w.t, err)
	store, err := userstore.New(w.db.Client(), userstore.Config{Table: table, Outbox: writer, Now: now})
	require.NoError(w.t, err)
	return store
}

// env is what a function needs to find this world, and more.
func (w *world) env(more map[string]string) map[string]string {
	env := map[string]string{
		"USERCORE_TABLE": table, "USERCORE_OUTBOX_TABLE": table,
		"AWS_ENDPOINT_URL": w.aws.URL, "AWS_ENDPOINT_URL_DYNAMODB": w.dynamodb,
	}
	maps.Copy(env, more)
	return env
}

func (w *world) create(ids ...string) { w.createIn(w.users, ids...) }

func (w *world) createIn(store *userstore.Store, ids ...string) {
	w.t.Helper()
	for _, id := range ids {
		_, err := store.Create(w.t.Context(), userstore.NewUser{UserID: id, Email: id + "@example.com", EmailVerified: true})
		require.NoError(w.t, err)
	}
}

// deleteLongAgo makes an account that was deleted two months ago.
func (w *world) deleteLongAgo(id string) {
	w.t.Helper()
	store := w.store(func() time.Time { return time.Now().AddDate(0, -2, 0) })
	w.createIn(store, id)
	_, err := store.Delete(w.t.Context(), id)
	require.NoError(w.t, err)
}

func (w *world) get(id string) *userstore.User {
	w.t.Helper()
	user, err := w.users.Get(w.t.Context(), id)
	require.NoError(w.t, err)
	return user
}

// streamEvent is what the stream of the table told of everything in it.
func (w *world) streamEvent() string {
	w.t.Helper()
	page, err := w.db.Client().Scan(w.t.Context(), &dynamodb.ScanInput{TableName: aws.String(table)})
	require.NoError(w.t, err)
	var records []any
	for i, item := range page.Items {
		keys := map[string]any{}
		for _, name := range []string{"PK", "SK"} {
			keys[name] = map[string]string{"S": item[name].(*types.AttributeValueMemberS).Value}
		}
		records = append(records, map[string]any{
			"eventName": "INSERT", "eventSource": "aws:dynamodb", "eventID": fmt.Sprint(i),
			"dynamodb": map[string]any{"Keys": keys, "SequenceNumber": fmt.Sprint(100 + i), "StreamViewType": "KEYS_ONLY"},
		})
	}
	text, err := json.Marshal(map[string]any{"Records": records})
	require.NoError(w.t, err)
	return string(text)
}

// fakeAWS answers the JSON protocols of Cognito, SQS and EventBridge as far as the functions need it: the pool has the user zoe, who has no
// account. It notes what was sent.
type fakeAWS struct {
	*httptest.Server

	mu   sync.Mutex
	sent map[string][]string
}

func newFakeAWS(t *testing.T) *fakeAWS {
	f := &fakeAWS{sent: map[string][]string{}}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

// text is all that was sent to an operation.
func (f *fakeAWS) text(operation string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.sent[operation], "\n")
}

// ServeHTTP notes a request and answers it.
func (f *fakeAWS) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	f.mu.Lock()
	f.sent[operation] = append(f.sent[operation], string(body))
	f.mu.Unlock()
	w.Header().Set("Content-Type", r.Header.Get("Content-Type"))
	_, _ = io.WriteString(w, answerOf(operation, string(body)))
}

func answerOf(operation, body string) string {
	const zoe = `"Username":"zoe","Enabled":true,"UserStatus":"CONFIRMED","UserCreateDate":1e9,"UserLastModifiedDate":1e9`
	const attributes = `[{"Name":"sub","Value":"zoe"},{"Name":"email","Value":"zoe@example.com"},{"Name":"email_verified","Value":"true"}]`
	switch operation {
	case "ListUsers":
		return `{"Users":[{` + zoe + `,"Attributes":` + attributes + `}]}`
	case "AdminGetUser":
		return `{` + zoe + `,"UserAttributes":` + attributes + `}`
	case "DescribeEventBus":
		return `{"Name":"users"}`
	case "PutEvents":
		taken := strings.Repeat(`{"EventId":"1"},`, strings.Count(body, `"DetailType"`))
		return `{"FailedEntryCount":0,"Entries":[` + strings.TrimSuffix(taken, ",") + `]}`
	}
	return `{}`
}
