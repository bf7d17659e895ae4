package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// fakeAWS is a user pool and a queue, as far as the sessions need them: the pool lists ada, and on a second page bob; the queue holds
// one sign-up. It notes every call.
type fakeAWS struct {
	reached  chan struct{} // closed when the second page is asked for
	released chan struct{} // closed to let it go
	once     sync.Once
	arrived  sync.Once

	mu    sync.Mutex
	calls []string
	queue []string
}

func newFakeAWS() *fakeAWS {
	letter := `{"type":"CREATE_USER_RECORD","payload":{"sub":"eve","email":"eve@example.com","emailVerified":true}}`
	return &fakeAWS{reached: make(chan struct{}), released: make(chan struct{}), queue: []string{letter}}
}

// await waits until the second page is asked for.
func (f *fakeAWS) await(*testscript.TestScript) { <-f.reached }

// release answers the second page from now on.
func (f *fakeAWS) release() { f.once.Do(func() { close(f.released) }) }

// check wants a call to have been made as often as said: calls N "Operation subject".
func (f *fakeAWS) check(ts *testscript.TestScript, args []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, call := range f.calls {
		if call == args[1] {
			n++
		}
	}
	if fmt.Sprint(n) != args[0] {
		ts.Fatalf("%d calls %q, want %s; calls: %q", n, args[1], args[0], f.calls)
	}
}

// ServeHTTP speaks the AWS JSON protocol, in which a header names the operation.
func (f *fakeAWS) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in map[string]any
	_ = json.NewDecoder(r.Body).Decode(&in)
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	subject := ""
	for _, name := range []string{"Username", "PaginationToken", "SourceArn", "ReceiptHandle"} {
		if value, has := in[name].(string); has {
			subject = " " + value
		}
	}
	f.mu.Lock()
	f.calls = append(f.calls, operation+subject)
	f.mu.Unlock()
	w.Header().Set("Content-Type", r.Header.Get("Content-Type"))
	_, _ = io.WriteString(w, f.answer(r, operation, strings.TrimSpace(subject)))
}

func (f *fakeAWS) answer(r *http.Request, operation, subject string) string {
	const user = `{"Username":%[1]q,"Enabled":true,"UserStatus":"CONFIRMED","UserCreateDate":1e9,"UserLastModifiedDate":1e9,` +
		`%[2]q:[{"Name":"sub","Value":%[1]q},{"Name":"email","Value":"%[1]s@example.com"},{"Name":"email_verified","Value":"true"}]}`
	switch operation {
	case "ListUsers":
		if subject == "" {
			return `{"Users":[` + fmt.Sprintf(user, "ada", "Attributes") + `],"PaginationToken":"page-2"}`
		}
		f.arrived.Do(func() { close(f.reached) })
		select {
		case <-f.released:
		case <-r.Context().Done():
		}
		return `{"Users":[` + fmt.Sprintf(user, "bob", "Attributes") + `]}`
	case "AdminGetUser":
		return fmt.Sprintf(user, subject, "UserAttributes")
	case "ReceiveMessage":
		f.mu.Lock()
		defer f.mu.Unlock()
		if len(f.queue) == 0 {
			return `{}`
		}
		body, _ := json.Marshal(f.queue[0])
		return fmt.Sprintf(`{"Messages":[{"MessageId":"m1","ReceiptHandle":"r1","Body":%s}]}`, body)
	case "DeleteMessage":
		f.mu.Lock()
		defer f.mu.Unlock()
		f.queue = nil
		return `{}`
	case "StartMessageMoveTask":
		return `{"TaskHandle":"task-1"}`
	}
	return `{}`
}
