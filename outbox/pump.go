package outbox

import (
	"context"
	"sync"
	"time"
)

// pump starts each job that next hands out, in a goroutine of its own, and returns after the last one has ended. Without a job it
// asks again after the wait or on a signal. It stops asking when ctx ends or when next says that it is done.
func pump(ctx context.Context, signals <-chan struct{}, next func(now time.Time) (job func(), wait time.Duration, done bool)) {
	var jobs sync.WaitGroup
	defer jobs.Wait()
	for ctx.Err() == nil {
		job, wait, done := next(time.Now())
		if done {
			return
		}
		if job != nil {
			jobs.Go(job)
			continue
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-signals:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}
