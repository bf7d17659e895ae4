package proof

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// costTable is a table of costs in a document, whose lines are made of what was measured.
type costTable struct {
	file string
	// head is the line that the table begins with, and line makes each other one.
	head []string
	line func(label, requests, reads, writes, actions, note string) string
	rows []costRow
}

// costRow is one line: the costs under these names, told apart by slashes where they differ.
type costRow struct {
	above string // a line of the label that stands alone
	label string
	names []string
	note  func(measured map[string]cost) string
}

func says(note string) func(map[string]cost) string {
	return func(map[string]cost) string { return note }
}

func costTables() []costTable {
	comment := []string{commentLine("", "requests", "RCU", "WCU", "actions", "")}
	markdown := []string{markdownLine("call", "requests", "RCU", "WCU", "", ""), "|---|---|---|---|"}
	return []costTable{
		{file: "../../README.md", head: markdown, line: markdownLine, rows: readmeRows()},
		{file: "../../userstore/doc.go", head: comment, line: commentLine, rows: userRows()},
		{file: "../../emails/doc.go", head: comment, line: commentLine, rows: emailRows()},
	}
}

func markdownLine(label, requests, reads, writes, _, _ string) string {
	return fmt.Sprintf("| %s | %s | %s | %s |", label, requests, reads, writes)
}

func commentLine(label, requests, reads, writes, actions, note string) string {
	return strings.TrimRight(fmt.Sprintf("//\t%-30s%-11s%-6s%-8s%-10s%s", label, requests, reads, writes, actions, note), " ")
}

func readmeRows() []costRow {
	return []costRow{
		{label: "`Create`", names: []string{string(create)}},
		{label: "`Get` / `GetByEmail`", names: []string{string(getUser), string(byEmail)}},
		{label: "`Update`, `Suspend`, `Reinstate`, `Delete`, `Restore`", names: profileChanges()},
		{label: "`Add`", names: []string{string(add)}},
		{label: "`List`, `Profile`", names: []string{string(list), string(profile)}},
		{label: "`SendCode`, same code / fresh", names: []string{sendSame, sendFresh}},
		{label: "`Confirm`, wrong / right", names: []string{confirmWrong, confirmRight}},
		{label: "`SetPrimary`", names: []string{string(setPrimary)}},
		{label: "`Remove`, verified / unverified", names: []string{removeVerified, removeUnverified}},
		{label: "`Update` without an outbox", names: []string{updateWithoutOutbox}},
	}
}

func profileChanges() []string {
	return []string{string(updating), string(suspend), string(reinstate), string(deleting), string(restore), string(revoke)}
}

func userRows() []costRow {
	return []costRow{
		{label: "Create", names: []string{string(create)}},
		{label: "Create, repeated", names: []string{createRepeated}},
		{label: "Create, lapsed address", names: []string{createLapsed}},
		{label: "Get", names: []string{string(getUser)}},
		{label: "GetByEmail", names: []string{string(byEmail)}},
		{
			above: "Update, Suspend, Reinstate,", label: "Delete, Restore, RevokeTokens", names: profileChanges(),
			note: says("one request and no read with Loaded"),
		},
		{label: "Update without an outbox", names: []string{updateWithoutOutbox}},
		{label: "Purge, one verified address", names: []string{purgeVerified}, note: purgeMore},
		{label: "Erase, three addresses", names: []string{string(erase)}},
		{label: "Export, three addresses", names: []string{string(exporting)}},
		{label: "RevokeAllTokens", names: []string{string(revokeAll)}},
		{label: "TokensValidAfter", names: []string{string(cutoff)}},
	}
}

// purgeMore is what further addresses cost, told from three purges.
func purgeMore(measured map[string]cost) string {
	one, two, mixed := measured[purgeVerified], measured[purgeTwo], measured[purgeUnverified]
	return fmt.Sprintf("%v WCU, %d actions more for each verified, %v, %d for each unverified one",
		two.WriteUnits-one.WriteUnits, two.Actions-one.Actions, mixed.WriteUnits-one.WriteUnits, mixed.Actions-one.Actions)
}

func emailRows() []costRow {
	return []costRow{
		{label: "Add", names: []string{string(add)}, note: says("one request and no read with userstore.Loaded")},
		{label: "Add, taken / lapsed address", names: []string{addTaken, addLapsed}},
		{label: "List, Get, Profile", names: []string{string(list), string(getEmail), string(profile)}},
		{label: "SendCode, same code / fresh", names: []string{sendSame, sendFresh}},
		{label: "Confirm, wrong / right", names: []string{confirmWrong, confirmRight}},
		{label: "Confirm, verified already", names: []string{confirmAgain}},
		{label: "SetPrimary", names: []string{string(setPrimary)}, note: says("one request when it is the primary one")},
		{label: "Remove, verified/unverified", names: []string{removeVerified, removeUnverified}},
		{label: "Holders", names: []string{string(holders)}},
		{label: "SendQuota", names: []string{string(sendQuota)}},
	}
}

// lines are the lines of the table.
func (c costTable) lines(measured map[string]cost) []string {
	lines := slices.Clone(c.head)
	for _, row := range c.rows {
		if row.above != "" {
			lines = append(lines, c.line(row.above, "", "", "", "", ""))
		}
		cell := func(of func(cost) float64) string {
			var values []string
			for _, name := range row.names {
				values = append(values, strconv.FormatFloat(of(measured[name]), 'f', -1, 64))
			}
			if len(slices.Compact(slices.Clone(values))) == 1 {
				return values[0]
			}
			return strings.Join(values, " / ")
		}
		note := ""
		if row.note != nil {
			note = row.note(measured)
		}
		lines = append(lines, c.line(row.label,
			cell(func(c cost) float64 { return float64(c.Requests) }),
			cell(func(c cost) float64 { return c.ReadUnits }),
			cell(func(c cost) float64 { return c.WriteUnits }),
			cell(func(c cost) float64 { return float64(c.Actions) }), note))
	}
	return lines
}

// check compares the table in the document with the measured one, or writes it anew.
func (c costTable) check(t *testing.T, measured map[string]cost) {
	t.Helper()
	content, err := os.ReadFile(c.file)
	require.NoError(t, err)
	document := strings.Split(string(content), "\n")
	from := slices.Index(document, c.head[0])
	require.GreaterOrEqual(t, from, 0, "%s has no table of costs", c.file)
	to := from + slices.IndexFunc(document[from:], func(line string) bool { return strings.TrimRight(line, " ") == "" || line == "//" })
	want := c.lines(measured)
	if *update && !slices.Equal(want, document[from:to]) {
		changed := slices.Concat(document[:from], want, document[to:])
		require.NoError(t, os.WriteFile(c.file, []byte(strings.Join(changed, "\n")), 0o644))
		return
	}
	require.Equal(t, strings.Join(want, "\n"), strings.Join(document[from:to], "\n"),
		"the table says something else than what is measured; go test -run TestCosts ./internal/proof -update")
}
