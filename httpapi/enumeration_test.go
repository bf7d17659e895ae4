package httpapi_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAddDoesNotTellWhoHasAnAddress: status, headers, body and number of requests are the same whoever the holder is.
func TestAddDoesNotTellWhoHasAnAddress(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	f.user("jane", "jane@example.com")
	f.user("gone", "gone@example.com")
	f.user("stopped", "stopped@example.com")
	f.add("john", "own.pending@example.com")
	f.add("jane", "pending@example.com")
	f.call("gone", "DELETE", "/v1/users/me", "")
	f.suspend("stopped")

	var first reply
	for i, holder := range []string{
		"john@example.com", "own.pending@example.com", "jane@example.com", "pending@example.com", "gone@example.com", "stopped@example.com",
		"JANE@Example.com",
	} {
		var a reply
		requests := f.requests.during(func() {
			a = f.call("john", "POST", "/v1/users/me/emails", `{"email":"`+holder+`"}`)
		})
		require.Equal(t, http.StatusConflict, a.status, holder)
		require.Equal(t, 2, requests, holder)
		if i == 0 {
			first = a
		}
		require.Equal(t, first.header, a.header, holder)
		require.Equal(t, string(first.body), string(a.body), holder)
	}
}

// TestOtherUsersAddressesAreUnknown: an id of somebody else is answered as one that nobody has.
func TestOtherUsersAddressesAreUnknown(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	f.user("jane", "jane@example.com")
	theirs := operations(f.add("jane", "pending@example.com"))
	for i, o := range operations("00000000-0000-4000-8000-000000000000") {
		if o.path == theirs[i].path {
			continue // not a route with an id
		}
		var unknown, other reply
		forUnknown := f.requests.during(func() { unknown = f.call("john", o.method, o.path, o.body) })
		forOther := f.requests.during(func() { other = f.call("john", o.method, theirs[i].path, o.body) })
		require.Equal(t, http.StatusNotFound, other.status)
		require.Equal(t, unknown.header, other.header)
		require.Equal(t, string(unknown.body), string(other.body))
		require.Equal(t, forUnknown, forOther)
	}
}

// TestVerificationLimitIsOfTheAddress: the 429 of verification does not depend on whether somebody else has the address.
func TestVerificationLimitIsOfTheAddress(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	f.user("jane", "jane@example.com")
	for range 3 {
		f.call("john", "DELETE", emailPath(f.add("john", "a@example.com")), "")
	}
	a := f.call("jane", "POST", "/v1/users/me/emails", `{"email":"a@example.com"}`)
	require.Equal(t, http.StatusTooManyRequests, a.status)
	f.clock.advance(time.Hour)
	f.add("john", "a@example.com")
	require.Equal(t, http.StatusConflict, f.call("jane", "POST", "/v1/users/me/emails", `{"email":"a@example.com"}`).status)
}

// BenchmarkAddOfATakenAddress reports how long the refusal takes, whoever the holder is: medians and the 9th decile in µs, of
// requests in turns.
func BenchmarkAddOfATakenAddress(b *testing.B) {
	f := newFixture(b)
	f.user("john", "john@example.com")
	f.user("jane", "jane@example.com")
	f.user("gone", "gone@example.com")
	f.add("jane", "pending@example.com")
	f.call("gone", "DELETE", "/v1/users/me", "")
	holders := []struct{ name, address string }{
		{"own", "john@example.com"}, {"others", "jane@example.com"}, {"pending", "pending@example.com"}, {"deleted", "gone@example.com"},
	}
	took := make([][]time.Duration, len(holders))
	for b.Loop() {
		for i, holder := range holders {
			start := time.Now()
			a := f.call("john", "POST", "/v1/users/me/emails", `{"email":"`+holder.address+`"}`)
			took[i] = append(took[i], time.Since(start))
			require.Equal(b, http.StatusConflict, a.status)
		}
	}
	for i, holder := range holders {
		slices.Sort(took[i])
		b.ReportMetric(float64(took[i][len(took[i])/2].Microseconds()), holder.name+"-p50-µs")
		b.ReportMetric(float64(took[i][len(took[i])*9/10].Microseconds()), holder.name+"-p90-µs")
	}
}
