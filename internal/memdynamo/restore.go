package memdynamo

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// Restore replaces everything in the engine by a snapshot. Indexes show all of it at once, and streams start anew. After
// an error the engine is as it was before.
func (db *DB) Restore(r io.Reader) error {
	var s snapshotReader
	if err := s.readAll(r); err != nil {
		return fmt.Errorf("memdynamo: read snapshot, line %d: %w", s.line, err)
	}
	now := db.opts.Now()
	db.mu.Lock()
	defer db.mu.Unlock()
	db.clear()
	for _, t := range s.tables {
		t.openStream(now)
		db.tables.Set(t.name, t)
		t.rows.Scan(func(_ string, r *row) bool {
			db.scheduleExpiry(t, r)
			return true
		})
	}
	return nil
}

// snapshotReader builds tables from the lines of a snapshot.
type snapshotReader struct {
	line   int
	tables []*table
}

func (s *snapshotReader) readAll(r io.Reader) error {
	in := bufio.NewReader(r)
	for {
		text, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(text) == 0 {
			break
		}
		s.line++
		if err := s.readLine(text); err != nil {
			return err
		}
	}
	if s.line == 0 {
		return errors.New("the snapshot is empty")
	}
	return nil
}

// snapshotLine is a line of a snapshot before it is checked.
type snapshotLine struct {
	version          int
	table            *tableRequest
	id, created, ttl string
	item             item
}

func (s *snapshotReader) readLine(text []byte) error {
	var line snapshotLine
	r := jsonReader{data: text}
	err := r.request(members{
		"memdynamo": &line.version, "table": func() { line.table = r.tableRequest() }, "id": &line.id, "created": &line.created,
		"ttlAttribute": &line.ttl, "item": &line.item,
	})
	if err != nil {
		return err
	}
	switch {
	case s.line == 1 && line.version != snapshotVersion:
		return fmt.Errorf("the snapshot does not have version %d", snapshotVersion)
	case s.line == 1:
		return nil
	case line.table != nil:
		return s.addTable(line)
	case line.item != nil && len(s.tables) > 0:
		return s.addItem(s.tables[len(s.tables)-1], line.item)
	}
	return errors.New("neither a table nor an item of one")
}

func (s *snapshotReader) addTable(line snapshotLine) error {
	t, err := line.table.build()
	if err != nil {
		return err
	}
	if t.created, err = time.Parse(time.RFC3339Nano, line.created); err != nil {
		return err
	}
	if slices.ContainsFunc(s.tables, func(other *table) bool { return other.name == t.name }) {
		return errors.New("a table stands twice")
	}
	t.id, t.ttlAttribute = line.id, line.ttl
	s.tables = append(s.tables, t)
	return nil
}

func (s *snapshotReader) addItem(t *table, it item) error {
	r := newRow(it)
	if err := t.checkRow(r); err != nil {
		return err
	}
	r.place = t.placeOf(it)
	if _, twice := t.rows.Get(r.place); twice {
		return errors.New("an item stands twice")
	}
	c := newChange(t, r.place, nil, r)
	c.table.set(c.place, nil, r)
	for _, ix := range c.indexes {
		ix.apply()
	}
	return nil
}
