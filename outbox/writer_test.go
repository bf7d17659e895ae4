package outbox_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/outbox"
)

func newWriter(t *testing.T, cfg outbox.WriterConfig) *outbox.Writer {
	t.Helper()
	if cfg.Table.Name == "" {
		cfg.Table.Name = "main"
	}
	w, err := outbox.NewWriter(cfg)
	require.NoError(t, err)
	return w
}

func TestTransactItem(t *testing.T) {
	t.Parallel()
	verified := anEvent("user-1", 7)
	verified.Type, verified.Data = "email.verified", json.RawMessage(` { "emailId" : "e1", "email":"a<b>@example.com" } `)
	second := anEvent("user-1", 8)
	second.Version, second.CorrelationID, second.Environment, second.Data = "2.1", "", "", nil

	action, err := newWriter(t, outbox.WriterConfig{}).TransactItem(verified, second)
	require.NoError(t, err)
	require.Nil(t, action.Update)
	require.Equal(t, "main", *action.Put.TableName)
	require.Equal(t, "attribute_not_exists(#pk)", *action.Put.ConditionExpression)
	require.Equal(t, map[string]string{"#pk": "PK"}, action.Put.ExpressionAttributeNames)
	golden(t, "pack.json", plain(t, action.Put.Item))
}

func TestTransactItemTakesTheTableAsConfigured(t *testing.T) {
	t.Parallel()
	w := newWriter(t, outbox.WriterConfig{
		Table:  outbox.Table{Name: "theirs", PartitionKey: "pk", SortKey: "range", KeyPrefix: "events/"},
		Shards: 1,
	})
	action, err := w.TransactItem(anEvent("order#1", 1))
	require.NoError(t, err)
	require.Equal(t, "theirs", *action.Put.TableName)
	require.Equal(t, &types.AttributeValueMemberS{Value: "events/0"}, action.Put.Item["pk"])
	require.Equal(t, &types.AttributeValueMemberS{Value: "order%231#0000000000000000001"}, action.Put.Item["range"])
}

func TestTransactItemRefuses(t *testing.T) {
	t.Parallel()
	data := func(s string) func(*outbox.Event) {
		return func(e *outbox.Event) { e.Data = json.RawMessage(s) }
	}
	for name, tc := range map[string]struct {
		field  string
		change func(*outbox.Event)
	}{
		"no_id":               {"ID", func(e *outbox.Event) { e.ID = "" }},
		"upper_case_id":       {"ID", func(e *outbox.Event) { e.ID = strings.ToUpper(e.ID) }},
		"braced_id":           {"ID", func(e *outbox.Event) { e.ID = "{" + e.ID + "}" }},
		"no_type":             {"Type", func(e *outbox.Event) { e.Type = "" }},
		"long_type":           {"Type", func(e *outbox.Event) { e.Type = strings.Repeat("t", 129) }},
		"type_with_line":      {"Type", func(e *outbox.Event) { e.Type = "user\ncreated" }},
		"no_aggregate":        {"AggregateID", func(e *outbox.Event) { e.AggregateID = "" }},
		"aggregate_space":     {"AggregateID", func(e *outbox.Event) { e.AggregateID = "a b" }},
		"long_aggregate":      {"AggregateID", func(e *outbox.Event) { e.AggregateID = strings.Repeat("a", 129) }},
		"seq_zero":            {"Seq", func(e *outbox.Event) { e.Seq = 0 }},
		"seq_largest":         {"Seq", func(e *outbox.Event) { e.Seq = math.MaxInt64 }},
		"no_time":             {"Time", func(e *outbox.Event) { e.Time = time.Time{} }},
		"year_10000":          {"Time", func(e *outbox.Event) { e.Time = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }},
		"version_space":       {"Version", func(e *outbox.Event) { e.Version = "1 0" }},
		"long_correlation":    {"CorrelationID", func(e *outbox.Event) { e.CorrelationID = strings.Repeat("c", 257) }},
		"environment_not_utf": {"Environment", func(e *outbox.Event) { e.Environment = "\xff" }},
		"data_not_json":       {"Data", data(`{"a":}`)},
		"data_two_values":     {"Data", data(`{} {}`)},
		"data_blank":          {"Data", data(" ")},
		"data_array":          {"Data", data(`[]`)},
		"data_null":           {"Data", data(`null`)},
		"data_not_utf8":       {"Data", data("{\"a\":\"\xff\"}")},
		"data_member_twice":   {"Data", data(`{"a":1,"b":{"a":2},"a":3}`)},
		"data_escaped_twice":  {"Data", data(`{"a":1,"\u0061":3}`)},
		"data_envelope_name":  {"Data", data(`{"seq":1}`)},
		"data_aggregate_name": {"Data", data(`{"userId":"u"}`)},
		"data_deep":           {"Data", data(`{"a":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`)},
		"data_big_integer":    {"Data", data(`{"a":[9223372036854775808]}`)},
		"data_oversized":      {"Data", data(`{"a":"` + strings.Repeat("x", 256<<10-1200) + `"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad := anEvent("user-1", 2)
			tc.change(&bad)
			w := newWriter(t, outbox.WriterConfig{Envelope: outbox.Envelope{AggregateField: "userId"}})
			_, err := w.TransactItem(bad)
			require.ErrorIs(t, err, outbox.ErrInvalidEvent)
			var event *outbox.EventError
			require.ErrorAs(t, err, &event)
			require.Equal(t, tc.field, event.Field, event.Reason)
		})
	}
}

func TestTransactItemTakesTheExtremes(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"nested_reserved_names": `{"a":{"seq":1,"seq2":[{"userId":2}]}}`,
		"depth":                 `{"a":` + strings.Repeat("[", 999) + strings.Repeat("]", 999) + `}`,
		"integers":              `{"a":[9223372036854775807,-9223372036854775808,1e400,1.5,-0]}`,
		"size":                  `{"a":"` + strings.Repeat("x", 256<<10-1500-300) + `"}`,
		"empty_name":            `{"":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := anEvent(strings.Repeat("a", 128), math.MaxInt64-1)
			e.Data = json.RawMessage(data)
			_, err := newWriter(t, outbox.WriterConfig{}).TransactItem(e)
			require.NoError(t, err)
		})
	}
}

func TestTransactItemRefusesPacks(t *testing.T) {
	t.Parallel()
	large := func(seq int64) outbox.Event {
		e := anEvent("a", seq)
		e.Data = json.RawMessage(`{"a":"` + strings.Repeat("x", 200<<10) + `"}`)
		return e
	}
	sameID := anEvent("a", 2)
	sameID.ID = anEvent("a", 1).ID
	for name, tc := range map[string]struct {
		field  string
		index  int
		events []outbox.Event
	}{
		"no_events":      {"Pack", 0, nil},
		"two_aggregates": {"AggregateID", 1, []outbox.Event{anEvent("a", 1), anEvent("b", 2)}},
		"gap":            {"Seq", 2, []outbox.Event{anEvent("a", 1), anEvent("a", 2), anEvent("a", 4)}},
		"backwards":      {"Seq", 1, []outbox.Event{anEvent("a", 2), anEvent("a", 1)}},
		"same_id":        {"ID", 1, []outbox.Event{anEvent("a", 1), sameID}},
		"second_bad":     {"Type", 1, []outbox.Event{anEvent("a", 1), {ID: anEvent("a", 2).ID}}},
		"item_too_large": {"Pack", 0, []outbox.Event{large(1), large(2)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newWriter(t, outbox.WriterConfig{}).TransactItem(tc.events...)
			var event *outbox.EventError
			require.ErrorAs(t, err, &event)
			require.Equal(t, tc.field, event.Field)
			require.Equal(t, tc.index, event.Index)
			require.NotContains(t, err.Error(), "xxx")
		})
	}
}

func TestNewWriterNamesTheBadField(t *testing.T) {
	t.Parallel()
	for field, cfg := range map[string]outbox.WriterConfig{
		"Table.Name":         {},
		"Table.PartitionKey": {Table: outbox.Table{Name: "t", PartitionKey: "k", SortKey: "k"}},
		"Table.SortKey":      {Table: outbox.Table{Name: "t", SortKey: "events"}},
		"Table.KeyPrefix":    {Table: outbox.Table{Name: "t", KeyPrefix: strings.Repeat("p", 129)}},
		"Shards":             {Table: outbox.Table{Name: "t"}, Shards: 12},
		"MaxEventBytes":      {Table: outbox.Table{Name: "t"}, MaxEventBytes: 393 << 10},
		"AggregateField":     {Table: outbox.Table{Name: "t"}, Envelope: outbox.Envelope{AggregateField: "seq"}},
	} {
		_, err := outbox.NewWriter(cfg)
		require.ErrorContains(t, err, field)
	}
}

func TestCommittedWakes(t *testing.T) {
	t.Parallel()
	var woken []string
	w := newWriter(t, outbox.WriterConfig{Wake: func(ids ...string) { woken = append(woken, ids...) }})
	w.Committed("a", "b")
	require.Equal(t, []string{"a", "b"}, woken)
	newWriter(t, outbox.WriterConfig{}).Committed("a")
}

// plain renders an item as JSON without type tags, keys sorted.
func plain(t *testing.T, it map[string]types.AttributeValue) []byte {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	require.NoError(t, encoder.Encode(plainValue(&types.AttributeValueMemberM{Value: it})))
	return out.Bytes()
}

func plainValue(v types.AttributeValue) any {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return json.Number(v.Value)
	case *types.AttributeValueMemberBOOL:
		return v.Value
	case *types.AttributeValueMemberL:
		list := make([]any, len(v.Value))
		for i, e := range v.Value {
			list[i] = plainValue(e)
		}
		return list
	case *types.AttributeValueMemberM:
		m := make(map[string]any, len(v.Value))
		for k, e := range v.Value {
			m[k] = plainValue(e)
		}
		return m
	default:
		return nil
	}
}
