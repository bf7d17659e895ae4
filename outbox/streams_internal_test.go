package outbox

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// TestStreamBatchIsBounded has a batch whose packs are more than a handler may hold in memory.
func TestStreamBatchIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := aStore(t)
		const aggregates, packs = 20, 5
		var records []string
		for a := range aggregates {
			for seq := range packs {
				p := aPack(fmt.Sprint("a", a), int64(seq)+1, 1)
				write(t, s, p)
				records = append(records, fmt.Sprintf(`{"eventName":"INSERT","dynamodb":{"SequenceNumber":"%d","Keys":{"PK":{"S":%q},"SK":{"S":%q}}}}`,
					len(records), s.table.waiting(0), p.sort))
			}
		}
		event := json.RawMessage(`{"Records":[` + strings.Join(records, ",") + `]}`)
		var published atomic.Int64
		h, err := NewStreamHandler(s.client, publisherFunc(func(_ context.Context, entries []Entry) ([]Result, error) {
			published.Add(int64(len(entries)))
			return slices.Repeat([]Result{{Outcome: Published}}, len(entries)), nil
		}), StreamConfig{Table: s.table, Shards: 1})
		require.NoError(t, err)
		size := stored(t, s)[0].bytes
		h.roundBytes = int64(10 * size)

		b := newStreamBatch(h)
		targets, err := s.table.parseStreamEvent(event)
		require.NoError(t, err)
		for _, target := range targets {
			_, err := b.read(t.Context(), target)
			require.NoError(t, err)
		}
		require.LessOrEqual(t, b.pipeline.backlog.shards[0].bytes, 11*size)

		response, err := h.Handle(t.Context(), event)
		require.NoError(t, err)
		require.Empty(t, response.BatchItemFailures)
		require.EqualValues(t, aggregates*packs, published.Load())
		require.Empty(t, stored(t, s))
	})
}
