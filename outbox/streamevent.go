package outbox

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// StreamResponse is what Lambda expects of a handler with ReportBatchItemFailures: it sends the records again from the first one named.
type StreamResponse struct {
	BatchItemFailures []StreamFailure `json:"batchItemFailures"`
}

// StreamFailure names one record by its sequence number.
type StreamFailure struct {
	ItemIdentifier string `json:"itemIdentifier"`
}

// streamEvent is the part of Lambda's event for a DynamoDB stream that is needed. The keys are enough, so any StreamViewType will do.
type streamEvent struct {
	Records []struct {
		EventName string `json:"eventName"`
		DynamoDB  struct {
			Keys map[string]struct {
				S string
			}
			SequenceNumber string
		} `json:"dynamodb"`
	}
}

// streamTarget is an aggregate that records speak of.
type streamTarget struct {
	shard       int
	aggregateID string
	// through is the highest number of its packs among the records.
	through int64
	// records are the sequence numbers of its records.
	records []string
}

// parseStreamEvent returns the aggregates whose packs were written, in the order of their first records. Records of anything else
// are left out.
func (t Table) parseStreamEvent(event json.RawMessage) ([]*streamTarget, error) {
	var parsed streamEvent
	if err := json.Unmarshal(event, &parsed); err != nil {
		return nil, fmt.Errorf("outbox: decode the stream's event: %w", err)
	}
	var targets []*streamTarget
	byPartition := make(map[string]*streamTarget)
	for _, r := range parsed.Records {
		partition, sort := r.DynamoDB.Keys[t.PartitionKey].S, r.DynamoDB.Keys[t.SortKey].S
		shard, isShard := t.shardNumber(partition)
		aggregateID, seq, isPack := parsePackSort(sort)
		if r.EventName != "INSERT" || !isShard || !isPack {
			continue
		}
		target := byPartition[partition+"/"+aggregateID]
		if target == nil {
			target = &streamTarget{shard: shard, aggregateID: aggregateID}
			byPartition[partition+"/"+aggregateID] = target
			targets = append(targets, target)
		}
		target.through = max(target.through, seq)
		target.records = append(target.records, r.DynamoDB.SequenceNumber)
	}
	return targets, nil
}

// shardNumber returns the shard whose waiting packs lie in the partition.
func (t Table) shardNumber(partition string) (int, bool) {
	digits, ok := strings.CutPrefix(partition, t.KeyPrefix)
	shard, err := strconv.Atoi(digits)
	return shard, ok && err == nil && shard >= 0 && t.waiting(shard) == partition
}
