package faults

import (
	"encoding/json"
	"maps"
)

// batchTable is what a batch asks of one table. The protocol has a list of writes for BatchWriteItem, and for BatchGetItem an object with
// the list "Keys" beside options such as ConsistentRead.
type batchTable struct {
	items []json.RawMessage
	// options are the members of the object; nil stands for the list.
	options map[string]json.RawMessage
}

// UnmarshalJSON reads either form.
func (t *batchTable) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		return json.Unmarshal(data, &t.items)
	}
	if err := json.Unmarshal(data, &t.options); err != nil {
		return err
	}
	return json.Unmarshal(t.options["Keys"], &t.items)
}

// MarshalJSON writes the form that was read.
func (t batchTable) MarshalJSON() ([]byte, error) {
	if t.options == nil {
		return json.Marshal(t.items)
	}
	keys, err := json.Marshal(t.items)
	if err != nil {
		return nil, err
	}
	options := maps.Clone(t.options)
	options["Keys"] = keys
	return json.Marshal(options)
}
