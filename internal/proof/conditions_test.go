package proof

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/suite"
)

// leastConditions is how many conditions there are at least; fewer means that the names have stopped telling them apart.
const leastConditions = 40

// proofTable collects which scene catches the loss of each condition, and which conditions the library sends at all.
type proofTable struct {
	mu     sync.Mutex
	sent   map[string]bool
	caught map[string]string
}

// TestConditionsAreNeeded drops each condition of each operation, one at a time: a scene must then have another result. Which
// conditions there are is taken from what the library sends, in the scenes and in random histories.
func TestConditionsAreNeeded(t *testing.T) {
	t.Parallel()
	table := &proofTable{sent: map[string]bool{}, caught: map[string]string{}}
	t.Run("scenes", func(t *testing.T) {
		for _, sc := range scenes() {
			t.Run(string(sc.kind)+"/"+sc.name, func(t *testing.T) {
				t.Parallel()
				s, err := sc.play(t, nil)
				require.NoError(t, err, "with all conditions")
				table.saw(s.sent)
				for _, need := range sc.needs {
					require.True(t, s.sent[need], "the scene sends no condition %s", need)
					_, err := sc.play(t, &need)
					require.Error(t, err, "without %s", need)
					table.catches(need, sc, err)
				}
			})
		}
		t.Run("histories", func(t *testing.T) {
			t.Parallel()
			table.saw(historyConditions(t))
		})
	})
	t.Log(table)
	sent, caught := slices.Sorted(maps.Keys(table.sent)), slices.Sorted(maps.Keys(table.caught))
	require.Equal(t, sent, caught, "conditions that are sent, and those whose loss a scene catches")
	require.GreaterOrEqual(t, len(table.sent), leastConditions)
}

// historyConditions are the conditions that random histories send: they reach what no scene thinks of.
func historyConditions(t *testing.T) map[condition]bool {
	const seeds = 4
	sent := map[condition]bool{}
	var mu sync.Mutex
	record := func(op operation, in *dynamodb.TransactWriteItemsInput) {
		mu.Lock()
		defer mu.Unlock()
		for _, action := range in.TransactItems {
			names, _ := conditionsOf(op, action)
			for _, name := range names {
				sent[name] = true
			}
		}
	}
	for i := range uint64(seeds) {
		play(t, *seedFlag+i, suite.WithRewrite(recording(record)))
	}
	return sent
}

func (p *proofTable) saw(sent map[condition]bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range sent {
		p.sent[c.String()] = true
	}
}

func (p *proofTable) catches(c condition, sc scene, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.caught[c.String()] = fmt.Sprintf("%s/%s: without it, %v", sc.kind, sc.name, err)
}

// String is the table: operation, condition, the scene that catches its loss.
func (p *proofTable) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p.sent)) {
		operation, rest, _ := strings.Cut(name, ": ")
		fmt.Fprintf(&b, "\n%-24s | %-90s | %s", operation, rest, p.caught[name])
	}
	fmt.Fprintf(&b, "\n%d conditions sent, %d in the table", len(p.sent), len(p.caught))
	return b.String()
}
