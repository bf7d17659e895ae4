package outbox

import (
	"math"
	"time"
)

// doubt is what a second read of a part of a shard is to settle: whether packs of some lanes were missed by the first.
type doubt struct {
	// from and to are the sort keys of the part.
	from, to string
	// through is, for each lane, the number of the last pack that was in memory before the second read.
	through map[*lane]int64
}

func (d *doubt) has(l *lane) bool {
	_, ok := d.through[l]
	return ok
}

// settleDoubt notes whether the lane needs a second read.
func (b *backlog) settleDoubt(l *lane) {
	if l.solid() {
		delete(l.shard.doubtful, l)
	} else {
		l.shard.doubtful[l] = struct{}{}
	}
}

// doubtOf returns the doubt about the lanes of the shard, nil if there is none.
func (b *backlog) doubtOf(shard int) *doubt {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.shards[shard]
	if s == nil || len(s.doubtful) == 0 {
		return nil
	}
	d := &doubt{through: make(map[*lane]int64, len(s.doubtful))}
	for l := range s.doubtful {
		last := l.packs[len(l.packs)-1]
		d.through[l] = last.seq
		if first := packSort(l.aggregateID, 0); d.from == "" || first < d.from {
			d.from = first
		}
		d.to = max(d.to, last.sort)
	}
	return d
}

// confirm ends the doubt after the second read was merged: whatever preceded the packs that the first read had shown was committed before
// them, so the second has shown it.
func (b *backlog) confirm(d *doubt, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for l, through := range d.through {
		if l.state == laneGone {
			continue
		}
		l.confirmed = max(l.confirmed, through)
		b.settleDoubt(l)
		b.refresh(l, now)
	}
}

// endOf is the sort key after all packs of the aggregate.
func endOf(aggregateID string) string { return packSort(aggregateID, math.MaxInt64) }
