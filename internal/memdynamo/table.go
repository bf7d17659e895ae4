package memdynamo

import (
	"time"

	"github.com/tidwall/btree"
)

// row is a stored item. Like items, rows never change: a write puts another row in its place.
type row struct {
	attrs item
	size  int    // bytes, as the service counts them
	place string // in the table
}

// newRow makes the row of an item that is yet to get its place.
func newRow(attrs item) *row { return &row{attrs: attrs, size: attrs.size()} }

// item returns the row's attributes, or nil where there is no row.
func (r *row) item() item {
	if r == nil {
		return nil
	}
	return r.attrs
}

func (r *row) bytes() int {
	if r == nil {
		return 0
	}
	return r.size
}

// rows holds the rows of a table or an index by their place.
type rows = btree.Map[string, *row]

// table is a table with its indexes.
type table struct {
	definition
	id      string
	created time.Time

	rows    rows
	bytes   int // sum of the rows' sizes
	indexes []*index

	ttlAttribute string // "" while time to live is off
	stream       *stream
}

func (t *table) index(name string) (*index, error) {
	for _, ix := range t.indexes {
		if ix.name == name {
			return ix, nil
		}
	}
	return nil, invalid("The table does not have the specified index: %s", name)
}

// locate checks a key and returns its place with the row there, if any.
func (t *table) locate(key item) (place string, found *row, err error) {
	if err := t.key.checkExact(key); err != nil {
		return "", nil, err
	}
	place = t.placeOf(key)
	found, _ = t.rows.Get(place)
	return place, found, nil
}

// placeOf returns the place of an item that is known to have the key.
func (t *table) placeOf(it item) string {
	hash, sort, _ := t.key.of(it)
	return t.key.place(hash, sort)
}

// checkRow reports why a row cannot be stored.
func (t *table) checkRow(r *row) error {
	if err := t.key.check(r.attrs); err != nil {
		return err
	}
	for _, ix := range t.indexes {
		if err := ix.checkItem(r.attrs); err != nil {
			return err
		}
	}
	if r.size > maxItem {
		return invalid("Item size has exceeded the maximum allowed size")
	}
	return nil
}

// set makes next the row at the place, or leaves the place empty if next is nil.
func (t *table) set(place string, old, next *row) {
	if next == nil {
		t.rows.Delete(place)
	} else {
		t.rows.Set(place, next)
	}
	t.bytes += next.bytes() - old.bytes()
}
