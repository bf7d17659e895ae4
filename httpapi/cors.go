package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// CORS says which pages may call the API from a browser (Fetch standard, "CORS protocol"). Requests of other origins are answered as
// ever, only without the headers that let a page read the answer: CORS is not a protection of the API.
type CORS struct {
	// AllowedOrigins are the origins of the pages, each a scheme, a host in lower case and, if it is not the default, a port:
	// "https://app.example.com". "*" alone admits every page. None by default.
	AllowedOrigins []string
	// MaxAge is how long a browser may keep the answer to a preflight: whole seconds, default 10 minutes.
	MaxAge time.Duration
}

const (
	defaultMaxAge = 10 * time.Minute
	anyOrigin     = "*"

	// What a page may send beyond the headers that are always allowed, and what it may read.
	allowedHeaders = "Authorization, Content-Type, If-Match, X-Request-Id"
	exposedHeaders = "ETag, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id"
)

func (c CORS) check() error {
	for i, origin := range c.AllowedOrigins {
		if origin == anyOrigin && len(c.AllowedOrigins) == 1 {
			break
		}
		u, err := url.Parse(origin)
		if err != nil || u.Scheme == "" || u.Host == "" || origin != u.Scheme+"://"+strings.ToLower(u.Host) {
			return fmt.Errorf(`Config.CORS.AllowedOrigins[%d] is %q, not an origin like "https://app.example.com"`, i, origin)
		}
	}
	if c.MaxAge < 0 || c.MaxAge%time.Second != 0 {
		return fmt.Errorf("Config.CORS.MaxAge is %v, not whole seconds", c.MaxAge)
	}
	return nil
}

// expose lets the page that sent a request read the answer, if it may. It says whether it may.
func (c CORS) expose(answer http.Header, r *http.Request) bool {
	if len(c.AllowedOrigins) == 0 {
		return false
	}
	allowed := c.AllowedOrigins[0]
	if allowed != anyOrigin {
		// The answer differs by origin even when there is none in the request: a cache must know.
		answer.Add("Vary", "Origin")
		allowed = r.Header.Get("Origin")
		if !slices.Contains(c.AllowedOrigins, allowed) {
			return false
		}
	}
	answer.Set("Access-Control-Allow-Origin", allowed)
	answer.Set("Access-Control-Expose-Headers", exposedHeaders)
	return true
}

// preflight adds to the answer to OPTIONS what a browser asks before it sends the request itself.
func (c CORS) preflight(answer http.Header, r *http.Request, methods string) {
	if r.Header.Get("Access-Control-Request-Method") == "" {
		return
	}
	answer.Set("Access-Control-Allow-Methods", methods)
	answer.Set("Access-Control-Allow-Headers", allowedHeaders)
	answer.Set("Access-Control-Max-Age", strconv.FormatInt(int64(c.MaxAge/time.Second), 10))
}
