package memdynamo

import (
	"maps"
	"sync"
)

// Usage counts what an engine was asked to do since New, Reset or ResetUsage. Unlike ConsumedCapacity in answers it also
// has what failed requests cost: a refused conditional write and a cancelled transaction are charged too.
type Usage struct {
	// Requests is the number of requests by operation, such as "GetItem"; failed ones count.
	Requests map[string]int
	// ReadUnits and WriteUnits are the capacity units consumed, of tables and indexes together.
	ReadUnits, WriteUnits float64
}

// Usage returns the counts so far.
func (db *DB) Usage() Usage { return db.meter.snapshot() }

// ResetUsage sets the counts to zero.
func (db *DB) ResetUsage() { db.meter.reset() }

// meter accumulates a Usage. It has a lock of its own, because reads of the tables run concurrently.
type meter struct {
	mu    sync.Mutex
	usage Usage
}

func (m *meter) request(operation string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.usage.Requests[operation]++
}

func (m *meter) read(units float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.usage.ReadUnits += units
}

func (m *meter) write(units float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.usage.WriteUnits += units
}

func (m *meter) snapshot() Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	usage := m.usage
	usage.Requests = maps.Clone(usage.Requests)
	return usage
}

func (m *meter) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.usage = Usage{Requests: map[string]int{}}
}
