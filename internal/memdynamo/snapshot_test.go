package memdynamo_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/memdynamo"
)

func (h *harness) snapshot() string {
	h.Helper()
	var buf bytes.Buffer
	require.NoError(h, h.db.Snapshot(&buf))
	return buf.String()
}

func TestSnapshotRoundTrip(t *testing.T) {
	now := newClock()
	h := setupWith(t, memdynamo.Options{Now: now.Now, TTLLag: time.Second}, withStream("KEYS_ONLY"))
	h.create(func(in *dynamodb.CreateTableInput) {
		in.TableName, in.BillingMode, in.ProvisionedThroughput = aws.String("empty"), "PROVISIONED", throughput(3)
		in.GlobalSecondaryIndexes[0].ProvisionedThroughput = throughput(4)
	})
	require.NoError(t, h.setTTL("ttl", true))
	h.put(judged(), inIndex("a", "G", "1"), expiring("b", now.Now().Add(time.Hour)))
	first := h.snapshot()

	restored := &harness{T: t, db: memdynamo.New(memdynamo.Options{Now: now.Now, TTLLag: time.Second}), ctx: h.ctx}
	restored.client = restored.db.Client()
	require.NoError(t, restored.db.Restore(strings.NewReader(first)))
	require.Equal(t, first, restored.snapshot(), "the format is canonical")
	require.Equal(t, h.get("p", "s"), restored.get("p", "s"))
	require.Equal(t, []string{"a", "b"}, restored.indexed("G"))
	for _, name := range []string{tableName, "empty"} {
		in := &dynamodb.DescribeTableInput{TableName: aws.String(name)}
		want, err := h.client.DescribeTable(h.ctx, in)
		require.NoError(t, err)
		got, err := restored.client.DescribeTable(h.ctx, in)
		require.NoError(t, err)
		require.Equal(t, want.Table, got.Table)
	}
	requireCode(t, validation, restored.setTTL("ttl", true))
	now.Advance(2 * time.Hour)
	require.Equal(t, []string{"a"}, restored.indexed("G"), "items expire as before")
}

func TestRestoreRejectsWhatIsNotASnapshot(t *testing.T) {
	h := setup(t)
	h.put(key("a", "s"))
	good := h.snapshot()
	header, table, item := strings.SplitN(good, "\n", 3)[0], strings.Split(good, "\n")[1], strings.Split(good, "\n")[2]
	for name, text := range map[string]string{
		"empty":              "",
		"other_version":      `{"memdynamo":2}`,
		"no_header":          table,
		"not_json":           header + "\nx",
		"unknown_member":     header + "\n" + `{"tables":{}}`,
		"item_without_table": header + "\n" + item,
		"item_twice":         good + item,
		"item_without_key":   good + `{"item":{"pk":{"S":"a"}}}`,
		"bad_table":          header + "\n" + strings.Replace(table, `"HASH"`, `"RANGE"`, 1),
		"no_time":            header + "\n" + strings.Replace(table, `"created":"`, `"created":"x`, 1),
		"nothing":            header + "\n{}",
		"table_twice":        good + table,
		"blank_line":         header + "\n\n" + table,
	} {
		require.Error(t, h.db.Restore(strings.NewReader(text)), name)
		require.Equal(t, good, h.snapshot(), "nothing has changed after %s", name)
	}
	require.NoError(t, h.db.Restore(strings.NewReader(strings.TrimSuffix(good, "\n"))), "the last line needs no end")
	require.Equal(t, good, h.snapshot())
}

func TestFiles(t *testing.T) {
	h := setup(t)
	h.put(key("a", "s"))
	name := filepath.Join(t.TempDir(), "data.jsonl")
	require.ErrorIs(t, h.db.LoadFile(name), fs.ErrNotExist)
	require.NoError(t, h.db.SaveFile(name))
	h.put(key("b", "s"))
	require.NoError(t, h.db.SaveFile(name))
	want := h.snapshot()
	h.db.Reset()
	require.NoError(t, h.db.LoadFile(name))
	require.Equal(t, want, h.snapshot())

	left, err := os.ReadDir(filepath.Dir(name))
	require.NoError(t, err)
	require.Len(t, left, 1, "no temporary file stays")
	require.Error(t, h.db.SaveFile(filepath.Join(filepath.Dir(name), "missing", "data")))
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestSnapshotReportsWriteErrors(t *testing.T) {
	h := setup(t)
	require.ErrorContains(t, h.db.Snapshot(brokenWriter{}), "disk full")
}
