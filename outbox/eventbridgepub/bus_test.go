package eventbridgepub_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/outbox/eventbridgepub"
)

// bus is EventBridge as far as PutEvents and DescribeEventBus go, under the SDK's client: its limits, its results per entry, and its habit of
// reporting success for a bus that does not exist.
type bus struct {
	// limit is the size of a call, 256 KiB in some regions and 1 MiB in most.
	limit int

	mu       sync.Mutex
	taken    []entry
	requests []json.RawMessage
	calls    []int
	once     map[string]string
	always   map[string]string
	// status and code are what whole calls fail with, 0 for none.
	status int
	code   string
	// poison is an event that makes a whole call invalid.
	poison map[string]bool
	// short makes answers have an entry less.
	short bool
}

// entry is one entry of PutEvents in the protocol.
type entry struct {
	Source, DetailType, Detail, EventBusName string
	Time                                     float64
}

type result struct {
	EventId      string `json:",omitempty"`
	ErrorCode    string `json:",omitempty"`
	ErrorMessage string `json:",omitempty"`
}

func newBus() *bus {
	return &bus{limit: 1 << 20, once: make(map[string]string), always: make(map[string]string), poison: make(map[string]bool)}
}

func (b *bus) client() *eventbridge.Client {
	return eventbridge.New(eventbridge.Options{
		Region:       "eu-central-1",
		BaseEndpoint: aws.String("http://eventbridge.invalid"),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "id", SecretAccessKey: "key"}, nil
		}),
		HTTPClient: &http.Client{Transport: b},
		Retryer:    aws.NopRetryer{},
	})
}

// publisher returns a publisher to the bus.
func (b *bus) publisher(t *testing.T, cfg eventbridgepub.Config) *eventbridgepub.Publisher {
	t.Helper()
	if cfg.Source == "" {
		cfg.Source = "user-service"
	}
	p, err := eventbridgepub.New(b.client(), cfg)
	require.NoError(t, err)
	return p
}

func (b *bus) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch target := r.Header.Get("X-Amz-Target"); {
	case b.status != 0:
		return failure(b.status, b.code), nil
	case target == "AWSEvents.DescribeEventBus":
		return b.describe(body)
	case target == "AWSEvents.PutEvents":
		return b.put(body)
	default:
		return nil, fmt.Errorf("unknown operation %q", target)
	}
}

func (b *bus) describe(body []byte) (*http.Response, error) {
	var in struct{ Name string }
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	if in.Name != "default" && in.Name != "users" {
		return failure(http.StatusBadRequest, "ResourceNotFoundException"), nil
	}
	return answer(http.StatusOK, map[string]string{"Name": in.Name}), nil
}

func (b *bus) put(body []byte) (*http.Response, error) {
	var in struct{ Entries []entry }
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	b.requests = append(b.requests, body)
	b.calls = append(b.calls, len(in.Entries))
	size := 0
	for _, e := range in.Entries {
		size += 14 + len(e.Source) + len(e.DetailType) + len(e.Detail)
	}
	if len(in.Entries) > 10 || size >= b.limit || b.poisoned(in.Entries) {
		return failure(http.StatusBadRequest, "ValidationException"), nil
	}
	out := struct {
		Entries          []result
		FailedEntryCount int
	}{}
	for _, e := range in.Entries {
		r := b.take(e)
		if r.ErrorCode != "" {
			out.FailedEntryCount++
		}
		out.Entries = append(out.Entries, r)
	}
	if b.short {
		out.Entries = out.Entries[1:]
	}
	return answer(http.StatusOK, out), nil
}

func (b *bus) take(e entry) result {
	id := eventID(e)
	if code := b.once[id] + b.always[id]; code != "" {
		delete(b.once, id)
		return result{ErrorCode: code, ErrorMessage: "as the test wants"}
	}
	b.taken = append(b.taken, e)
	return result{EventId: fmt.Sprint(len(b.taken))}
}

func (b *bus) poisoned(entries []entry) bool {
	for _, e := range entries {
		if b.poison[eventID(e)] {
			return true
		}
	}
	return false
}

func eventID(e entry) string {
	var detail struct{ EventID string }
	if err := json.Unmarshal([]byte(e.Detail), &detail); err != nil {
		return ""
	}
	return detail.EventID
}

// received returns the details taken so far.
func (b *bus) received() [][]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	var details [][]byte
	for _, e := range b.taken {
		details = append(details, []byte(e.Detail))
	}
	return details
}

func (b *bus) set(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
}

func answer(status int, document any) *http.Response {
	body, err := json.Marshal(document)
	if err != nil {
		body = []byte(err.Error())
	}
	return &http.Response{
		StatusCode: status,
		Header:     http.Header{"Content-Type": {"application/x-amz-json-1.1"}},
		Body:       io.NopCloser(bytes.NewReader(body)),
	}
}

func failure(status int, code string) *http.Response {
	return answer(status, map[string]string{"__type": code, "message": "secret payload " + strings.Repeat("x", 10)})
}
