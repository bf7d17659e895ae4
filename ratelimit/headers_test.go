package ratelimit_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/ratelimit"
)

func TestSetHeaders(t *testing.T) {
	t.Parallel()
	now := time.Unix(1705849200, 0)
	for name, tc := range map[string]struct {
		d    ratelimit.Decision
		now  time.Time
		want http.Header
	}{
		"admitted": {
			ratelimit.Decision{Allowed: true, Limit: 3, Remaining: 1, ResetAfter: time.Minute}, now,
			http.Header{"X-Ratelimit-Limit": {"3"}, "X-Ratelimit-Remaining": {"1"}, "X-Ratelimit-Reset": {"1705849260"}},
		},
		"denied": {
			ratelimit.Decision{Limit: 3, RetryAfter: 45 * time.Minute, ResetAfter: time.Hour}, now,
			http.Header{
				"X-Ratelimit-Limit": {"3"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1705852800"}, "Retry-After": {"2700"},
			},
		},
		"reset_is_rounded_up": {
			ratelimit.Decision{Allowed: true, Limit: 3, ResetAfter: 1}, now,
			http.Header{"X-Ratelimit-Limit": {"3"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1705849201"}},
		},
		"fractions_add_up": {
			ratelimit.Decision{Allowed: true, Limit: 3, ResetAfter: 500 * time.Millisecond}, now.Add(500 * time.Millisecond),
			http.Header{"X-Ratelimit-Limit": {"3"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1705849201"}},
		},
		"retry_after_is_rounded_up": {
			ratelimit.Decision{Limit: 1, RetryAfter: time.Second + 1}, now,
			http.Header{
				"X-Ratelimit-Limit": {"1"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1705849200"}, "Retry-After": {"2"},
			},
		},
		"retry_after_is_at_least_one": {
			ratelimit.Decision{Limit: 1}, now,
			http.Header{
				"X-Ratelimit-Limit": {"1"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1705849200"}, "Retry-After": {"1"},
			},
		},
		"negative_is_not_shown": {
			ratelimit.Decision{Allowed: true, Limit: 1, Remaining: -1}, now,
			http.Header{"X-Ratelimit-Limit": {"1"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1705849200"}},
		},
		"degraded": {
			ratelimit.Decision{Allowed: true, Limit: 3, Degraded: true}, now, http.Header{},
		},
		"nothing_known": {ratelimit.Decision{}, now, http.Header{"Retry-After": {"1"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{}
			tc.d.SetHeaders(h, tc.now)
			require.Equal(t, tc.want, h)
		})
	}
}
