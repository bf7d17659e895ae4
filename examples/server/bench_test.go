package main

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/userstore"
)

// BenchmarkProfile is one request after the other through the server's handler, without a socket: token, API, SDK and the
// in-memory DynamoDB.
func BenchmarkProfile(b *testing.B) {
	kept, err := openData("")
	require.NoError(b, err)
	a, err := newApp(b.Context(), newCloud(kept.db), kept.keys, slog.New(slog.DiscardHandler))
	require.NoError(b, err)
	_, err = a.users.Create(b.Context(), userstore.NewUser{UserID: "u1", Email: "ada@example.com", EmailVerified: true, FirstName: "Ada"})
	require.NoError(b, err)
	token, err := a.issuer.accessToken("u1", time.Hour, nil)
	require.NoError(b, err)
	handler := a.handler()

	send := func(b *testing.B, method string, body func(i int) string) {
		b.ReportAllocs()
		kept.db.ResetUsage()
		for i := 0; b.Loop(); i++ {
			request := httptest.NewRequest(method, "/v1/users/me", strings.NewReader(body(i)))
			request.Header.Set("Authorization", "Bearer "+token)
			request.Header.Set("Content-Type", "application/json")
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, request)
			if answer.Code != http.StatusOK {
				b.Fatal(answer.Body)
			}
		}
		usage := kept.db.Usage()
		requests := 0
		for _, n := range usage.Requests {
			requests += n
		}
		b.ReportMetric(float64(requests)/float64(b.N), "requests/op")
		b.ReportMetric(usage.ReadUnits/float64(b.N), "RCU/op")
		b.ReportMetric(usage.WriteUnits/float64(b.N), "WCU/op")
	}
	b.Run("read", func(b *testing.B) { send(b, http.MethodGet, func(int) string { return "" }) })
	b.Run("write", func(b *testing.B) {
		names := []string{`{"firstName":"Grace"}`, `{"firstName":"Ada"}`} // each write is a change
		send(b, http.MethodPut, func(i int) string { return names[i%2] })
	})
}
