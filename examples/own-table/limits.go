package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/usercore-go/usercore/ratelimit"
)

// tryLimiters lets somebody log in four times, as each kind of limiter sees it.
func tryLimiters(ctx context.Context, client *dynamodb.Client, out io.Writer) error {
	limiters, err := newLimiters(client)
	if err != nil {
		return err
	}
	for _, l := range limiters {
		for attempt := 1; attempt <= 4; attempt++ {
			d, err := l.limiter.Allow(ctx, ratelimit.Key("login", "dana"))
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%-14s attempt %d: allowed %-5v remaining %d\n", l.name, attempt, d.Allowed, d.Remaining)
		}
	}
	return nil
}

type named struct {
	name    string
	limiter ratelimit.Limiter
}

// newLimiters makes one limiter of each kind, three an hour.
func newLimiters(client *dynamodb.Client) ([]named, error) {
	bucket, err := ratelimit.NewTokenBucket(client, ratelimit.BucketConfig{Table: limitsTable(), Rate: 3, Per: time.Hour})
	if err != nil {
		return nil, err
	}
	sliding, err := ratelimit.NewSlidingWindow(client, ratelimit.SlidingConfig{Table: limitsTable(), Limit: 3, Window: time.Hour})
	if err != nil {
		return nil, err
	}
	fixed, err := ratelimit.NewFixedWindow(client, ratelimit.FixedConfig{Table: limitsTable(), Limit: 3, Window: 24 * time.Hour})
	if err != nil {
		return nil, err
	}
	return []named{{"token bucket", bucket}, {"sliding window", sliding}, {"fixed window", fixed}}, nil
}
