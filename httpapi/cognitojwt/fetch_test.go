package cognitojwt_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi/cognitojwt"
)

// serverPool is the tests' pool with its key set at a server on a loopback port.
func serverPool(url string) cognitojwt.Pool {
	return cognitojwt.Pool{Issuer: issuer, ClientIDs: []string{client}, JWKSURL: url}
}

func TestKeySetOverHTTP(t *testing.T) {
	t.Parallel()
	e := &endpoint{}
	e.serve(t, current())
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	v := mustNew(t, cognitojwt.Config{HTTPClient: server.Client(), Now: at(epoch)}, serverPool(server.URL))
	for range 10 {
		require.NoError(t, verifyError(t, v, access(nil)(t)))
	}
	require.Equal(t, 1, e.count(), "a known key costs no request")
}

func TestDefaultKeySetURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pool cognitojwt.Pool
		want string
	}{
		{cognitojwt.Pool{UserPoolID: poolID}, issuer + "/.well-known/jwks.json"},
		{cognitojwt.Pool{UserPoolID: "cn-north-1_A1"},
			"https://cognito-idp.cn-north-1.amazonaws.com.cn/cn-north-1_A1/.well-known/jwks.json"},
		{cognitojwt.Pool{UserPoolID: "us-gov-west-1_A1"},
			"https://cognito-idp.us-gov-west-1.amazonaws.com/us-gov-west-1_A1/.well-known/jwks.json"},
		{cognitojwt.Pool{Issuer: "https://issuer.example/"}, "https://issuer.example/.well-known/jwks.json"},
		{cognitojwt.Pool{Issuer: "any", JWKSURL: "https://keys.example/set?version=1"}, "https://keys.example/set?version=1"},
		{cognitojwt.Pool{Issuer: "http://127.0.0.1:9229/local_1"}, "http://127.0.0.1:9229/local_1/.well-known/jwks.json"},
		{cognitojwt.Pool{Issuer: "http://cognito:9229/local_1", AllowHTTP: true}, "http://cognito:9229/local_1/.well-known/jwks.json"},
	} {
		c.pool.ClientIDs = []string{client}
		asked := make(chan string, 1)
		transport := roundTrip(func(r *http.Request) (*http.Response, error) {
			asked <- r.URL.String()
			return nil, errors.New("no network")
		})
		v := mustNew(t, cognitojwt.Config{HTTPClient: &http.Client{Transport: transport}}, c.pool)
		require.Error(t, v.Refresh(t.Context()))
		require.Equal(t, c.want, <-asked)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestRedirects(t *testing.T) {
	t.Parallel()
	e := &endpoint{}
	e.serve(t, current())
	target := httptest.NewServer(e)
	t.Cleanup(target.Close)
	mux := http.NewServeMux()
	mux.Handle("/keys", e)
	mux.Handle("/near", http.RedirectHandler("/keys", http.StatusFound))
	mux.Handle("/far", http.RedirectHandler(target.URL, http.StatusFound))
	mux.Handle("/loop", http.RedirectHandler("/loop", http.StatusFound))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	for path, want := range map[string]string{
		"/near": "", "/far": "redirect to another host", "/loop": "more than 3 redirects", "/none": "status 404",
	} {
		v := mustNew(t, cognitojwt.Config{HTTPClient: server.Client(), Now: at(epoch)}, serverPool(server.URL+path))
		if err := v.Refresh(t.Context()); want == "" {
			require.NoError(t, err, path)
		} else {
			require.ErrorContains(t, err, want, path)
		}
	}
	require.Equal(t, 1, e.count())
}

// TestRedirectToHTTP stays on the host but leaves TLS.
func TestRedirectToHTTP(t *testing.T) {
	t.Parallel()
	var asked []string
	transport := roundTrip(func(r *http.Request) (*http.Response, error) {
		asked = append(asked, r.URL.Scheme)
		answer := httptest.NewRecorder()
		http.Redirect(answer, r, "http://"+r.URL.Host+"/keys", http.StatusFound)
		return answer.Result(), nil
	})
	v := mustNew(t, cognitojwt.Config{HTTPClient: &http.Client{Transport: transport}}, bubblePool())
	require.ErrorContains(t, v.Refresh(t.Context()), "redirect to another host")
	require.Equal(t, []string{"https"}, asked)
}

func TestCallersRedirectPolicyApplies(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.RedirectHandler("/other", http.StatusFound))
	t.Cleanup(server.Close)
	httpClient := server.Client()
	httpClient.CheckRedirect = func(*http.Request, []*http.Request) error { return errors.New("the caller says no") }
	v := mustNew(t, cognitojwt.Config{HTTPClient: httpClient}, serverPool(server.URL))
	require.ErrorContains(t, v.Refresh(t.Context()), "the caller says no")
}

func TestKeySetBodyIsCapped(t *testing.T) {
	t.Parallel()
	set, err := json.Marshal(keySet(t, current()))
	require.NoError(t, err)
	for name, c := range map[string]struct{ size, status int }{
		"at_the_cap":   {64 << 10, http.StatusOK},
		"over_the_cap": {64<<10 + 1, http.StatusServiceUnavailable},
	} {
		e := &endpoint{}
		e.answer(http.StatusOK, string(set)+strings.Repeat(" ", c.size-len(set)))
		v := mustNew(t, cognitojwt.Config{HTTPClient: &http.Client{Transport: e}, Now: at(epoch)}, bubblePool())
		require.Equal(t, c.status, statusOf(verifyError(t, v, access(nil)(t))), name)
	}
}

func TestLogHoldsNoToken(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer // the fetches write to it before Verify returns, so it needs no lock
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	e := &endpoint{}
	e.serve(t, current())
	config := cognitojwt.Config{HTTPClient: &http.Client{Transport: e}, Logger: logger, Now: at(epoch)}
	token := access(nil)(t)
	require.NoError(t, verifyError(t, mustNew(t, config, bubblePool()), token))
	e.answer(http.StatusInternalServerError, "")
	err := verifyError(t, mustNew(t, config, bubblePool()), token)
	require.Equal(t, http.StatusServiceUnavailable, statusOf(err))

	require.Contains(t, log.String(), "key set fetched")
	require.Contains(t, log.String(), "key set fetch failed")
	for _, part := range append(strings.Split(token, "."), sub) {
		require.NotContains(t, log.String(), part)
		require.NotContains(t, err.Error(), part)
	}
}
