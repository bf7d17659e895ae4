package sweep_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/sweep"
)

func TestPaceSpacesItems(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		pace := sweep.NewPace(10)
		for _, step := range []struct {
			items int
			at    time.Duration // when these items may be worked on
		}{{5, 0}, {1, 500 * time.Millisecond}, {0, 600 * time.Millisecond}, {20, 600 * time.Millisecond}, {1, 2600 * time.Millisecond}} {
			require.NoError(t, pace.Wait(t.Context(), step.items))
			require.Equal(t, step.at, time.Since(began))
		}
		time.Sleep(time.Minute)
		require.NoError(t, pace.Wait(t.Context(), 1))
		require.Equal(t, time.Minute+2600*time.Millisecond, time.Since(began), "what was not used is not saved up")
		require.NoError(t, pace.Wait(t.Context(), 1))
		require.Equal(t, time.Minute+2700*time.Millisecond, time.Since(began))
	})
}

func TestPaceIsShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		pace := sweep.NewPace(10)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() { _ = pace.Wait(t.Context(), 10) })
		}
		group.Wait()
		require.Equal(t, 3*time.Second, time.Since(began), "the fourth waits for the items of three")
	})
}

func TestPaceEndsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		pace := sweep.NewPace(1)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		require.NoError(t, pace.Wait(ctx, 10))
		require.ErrorIs(t, pace.Wait(ctx, 1), context.DeadlineExceeded)
		require.Equal(t, 3*time.Second, time.Since(began))
		require.ErrorIs(t, sweep.NewPace(1).Wait(ctx, 1), context.DeadlineExceeded, "also without a wait")
	})
}
