package function

import (
	"context"
	"time"
)

// margin is kept of a function's time to report what was done.
const margin = 15 * time.Second

// BeforeDeadline returns a context that ends some time before that of the invocation, so that long work can stop in order and say how
// far it came: 15 s before, or half of what is left if that is less.
func BeforeDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, has := ctx.Deadline()
	if !has {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-min(margin, time.Until(deadline)/2)))
}
