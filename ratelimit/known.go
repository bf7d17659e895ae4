package ratelimit

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// memory keeps the last known state of the keys that were used most recently.
type memory[S any] struct {
	mu     sync.Mutex
	states *simplelru.LRU[string, S]
	resets uint64
}

// epoch is a state of the memory between two resets. What was learned from a request that began before a reset is not stored after it.
type epoch uint64

func newMemory[S any](size int) (*memory[S], error) {
	states, err := simplelru.NewLRU[string, S](size, nil)
	if err != nil {
		return nil, err
	}
	return &memory[S]{states: states}, nil
}

// recall returns the state of a partition, the zero S if none is known, and the epoch to store a newer one with.
func (m *memory[S]) recall(partition string) (S, epoch) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, _ := m.states.Get(partition)
	return s, epoch(m.resets)
}

// store keeps s for a partition unless a key was reset since e.
func (m *memory[S]) store(partition string, s S, e epoch) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e == epoch(m.resets) {
		m.states.Add(partition, s)
	}
}

// forget drops the state of a partition and begins a new epoch.
func (m *memory[S]) forget(partition string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.resets++
	m.states.Remove(partition)
}
