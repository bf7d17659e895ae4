package cognitosync

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"
)

// window is a range of fingerprints, both ends included.
type window struct {
	Low  uint64 `json:"low"`
	High uint64 `json:"high"`
}

// fullWindow holds every fingerprint.
func fullWindow() window { return window{High: math.MaxUint64} }

func (w window) holds(fingerprint uint64) bool { return w.Low <= fingerprint && fingerprint <= w.High }

// after is the window of what is above w, and false if that is nothing.
func (w window) after() (window, bool) {
	if w.High == math.MaxUint64 {
		return window{}, false
	}
	return window{Low: w.High + 1, High: math.MaxUint64}, true
}

// fingerprint is a hash, the same in every process. An orphaned account stays unseen if its fingerprint is that of a user of
// the pool: in a pool of ten million, one orphan of 10¹².
func fingerprint(text string) uint64 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(text)) // a hash never fails
	// FNV's high bits move little with the last characters; one multiplication and shift spread them (splitmix64's finalizer).
	x := hash.Sum64()
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// roster remembers user ids, and a hash of the state of each, in bounded memory: 16 bytes for an id. When it is full it forgets the upper
// half of its window; what is above the window is for a later pass, or for a look at the table.
type roster struct {
	window  window
	limit   int
	entries []entry
}

type entry struct {
	id    uint64 // the fingerprint of the user id
	state uint64
}

func newRoster(w window, limit int) *roster { return &roster{window: w, limit: limit} }

// add notes an id that lies in the window. An id that is added twice keeps one of its states.
func (r *roster) add(userID string, state uint64) {
	if f := fingerprint(userID); r.window.holds(f) {
		r.entries = append(r.entries, entry{f, state})
		if len(r.entries) >= r.limit {
			r.narrow()
		}
	}
}

// narrow drops what is there twice, and shrinks the window if that was not enough.
func (r *roster) narrow() {
	r.seal()
	if half := r.limit / 2; len(r.entries) > half {
		r.window.High = r.entries[half].id - 1
		r.entries = r.entries[:half]
	}
}

// seal makes find usable until the next add.
func (r *roster) seal() {
	slices.SortFunc(r.entries, func(a, b entry) int { return cmp.Compare(a.id, b.id) })
	r.entries = slices.CompactFunc(r.entries, func(a, b entry) bool { return a.id == b.id })
}

// find is the state of an id, and whether it was added. Nothing is known of an id outside the window.
func (r *roster) find(userID string) (state uint64, found bool) {
	f := fingerprint(userID)
	i, found := slices.BinarySearchFunc(r.entries, f, func(e entry, f uint64) int { return cmp.Compare(e.id, f) })
	if !found {
		return 0, false
	}
	return r.entries[i].state, true
}
