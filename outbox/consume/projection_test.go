package consume_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/outbox/consume"
)

func TestStateReplacesItsAttributesAndNoOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, faults.Plan{})
	w.put(t, consume.Item{"id": s("user/a"), "part": s("view"), "own": n(7)})
	projection := w.state(t)
	_, err := projection.Apply(t.Context(), event("a", 1), consume.Item{"status": s("x"), "reason": s("y")})
	require.NoError(t, err)
	require.Equal(t, withPosition(consume.Item{"own": n(7), "status": s("x"), "reason": s("y")}, "a", 1), w.item(t, "a"))
	_, err = projection.Apply(t.Context(), event("a", 2), nil)
	require.NoError(t, err)
	require.Equal(t, withPosition(consume.Item{"own": n(7)}, "a", 2), w.item(t, "a"))
	outcome, err := projection.Apply(t.Context(), event("a", 1), consume.Item{"status": s("x")})
	require.NoError(t, err)
	require.Equal(t, consume.Stale, outcome, "what is gone does not come back")
}

// TestProjectionsShareAnItem has a State for a part of the events and a Delta for all of them.
func TestProjectionsShareAnItem(t *testing.T) {
	t.Parallel()
	w := newWorld(t, faults.Plan{})
	delta := w.delta(t)
	state, err := consume.NewState(w.client, consume.StateConfig{
		Projection: consume.Projection{Table: foreignTable(), SeqAttribute: "statusSeq", EventIDAttribute: "statusEvent"},
		Attributes: []string{"status"},
	})
	require.NoError(t, err)
	for _, seq := range []int{1, 2, 3} {
		_, err := delta.Apply(t.Context(), event("a", seq), consume.Change{Add: consume.Item{"events": n(1)}})
		require.NoError(t, err)
	}
	_, err = state.Apply(t.Context(), event("a", 2), consume.Item{"status": s("active")})
	require.NoError(t, err)
	require.Equal(t, withPosition(consume.Item{
		"events": n(3), "status": s("active"), "statusSeq": n(2), "statusEvent": s(event("a", 2).ID),
	}, "a", 3), w.item(t, "a"))
}

func TestReservedWordsAreNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, faults.Plan{})
	delta, err := consume.NewDelta(w.client, consume.DeltaConfig{
		Projection: consume.Projection{Table: foreignTable(), SeqAttribute: "sequence", EventIDAttribute: "a.b c"},
	})
	require.NoError(t, err)
	for seq := 1; seq <= 2; seq++ {
		_, err = delta.Apply(t.Context(), event("a", seq), consume.Change{
			Set: consume.Item{"status": s("x")}, Add: consume.Item{"count": n(1)}, Remove: []string{"ttl", "size"},
		})
		require.NoError(t, err)
	}
	require.Equal(t, consume.Item{
		"id": s("user/a"), "part": s("view"), "sequence": n(2), "a.b c": s(event("a", 2).ID), "status": s("x"), "count": n(2),
	}, w.item(t, "a"))
}

func TestInvalidChangeIsNotSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, faults.Plan{})
	for name, change := range map[string]consume.Change{
		"key":             {Set: consume.Item{"id": s("x")}},
		"sort_key":        {Remove: []string{"part"}},
		"position":        {Add: consume.Item{"lastSeq": n(1)}},
		"event_id":        {Remove: []string{"lastEventId"}},
		"empty_name":      {Remove: []string{""}},
		"twice":           {Remove: []string{"a", "a"}},
		"set_and_remove":  {Set: consume.Item{"a": n(1)}, Remove: []string{"a"}},
		"add_and_drop":    {Add: consume.Item{"a": ss("x")}, Drop: consume.Item{"a": ss("y")}},
		"no_value":        {Set: consume.Item{"a": nil}},
		"add_text":        {Add: consume.Item{"a": s("x")}},
		"add_no_value":    {Add: consume.Item{"a": nil}},
		"drop_a_number":   {Drop: consume.Item{"a": n(1)}},
		"drop_no_element": {Drop: consume.Item{"a": nil}},
	} {
		outcome, err := w.delta(t).Apply(t.Context(), event("a", 1), change)
		require.ErrorIs(t, err, consume.ErrInvalidChange, name)
		require.Equal(t, consume.Unknown, outcome)
	}
	for name, state := range map[string]consume.Item{
		"not_configured": {"status": s("x"), "other": s("y")},
		"no_value":       {"status": nil},
	} {
		_, err := w.state(t).Apply(t.Context(), event("a", 1), state)
		require.ErrorIs(t, err, consume.ErrInvalidChange, name)
	}
	w.requireUpdates(t, 0)
}

func TestTableWithoutSortKeyAndDefaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t, faults.Plan{})
	for _, tc := range []struct {
		table consume.Table
		want  consume.Item
	}{
		{consume.Table{Name: "x"}, consume.Item{"PK": s("a"), "SK": s("PROJECTION")}},
		{consume.Table{Name: "x", PartitionKey: "userId"}, consume.Item{"userId": s("a")}},
		{consume.Table{Name: "x", PartitionKey: "userId", KeyPrefix: "U#"}, consume.Item{"userId": s("U#a")}},
	} {
		delta, err := consume.NewDelta(w.client, consume.DeltaConfig{Projection: consume.Projection{Table: tc.table}})
		require.NoError(t, err)
		guard, err := delta.Guard(event("a", 1), consume.Change{})
		require.NoError(t, err)
		require.Equal(t, tc.want, guard.Action().Update.Key)
	}
}

func TestBadConfigIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, faults.Plan{})
	good := consume.Projection{Table: foreignTable()}
	for field, spoil := range map[string]func(*consume.Projection){
		"Table.Name":                             func(p *consume.Projection) { p.Table.Name = "" },
		"Table.PartitionKey is empty":            func(p *consume.Projection) { p.Table.PartitionKey = "" },
		"PartitionKey and Table.SortKey":         func(p *consume.Projection) { p.Table.SortKey = p.Table.PartitionKey },
		"Table.KeyPrefix":                        func(p *consume.Projection) { p.Table.KeyPrefix = strings.Repeat("x", 129) },
		"Table.SortValue is set":                 func(p *consume.Projection) { p.Table.SortKey = "" },
		"Table.SortValue is not":                 func(p *consume.Projection) { p.Table.SortValue = "\xff" },
		"SeqAttribute and EventIDAttribute":      func(p *consume.Projection) { p.SeqAttribute = "lastEventId" },
		"SeqAttribute or EventIDAttribute is pa": func(p *consume.Projection) { p.SeqAttribute = "part" },
	} {
		bad := good
		spoil(&bad)
		_, err := consume.NewDelta(w.client, consume.DeltaConfig{Projection: bad})
		require.ErrorContains(t, err, field)
		_, err = consume.NewState(w.client, consume.StateConfig{Projection: bad, Attributes: []string{"x"}})
		require.ErrorContains(t, err, field)
	}
	for name, attributes := range map[string][]string{
		"none": nil, "twice": {"a", "b", "a"}, "empty": {""}, "key": {"id"}, "position": {"lastSeq"},
	} {
		_, err := consume.NewState(w.client, consume.StateConfig{Projection: good, Attributes: attributes})
		require.ErrorContains(t, err, "Attributes", name)
	}
	_, err := consume.NewDelta(nil, consume.DeltaConfig{Projection: good})
	require.ErrorContains(t, err, "client")
	_, err = consume.NewState(nil, consume.StateConfig{Projection: good, Attributes: []string{"x"}})
	require.ErrorContains(t, err, "client")
}
