package cognitojwt

import (
	"context"
	"errors"
	"time"
)

// Refresh reads the key sets of all pools at once and returns when each is there: a service that calls it at start finds out before
// the first request that a pool is wrong or out of reach. The error joins those of the pools that failed; their old keys stay. When ctx
// ends first it returns ctx's error. It costs one request per pool, or none for a pool whose last fetch, of any cause, ended less than
// Config.Cooldown ago: then it reports that one's outcome.
func (v *Verifier) Refresh(ctx context.Context) error {
	var errs []error
	for _, f := range v.fetchAll() {
		if err := f.wait(ctx); err != nil {
			return err
		}
		errs = append(errs, f.err)
	}
	return errors.Join(errs...)
}

// Run reads the key sets at once and then every Config.RefreshInterval, until ctx ends; then it returns nil. It is an option: without
// it, keys are read when a token needs them. With it, the first request does not wait, and a key that the pool has withdrawn is
// forgotten within the interval. A failed fetch is logged and changes nothing. Run returns after its last fetch has ended, at most
// Config.FetchTimeout after ctx. It costs one request per pool and interval.
func (v *Verifier) Run(ctx context.Context) error {
	ticker := time.NewTicker(v.refresh)
	defer ticker.Stop()
	for {
		for _, f := range v.fetchAll() {
			<-f.done
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// fetchAll starts, or joins, a fetch for every pool whose keys are not fixed.
func (v *Verifier) fetchAll() []*fetch {
	var fetches []*fetch
	for _, p := range v.pools {
		if p.source.url != "" {
			fetches = append(fetches, p.source.fetchOnce())
		}
	}
	return fetches
}
