package lifecycle

import (
	"context"
	"sync"
	"time"

	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/sweep"
	"github.com/usercore-go/usercore/internal/table"
)

// run is one pass over the table.
type run struct {
	*Janitor
	lapsed time.Time // leases that ended by then are at the end of their address's life
	pace   *sweep.Pace

	mu     sync.Mutex
	report Report
}

func (r *run) sweep(now time.Time) sweep.Sweep {
	return sweep.Sweep{
		Client: r.client, Scan: table.DueScan(r.kernel.Table, now, r.lapsed), Pace: r.pace, Progress: r.cfg.Progress,
		Visit: func(ctx context.Context, items []dynamo.Item) error { return sweep.Each(ctx, items, r.remove) },
	}
}

// remove removes what one item says is due.
func (r *run) remove(ctx context.Context, item dynamo.Item) error {
	if !table.IsClaim(item) {
		userID := table.UserOf(item)
		return r.do(ctx, Failure{UserID: userID}, func() error { return r.users.Purge(ctx, userID) })
	}
	claim, err := table.DecodeClaim(item)
	return r.do(ctx, Failure{UserID: claim.UserID, EmailID: claim.EmailID}, func() error {
		if err != nil {
			return err
		}
		return r.lapse(ctx, claim)
	})
}

// do removes one thing and counts it. Only the end of the context is an error.
func (r *run) do(ctx context.Context, what Failure, remove func() error) error {
	const itemsOfOne = 4 // about what a removal reads and writes
	if err := r.pace.Wait(ctx, itemsOfOne); err != nil {
		return err
	}
	var err error
	if !r.cfg.DryRun {
		err = remove()
	}
	if ctx.Err() != nil && err != nil {
		return ctx.Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case settled(err):
	case err != nil:
		r.report.Failed++
		if what.Error = err.Error(); len(r.report.Failures) < mostFailures {
			r.report.Failures = append(r.report.Failures, what)
		}
	case what.EmailID == "":
		r.report.Purged++
	default:
		r.report.Lapsed++
	}
	return nil
}
