package proof

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/outbox"
)

// check holds a history against everything that it must keep. It runs on the real clock, after the bubble.
func (h *history) check() {
	h.assignEvents()
	for _, r := range h.records {
		if r.outcome == unexpected {
			h.violate("%s: an error that no healthy table gives: %v", r, r.err)
		}
		h.checkEvents(r)
		h.checkCodes(r)
	}
	h.checkNumbers()
	h.checkAttempts()
	h.checkCutoffs()
	h.judgeAnswers()
}

// payload is what the checks read of an event's data.
type payload struct {
	EmailID string `json:"emailId"`
	Email   string `json:"email"`
	Reason  string `json:"reason"`
}

// lapsed says whether an event tells of a take-over: it belongs to the old owner, and carries the id of the taker's operation.
func lapsed(e outbox.Event) (payload, bool) {
	var p payload
	if len(e.Data) > 0 {
		if err := json.Unmarshal(e.Data, &p); err != nil {
			return p, false
		}
	}
	return p, e.Type == "email.removed" && p.Reason == "lapsed"
}

// assignEvents gives each operation the events that its transaction stored for its own account.
func (h *history) assignEvents() {
	for _, e := range h.published {
		i := slices.IndexFunc(h.records, func(r *record) bool { return r.id == e.CorrelationID })
		if i < 0 {
			h.violate("an event %s of %s belongs to no operation", e.Type, e.AggregateID)
			continue
		}
		if _, ok := lapsed(e); !ok {
			h.records[i].events = append(h.records[i].events, e)
		}
	}
}

// lapses are the take-overs as operations on the account that lost the address, in the span of the operation that took it.
func (h *history) lapses() []*record {
	var found []*record
	for _, e := range h.published {
		p, ok := lapsed(e)
		if !ok {
			continue
		}
		i := slices.IndexFunc(h.records, func(r *record) bool { return r.id == e.CorrelationID })
		if i < 0 {
			continue // noted already
		}
		taker := h.records[i]
		found = append(found, &record{
			worker: taker.worker + workers + 1, kind: lapse, user: e.AggregateID, address: p.Email, emailID: p.EmailID, outcome: done,
			call: taker.call, answered: taker.answered, callTime: taker.callTime, answerAt: taker.answerAt,
		})
	}
	return found
}

// packs are the events of one transaction of each operation; the second form of a confirmation sets the first primary address.
func packs(k kind) []string {
	switch k {
	case create:
		return []string{"user.created"}
	case updating:
		return []string{"user.updated"}
	case suspend:
		return []string{"user.suspended"}
	case reinstate:
		return []string{"user.reactivated"}
	case deleting:
		return []string{"user.deleted"}
	case restore:
		return []string{"user.restored"}
	case purge:
		return []string{"user.purged"}
	case erase:
		return []string{"user.purged", "user.deleted user.purged"}
	case revoke:
		return []string{"user.tokens.revoked"}
	case add:
		return []string{"email.added"}
	case remove:
		return []string{"email.removed"}
	case confirm:
		return []string{"email.verified", "email.verified email.primary.changed"}
	case setPrimary:
		return []string{"email.primary.changed"}
	}
	return nil
}

// checkEvents is: an operation has the events of one transaction or none, a refused one none, and one that always changes
// something has them.
func (h *history) checkEvents(r *record) {
	types := make([]string, len(r.events))
	for i, e := range r.events {
		types[i] = e.Type
		if e.AggregateID != r.user {
			h.violate("%s: an event of %s", r, e.AggregateID)
		}
	}
	got := strings.Join(types, " ")
	always := r.kind == add || r.kind == remove || r.kind == revoke
	switch {
	case got == "" && r.outcome == done && always:
		h.violate("%s: no event", r)
	case got != "" && r.outcome != done && !r.outcome.maybe():
		h.violate("%s: refused, and there is an event: %s", r, got)
	case got != "" && !slices.Contains(packs(r.kind), got):
		h.violate("%s: wrong events: %s", r, got)
	}
}

// checkNumbers is: the events of each account are numbered 1, 2, 3… up to its seq.
func (h *history) checkNumbers() {
	last := map[string]int64{}
	for _, e := range h.published {
		if last[e.AggregateID]++; e.Seq != last[e.AggregateID] {
			h.violate("an event of %s has number %d, not %d", e.AggregateID, e.Seq, last[e.AggregateID])
		}
	}
	for user, seq := range h.seqs {
		if seq != fmt.Sprint(last[user]) {
			h.violate("%s has seq %s and %d events", user, seq, last[user])
		}
	}
}

// checkAttempts is: no code is compared more often than it may be. The second at which a code expires names it.
func (h *history) checkAttempts() {
	compared := map[string]int{}
	for _, r := range h.records {
		var wrong *emails.WrongCodeError
		if !errors.As(r.err, &wrong) {
			continue
		}
		code := fmt.Sprint(r.emailID, wrong.ExpiresAt)
		if compared[code]++; compared[code] > wrong.Limit {
			h.violate("%s: comparison %d of one code", r, compared[code])
		}
	}
}

// checkCodes is: an address is verified by a code that was mailed for its row.
func (h *history) checkCodes(r *record) {
	if r.kind != confirm || len(r.events) == 0 {
		return
	}
	mailed := slices.ContainsFunc(h.world.Mail.To(r.address), func(m emails.Message) bool { return m.EmailID == r.emailID && m.Code == r.code })
	if !mailed {
		h.violate("%s: verified without a code that was mailed for it", r)
	}
}

// checkCutoffs is: the time before which tokens are refused never moves back, and moves past each revocation.
func (h *history) checkCutoffs() {
	for _, r := range h.records {
		if r.outcome != done || r.kind != revokeAll && r.kind != cutoff {
			continue
		}
		if r.kind == revokeAll && !r.cutoff.After(r.callTime) {
			h.violate("%s: tokens issued at the revocation are still valid", r)
		}
		for _, later := range h.records {
			isCutoff := later.kind == revokeAll || later.kind == cutoff
			if isCutoff && later.outcome == done && later.call > r.answered && later.cutoff.Before(r.cutoff) {
				h.violate("%s: earlier than what was in force at its call", later)
			}
		}
	}
}
