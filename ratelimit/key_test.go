package ratelimit_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/ratelimit"
)

func TestKey(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		parts []string
		want  string
	}{
		{nil, ""},
		{[]string{""}, "%0"},
		{[]string{"", ""}, "%0#%0"},
		{[]string{"verify", "a@example.com"}, "verify#a@example.com"},
		{[]string{"a", "b#c"}, "a#b%23c"},
		{[]string{"a#b", "c"}, "a%23b#c"},
		{[]string{"%0", "%23"}, "%250#%2523"},
	} {
		require.Equal(t, tc.want, ratelimit.Key(tc.parts...))
	}
}

// FuzzKey reads composed keys back: a key that can be read back belongs to one list of parts only.
func FuzzKey(f *testing.F) {
	for _, seed := range []string{"", "a", "a\x00b", "#\x00%", "%0", "%23\x00", "\x00", "\x00\x00", "a#b\x00c", "ä\xff\x00%2523"} {
		f.Add(seed, len(seed))
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		parts := strings.Split(text, "\x00")
		if n == 0 {
			parts = nil
		}
		key := ratelimit.Key(parts...)
		if back := readKey(key); !slices.Equal(back, parts) {
			t.Errorf("%q became %q, which reads %q", parts, key, back)
		}
	})
}

func readKey(key string) []string {
	if key == "" {
		return nil
	}
	parts := strings.Split(key, "#")
	for i, part := range parts {
		part = strings.ReplaceAll(part, "%23", "#")
		part = strings.ReplaceAll(part, "%25", "%")
		if parts[i] == "%0" {
			part = ""
		}
		parts[i] = part
	}
	return parts
}

// keyRecorder notes the key of the item that a limiter reads.
type keyRecorder struct {
	*store
	key map[string]types.AttributeValue
}

func (k *keyRecorder) GetItem(_ context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	k.key = in.Key
	return &dynamodb.GetItemOutput{}, nil
}

// itemOf returns the primary key that a limiter of the kind (algorithm, and for fixed windows the time) uses for key, as one text per
// attribute.
func itemOf(t *testing.T, table ratelimit.Table, kind uint8, key string) [2]string {
	recorder := &keyRecorder{}
	now := func() time.Time { return time.Unix(60*int64(kind), 0) }
	var l ratelimit.Limiter
	var err error
	switch kind {
	case 0:
		l, err = ratelimit.NewTokenBucket(recorder, ratelimit.BucketConfig{Table: table, Rate: 1})
	case 1:
		l, err = ratelimit.NewSlidingWindow(recorder, ratelimit.SlidingConfig{Table: table, Limit: 1, Window: time.Hour})
	default:
		l, err = ratelimit.NewFixedWindow(recorder, ratelimit.FixedConfig{Table: table, Limit: 1, Window: time.Minute, Now: now})
	}
	require.NoError(t, err)
	_, err = l.Peek(t.Context(), key)
	require.NoError(t, err)
	var id [2]string
	for i, name := range []string{"PK", "SK"} {
		v, ok := recorder.key[name].(*types.AttributeValueMemberS)
		if !ok {
			continue
		}
		id[i] = v.Value
		if v.Value == "" || len(v.Value) > 1024 || !utf8.ValidString(v.Value) {
			t.Errorf("no key value of DynamoDB: %q", v.Value)
		}
	}
	return id
}

// FuzzItemKey looks for two different keys or algorithms with one item.
func FuzzItemKey(f *testing.F) {
	long := strings.Repeat("x", 600)
	for _, seed := range [][2]string{
		{"a", "b"}, {"a", "a#BUCKET"}, {"a", "a#WINDOW#120"}, {"a#WINDOW", "a"}, {"\xff", "\xfe"}, {"\xff", "\ufffd"}, {"", "#"},
		{long, long + "x"}, {"sha256:", "sha256:0"}, {long, "sha256:c1531e1b2a9a22d7de3b3bd3eeeb2f6ed9a46ddbc7f3d2cb2ddfbf1c5b1e6b2f"},
	} {
		f.Add(seed[0], uint8(0), seed[1], uint8(2))
		f.Add(seed[0], uint8(2), seed[1], uint8(2))
		f.Add(seed[0], uint8(1), seed[1], uint8(0))
	}
	f.Fuzz(func(t *testing.T, a string, kindA uint8, b string, kindB uint8) {
		if a == b && kindA == kindB {
			return
		}
		for _, table := range []ratelimit.Table{{Name: "t"}, {Name: "t", PartitionKey: "PK"}} {
			if idA, idB := itemOf(t, table, kindA, a), itemOf(t, table, kindB, b); idA == idB {
				t.Errorf("%q of %s and %q of %s share the item %q", a, strconv.Itoa(int(kindA)), b, strconv.Itoa(int(kindB)), idA)
			}
		}
	})
}

// TestLongAndBinaryKeysAreHashed shows which keys are stored as they are.
func TestLongAndBinaryKeysAreHashed(t *testing.T) {
	t.Parallel()
	table := ratelimit.Table{Name: "t"}
	require.Equal(t, [2]string{"RATELIMIT#a", "BUCKET"}, itemOf(t, table, 0, "a"))
	require.Equal(t, [2]string{"RATELIMIT#a", "WINDOW#180"}, itemOf(t, table, 3, "a"))
	for _, key := range []string{strings.Repeat("x", 503), strings.Repeat("x", 1<<20), "\xff", "sha256:"} {
		require.Regexp(t, `^RATELIMIT#sha256:[0-9a-f]{64}$`, itemOf(t, table, 1, key)[0])
	}
}
