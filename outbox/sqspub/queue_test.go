package sqspub_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/outbox/sqspub"
)

const (
	fifoURL     = "https://sqs.eu-central-1.amazonaws.com/123456789012/users.fifo"
	standardURL = "https://sqs.eu-central-1.amazonaws.com/123456789012/users"
)

// queue is SQS as far as SendMessageBatch and GetQueueAttributes go, under the SDK's client: its limits, its results per entry, and its
// deduplication.
type queue struct {
	mu       sync.Mutex
	taken    []message
	seen     map[string]bool
	requests []json.RawMessage
	// once and always are codes by event id, status and code what whole calls fail with, poison events that make a call invalid.
	once, always map[string]string
	status       int
	code         string
	poison       map[string]bool
	// silent are events that appear in neither list of an answer.
	silent map[string]bool
}

// message is one entry of SendMessageBatch in the protocol.
type message struct {
	ID                                                  string `json:"Id"`
	MessageBody, MessageGroupId, MessageDeduplicationId string
}

func newQueue() *queue {
	return &queue{
		seen: make(map[string]bool), once: make(map[string]string), always: make(map[string]string),
		poison: make(map[string]bool), silent: make(map[string]bool),
	}
}

func (q *queue) client() *sqs.Client {
	return sqs.New(sqs.Options{
		Region: "eu-central-1",
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "id", SecretAccessKey: "key"}, nil
		}),
		HTTPClient: &http.Client{Transport: q},
		Retryer:    aws.NopRetryer{},
	})
}

func (q *queue) publisher(t *testing.T, cfg sqspub.Config) *sqspub.Publisher {
	t.Helper()
	if cfg.QueueURL == "" {
		cfg.QueueURL = fifoURL
	}
	cfg.Source = "user-service"
	p, err := sqspub.New(q.client(), cfg)
	require.NoError(t, err)
	return p
}

func (q *queue) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch target := r.Header.Get("X-Amz-Target"); {
	case q.status != 0:
		return failure(q.status, q.code), nil
	case target == "AmazonSQS.GetQueueAttributes":
		return attributes(body)
	case target == "AmazonSQS.SendMessageBatch":
		return q.send(body)
	default:
		return nil, fmt.Errorf("unknown operation %q", target)
	}
}

func attributes(body []byte) (*http.Response, error) {
	var in struct{ QueueUrl string }
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	out := map[string]string{"VisibilityTimeout": "30"}
	switch in.QueueUrl {
	case fifoURL:
		out["FifoQueue"] = "true"
	case standardURL:
	default:
		return failure(http.StatusBadRequest, "com.amazonaws.sqs#QueueDoesNotExist"), nil
	}
	return answer(http.StatusOK, map[string]any{"Attributes": out}), nil
}

func (q *queue) send(body []byte) (*http.Response, error) {
	var in struct{ Entries []message }
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	q.requests = append(q.requests, body)
	size, poisoned := 0, false
	for _, m := range in.Entries {
		size += len(m.MessageBody)
		poisoned = poisoned || q.poison[m.MessageDeduplicationId]
	}
	switch {
	case size > 1<<20:
		return failure(http.StatusBadRequest, "com.amazonaws.sqs#BatchRequestTooLong"), nil
	case len(in.Entries) > 10:
		return failure(http.StatusBadRequest, "com.amazonaws.sqs#TooManyEntriesInBatchRequest"), nil
	case poisoned:
		return failure(http.StatusBadRequest, "com.amazonaws.sqs#InvalidMessageContents"), nil
	}
	successful, failed := []any{}, []any{}
	for _, m := range in.Entries {
		id := m.MessageDeduplicationId
		code := q.once[id] + q.always[id]
		delete(q.once, id)
		switch {
		case q.silent[id]:
		case code != "":
			failed = append(failed, map[string]any{"Id": m.ID, "Code": code, "SenderFault": true, "Message": "as the test wants"})
		default:
			q.take(m)
			sum := md5.Sum([]byte(m.MessageBody))
			successful = append(successful, map[string]any{"Id": m.ID, "MessageId": m.ID, "MD5OfMessageBody": hex.EncodeToString(sum[:])})
		}
	}
	return answer(http.StatusOK, map[string]any{"Successful": successful, "Failed": failed}), nil
}

// take accepts a message and drops one that it has seen, as SQS does for five minutes.
func (q *queue) take(m message) {
	if !q.seen[m.MessageDeduplicationId] {
		q.taken = append(q.taken, m)
	}
	q.seen[m.MessageDeduplicationId] = true
}

// received returns the details of the messages taken so far.
func (q *queue) received() [][]byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	var details [][]byte
	for _, m := range q.taken {
		var parsed struct{ Detail json.RawMessage }
		if err := json.Unmarshal([]byte(m.MessageBody), &parsed); err != nil {
			parsed.Detail = []byte(err.Error())
		}
		details = append(details, parsed.Detail)
	}
	return details
}

func (q *queue) set(change func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	change()
}

func answer(status int, document any) *http.Response {
	body, err := json.Marshal(document)
	if err != nil {
		body = []byte(err.Error())
	}
	return &http.Response{
		StatusCode: status,
		Header:     http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:       io.NopCloser(bytes.NewReader(body)),
	}
}

func failure(status int, code string) *http.Response {
	return answer(status, map[string]string{"__type": code, "message": "as the test wants"})
}
