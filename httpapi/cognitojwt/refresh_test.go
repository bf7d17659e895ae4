package cognitojwt_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi/cognitojwt"
)

func TestRunReadsKeySetsEveryHour(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		e, v := newBubble(t)
		ctx, cancel := context.WithCancel(t.Context())
		stopped := make(chan error, 1)
		go func() { stopped <- v.Run(ctx) }()
		synctest.Wait()
		require.Equal(t, 1, e.count(), "at once")

		e.serve(t, rotated())
		<-time.After(time.Hour)
		synctest.Wait()
		require.Equal(t, 2, e.count())
		require.NoError(t, verifyError(t, v, fresh(t, rotated(), nil)))
		require.ErrorIs(t, verifyError(t, v, fresh(t, current(), nil)), cognitojwt.ErrUnknownKey, "a withdrawn key is forgotten")

		e.answer(http.StatusBadGateway, "")
		<-time.After(time.Hour)
		synctest.Wait()
		require.Equal(t, 3, e.count())
		require.NoError(t, verifyError(t, v, fresh(t, rotated(), nil)), "a failed read changes nothing")

		cancel()
		require.NoError(t, <-stopped)
	})
}

func TestRunReturnsAfterItsFetch(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		e, v := newBubble(t)
		e.slow(2 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		require.NoError(t, v.Run(ctx))
		require.Equal(t, 2*time.Second, time.Since(start))
	})
}

func TestRefreshReportsPools(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		e := &endpoint{}
		e.answer(http.StatusNotFound, "")
		v := mustNew(t, cognitojwt.Config{HTTPClient: &http.Client{Transport: e}},
			bubblePool(), fixedPoolOf(t, "https://issuer.example", current()))
		require.ErrorContains(t, v.Refresh(t.Context()), issuer)
		require.Error(t, v.Refresh(t.Context()), "the outcome of the last read counts during the cooldown")
		require.Equal(t, 1, e.count(), "fixed keys are not read")

		e.serve(t, current())
		<-time.After(10 * time.Second)
		require.NoError(t, v.Refresh(t.Context()))
		require.NoError(t, verifyError(t, v, fresh(t, current(), nil)))
		require.Equal(t, 2, e.count())
	})
}

func TestRefreshEndsWithItsContext(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		e, v := newBubble(t)
		e.slow(time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		require.ErrorIs(t, v.Refresh(ctx), context.DeadlineExceeded)
		require.Equal(t, time.Second, time.Since(start))
		<-time.After(2 * time.Second) // the fetch ends by its own deadline; the bubble fails if it does not
	})
}

// fixedPoolOf is fixedPool under another issuer.
func fixedPoolOf(t *testing.T, issuer string, signers ...signer) cognitojwt.Pool {
	t.Helper()
	pool := fixedPool(t, signers...)
	pool.Issuer = issuer
	return pool
}
