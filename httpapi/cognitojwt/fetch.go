package cognitojwt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

const (
	// maxKeySetBytes caps a key set's body; Cognito's is under 1 KB.
	maxKeySetBytes = 64 << 10
	maxRedirects   = 3
)

// fetchKeySet reads the key set at url with one GET (and redirects on the same host). A set without a usable key is an error, so that
// it never replaces one that has some.
func fetchKeySet(ctx context.Context, client *http.Client, url string) (set keySet, ignored int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, 0, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, 0, fmt.Errorf("status %d", resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxKeySetBytes+1))
	if err != nil {
		return nil, 0, fmt.Errorf("read body: %w", err)
	}
	if len(body) > maxKeySetBytes {
		return nil, 0, fmt.Errorf("body over %d bytes", maxKeySetBytes)
	}
	var document JWKS
	if err := json.Unmarshal(body, &document); err != nil {
		return nil, 0, fmt.Errorf("body is no key set: %w", err)
	}
	if set, ignored = document.usable(); len(set) == 0 {
		return nil, 0, fmt.Errorf("no usable key among %d", len(document.Keys))
	}
	return set, ignored, nil
}

// sameHostOnly returns a copy of client that follows a redirect only within the scheme and host of the first request: whoever answers
// for the key set decides who can sign in, and that must stay the configured host. The client's own redirect policy applies besides.
func sameHostOnly(client *http.Client) *http.Client {
	bound := *client
	bound.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		first := via[0].URL
		if req.URL.Scheme != first.Scheme || req.URL.Host != first.Host {
			return errors.New("redirect to another host or scheme")
		}
		if len(via) > maxRedirects {
			return fmt.Errorf("more than %d redirects", maxRedirects)
		}
		if client.CheckRedirect != nil {
			return client.CheckRedirect(req, via)
		}
		return nil
	}
	return &bound
}
