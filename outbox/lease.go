package outbox

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const (
	relaySort = "RELAY#"
	shardSort = "SHARD#"

	// beatsPerLease is how often a relay moves its counter within the duration of a lease.
	beatsPerLease = 5
)

// leases is one relay's share in the agreement on who publishes which shard. It is used by one goroutine.
//
// Every relay has an item with a counter that it moves at each turn, and every shard one that names its owner. An owner loses its shards
// when others have seen its counter stand still for the lease's duration. It stops publishing at three quarters of that after its last
// beat was sent, and unless the next beat arrives before, it takes its shards anew: whoever changes a shard's epoch first has it.
type leases struct {
	store    store
	shards   int
	id       string
	sweeper  bool
	duration time.Duration
	logger   *slog.Logger

	counter int64
	// validUntil is when the right to publish ends, unless another turn succeeds before.
	validUntil time.Time
	// owned are the epochs of the shards that this relay owns; leaving are those of them that it is about to give up.
	owned   map[int]int64
	leaving map[int]bool
	live    *liveness
	// The agreement as it was last read, when that began, and who is to have each shard.
	view     agreement
	viewedAt time.Time
	assigned []string
}

// agreement is the content of the partition of the relays.
type agreement struct {
	// counters are those of the relays by id.
	counters map[string]int64
	// sweepers are the relays that only drain once.
	sweepers map[string]bool
	// shards are the leases by number.
	shards map[int]lease
}

type lease struct {
	owner string
	epoch int64
}

// turn is what changed in one turn.
type turn struct {
	// acquired are shards to begin with, unwanted those to give up in good order, lost those that are another's already.
	acquired, unwanted, lost []int
}

func newLeases(s store, cfg RelayConfig, id string, sweeper bool) *leases {
	return &leases{
		store: s, shards: cfg.Shards, id: id, sweeper: sweeper, duration: cfg.LeaseDuration, logger: cfg.Logger,
		owned: make(map[int]int64), leaving: make(map[int]bool), live: newLiveness(cfg.LeaseDuration),
	}
}

// take moves the counter, reads the agreement, and takes the shards that are this relay's and nobody else's, as far as free says that nothing
// of them is left from before. What the turn brought counts also if it ends in an error. A turn costs 1 write unit and usually
// 1 read unit, and 1 write unit for each shard taken.
func (l *leases) take(ctx context.Context, free func(shard int) bool) (turn, error) {
	var t turn
	sent := time.Now()
	if err := l.beat(ctx); err != nil {
		return t, fmt.Errorf("outbox: heartbeat: %w", err)
	}
	if time.Now().After(l.validUntil) {
		// Others may have found this relay dead before the beat arrived.
		t.lost = slices.Sorted(maps.Keys(l.owned))
		clear(l.owned)
		clear(l.leaving)
	}
	before := time.Now()
	view, err := l.read(ctx)
	if err != nil {
		return t, fmt.Errorf("outbox: read leases: %w", err)
	}
	l.live.observe(view.counters, time.Now())
	l.view, l.viewedAt = view, before
	l.assigned = assign(l.shards, l.members())
	l.compare(&t)
	if err := l.acquire(ctx, &t, free); err != nil {
		return t, fmt.Errorf("outbox: take a lease: %w", err)
	}
	l.buryDead(ctx)
	l.validUntil = sent.Add(l.duration * 3 / 4)
	return t, nil
}

// beat moves the counter. It is a Put: the item comes back if another relay took this one for dead and removed it.
func (l *leases) beat(ctx context.Context) error {
	l.counter++
	it := l.store.table.key(l.store.table.relays(), relaySort+l.id)
	it[attrCounter] = number(l.counter)
	it[attrSweeper] = &types.AttributeValueMemberBOOL{Value: l.sweeper}
	_, err := l.store.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(l.store.table.Name), Item: it})
	return err
}

func (l *leases) read(ctx context.Context) (agreement, error) {
	items, err := l.store.all(ctx, span{partition: l.store.table.relays()})
	if err != nil {
		return agreement{}, err
	}
	view := agreement{counters: make(map[string]int64), sweepers: make(map[string]bool), shards: make(map[int]lease)}
	for _, it := range items {
		sort := textOf(it, l.store.table.SortKey)
		if id, ok := strings.CutPrefix(sort, relaySort); ok {
			view.counters[id] = numberOf(it, attrCounter)
			sweeper, isBool := it[attrSweeper].(*types.AttributeValueMemberBOOL)
			view.sweepers[id] = isBool && sweeper.Value
		}
		if digits, ok := strings.CutPrefix(sort, shardSort); ok {
			if shard, err := strconv.Atoi(digits); err == nil {
				view.shards[shard] = lease{owner: textOf(it, attrOwner), epoch: numberOf(it, attrEpoch)}
			}
		}
	}
	return view, nil
}

// members are the relays among which the shards are shared: those alive that run for good, and without any, those that drain once.
func (l *leases) members() []string {
	var steady, sweepers []string
	for id := range l.view.counters {
		switch {
		case id != l.id && !l.live.alive(id, l.viewedAt):
		case l.view.sweepers[id]:
			sweepers = append(sweepers, id)
		default:
			steady = append(steady, id)
		}
	}
	if len(steady) > 0 {
		return steady
	}
	return sweepers
}

// compare finds the shards that were lost, and those that another relay is to have.
func (l *leases) compare(t *turn) {
	for _, shard := range slices.Sorted(maps.Keys(l.owned)) {
		switch now := l.view.shards[shard]; {
		case now.owner != l.id || now.epoch != l.owned[shard]:
			t.lost = append(t.lost, shard)
			delete(l.owned, shard)
			delete(l.leaving, shard)
		case l.assigned[shard] != l.id && !l.leaving[shard]:
			t.unwanted = append(t.unwanted, shard)
			l.leaving[shard] = true
		}
	}
}

// acquire takes the shards assigned to this relay that nobody alive owns. One that was lost in this turn has to come to rest first.
func (l *leases) acquire(ctx context.Context, t *turn, free func(shard int) bool) error {
	for shard, owner := range l.assigned {
		_, mine := l.owned[shard]
		current := l.view.shards[shard]
		taken := current.owner != "" && current.owner != l.id && l.live.alive(current.owner, l.viewedAt)
		if owner != l.id || mine || taken || slices.Contains(t.lost, shard) || !free(shard) {
			continue
		}
		ok, err := l.write(ctx, shard, current.epoch, lease{owner: l.id, epoch: current.epoch + 1})
		if err != nil {
			return err
		}
		if ok {
			l.owned[shard] = current.epoch + 1
			t.acquired = append(t.acquired, shard)
		}
	}
	return nil
}

// release gives a shard up. Another relay takes it at its next turn.
func (l *leases) release(ctx context.Context, shard int) error {
	epoch, mine := l.owned[shard]
	if !mine {
		return nil
	}
	delete(l.owned, shard)
	delete(l.leaving, shard)
	_, err := l.write(ctx, shard, epoch, lease{owner: "", epoch: epoch + 1})
	return err
}

// write replaces the lease of the shard if its epoch is still the one that was seen; 0 stands for one without epoch, or no lease.
func (l *leases) write(ctx context.Context, shard int, seen int64, next lease) (bool, error) {
	c := change{
		key:       l.store.table.key(l.store.table.relays(), shardSort+strconv.Itoa(shard)),
		update:    "SET #owner = :owner, #epoch = :next",
		condition: "attribute_exists(#pk) AND #epoch = :seen",
		values:    item{":owner": text(next.owner), ":next": number(next.epoch), ":seen": number(seen)},
		names:     []string{attrOwner, attrEpoch},
	}
	if seen == 0 {
		c.condition = "attribute_not_exists(#pk) OR attribute_not_exists(#epoch)"
		delete(c.values, ":seen")
	}
	return l.store.update(ctx, c)
}

// buryDead removes the items of relays that are dead and own nothing any more. An error does not matter: the next turn tries again.
func (l *leases) buryDead(ctx context.Context) {
	owners := make(map[string]bool)
	for _, current := range l.view.shards {
		owners[current.owner] = true
	}
	for id, counter := range l.view.counters {
		if id == l.id || owners[id] || l.live.alive(id, l.viewedAt) {
			continue
		}
		if err := l.remove(ctx, id, counter); err != nil {
			l.logger.WarnContext(ctx, "outbox: item of a dead relay not removed", "error", err)
		}
	}
}

// leave removes this relay's own item, so that the others need not wait for its death. It does so whatever the counter: a beat may have
// been cut off.
func (l *leases) leave(ctx context.Context) error {
	_, err := l.store.client.DeleteItem(ctx, l.deletion(l.id))
	return err
}

// remove deletes the item of another relay if its counter has not moved since it was seen.
func (l *leases) remove(ctx context.Context, id string, counter int64) error {
	in := l.deletion(id)
	in.ConditionExpression = aws.String("#counter = :counter")
	in.ExpressionAttributeNames = map[string]string{"#counter": attrCounter}
	in.ExpressionAttributeValues = item{":counter": number(counter)}
	_, err := l.store.client.DeleteItem(ctx, in)
	if isConditionFailed(err) {
		return nil
	}
	return err
}

func (l *leases) deletion(id string) *dynamodb.DeleteItemInput {
	return &dynamodb.DeleteItemInput{
		TableName: aws.String(l.store.table.Name),
		Key:       l.store.table.key(l.store.table.relays(), relaySort+id),
	}
}

// elsewhere reports whether another relay surely takes care of the shard: it has or is to have it, and was seen to move its counter.
func (l *leases) elsewhere(shard int) bool {
	if l.assigned == nil {
		return false
	}
	owner := l.view.shards[shard].owner
	if owner == "" {
		owner = l.assigned[shard]
	}
	return owner != l.id && l.live.moving(owner, l.viewedAt)
}
