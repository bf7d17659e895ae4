package main

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/usercore-go/usercore/outbox"
)

// faults are what shall fail until it is changed, to practise what to do about it. An empty member means that nothing does.
type faults struct {
	// DynamoDB is "throttled" or "unavailable": the answer to each of this program's requests. Other clients' requests are answered.
	DynamoDB string `json:"dynamodb"`
	// Events is "rejected", which the bus does to each event, or "unavailable".
	Events string `json:"events"`
	// SignUps is what the post-confirmation trigger does instead of making the account: "queued" sends the user to the queue, "lost" does
	// nothing.
	SignUps string `json:"signUps"`
}

// What a member of faults may be.
const (
	throttled   = "throttled"
	unavailable = "unavailable"
	rejected    = "rejected"
	queued      = "queued"
	lost        = "lost"
)

// check names the member that is not one of those.
func (f faults) check() error {
	for _, member := range []struct {
		name, value string
		may         [2]string
	}{
		{"dynamodb", f.DynamoDB, [2]string{throttled, unavailable}},
		{"events", f.Events, [2]string{rejected, unavailable}},
		{"signUps", f.SignUps, [2]string{queued, lost}},
	} {
		if member.value != "" && member.value != member.may[0] && member.value != member.may[1] {
			return refuse(member.name, "must be "+member.may[0]+" or "+member.may[1]+", or empty")
		}
	}
	return nil
}

// plan holds the faults of now. The zero value has none.
type plan struct{ current atomic.Pointer[faults] }

func (p *plan) now() faults {
	if f := p.current.Load(); f != nil {
		return *f
	}
	return faults{}
}

// plantFaults is POST /dev/faults. The body replaces what was planted before: {} takes all faults away.
func (a *app) plantFaults(r *http.Request) (answer, error) {
	var in faults
	if err := decode(r, &in); err != nil {
		return answer{}, err
	}
	if err := in.check(); err != nil {
		return answer{}, err
	}
	a.cloud.faults.current.Store(&in)
	return ok(in), nil
}

// showFaults is GET /dev/faults.
func (a *app) showFaults(*http.Request) (answer, error) { return ok(a.cloud.faults.now()), nil }

// faultyTransport answers requests to DynamoDB with the planted fault.
type faultyTransport struct {
	plan *plan
	next http.RoundTripper
}

// RoundTrip answers as the service does when it throttles or fails.
func (t faultyTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	status, kind := http.StatusOK, ""
	switch t.plan.now().DynamoDB {
	case throttled:
		status, kind = http.StatusBadRequest, "com.amazonaws.dynamodb.v20120810#ThrottlingException"
	case unavailable:
		status, kind = http.StatusInternalServerError, "com.amazonaws.dynamodb.v20120810#InternalServerError"
	default:
		return t.next.RoundTrip(r)
	}
	if r.Body != nil {
		_ = r.Body.Close() // nothing of it is needed, and there is nothing to lose
	}
	text := `{"__type":"` + kind + `","message":"a planted fault"}`
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:   io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text)),
	}, nil
}

// faultyPublisher treats events as the planted fault says.
type faultyPublisher struct {
	plan *plan
	next outbox.Publisher
}

// Publish publishes, rejects or fails.
func (p faultyPublisher) Publish(ctx context.Context, entries []outbox.Entry) ([]outbox.Result, error) {
	results := make([]outbox.Result, len(entries))
	switch p.plan.now().Events {
	case rejected:
		for i := range results {
			results[i] = outbox.Result{Outcome: outbox.Rejected, Code: "Planted", Message: "a planted fault"}
		}
		return results, nil
	case unavailable:
		return nil, errBusUnavailable
	}
	return p.next.Publish(ctx, entries)
}
