package sweep_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/sweep"
)

func TestEachDoesEveryTaskOnceAndEightAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var (
			mu            sync.Mutex
			done          []int
			running, most int
		)
		tasks := make([]int, 20)
		for i := range tasks {
			tasks[i] = i
		}
		began := time.Now()
		require.NoError(t, sweep.Each(t.Context(), tasks, func(_ context.Context, task int) error {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			defer mu.Unlock()
			running--
			done = append(done, task)
			return nil
		}))
		slices.Sort(done)
		require.Equal(t, tasks, done)
		require.Equal(t, 8, most)
		require.Equal(t, 3*time.Second, time.Since(began))
	})
}

func TestEachEndsWithTheFirstError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		errTask := errors.New("the task failed")
		began, started := time.Now(), make(chan int, 100)
		err := sweep.Each(t.Context(), make([]int, 100), func(ctx context.Context, _ int) error {
			started <- 1
			if len(started) == 8 {
				time.Sleep(time.Second)
				return errTask
			}
			<-ctx.Done()
			return ctx.Err()
		})
		require.Equal(t, errTask, err, "not that of a task whose context was cancelled by it")
		require.Len(t, started, 8, "no task is begun after it")
		require.Equal(t, time.Second, time.Since(began))
	})
}

func TestEachEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := sweep.Each(ctx, make([]int, 100), func(ctx context.Context, _ int) error { return ctx.Err() })
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, sweep.Each(t.Context(), nil, func(context.Context, int) error { return errors.New("there is no task") }))
}
