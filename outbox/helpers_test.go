package outbox_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/outbox"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// golden compares got with a file in testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

// anEvent returns a valid event; the same arguments give the same event.
func anEvent(aggregateID string, seq int64) outbox.Event {
	return outbox.Event{
		ID:            uuid.NewSHA1(uuid.NameSpaceURL, fmt.Appendf(nil, "%s/%d", aggregateID, seq)).String(),
		Type:          "user.updated",
		AggregateID:   aggregateID,
		Seq:           seq,
		Time:          time.Date(2026, 3, 4, 5, 6, 7, 89e6, time.UTC),
		CorrelationID: "req-1",
		Environment:   "test",
		Data:          json.RawMessage(`{"changedFields":["firstName"]}`),
	}
}

type item = map[string]types.AttributeValue

// scan reads a printed value.
func scan(printed any, into *int) error {
	_, err := fmt.Sscan(fmt.Sprint(printed), into)
	return err
}
