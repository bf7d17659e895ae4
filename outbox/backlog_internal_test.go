package outbox

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// aBacklog returns a backlog with one active shard and a right to publish that does not end.
func aBacklog(t *testing.T) *backlog {
	t.Helper()
	limits, err := Publishing{}.withDefaults()
	require.NoError(t, err)
	b := newBacklog(limits, 1)
	b.activate(0)
	b.extend(time.Now().Add(time.Hour))
	return b
}

// aPack returns a pack as a read shows it.
func aPack(aggregateID string, seq int64, events int) *pack {
	list := make([]Event, events)
	for i := range list {
		list[i] = Event{ID: fmt.Sprintf("%s/%d", aggregateID, seq+int64(i)), AggregateID: aggregateID, Seq: seq + int64(i)}
	}
	p := newPack(list, 1)
	p.bytes = 100
	return p
}

// readTo merges a read that was begun before.
func readTo(t *testing.T, b *backlog, query int64, packs ...*pack) merged {
	t.Helper()
	m, err := b.merge(0, reading{query: query, packs: packs, now: time.Now()})
	require.NoError(t, err)
	return m
}

// takeOne takes a call and requires it to have the events with these ids.
func takeOne(t *testing.T, b *backlog, ids ...string) *shipment {
	t.Helper()
	s, _ := b.take(time.Now())
	if len(ids) == 0 {
		require.Nil(t, s)
		return nil
	}
	require.NotNil(t, s)
	var got []string
	for _, e := range s.entries {
		got = append(got, e.DeduplicationID)
	}
	require.Equal(t, ids, got)
	return s
}

// deleteAll lets all deletions take place.
func deleteAll(t *testing.T, b *backlog) {
	t.Helper()
	b.beginFlush()
	for {
		c, _, done := b.takeChores(time.Now())
		if done {
			return
		}
		require.NotNil(t, c)
		b.deleted(c, nil)
	}
}

// TestReadFromBeforeTheDeletion has a read that was begun before a pack was deleted and is merged after it: it must not publish the pack
// again. A later read that shows a pack under the same key shows a dead letter that was given back.
func TestReadFromBeforeTheDeletion(t *testing.T) {
	t.Parallel()
	b := aBacklog(t)
	readTo(t, b, b.beginRead(0), aPack("a", 1, 1))
	s := takeOne(t, b, "a/1")
	late := b.beginRead(0)
	b.callSucceeded()
	b.published(s.lanes, time.Now())
	require.Zero(t, readTo(t, b, b.beginRead(0), aPack("a", 1, 1)).found, "published and not deleted")
	late = max(late, b.beginRead(0))
	deleteAll(t, b)
	require.Zero(t, readTo(t, b, late, aPack("a", 1, 1)).found, "begun before the deletion")
	takeOne(t, b)
	require.Equal(t, 1, readTo(t, b, b.beginRead(0), aPack("a", 1, 1)).found, "begun after the deletion")
}

// TestReadFromBeforeTheFailureWasStored has the same with a pack that was left because its failure is stored.
func TestReadFromBeforeTheFailureWasStored(t *testing.T) {
	t.Parallel()
	b := aBacklog(t)
	readTo(t, b, b.beginRead(0), aPack("a", 1, 1))
	s := takeOne(t, b, "a/1")
	b.callSucceeded()
	late := b.beginRead(0)
	b.left(s.lanes[0])
	readTo(t, b, late, aPack("a", 1, 1), aPack("a", 2, 1))
	takeOne(t, b)
	d := b.doubtOf(0)
	require.NotNil(t, d, "the second one is not known to be the next")
	failed := aPack("a", 1, 1)
	failed.nextAttemptAt = time.Now().Add(time.Minute)
	again := b.beginRead(0)
	_, err := b.merge(0, reading{query: again, packs: []*pack{failed, aPack("a", 2, 1)}, now: time.Now(), only: d})
	require.NoError(t, err)
	b.confirm(d, time.Now())
	takeOne(t, b)
}

// TestProgressIsStoredWhenTheShardIsGivenUp has a pack of which one event is published when its shard goes to another relay.
func TestProgressIsStoredWhenTheShardIsGivenUp(t *testing.T) {
	t.Parallel()
	for _, inFlight := range []bool{false, true} {
		b := aBacklog(t)
		readTo(t, b, b.beginRead(0), aPack("a", 1, 3))
		s := takeOne(t, b, "a/1")
		b.callSucceeded()
		b.published(s.lanes, time.Now())
		if inFlight {
			s = takeOne(t, b, "a/2")
		}
		quiet := b.deactivate(0)
		if inFlight {
			b.callSucceeded()
			b.published(s.lanes, time.Now())
		}
		takeOne(t, b)
		c, _, _ := b.takeChores(time.Now())
		require.NotNil(t, c)
		require.Equal(t, map[bool]int{false: 1, true: 2}[inFlight], c.save.done)
		requireOpen(t, quiet)
		b.saved(c.save)
		<-quiet
		require.False(t, b.held(0))
	}
}

// TestQuietShard waits for what is in flight and for deletions.
func TestQuietShard(t *testing.T) {
	t.Parallel()
	b := aBacklog(t)
	readTo(t, b, b.beginRead(0), aPack("a", 1, 1), aPack("b", 1, 1))
	s := takeOne(t, b, "a/1", "b/1")
	idle, quiet := b.whenIdle(0), b.deactivate(0)
	require.Equal(t, quiet, b.deactivate(0))
	b.callSucceeded()
	b.published(s.lanes[:1], time.Now())
	b.postponed(s.lanes[1], 1, time.Now(), time.Now())
	requireOpen(t, idle)
	requireOpen(t, quiet)
	deleteAll(t, b)
	<-idle
	<-quiet
	<-b.deactivate(0)
	<-b.whenIdle(0)
	require.Zero(t, b.beginRead(0))
	require.Zero(t, readTo(t, b, 1, aPack("c", 1, 1)).found)
}

func requireOpen(t *testing.T, ch <-chan struct{}) {
	t.Helper()
	select {
	case <-ch:
		require.Fail(t, "too early")
	default:
	}
}

// TestHeldPackTurnsUpBehind has a second read that shows a held pack before the one that the first read showed.
func TestHeldPackTurnsUpBehind(t *testing.T) {
	t.Parallel()
	b := aBacklog(t)
	readTo(t, b, b.beginRead(0), aPack("a", 5, 1))
	d := b.doubtOf(0)
	require.Equal(t, packSort("a", 0), d.from)
	require.Equal(t, packSort("a", 5), d.to)
	held := aPack("a", 4, 1)
	held.heldAt = time.Now()
	_, err := b.merge(0, reading{query: b.beginRead(0), packs: []*pack{held, aPack("a", 5, 1)}, now: time.Now(), only: d})
	require.NoError(t, err)
	b.confirm(d, time.Now())
	takeOne(t, b)
	require.True(t, b.idle(0))
}

func TestNothingIsSentWithoutTheRightTo(t *testing.T) {
	t.Parallel()
	b := aBacklog(t)
	readTo(t, b, b.beginRead(0), aPack("a", 1, 1))
	until := time.Now().Add(time.Minute)
	b.extend(until)
	s, wait := b.take(until)
	require.Nil(t, s)
	require.Equal(t, never, wait, "only an extension helps")
	s, _ = b.take(until.Add(-time.Millisecond))
	require.NotNil(t, s)
	require.Equal(t, until, s.until)
}

// TestWindow fills a shard's memory with small packs, with large ones and with one aggregate.
func TestWindow(t *testing.T) {
	t.Parallel()
	b := aBacklog(t)
	for n := range windowPacks {
		require.Nil(t, b.roomFor(0))
		readTo(t, b, b.beginRead(0), aPack(fmt.Sprint(n), 1, 1))
	}
	room := b.roomFor(0)
	requireOpen(t, room)
	for range windowPacks/2/10 + 1 {
		s, _ := b.take(time.Now())
		b.callSucceeded()
		b.published(s.lanes, time.Now())
	}
	requireOpen(t, room)
	deleteAll(t, b)
	<-room

	b = aBacklog(t)
	large := aPack("a", 1, 1)
	large.bytes = windowBytes
	readTo(t, b, b.beginRead(0), large)
	require.NotNil(t, b.roomFor(0))

	b = aBacklog(t)
	for seq := range int64(laneCap) + 5 {
		readTo(t, b, b.beginRead(0), aPack("a", 100-seq, 1)) // each comes before all others
	}
	require.Len(t, b.shards[0].lanes["a"].packs, laneCap)
	require.EqualValues(t, 100-laneCap-4, b.shards[0].lanes["a"].packs[0].seq)
	require.Equal(t, laneCap, b.shards[0].packs)
	require.Equal(t, "a", readTo(t, b, b.beginRead(0), aPack("a", 101, 1)).skip)
}

// TestRedrivenPackWhileInFlight has a dead letter that comes back while a later event of its aggregate is in flight.
func TestRedrivenPackWhileInFlight(t *testing.T) {
	t.Parallel()
	b := aBacklog(t)
	readTo(t, b, b.beginRead(0), aPack("a", 1, 1), aPack("a", 2, 1), aPack("a", 3, 1))
	s := takeOne(t, b, "a/1")
	b.callSucceeded()
	b.buried(s.lanes[0], time.Now())
	s = takeOne(t, b, "a/2")
	for range 2 {
		readTo(t, b, b.beginRead(0), aPack("a", 1, 1), aPack("a", 2, 1), aPack("a", 3, 1))
	}
	b.callSucceeded()
	b.published(s.lanes, time.Now())
	for _, id := range []string{"a/1", "a/3"} {
		s = takeOne(t, b, id)
		b.callSucceeded()
		b.published(s.lanes, time.Now())
	}
	takeOne(t, b)
}

// TestCallsThatFailTogether counts once what was in flight at the same time, and waits no longer for it than for one.
func TestCallsThatFailTogether(t *testing.T) {
	t.Parallel()
	b := aBacklog(t)
	for n := range 60 {
		readTo(t, b, b.beginRead(0), aPack(fmt.Sprint(n), 1, 1))
	}
	now := time.Now()
	for round := 1; round <= 3; round++ {
		var calls []*shipment
		for s, _ := b.take(now); s != nil; s, _ = b.take(now) {
			calls = append(calls, s)
		}
		if round == 1 {
			require.Len(t, calls, 6)
		} else {
			require.Len(t, calls, 1, "one finds out whether the publisher is back")
		}
		for _, s := range calls {
			inRow, ownFault := b.callFailed(s, now, time.Minute)
			require.Equal(t, round, inRow)
			require.False(t, ownFault)
			b.callLost(s, now, time.Minute)
		}
		s, wait := b.take(now)
		require.Nil(t, s)
		require.LessOrEqual(t, wait, firstBackoff<<(round-1))
		now = now.Add(firstBackoff << (round - 1))
	}
}
