package proof

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// judgeTimeout bounds the check of one account's or address's history on the real clock. It is not met: the longest takes
// milliseconds.
const judgeTimeout = time.Minute

// judgeAnswers holds the answers of a history against the two specifications: there must be one order of the operations on each
// account, and on each address, that gives every answer and agrees with the order in which they were called and answered.
func (h *history) judgeAnswers() {
	byAccount, byAddress := map[string][]*record{}, map[string][]*record{}
	for _, r := range h.records {
		switch r.kind {
		case holders, sendQuota, allUsers, exporting, revokeAll, cutoff:
			continue // not about one account at one moment
		case byEmail:
			byAddress[r.address] = append(byAddress[r.address], r)
			if r.found != nil {
				byAccount[r.found.UserID] = append(byAccount[r.found.UserID], r)
			}
			continue
		case purge, erase:
			for i := range addresses {
				byAddress[addressName(i)] = append(byAddress[addressName(i)], r)
			}
		case create:
			if r.outcome != done || len(r.events) > 0 { // a repeated Create acquires nothing
				byAddress[r.address] = append(byAddress[r.address], r)
			}
		case add, confirm, remove:
			byAddress[r.address] = append(byAddress[r.address], r)
		}
		byAccount[r.user] = append(byAccount[r.user], r)
	}
	for _, r := range h.lapses() {
		byAccount[r.user] = append(byAccount[r.user], r)
	}
	judge(h, byAccount, accountState{}, accountStep)
	judge(h, byAddress, addressState{}, addressStep)
}

// judge checks each part of a history, and notes a part that has no order.
func judge[S comparable](h *history, parts map[string][]*record, initial S, step func(S, *record) []S) {
	model := (&porcupine.NondeterministicModel{
		Init: func() []any { return []any{initial} },
		Step: func(state, _, output any) []any {
			var next []any
			for _, s := range step(state.(S), output.(*record)) {
				next = append(next, s)
			}
			return next
		},
	}).ToModel()
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		operations := make([]porcupine.Operation, len(parts[name]))
		for i, r := range parts[name] {
			operations[i] = porcupine.Operation{ClientId: r.worker, Call: r.call, Return: r.answered, Output: r}
		}
		if result := porcupine.CheckOperationsTimeout(model, operations, judgeTimeout); result != porcupine.Ok {
			h.violate("%s: no order of its operations gives the answers (%s):\n%s", name, result, lines(parts[name]))
		}
	}
}

func lines(records []*record) string {
	slices.SortFunc(records, func(a, b *record) int { return int(a.call - b.call) })
	var b strings.Builder
	for _, r := range records {
		fmt.Fprintf(&b, "\t%s\n", r)
	}
	return b.String()
}
