package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/httpapi"
)

// clock is a time that the test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// mailbox is a Sender that keeps the last code of each address.
type mailbox struct {
	mu     sync.Mutex
	codes  map[string]string
	broken bool
}

// errMail has what a mail server would say: the address.
var errMail = errors.New("550 no mailbox secret.address@example.com")

func (m *mailbox) Send(_ context.Context, message emails.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken {
		return errMail
	}
	m.codes[message.To] = message.Code
	return nil
}

func (m *mailbox) code(address string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.codes[address]
}

// wrong is a code that is not the one of the address.
func (m *mailbox) wrong(address string) string {
	n, err := strconv.Atoi(m.code(address))
	if err != nil {
		return "000000"
	}
	return fmt.Sprintf("%06d", (n+1)%1_000_000)
}

// counter counts the requests of an SDK client.
type counter struct {
	next  dynamodb.HTTPClient
	count atomic.Int64
}

func (c *counter) Do(r *http.Request) (*http.Response, error) {
	c.count.Add(1)
	return c.next.Do(r)
}

// during is how many requests fn sends.
func (c *counter) during(fn func()) int {
	before := c.count.Load()
	fn()
	return int(c.count.Load() - before)
}

// tokens is an Authenticator whose tokens are "userId" or "userId@time of issue".
type tokens struct{}

func (tokens) Authenticate(r *http.Request) (httpapi.Identity, error) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || token == "" {
		return httpapi.Identity{}, fmt.Errorf("no token: %w", httpapi.ErrUnauthenticated)
	}
	user, issued, ok := strings.Cut(token, "@")
	if !ok {
		return httpapi.Identity{UserID: user}, nil
	}
	seconds, err := strconv.ParseInt(issued, 10, 64)
	if err != nil {
		return httpapi.Identity{}, fmt.Errorf("bad token: %w", httpapi.ErrUnauthenticated)
	}
	return httpapi.Identity{UserID: user, IssuedAt: time.Unix(seconds, 0)}, nil
}
