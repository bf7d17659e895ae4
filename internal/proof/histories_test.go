package proof

import (
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/userstore"
)

func accountName(i int) string { return fmt.Sprintf("u%d", i) }

func addressName(i int) string { return fmt.Sprintf("a%d@example.com", i) }

// totals are what all histories of a run did.
type totals struct {
	mu         sync.Mutex
	histories  int
	operations map[kind]int
	outcomes   map[outcome]int
	counts     map[string]int
	takeovers  int
	violations int
}

func (s *totals) add(h *history) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.histories++
	for _, r := range h.records {
		if r.worker < workers { // not the reads at the end
			s.operations[r.kind]++
			s.outcomes[r.outcome]++
		}
	}
	for name, n := range h.faults {
		s.counts[name] += n
	}
	s.takeovers += len(h.lapses())
	s.violations += len(h.violations)
}

func (s *totals) String() string {
	var b strings.Builder
	operations := 0
	for _, n := range s.operations {
		operations += n
	}
	fmt.Fprintf(&b, "%d operations in %d histories, %d take-overs, %d violations\n", operations, s.histories, s.takeovers, s.violations)
	fmt.Fprintf(&b, "operations: %s\noutcomes: %s\nrequests and faults: %s", sorted(s.operations), sorted(s.outcomes), sorted(s.counts))
	return b.String()
}

func sorted[K ~string](counts map[K]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return strings.Join(parts, ", ")
}

// TestHistories plays random histories until the workers have called -ops operations.
func TestHistories(t *testing.T) {
	t.Parallel()
	sum := &totals{operations: map[kind]int{}, outcomes: map[outcome]int{}, counts: map[string]int{}}
	const each = workers * opsPerWorker
	number := max(1, (*opsFlag+each-1)/each)
	lanes := min(runtime.GOMAXPROCS(0), number)
	t.Run("seeds", func(t *testing.T) {
		for lane := range lanes {
			t.Run(fmt.Sprint("lane_", lane), func(t *testing.T) {
				t.Parallel()
				for i := lane; i < number; i += lanes {
					h := play(t, *seedFlag+uint64(i))
					h.check()
					sum.add(h)
					report(t, h)
				}
			})
		}
	})
	t.Log(sum)
}

// report fails the test with what is wrong with a history, and how to see it again.
func report(t *testing.T, h *history) {
	t.Helper()
	if len(h.violations) > 0 {
		t.Errorf("seed %d, again with: go test -run TestHistories -v ./internal/proof -ops 1 -seed %d\n%s",
			h.seed, h.seed, strings.Join(h.violations, "\n"))
	}
}

// TestHistoriesReplay plays seeds twice: each worker must be released at the same moments, meet the same faults and get the same
// answers.
func TestHistoriesReplay(t *testing.T) {
	t.Parallel()
	const seeds = 3
	for i := range uint64(seeds) {
		first, second := play(t, *seedFlag+i), play(t, *seedFlag+i)
		require.Equal(t, first.turns.trace, second.turns.trace)
		require.Equal(t, first.faults, second.faults)
		require.Equal(t, answers(first), answers(second))
	}
}

// answers are the calls of a history and what came of them, without the ids that differ from run to run.
func answers(h *history) []string {
	all := make([]string, len(h.records))
	for i, r := range h.records {
		all[i] = fmt.Sprint(r.kind, " ", r.user, " ", r.address, " ", r.outcome, r.answer())
	}
	return all
}

// TestHistoriesSeeDefects takes conditions out: a history must then have a violation, and where answers is set, one that shows
// in the order of the answers. It shows that the checks bite.
func TestHistoriesSeeDefects(t *testing.T) {
	t.Parallel()
	// From this seed on each of the defects shows soon; the last one would take 30 histories more from seed 1.
	const from, seeds = 33, 200
	for _, defect := range []struct {
		name    string
		parts   []string
		answers bool
	}{
		{"address_on_two_accounts", []string{"Put CLAIM"}, true},
		{"lost_update", []string{"Update PROFILE", "Put OUTBOX"}, true},
		{"lost_event", []string{"Update PROFILE"}, false},
		{"account_made_twice", []string{"Put PROFILE", "Put OUTBOX"}, true},
		{"row_confirmed_after_its_removal", []string{"Update EMAIL", "Delete CODE"}, true},
	} {
		t.Run(defect.name, func(t *testing.T) {
			t.Parallel()
			for i := range uint64(seeds) {
				h := play(t, from+i, suite.Without(defect.parts...))
				if !defect.answers {
					h.check()
				} else {
					h.violations = nil
					h.assignEvents()
					h.judgeAnswers()
				}
				if len(h.violations) > 0 {
					t.Logf("seed %d: %s", h.seed, h.violations[0])
					return
				}
			}
			t.Errorf("%d histories without the conditions of %q and nothing was wrong", seeds, defect.parts)
		})
	}
}

// TestHistoriesCallEveryOperation holds the operations of the histories against the methods of both packages.
func TestHistoriesCallEveryOperation(t *testing.T) {
	t.Parallel()
	const reads = "userstore.CachedTokensValidAfter" // is TokensValidAfter, less often
	var methods []kind
	for _, store := range []any{&userstore.Store{}, &emails.Store{}} {
		of := reflect.TypeOf(store)
		for i := range of.NumMethod() {
			name := strings.TrimPrefix(strings.Replace(of.String(), "Store", of.Method(i).Name, 1), "*")
			if name != reads {
				methods = append(methods, kind(name))
			}
		}
	}
	require.ElementsMatch(t, methods, slices.Collect(maps.Keys(calls())))
}
