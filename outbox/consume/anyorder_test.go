package consume_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/consume"
)

// kinds are the two projections as one shape, and what each must show after the events 1 to last.
var kinds = map[string]struct {
	apply func(t *testing.T, w *world) func(context.Context, outbox.Event) (consume.Outcome, error)
	want  func(id string, last int) consume.Item
}{
	"state": {applyState, wantState},
	"delta": {applyDelta, wantDelta},
}

func applyState(t *testing.T, w *world) func(context.Context, outbox.Event) (consume.Outcome, error) {
	projection := w.state(t)
	return func(ctx context.Context, e outbox.Event) (consume.Outcome, error) {
		return projection.Apply(ctx, e, stateOf(e))
	}
}

func applyDelta(t *testing.T, w *world) func(context.Context, outbox.Event) (consume.Outcome, error) {
	projection := w.delta(t)
	return func(ctx context.Context, e outbox.Event) (consume.Outcome, error) {
		return projection.Apply(ctx, e, changeOf(e))
	}
}

func wantState(id string, last int) consume.Item {
	want := stateOf(event(id, last))
	return withPosition(want, id, last)
}

func wantDelta(id string, last int) consume.Item {
	sum := 0
	for seq := 1; seq <= last; seq++ {
		sum += seq * seq
	}
	want := consume.Item{"last": n(last), "sum": n(sum)}
	if last%2 == 1 {
		want["open"] = ss(fmt.Sprint(last))
	}
	return withPosition(want, id, last)
}

// withPosition adds the key and the position to the attributes of an item.
func withPosition(item consume.Item, id string, last int) consume.Item {
	item["id"], item["part"] = s("user/"+id), s("view")
	item["lastSeq"], item["lastEventId"] = n(last), s(event(id, last).ID)
	return item
}

// TestAnyOrder delivers histories in every order with duplicates, long ones in random orders, and finds the state of the history each
// time, for one write per delivery and no read. Gaps go to the end of the queue.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	orders := slices.Concat(permutations([]int{1, 1, 2, 2, 3, 3}), permutations([]int{1, 2, 3, 4, 5}))
	for range 10 {
		orders = append(orders, shuffled(random, 16))
	}
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, faults.Plan{})
			apply, deliveries := kind.apply(t, w), 0
			for i, order := range orders {
				id := fmt.Sprint(i)
				deliveries += deliver(t, apply, id, order)
				require.Equal(t, kind.want(id, slices.Max(order)), w.item(t, id), "%v", order)
			}
			usage := w.db.Usage()
			require.Equal(t, map[string]int{"CreateTable": 1, "UpdateItem": deliveries, "GetItem": len(orders)}, usage.Requests,
				"the reads are those of this test")
			require.Equal(t, float64(deliveries), usage.WriteUnits)
		})
	}
}

// TestAnyOrderUnderFaults loses requests and replies, so that the SDK repeats writes that were carried out.
func TestAnyOrderUnderFaults(t *testing.T) {
	t.Parallel()
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, faults.Plan{Seed: 5})
			apply, random := kind.apply(t, w), rand.New(rand.NewPCG(3, 4))
			for range 40 {
				w.transport.Next(faults.LoseReply{}, faults.Ops("UpdateItem"))
				for range random.IntN(3) {
					w.transport.Next(nil, faults.Ops("UpdateItem"))
				}
			}
			deliver(t, kind.apply(t, w.impatient()), "a", shuffled(random, 30))
			deliver(t, apply, "b", shuffled(random, 10))
			require.Equal(t, kind.want("a", 30), w.item(t, "a"))
			require.Equal(t, kind.want("b", 10), w.item(t, "b"))
			require.Positive(t, w.transport.Counts()["LoseReply"])
		})
	}
}

// TestAnyOrderConcurrently has several consumers on one queue whose deliveries overlap.
func TestAnyOrderConcurrently(t *testing.T) {
	t.Parallel()
	const events, consumers = 40, 8
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, faults.Plan{})
			apply := kind.apply(t, w)
			order := shuffled(rand.New(rand.NewPCG(7, 8)), events)
			queue := make(chan int, len(order)) // never full: what goes back has been taken out
			for _, seq := range order {
				queue <- seq
			}
			var left, applied atomic.Int64
			left.Store(int64(len(order)))
			var running sync.WaitGroup
			for range consumers {
				running.Go(func() {
					for seq := range queue {
						outcome, err := apply(t.Context(), event("a", seq))
						if errors.Is(err, consume.ErrGap) {
							queue <- seq
							continue
						}
						if err != nil || !outcome.Done() {
							t.Errorf("event %d: %v, %v", seq, outcome, err)
						}
						if outcome == consume.Applied {
							applied.Add(1)
						}
						if left.Add(-1) == 0 {
							close(queue)
						}
					}
				})
			}
			running.Wait()
			require.Equal(t, kind.want("a", events), w.item(t, "a"))
			if name == "delta" {
				require.Equal(t, int64(events), applied.Load(), "each event once")
			}
		})
	}
}

// deliver is a queue: it delivers in the order given, and what is not done goes to its end. It returns the number of deliveries.
func deliver(t *testing.T, apply func(context.Context, outbox.Event) (consume.Outcome, error), id string, order []int) int {
	t.Helper()
	queue, deliveries := slices.Clone(order), 0
	for len(queue) > 0 {
		seq := queue[0]
		queue = queue[1:]
		deliveries++
		require.LessOrEqual(t, deliveries, len(order)*len(order)+100, "the queue does not empty")
		outcome, err := apply(t.Context(), event(id, seq))
		if outcome == consume.Gap || outcome == consume.Unknown {
			require.Error(t, err)
			queue = append(queue, seq)
			continue
		}
		require.NoError(t, err)
		require.True(t, outcome.Done())
	}
	return deliveries
}

// shuffled returns the numbers 1 to n, some of them twice or three times, in a random order.
func shuffled(random *rand.Rand, n int) []int {
	var order []int
	for seq := 1; seq <= n; seq++ {
		for range 1 + random.IntN(3) {
			order = append(order, seq)
		}
	}
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// permutations returns all different orders of the elements, which are sorted.
func permutations(elements []int) [][]int {
	if len(elements) == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for i, first := range elements {
		if i > 0 && elements[i-1] == first {
			continue
		}
		for _, rest := range permutations(slices.Delete(slices.Clone(elements), i, i+1)) {
			all = append(all, append([]int{first}, rest...))
		}
	}
	return all
}
