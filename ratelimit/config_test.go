package ratelimit_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/ratelimit"
)

func TestConfigErrorsNameTheField(t *testing.T) {
	t.Parallel()
	const year = 365 * 24 * time.Hour
	table := anyTable()
	bucket := func(cfg ratelimit.BucketConfig) error {
		if cfg.Table == (ratelimit.Table{}) {
			cfg.Table = table
		}
		_, err := ratelimit.NewTokenBucket(newStore(), cfg)
		return err
	}
	sliding := func(cfg ratelimit.SlidingConfig) error {
		cfg.Table = table
		_, err := ratelimit.NewSlidingWindow(newStore(), cfg)
		return err
	}
	fixed := func(cfg ratelimit.FixedConfig) error {
		cfg.Table = table
		_, err := ratelimit.NewFixedWindow(newStore(), cfg)
		return err
	}
	_, noClient := ratelimit.NewTokenBucket(nil, ratelimit.BucketConfig{Table: table, Rate: 1})
	inTable := func(table ratelimit.Table) error { return bucket(ratelimit.BucketConfig{Table: table, Rate: 1}) }
	for _, tc := range []struct {
		want string // "" is no error
		err  error
	}{
		{"client", noClient},
		{"", bucket(ratelimit.BucketConfig{Rate: 1})},
		{"", bucket(ratelimit.BucketConfig{Rate: 1, Per: 50 * year})},
		{"BucketConfig.Rate", bucket(ratelimit.BucketConfig{})},
		{"BucketConfig.Rate", bucket(ratelimit.BucketConfig{Rate: -1})},
		{"BucketConfig.Rate", bucket(ratelimit.BucketConfig{Rate: 1e9 + 1})},
		{"BucketConfig.Per", bucket(ratelimit.BucketConfig{Rate: 1, Per: -1})},
		{"BucketConfig.Per", bucket(ratelimit.BucketConfig{Rate: 1, Per: 51 * year})},
		{"BucketConfig.Burst", bucket(ratelimit.BucketConfig{Rate: 1, Burst: -1})},
		{"BucketConfig.Burst", bucket(ratelimit.BucketConfig{Rate: 1, Per: year, Burst: 51})},
		{"BucketConfig.Burst", bucket(ratelimit.BucketConfig{Rate: 1, Burst: math.MaxInt})},
		{"OnFailure", bucket(ratelimit.BucketConfig{Rate: 1, OnFailure: 2})},
		{"Tuning.Timeout", bucket(ratelimit.BucketConfig{Rate: 1, Tuning: ratelimit.Tuning{Timeout: -1}})},
		{"Tuning.MaxWait", bucket(ratelimit.BucketConfig{Rate: 1, Tuning: ratelimit.Tuning{MaxWait: -1}})},
		{"Tuning.CacheSize", bucket(ratelimit.BucketConfig{Rate: 1, Tuning: ratelimit.Tuning{CacheSize: -1}})},
		{"", sliding(ratelimit.SlidingConfig{Limit: 32, Window: 1})},
		{"", sliding(ratelimit.SlidingConfig{Limit: ratelimit.MaxSlidingLimit, Window: 50 * year})},
		{"SlidingConfig.Limit", sliding(ratelimit.SlidingConfig{Window: 1})},
		{"SlidingConfig.Limit", sliding(ratelimit.SlidingConfig{Limit: ratelimit.MaxSlidingLimit + 1, Window: 1})},
		{"SlidingConfig.Window", sliding(ratelimit.SlidingConfig{Limit: 1})},
		{"SlidingConfig.Window", sliding(ratelimit.SlidingConfig{Limit: 1, Window: -1})},
		{"", fixed(ratelimit.FixedConfig{Limit: math.MaxInt, Window: time.Second})},
		{"FixedConfig.Limit", fixed(ratelimit.FixedConfig{Window: time.Second})},
		{"FixedConfig.Window", fixed(ratelimit.FixedConfig{Limit: 1})},
		{"FixedConfig.Window", fixed(ratelimit.FixedConfig{Limit: 1, Window: 1500 * time.Millisecond})},
		{"", inTable(ratelimit.Table{Name: "t", PartitionKey: "id"})},
		{"Table.Name", inTable(ratelimit.Table{PartitionKey: "id"})},
		{"Table.PartitionKey", inTable(ratelimit.Table{Name: "t", SortKey: "id"})},
		{"TTLAttribute", inTable(ratelimit.Table{Name: "t", PartitionKey: "ttl"})},
		{"SortKey", inTable(ratelimit.Table{Name: "t", PartitionKey: "id", SortKey: "id"})},
		{"tat", inTable(ratelimit.Table{Name: "t", PartitionKey: "tat"})},
		{"t7", inTable(ratelimit.Table{Name: "t", PartitionKey: "id", SortKey: "t7"})},
		{"count", inTable(ratelimit.Table{Name: "t", TTLAttribute: "count"})},
		{"Table.KeyPrefix", inTable(ratelimit.Table{Name: "t", KeyPrefix: strings.Repeat("x", 129)})},
		{"Table.KeyPrefix", inTable(ratelimit.Table{Name: "t", KeyPrefix: "\xff"})},
	} {
		if tc.want == "" {
			require.NoError(t, tc.err)
			continue
		}
		require.ErrorContains(t, tc.err, tc.want)
	}
}

// TestExtremeClocks decides at times that no clock should show.
func TestExtremeClocks(t *testing.T) {
	t.Parallel()
	for _, at := range []time.Time{{}, time.Unix(0, 0), time.Unix(-1, 0), time.Unix(1<<62, 0), time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC)} {
		for name, build := range burstOf50(func() time.Time { return at }, ratelimit.Tuning{}, ratelimit.Closed) {
			table := newStore()
			for range 2 { // the second without memory
				l, err := build(table)
				require.NoError(t, err)
				d, err := l.AllowN(t.Context(), "key", burst/2)
				require.NoError(t, err)
				require.True(t, d.Allowed, "%s at %v", name, at)
			}
			l, err := build(table)
			require.NoError(t, err)
			d, err := l.Allow(t.Context(), "key")
			require.NoError(t, err)
			require.False(t, d.Allowed, "%s at %v", name, at)
			require.Positive(t, d.RetryAfter)
		}
	}
}
