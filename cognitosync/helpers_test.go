package cognitosync_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/cognitosync/cognitotest"
	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/userstore"
)

const tableName = "accounts"

var update = flag.Bool("update", false, "rewrite the golden files")

// TestMain collects garbage half as often: a pool of 50,000 users is a large live heap, and marking it would be most of the work.
func TestMain(m *testing.M) {
	flag.Parse()
	debug.SetGCPercent(200)
	os.Exit(m.Run())
}

// world is a table, a pool and a queue. Time is that of the bubble in which a test runs.
type world struct {
	client *dynamodb.Client
	users  *userstore.Store
	line   *line
	pool   *cognitotest.Pool
	queue  *queue
	log    *records
}

func newWorld(t testing.TB, options cognitotest.Options) *world {
	t.Helper()
	engine := memdynamo.New(memdynamo.Options{})
	w := &world{line: &line{next: engine.Transport()}, pool: cognitotest.New(options), queue: &queue{}, log: &records{}}
	w.client = engine.Client(func(o *dynamodb.Options) {
		o.HTTPClient = &http.Client{Transport: w.line}
		o.Credentials = aws.AnonymousCredentials{} // a signature is half of what a request costs
	})
	_, err := w.client.CreateTable(t.Context(), userstore.TableDefinition(tableName))
	require.NoError(t, err)
	w.users, err = userstore.New(w.client, userstore.Config{Table: tableName})
	require.NoError(t, err)
	return w
}

// signedUp puts one user into pool and table.
func (w *world) signedUp(t testing.TB, sub string) {
	t.Helper()
	email := sub + "@example.com"
	w.pool.Put(cognitotest.User{Sub: sub, Email: email, EmailVerified: true})
	_, err := w.users.Create(t.Context(), userstore.NewUser{UserID: sub, Username: sub, Email: email, EmailVerified: true})
	require.NoError(t, err)
}

// user is a user of the pool who must be there.
func (w *world) user(t testing.TB, sub string) cognitotest.User {
	t.Helper()
	user, ok := w.pool.Get(sub)
	require.True(t, ok, "no such user in the pool")
	return user
}

// accounts is how many there are in the table.
func (w *world) accounts(t testing.TB) int {
	t.Helper()
	n := 0
	for _, err := range w.users.All(t.Context(), userstore.Segment{}) {
		require.NoError(t, err)
		n++
	}
	return n
}

// line is the network to DynamoDB.
type line struct {
	next http.RoundTripper
	// down makes every request fail at once, mute lets it wait for its context's end.
	down, mute atomic.Bool
}

func (l *line) RoundTrip(request *http.Request) (*http.Response, error) {
	if l.mute.Load() {
		<-request.Context().Done()
		return nil, request.Context().Err()
	}
	if l.down.Load() {
		return nil, errors.New("connection refused")
	}
	return l.next.RoundTrip(request)
}

// queue is an SQS queue that keeps what it is sent. A message that is received stays out of sight until show.
type queue struct {
	mu      sync.Mutex
	down    bool
	bodies  []string
	deleted map[int]bool
	hidden  map[int]bool
}

func (q *queue) SendMessage(ctx context.Context, in *sqs.SendMessageInput, _ ...func(*sqs.Options)) (*sqs.SendMessageOutput, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if q.down {
		return nil, errors.New("sqs: connection refused")
	}
	q.bodies = append(q.bodies, aws.ToString(in.MessageBody))
	return &sqs.SendMessageOutput{}, nil
}

func (q *queue) ReceiveMessage(context.Context, *sqs.ReceiveMessageInput, ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := &sqs.ReceiveMessageOutput{}
	for i, body := range q.bodies {
		if q.deleted[i] || q.hidden[i] {
			continue
		}
		if q.hidden == nil {
			q.hidden = map[int]bool{}
		}
		q.hidden[i] = true
		out.Messages = append(out.Messages, types.Message{
			MessageId: aws.String(fmt.Sprint("m", i)), ReceiptHandle: aws.String(fmt.Sprint(i)), Body: aws.String(body),
		})
	}
	return out, nil
}

func (q *queue) DeleteMessage(_ context.Context, in *sqs.DeleteMessageInput, _ ...func(*sqs.Options)) (*sqs.DeleteMessageOutput, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var i int
	if _, err := fmt.Sscan(aws.ToString(in.ReceiptHandle), &i); err != nil {
		return nil, err
	}
	if q.deleted == nil {
		q.deleted = map[int]bool{}
	}
	q.deleted[i] = true
	return &sqs.DeleteMessageOutput{}, nil
}

// batch is the event with which Lambda delivers bodies; the id of a message is m and its place.
func batch(t testing.TB, bodies ...string) json.RawMessage {
	t.Helper()
	records := make([]map[string]any, len(bodies))
	for i, body := range bodies {
		records[i] = map[string]any{"messageId": fmt.Sprint("m", i), "body": body, "attributes": map[string]string{}}
	}
	event, err := json.Marshal(map[string]any{"Records": records})
	require.NoError(t, err)
	return event
}

// records is a log that a test reads.
type records struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (r *records) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.Write(p)
}

func (r *records) logger() *slog.Logger { return slog.New(slog.NewJSONHandler(r, nil)) }

func (r *records) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.String()
}

func (r *records) last(t testing.TB) map[string]any {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace([]byte(r.text())), []byte("\n"))
	var record map[string]any
	require.NoError(t, json.Unmarshal(lines[len(lines)-1], &record))
	return record
}

func read(t testing.TB, name string) json.RawMessage {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	return data
}

// golden compares got with a file, or rewrites the file with -update.
func golden(t testing.TB, name string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile("testdata/"+name, got, 0o600))
	}
	require.Equal(t, string(read(t, name)), string(got))
}

// soon is a deadline like Lambda's.
func soon(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
