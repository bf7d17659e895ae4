package memdynamo

import (
	"bufio"
	"fmt"
	"io"
	"time"
)

// snapshotVersion is the version of the format: lines of JSON, first a header, then one for every table, each followed by
// one for every item of the table.
const snapshotVersion = 1

// Snapshot writes all tables with their items, as of one moment, in about the size that the items have in the JSON of the
// API. Request tokens and the records of streams are not part of it.
func (db *DB) Snapshot(w io.Writer) error {
	// A write error sticks to the buffer, and Flush returns it.
	out := bufio.NewWriter(w)
	writeLine(out, func(w *jsonWriter) { w.name("memdynamo").integer(snapshotVersion) })
	for _, d := range db.dump() {
		writeLine(out, func(w *jsonWriter) { w.snapshotTable(d) })
		for _, r := range d.rows {
			writeLine(out, func(w *jsonWriter) { w.name("item").attributes(r.attrs) })
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("memdynamo: write snapshot: %w", err)
	}
	return nil
}

func writeLine(out *bufio.Writer, members func(w *jsonWriter)) {
	var w jsonWriter
	w.beginObject()
	members(&w)
	w.endObject()
	_, _ = out.Write(append(w.buf, '\n'))
}

// tableDump is what a snapshot holds of a table.
type tableDump struct {
	table        *table
	ttlAttribute string
	rows         []*row
}

// dump collects the rows under the lock, so that writing them out holds nobody up.
func (db *DB) dump() []tableDump {
	db.mu.RLock()
	defer db.mu.RUnlock()
	dumps := make([]tableDump, 0, db.tables.Len())
	db.tables.Scan(func(_ string, t *table) bool {
		dumps = append(dumps, tableDump{t, t.ttlAttribute, t.rows.Values()})
		return true
	})
	return dumps
}

func (w *jsonWriter) snapshotTable(d tableDump) {
	w.name("table").beginObject()
	w.tableDefinition(d.table)
	w.name("BillingMode").str(d.table.billing)
	w.name("GlobalSecondaryIndexes").beginArray()
	for _, ix := range d.table.indexes {
		w.beginObject()
		w.indexDefinition(ix)
		w.endObject()
	}
	w.endArray()
	w.endObject()
	w.name("id").str(d.table.id)
	w.name("created").str(d.table.created.Format(time.RFC3339Nano))
	w.name("ttlAttribute").str(d.ttlAttribute)
}
