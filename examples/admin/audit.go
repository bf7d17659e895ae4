package main

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/urfave/cli/v3"

	"github.com/usercore-go/usercore/userstore/audit"
)

func (p *program) auditCommand() *cli.Command {
	return &cli.Command{
		Name: "audit", Usage: "check the invariants of the whole table; it writes nothing",
		OnUsageError: usageError,
		Action:       p.action(0, 0, func(ctx context.Context, _ []string) error { return p.audit(ctx) }),
	}
}

func (p *program) audit(ctx context.Context) error {
	client, err := p.dynamodb(ctx)
	if err != nil {
		return err
	}
	table, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &p.table})
	if err != nil {
		return fmt.Errorf("table %s: %w", p.table, err)
	}
	var items int64
	if table.Table != nil && table.Table.ItemCount != nil {
		items = *table.Table.ItemCount // of the last six hours, good enough for a bar
	}
	bar := p.progress("audit", items)
	report, err := audit.Run(ctx, countingClient{Client: client, bar: bar}, audit.Config{Table: p.table, MaxEmails: p.maxEmails})
	bar.end()
	if err != nil {
		return err
	}
	return p.printAudit(report)
}

// countingClient shows on the bar what is scanned.
type countingClient struct {
	audit.Client
	bar *progress
}

// Scan reads a page and counts its items.
func (c countingClient) Scan(
	ctx context.Context, in *dynamodb.ScanInput, options ...func(*dynamodb.Options),
) (*dynamodb.ScanOutput, error) {
	out, err := c.Client.Scan(ctx, in, options...)
	if err == nil {
		c.bar.add(int64(out.ScannedCount))
	}
	return out, err
}

// printAudit prints the report as one object, or the violations and a line with the counts.
func (p *program) printAudit(report audit.Report) error {
	if p.json {
		if err := p.printJSON(report); err != nil {
			return err
		}
	} else {
		rows := p.list("INVARIANT", "KIND", "USER", "EMAIL ID", "DETAIL")
		for _, v := range report.Violations {
			if err := rows.add(v, v.Invariant, v.Kind, v.UserID, v.EmailID, v.Detail); err != nil {
				return err
			}
		}
		if err := rows.end(); err != nil {
			return err
		}
		fmt.Fprintf(p.stdout, "%d accounts, %d addresses, %d claims, %d violations\n",
			report.Users, report.Emails, report.Claims, len(report.Violations))
	}
	if n := len(report.Violations); n > 0 {
		return foundf("table %s has %d violations", p.table, n)
	}
	return nil
}
