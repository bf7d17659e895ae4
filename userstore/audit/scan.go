package audit

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
)

// pageItems is how many items a page has at the most. A page of a megabyte, DynamoDB's own bound, takes many times its size to decode.
const pageItems = 1_000

// segment audits one segment of the table, page after page. DynamoDB keeps the items of a partition together in a scan, so one account is
// open at a time.
type segment struct {
	*auditor
	open *partition
}

// page is what a page of the scan has to be judged: the accounts that ended in it, and its claims.
type page struct {
	accounts []*partition
	claims   []table.Claim
}

func (s *segment) run(ctx context.Context, index, of int) error {
	input := &dynamodb.ScanInput{
		TableName: &s.cfg.Table, ConsistentRead: aws.Bool(true), Limit: aws.Int32(pageItems),
		Segment: aws.Int32(int32(index)), TotalSegments: aws.Int32(int32(of)),
	}
	for {
		out, err := dynamo.Scan(ctx, s.client, input)
		if err != nil {
			return err
		}
		var p page
		for _, item := range out.Items {
			s.add(&p, item)
		}
		input.ExclusiveStartKey = out.LastEvaluatedKey
		last := len(input.ExclusiveStartKey) == 0
		if last {
			s.close(&p)
		}
		if err := s.judge(ctx, p); err != nil {
			return err
		}
		s.results.progress(len(out.Items))
		if last {
			return nil
		}
	}
}

// add sorts an item into the page. Items of others are passed over.
func (s *segment) add(p *page, item dynamo.Item) {
	if !table.OwnsKey(item) {
		return
	}
	if table.IsClaim(item) {
		claim, err := table.DecodeClaim(item)
		if err != nil {
			s.results.add(violation(unreadable, claim.UserID, claim.EmailID))
			return
		}
		s.results.count(counts{claims: 1})
		p.claims = append(p.claims, claim)
		return
	}
	userID := table.UserOf(item)
	if userID == "" {
		if _, err := table.DecodeFleet(item); err != nil {
			s.results.add(violation(unreadable, "", ""))
		}
		return
	}
	if s.open == nil || s.open.userID != userID {
		s.close(p)
		s.open = &partition{userID: userID}
	}
	if err := s.open.add(item); err != nil {
		s.results.add(violation(unreadable, userID, ""))
	}
}

// close ends the open account.
func (s *segment) close(p *page) {
	if s.open == nil {
		return
	}
	c := counts{emails: len(s.open.emails)}
	if s.open.profile != nil {
		c.users = 1
	}
	s.results.count(c)
	p.accounts = append(p.accounts, s.open)
	s.open = nil
}

// judge looks up what is elsewhere, the claims on the rows and the rows of the claims, and examines what looks wrong.
func (s *segment) judge(ctx context.Context, p page) error {
	var keys []dynamo.Item
	for _, account := range p.accounts {
		keys = append(keys, account.claimKeys()...)
	}
	for _, claim := range p.claims {
		if claim.UserID != "" && claim.EmailID != "" {
			keys = append(keys, table.EmailKey(claim.UserID, claim.EmailID))
		}
	}
	items, err := dynamo.BatchGet(ctx, s.client, s.cfg.Table, keys)
	if err != nil {
		return err
	}
	rows, claimItems := map[table.RowID]string{}, items[:0]
	for _, item := range items {
		if table.IsClaim(item) {
			claimItems = append(claimItems, item)
			continue
		}
		row, _ := table.DecodeEmail(item) // a row that cannot be decoded is noted where the scan comes to it
		rows[table.RowIDOf(item)] = row.Email
	}
	claims := claimsIn(claimItems)
	for _, account := range p.accounts {
		if len(s.rules.check(evidence{partition: *account, claims: claims})) == 0 {
			continue
		}
		if err := s.examine(ctx, account.userID); err != nil {
			return err
		}
	}
	for _, claim := range p.claims {
		if address, has := rows[table.RowID{UserID: claim.UserID, EmailID: claim.EmailID}]; has && address == claim.Email {
			continue
		}
		if err := s.examineClaim(ctx, claim); err != nil {
			return err
		}
	}
	return nil
}
