package memdynamo

import "slices"

// source is the table or index that a page is read from.
type source struct {
	table *table
	index *index // nil for the table
}

// source finds where the request reads, and checks what depends on that.
func (db *DB) source(q *pageRequest) (source, error) {
	t, err := db.table(q.table)
	if err != nil || q.index == "" {
		return source{table: t}, err
	}
	ix, err := t.index(q.index)
	if err != nil {
		return source{}, err
	}
	if q.consistent {
		return source{}, invalid("Consistent reads are not supported on global secondary indexes")
	}
	if q.choice == selectAll && ix.projection != projectAll {
		return source{}, invalidValue("Select type ALL_ATTRIBUTES is not supported for global secondary index %s "+
			"because its projection type is not ALL", ix.name)
	}
	for _, p := range q.paths {
		if names := ix.carried(); names != nil && !slices.Contains(names, p[0].name) {
			return source{}, invalidValue("Global secondary index %s does not project %s", ix.name, p[0].name)
		}
	}
	return source{t, ix}, nil
}

func (s source) key() keySchema {
	if s.index != nil {
		return s.index.key
	}
	return s.table.key
}

func (s source) rows() *rows {
	if s.index != nil {
		return &s.index.rows
	}
	return &s.table.rows
}

// keyNames are the attributes of LastEvaluatedKey and ExclusiveStartKey.
func (s source) keyNames() []string {
	names := s.table.key.names()
	if s.index == nil {
		return names
	}
	for _, name := range s.index.key.names() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// startAfter narrows a range to what comes after the start key, in the direction of reading.
func (s source) startAfter(within placeRange, start item, backward bool) (placeRange, error) {
	if start == nil {
		return within, nil
	}
	if len(start) != len(s.keyNames()) || s.table.key.check(start) != nil || s.key().check(start) != nil {
		return within, invalid("The provided starting key is invalid")
	}
	place := s.table.placeOf(start)
	if s.index != nil {
		hash, sort, _ := s.index.key.of(start)
		place = s.index.key.place(hash, sort) + place
	}
	if place < within.from || within.to != "" && place >= within.to {
		return within, invalid("The provided starting key is outside query boundaries based on provided conditions")
	}
	if backward {
		within.to = place
	} else {
		within.from = place + "\x00"
	}
	return within, nil
}
