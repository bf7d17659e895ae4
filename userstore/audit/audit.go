// Package audit checks the invariants of usercore over a whole table: that every address belongs to one account, that
// claims and address rows match one to one, that each account has exactly the primary address its profile names, that the
// count of addresses is right, and that no verification code outlives its address.
//
// [Run] reads the whole table and is for administration: one strongly consistent Scan (1 RCU for each 4 KB of the table),
// and a few reads for each account under suspicion. It may run while the table is in use: what looks wrong is read
// again, consistently, before it is reported. It holds the keys of all addresses in memory, about 300 bytes each. It
// writes nothing.
//
// A report names accounts and rows by their ids and never shows an address.
package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/usercore-go/usercore/internal/dynamo"
)

// Client is the part of *dynamodb.Client that the package calls.
type Client interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
	Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error)
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
}

// Config says what to audit.
type Config struct {
	// Table is the name or ARN of the table; required.
	Table string
	// MaxEmails is how many addresses an account may have: 1 to 30, default 5, as for userstore.
	MaxEmails int
}

// Report is the result of an audit.
type Report struct {
	// Users, Emails and Claims count what was found: accounts of any status, address rows, claims.
	Users      int         `json:"users"`
	Emails     int         `json:"emails"`
	Claims     int         `json:"claims"`
	Violations []Violation `json:"violations"` // empty, not nil, when the table is clean
}

// Violation is one invariant that does not hold.
type Violation struct {
	// Invariant is the number that the project's design gives it: I1 to I4, I8; "shape" for an item that cannot be read.
	Invariant string `json:"invariant"`
	// Kind is a stable word for the defect, as in "claim_missing".
	Kind    string `json:"kind"`
	UserID  string `json:"userId,omitempty"`
	EmailID string `json:"emailId,omitempty"`
	// Detail says it to a person.
	Detail string `json:"detail"`
}

// Run audits a table. It returns an error only when the table cannot be read or cfg is wrong.
func Run(ctx context.Context, client Client, cfg Config) (Report, error) {
	rules, err := newRules(client, cfg)
	if err != nil {
		return Report{}, fmt.Errorf("audit: %w", err)
	}
	reader := reader{client: client, table: cfg.Table}
	seen, err := reader.scan(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("audit: %w", err)
	}
	report := Report{Claims: len(seen.claims), Violations: []Violation{}}
	for _, p := range seen.partitions {
		if p.profile != nil {
			report.Users++
		}
		report.Emails += len(p.emails)
	}
	for _, userID := range rules.suspects(seen) {
		found, err := reader.confirm(ctx, userID, seen.claimsOf(userID), rules)
		if err != nil {
			return Report{}, fmt.Errorf("audit: %w", err)
		}
		report.Violations = append(report.Violations, found...)
	}
	report.Violations = append(report.Violations, seen.unreadable...)
	slices.SortFunc(report.Violations, func(a, b Violation) int {
		return strings.Compare(a.UserID+a.EmailID+a.Kind, b.UserID+b.EmailID+b.Kind)
	})
	return report, nil
}

func newRules(client dynamo.Client, cfg Config) (rules, error) {
	const most = 30
	switch {
	case client == nil:
		return rules{}, fmt.Errorf("the client is nil")
	case cfg.Table == "":
		return rules{}, fmt.Errorf("Config.Table is empty")
	case cfg.MaxEmails < 0 || cfg.MaxEmails > most:
		return rules{}, fmt.Errorf("Config.MaxEmails is %d, not 1 to %d", cfg.MaxEmails, most)
	case cfg.MaxEmails == 0:
		return rules{maxEmails: 5}, nil
	}
	return rules{maxEmails: int64(cfg.MaxEmails)}, nil
}
