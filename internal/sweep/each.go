package sweep

import (
	"context"
	"sync"
)

// workers is how many tasks of a page are done at once: enough to hide the latency of a request, few enough for a table in use.
const workers = 8

// Each calls do for every task, several at once. The first error cancels the context of the others and is returned when all have ended.
func Each[T any](ctx context.Context, tasks []T, do func(context.Context, T) error) error {
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	queue := make(chan T)
	var group sync.WaitGroup
	for range min(workers, len(tasks)) {
		group.Go(func() {
			for task := range queue {
				if err := do(working, task); err != nil {
					stop(err)
				}
			}
		})
	}
feed:
	for _, task := range tasks {
		select {
		case queue <- task:
		case <-working.Done():
			break feed
		}
	}
	close(queue)
	group.Wait()
	return context.Cause(working)
}
