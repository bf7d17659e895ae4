package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
)

// printJSON writes a value as one line.
func (p *program) printJSON(value any) error {
	encoder := json.NewEncoder(p.stdout)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// columnGap is the number of blanks between columns.
const columnGap = 2

// rowsPerFlush bounds what is held back to align columns: a listing may be as long as the outbox.
const rowsPerFlush = 200

// list prints rows, as objects or as a table whose heading comes with the first row.
type list struct {
	p    *program
	head []string
	w    *tabwriter.Writer
	rows int
}

func (p *program) list(head ...string) *list {
	return &list{p: p, head: head, w: tabwriter.NewWriter(p.stdout, 0, 0, columnGap, ' ', 0)}
}

// add prints a row: value with --json, otherwise the cells.
func (l *list) add(value any, cells ...any) error {
	if l.p.json {
		return l.p.printJSON(value)
	}
	if l.rows == 0 {
		l.line(l.head)
	}
	text := make([]string, len(cells))
	for i, cell := range cells {
		text[i] = cellText(cell)
	}
	l.line(text)
	l.rows++
	if l.rows%rowsPerFlush == 0 {
		return l.w.Flush()
	}
	return nil
}

func (l *list) line(cells []string) {
	_, _ = fmt.Fprintln(l.w, strings.Join(cells, "\t")) // a failed write shows in Flush
}

// end prints what is held back.
func (l *list) end() error { return l.w.Flush() }

// cellText shows a value in a table: nothing for a zero time, a dash for what is empty.
func cellText(value any) string {
	text := fmt.Sprint(value)
	if t, isTime := value.(time.Time); isTime {
		text = ""
		if !t.IsZero() {
			text = t.UTC().Format(time.RFC3339)
		}
	}
	if text == "" {
		return "-"
	}
	return text
}
