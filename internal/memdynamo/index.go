package memdynamo

import "slices"

// Kinds of ProjectionType: which attributes an index carries.
const (
	projectAll     = "ALL"
	projectKeys    = "KEYS_ONLY"
	projectInclude = "INCLUDE"
)

// index is a global secondary index. It is sparse: only items with all attributes of its key are in it.
type index struct {
	name       string
	key        keySchema
	projection string
	include    []string // for projectInclude, as declared
	throughput throughput

	table *table
	rows  rows
	bytes int
}

// carried returns the names of the attributes that the index carries; nil means all.
func (ix *index) carried() []string {
	if ix.projection == projectAll {
		return nil
	}
	return slices.Concat(ix.table.key.names(), ix.key.names(), ix.include)
}

// checkItem rejects an item that has an attribute of the index's key which cannot be a key.
func (ix *index) checkItem(it item) error {
	for i, attr := range []keyAttribute{ix.key.hash, ix.key.sort} {
		v, ok := it.get(attr.name)
		if !ok {
			continue
		}
		if v.kind != attr.kind {
			return invalidValue("Type mismatch for Index Key %s Expected: %s Actual: %s IndexName: %s", attr.name, attr.kind, v.kind, ix.name)
		}
		if err := checkKeySize(v, i == 0, "IndexName: "+ix.name+", IndexKey: "+attr.name); err != nil {
			return err
		}
	}
	return nil
}

// entry returns the row that the index holds for a row of the table; nil if none.
func (ix *index) entry(r *row) *row {
	if r == nil {
		return nil
	}
	hash, sort, ok := ix.key.of(r.attrs)
	if !ok {
		return nil
	}
	place := ix.key.place(hash, sort) + r.place
	names := ix.carried()
	if names == nil {
		return &row{attrs: r.attrs, size: r.size, place: place}
	}
	attrs := r.attrs.only(names...)
	return &row{attrs: attrs, size: attrs.size(), place: place}
}

// indexChange is what a write changes in one index: old goes, next comes; either may be nil.
type indexChange struct {
	index     *index
	old, next *row
}

// change returns what replacing a row of the table changes; ok is false if that is nothing.
func (ix *index) change(old, next *row) (c indexChange, ok bool) {
	c = indexChange{ix, ix.entry(old), ix.entry(next)}
	if c.old == nil && c.next == nil {
		return c, false
	}
	return c, c.moves() || !c.old.attrs.equal(c.next.attrs)
}

// moves reports whether the entry appears, vanishes or gets another key.
func (c indexChange) moves() bool {
	return c.old == nil || c.next == nil || c.old.place != c.next.place
}

// units is the write capacity of the change: one write, or a delete and a put if the entry moves ("Write capacity of
// global secondary indexes", DynamoDB developer guide).
func (c indexChange) units() float64 {
	if !c.moves() {
		return writeUnits(c.old.size, c.next.size)
	}
	units := 0.0
	for _, r := range []*row{c.old, c.next} {
		if r != nil {
			units += writeUnits(r.size, 0)
		}
	}
	return units
}

// apply carries the change out.
func (c indexChange) apply() {
	if c.old != nil && c.moves() {
		c.index.rows.Delete(c.old.place)
	}
	if c.next != nil {
		c.index.rows.Set(c.next.place, c.next)
	}
	c.index.bytes += c.next.bytes() - c.old.bytes()
}
