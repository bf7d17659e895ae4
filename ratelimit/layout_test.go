package ratelimit_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/ratelimit"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestLayout compares stored items with testdata, after two admissions a minute apart.
func TestLayout(t *testing.T) {
	t.Parallel()
	for name := range limiterOf3 {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t, anyTable(), faults.Plan{}, 1)
			c := newClock()
			l, err := map[string]func() (ratelimit.Limiter, error){
				"token_bucket": func() (ratelimit.Limiter, error) {
					return ratelimit.NewTokenBucket(e.client, ratelimit.BucketConfig{Table: anyTable(), Rate: 3, Per: time.Hour, Now: c.Now})
				},
				"sliding_window": func() (ratelimit.Limiter, error) {
					return ratelimit.NewSlidingWindow(e.client, ratelimit.SlidingConfig{Table: anyTable(), Limit: 3, Window: time.Hour, Now: c.Now})
				},
				"fixed_window": func() (ratelimit.Limiter, error) {
					return ratelimit.NewFixedWindow(e.client, ratelimit.FixedConfig{Table: anyTable(), Limit: 3, Window: time.Hour, Now: c.Now})
				},
			}[name]()
			require.NoError(t, err)
			for range 2 {
				d, err := l.Allow(t.Context(), ratelimit.Key("verify", "a#b@example.com"))
				require.NoError(t, err)
				require.True(t, d.Allowed)
				c.ns.Add(int64(time.Minute))
			}
			requireGolden(t, filepath.Join("testdata", name+".json"), plain(e.items(t)))
		})
	}
}

// plain writes items as JSON values; a nonce, which is random, as "random".
func plain(items []item) []map[string]any {
	rows := make([]map[string]any, len(items))
	for i, it := range items {
		rows[i] = make(map[string]any)
		for name, v := range it {
			switch v := v.(type) {
			case *types.AttributeValueMemberS:
				rows[i][name] = v.Value
			case *types.AttributeValueMemberN:
				rows[i][name] = json.Number(v.Value)
			}
		}
		if _, ok := rows[i]["nonce"].(string); ok {
			rows[i]["nonce"] = "random"
		}
	}
	return rows
}

func requireGolden(t *testing.T, path string, value any) {
	t.Helper()
	got, err := json.MarshalIndent(value, "", "  ")
	require.NoError(t, err)
	got = append(got, '\n')
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

// TestForeignTables runs on tables of other shapes, which also hold items of others.
func TestForeignTables(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]ratelimit.Table{
		"no_sort_key":    {Name: "limits", PartitionKey: "id", TTLAttribute: "expires"},
		"reserved_words": {Name: "limits", PartitionKey: "key", SortKey: "range", TTLAttribute: "timestamp", KeyPrefix: "limit/"},
		"dots_in_names":  {Name: "limits", PartitionKey: "p.k", SortKey: "s-k", TTLAttribute: "time to live"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t, table, faults.Plan{}, 1)
			now := newClock().Now
			bucket, err := ratelimit.NewTokenBucket(e.client, ratelimit.BucketConfig{Table: table, Rate: 3, Per: time.Hour, Now: now})
			require.NoError(t, err)
			sliding, err := ratelimit.NewSlidingWindow(e.client, ratelimit.SlidingConfig{Table: table, Limit: 3, Window: time.Hour, Now: now})
			require.NoError(t, err)
			fixed, err := ratelimit.NewFixedWindow(e.client, ratelimit.FixedConfig{Table: table, Limit: 3, Window: time.Hour, Now: now})
			require.NoError(t, err)
			for _, l := range []ratelimit.Limiter{bucket, sliding, fixed} {
				requireThree(t, l) // none sees the others' items
			}
			items := e.items(t)
			require.Len(t, items, 3)
			for _, it := range items {
				require.Contains(t, it, table.TTLAttribute)
			}
			for _, l := range []ratelimit.Limiter{bucket, sliding, fixed} {
				require.NoError(t, l.Reset(t.Context(), "key"))
			}
			require.Empty(t, e.items(t))
			action, _ := sliding.TransactItem("key", now())
			_, ok := e.transact(t, action)
			require.True(t, ok)
		})
	}
}

// TestLimitChanges rolls out another limit over the same items: admissions so far keep counting.
func TestLimitChanges(t *testing.T) {
	t.Parallel()
	table := newStore()
	build := func(limit int) ratelimit.Limiter {
		l, err := ratelimit.NewSlidingWindow(table, ratelimit.SlidingConfig{Table: anyTable(), Limit: limit, Window: time.Hour, Now: newClock().Now})
		require.NoError(t, err)
		return l
	}
	_, err := build(3).AllowN(t.Context(), "key", 3)
	require.NoError(t, err)
	for limit, remaining := range map[int]int{1: 0, 2: 0, 5: 2, 32: 29} {
		d, err := build(limit).Peek(t.Context(), "key")
		require.NoError(t, err)
		require.Equal(t, remaining, d.Remaining, "limit %d", limit)
	}
	d, err := build(5).AllowN(t.Context(), "key", 2)
	require.NoError(t, err)
	require.True(t, d.Allowed)
	d, err = build(5).Allow(t.Context(), "key")
	require.NoError(t, err)
	require.False(t, d.Allowed)
}
