package outbox_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/usercore-go/usercore/outbox"
)

var (
	errKilled  = errors.New("the process is dead")
	errNoRoute = errors.New("no route")
)

// process is what a relay runs in: all its requests, to the table and to the publisher, go through it. It can die, at a chosen request or at
// any time, and it can stand still for a while.
type process struct {
	table     http.RoundTripper
	publisher outbox.Publisher
	// at is the request at which it dies, 0 for none. If executed is set, that request is still carried out, but its answer is lost; it is the
	// first one from at on that changes something, because a read leaves nothing behind.
	at       int
	executed bool
	// die is called at the death.
	die context.CancelFunc

	mu       sync.Mutex
	requests int
	dead     bool
	// diedAt is the request at which it died, 0 if at none.
	diedAt int
	thaw   time.Time
	late   int
}

// client returns a client without retries whose requests go through the process.
func (p *process) client(w *world) *dynamodb.Client {
	return w.db.Client(func(o *dynamodb.Options) {
		o.HTTPClient = &http.Client{Transport: p}
		o.Retryer = aws.NopRetryer{}
	})
}

// admit reports whether a request is executed, and whether its answer arrives.
func (p *process) admit(read bool) (executed, answered bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests++
	if p.dead {
		return false, false
	}
	if p.at > 0 && p.requests >= p.at && !(p.executed && read) {
		p.dead, p.diedAt = true, p.requests
		p.die()
		return p.executed, false
	}
	return true, true
}

// kill ends the process.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = true
	p.die()
}

// freeze holds all requests back that are made until d has passed. Then they go out, whatever became of their contexts.
func (p *process) freeze(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.thaw = time.Now().Add(d)
}

func (p *process) isDead() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// lateEntries returns how many entries were in calls that were held back.
func (p *process) lateEntries() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.late
}

// wait lets the time of a request pass: in the time of a synctest bubble, so that several are in flight.
func (p *process) wait(d time.Duration, entries int) {
	<-time.After(d)
	p.mu.Lock()
	cold := time.Until(p.thaw)
	if cold > 0 {
		p.late += entries
	}
	p.mu.Unlock()
	<-time.After(cold)
}

// RoundTrip sends a request to the table.
func (p *process) RoundTrip(r *http.Request) (*http.Response, error) {
	p.wait(2*time.Millisecond, 0)
	executed, answered := p.admit(isRead(r))
	if !executed {
		return nil, errKilled
	}
	response, err := p.table.RoundTrip(r)
	if err != nil || answered {
		return response, err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return nil, errors.Join(errKilled, err, response.Body.Close())
}

// isRead reports whether a request to the table changes nothing.
func isRead(r *http.Request) bool {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	return operation == "Query" || operation == "DescribeTable"
}

// Publish sends entries to the publisher.
func (p *process) Publish(ctx context.Context, entries []outbox.Entry) ([]outbox.Result, error) {
	p.wait(5*time.Millisecond, len(entries))
	executed, answered := p.admit(false)
	if !executed {
		return nil, errKilled
	}
	results, err := p.publisher.Publish(context.WithoutCancel(ctx), entries)
	if !answered {
		return nil, errKilled
	}
	return results, err
}
