package faults

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
)

// Unprocessed withholds items of BatchWriteItem or BatchGetItem from the engine and returns them to the client as UnprocessedItems or
// UnprocessedKeys, as DynamoDB does when a table runs out of throughput midway. The SDK does not repeat them. At least one item is
// processed: if none could be, DynamoDB throttles the request instead.
type Unprocessed struct {
	// Count is how many items are withheld, 1 or more: the last ones, tables in the order of their names. The fault can happen to
	// requests with more items than that.
	Count int
	// shuffle is the seed of the order from which a random fault takes the items, instead of the last ones; 0 keeps the order.
	shuffle uint64
}

// randomUnprocessed withholds any number of items, from any place.
func randomUnprocessed(r *request, pick uint64) Unprocessed {
	input, _ := parseBatch(r) // a request that is no batch has no items, and then the fault does not apply
	return Unprocessed{Count: 1 + pickBelow(pick, input.size()-1), shuffle: pick}
}

// Kind returns "Unprocessed".
func (Unprocessed) Kind() string { return "Unprocessed" }

func (f Unprocessed) applies(r *request) bool {
	input, err := parseBatch(r)
	return err == nil && 1 <= f.Count && f.Count < input.size()
}

func (f Unprocessed) inject(r *request, send func([]byte) (*http.Response, error)) (*http.Response, error) {
	input, err := parseBatch(r)
	if err != nil {
		return nil, err
	}
	processed, withheld := input.split(f)
	body, err := input.encode(processed)
	if err != nil {
		return nil, err
	}
	reply, err := send(body)
	if err != nil || reply.StatusCode != http.StatusOK {
		return reply, err
	}
	return addUnprocessed(reply, unprocessedField(r.op), withheld)
}

func unprocessedField(op string) string {
	if op == "BatchGetItem" {
		return "UnprocessedKeys"
	}
	return "UnprocessedItems"
}

// batch is the input of a batch operation.
type batch struct {
	// fields are the members of the input, undecoded.
	fields map[string]json.RawMessage
	tables map[string]batchTable
}

var errNoBatch = errors.New("faults: not a batch request")

func parseBatch(r *request) (batch, error) {
	if r.op != "BatchWriteItem" && r.op != "BatchGetItem" {
		return batch{}, errNoBatch
	}
	var b batch
	if err := json.Unmarshal(r.body, &b.fields); err != nil {
		return batch{}, fmt.Errorf("faults: decode %s: %w", r.op, err)
	}
	if err := json.Unmarshal(b.fields["RequestItems"], &b.tables); err != nil {
		return batch{}, fmt.Errorf("faults: decode RequestItems of %s: %w", r.op, err)
	}
	return b, nil
}

func (b batch) size() int {
	n := 0
	for _, table := range b.tables {
		n += len(table.items)
	}
	return n
}

// split divides the items into those for the engine and those that the fault withholds.
func (b batch) split(f Unprocessed) (processed, withheld map[string]batchTable) {
	type place struct {
		table string
		item  int
	}
	var places []place
	for _, name := range slices.Sorted(maps.Keys(b.tables)) {
		for i := range b.tables[name].items {
			places = append(places, place{name, i})
		}
	}
	if f.shuffle != 0 {
		random := rand.New(rand.NewPCG(f.shuffle, 0))
		random.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	}
	processed, withheld = make(map[string]batchTable), make(map[string]batchTable)
	for i, at := range places {
		half := processed
		if i >= len(places)-f.Count {
			half = withheld
		}
		table := b.tables[at.table]
		half[at.table] = batchTable{items: append(half[at.table].items, table.items[at.item]), options: table.options}
	}
	return processed, withheld
}

// encode returns the input with other tables.
func (b batch) encode(tables map[string]batchTable) ([]byte, error) {
	items, err := json.Marshal(tables)
	if err != nil {
		return nil, fmt.Errorf("faults: encode RequestItems: %w", err)
	}
	fields := maps.Clone(b.fields)
	fields["RequestItems"] = items
	return json.Marshal(fields)
}

// addUnprocessed adds the items to those that the engine itself left unprocessed.
func addUnprocessed(reply *http.Response, field string, withheld map[string]batchTable) (*http.Response, error) {
	body, err := io.ReadAll(reply.Body)
	if err := errors.Join(err, reply.Body.Close()); err != nil {
		return nil, fmt.Errorf("faults: read the reply: %w", err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, fmt.Errorf("faults: decode the reply: %w", err)
	}
	var left map[string]batchTable
	if data, found := fields[field]; found {
		if err := json.Unmarshal(data, &left); err != nil {
			return nil, fmt.Errorf("faults: decode %s: %w", field, err)
		}
	}
	for name, table := range left {
		withheld[name] = batchTable{items: append(table.items, withheld[name].items...), options: table.options}
	}
	members := map[string]any{field: withheld}
	for name, value := range fields {
		if name != field {
			members[name] = value
		}
	}
	if body, err = json.Marshal(members); err != nil {
		return nil, fmt.Errorf("faults: encode the reply: %w", err)
	}
	setBody(reply, body)
	return reply, nil
}
