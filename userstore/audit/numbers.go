package audit

import (
	"context"
	"slices"

	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
	"github.com/usercore-go/usercore/outbox"
)

// numbers audits what waits in the outbox: I10, as far as events show it that are not published yet. Packs come in the order of accounts
// within a shard, so one account is looked at at a time.
func (a *auditor) numbers(ctx context.Context) error {
	last := ""
	for pack, err := range a.cfg.Outbox.Waiting(ctx, "") {
		if err != nil {
			return err
		}
		if pack.AggregateID == last {
			continue
		}
		last = pack.AggregateID
		found, err := a.numbersOf(ctx, last)
		if err != nil {
			return err
		}
		a.results.add(found...)
	}
	return nil
}

// numbersOf checks the events of one account. Its PROFILE is read after the events: the counter of then covers them all.
func (a *auditor) numbersOf(ctx context.Context, userID string) ([]Violation, error) {
	waiting, err := numbersIn(a.cfg.Outbox.Waiting(ctx, userID))
	if err != nil {
		return nil, err
	}
	item, err := dynamo.Get(ctx, a.client, a.cfg.Table, table.ProfileKey(userID))
	if err != nil || item == nil {
		return nil, err // an aggregate of somebody else, in an outbox that is shared
	}
	profile, err := table.DecodeProfile(item)
	if err != nil {
		return nil, nil // the scan has noted it
	}
	return misnumbered(userID, waiting, profile.Seq), nil
}

func numbersIn(packs func(yield func(outbox.Pack, error) bool)) ([]int64, error) {
	var numbers []int64
	for pack, err := range packs {
		if err != nil {
			return nil, err
		}
		for _, e := range pack.Events {
			numbers = append(numbers, e.Seq)
		}
	}
	return numbers, nil
}

// misnumbered is what the numbers of the waiting events say, given the account's counter. A missing number says nothing: it may have been
// published, for relays delete what they have published in no order.
func misnumbered(userID string, waiting []int64, seq int64) []Violation {
	var found []Violation
	for i, n := range waiting {
		switch {
		case n > seq:
			return append(found, violation(eventAhead, userID, ""))
		case i > 0 && n <= waiting[i-1]:
			found = append(found, violation(eventRepeated, userID, ""))
		}
	}
	return slices.Compact(found)
}
