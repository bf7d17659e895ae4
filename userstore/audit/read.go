package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
)

// contents is what a scan found.
type contents struct {
	partitions map[string]*partition
	claims     map[string]table.Claim   // by address
	naming     map[string][]table.Claim // by holder
	unreadable []Violation
}

// partition is the items of one account.
type partition struct {
	userID  string
	profile *table.Profile
	emails  []table.Email
	codes   []table.Code
}

// evidence is what the scan found that bears on one account.
func (t *contents) evidence(userID string) evidence {
	p := t.partitions[userID]
	if p == nil {
		p = &partition{userID: userID}
	}
	return evidence{partition: *p, byAddress: t.claims, naming: t.naming[userID]}
}

// claimsOf are the addresses whose claims name an account.
func (t *contents) claimsOf(userID string) []string {
	addresses := make([]string, len(t.naming[userID]))
	for i, claim := range t.naming[userID] {
		addresses[i] = claim.Email
	}
	return addresses
}

// add sorts an item into the contents. Items of others are passed over.
func (t *contents) add(item dynamo.Item) {
	if !table.OwnsKey(item) {
		return
	}
	if table.IsClaim(item) {
		claim, err := table.DecodeClaim(item)
		if err != nil {
			t.cannotRead("", err)
			return
		}
		t.claims[claim.Email] = claim
		t.naming[claim.UserID] = append(t.naming[claim.UserID], claim)
		return
	}
	userID := table.UserOf(item)
	p := t.partitions[userID]
	if p == nil {
		p = &partition{userID: userID}
		t.partitions[userID] = p
	}
	if err := p.add(item); err != nil {
		t.cannotRead(userID, err)
	}
}

func (t *contents) cannotRead(userID string, err error) {
	t.unreadable = append(t.unreadable, Violation{Invariant: "shape", Kind: "unreadable", UserID: userID, Detail: err.Error()})
}

// add decodes an item of the partition.
func (p *partition) add(item dynamo.Item) error {
	var err error
	switch {
	case table.IsProfile(item):
		var profile table.Profile
		profile, err = table.DecodeProfile(item)
		p.profile = &profile
	case table.IsEmail(item):
		var row table.Email
		row, err = table.DecodeEmail(item)
		p.emails = append(p.emails, row)
	case table.IsCode(item):
		var code table.Code
		code, err = table.DecodeCode(item)
		p.codes = append(p.codes, code)
	}
	return err
}

// seq is the account's counter, 0 without a profile.
func (p *partition) seq() int64 {
	if p.profile == nil {
		return 0
	}
	return p.profile.Seq
}

// reader reads the table.
type reader struct {
	client Client
	table  string
}

// scan reads all of it.
func (r reader) scan(ctx context.Context) (*contents, error) {
	t := &contents{partitions: map[string]*partition{}, claims: map[string]table.Claim{}, naming: map[string][]table.Claim{}}
	input := &dynamodb.ScanInput{TableName: &r.table, ConsistentRead: aws.Bool(true)}
	for {
		page, err := dynamo.Scan(ctx, r.client, input)
		if err != nil {
			return nil, err
		}
		for _, item := range page.Items {
			t.add(item)
		}
		if len(page.LastEvaluatedKey) == 0 {
			return t, nil
		}
		input.ExclusiveStartKey = page.LastEvaluatedKey
	}
}

// confirm reads a suspected account again, until nobody changed it while it was read, and checks that.
func (r reader) confirm(ctx context.Context, userID string, addresses []string, rules rules) ([]Violation, error) {
	var wait dynamo.Backoff
	for {
		e, err := r.evidence(ctx, userID, addresses)
		if err != nil {
			return nil, err
		}
		again, err := r.partition(ctx, userID)
		if err != nil {
			return nil, err
		}
		if again.seq() == e.partition.seq() {
			return rules.check(e), nil
		}
		if err := wait.Pause(ctx, errors.New("the account is being changed")); err != nil {
			return nil, fmt.Errorf("reading account %s: %w", userID, err)
		}
	}
}

// evidence reads an account, the claims on its addresses, and the claims on addresses that named it before.
func (r reader) evidence(ctx context.Context, userID string, addresses []string) (evidence, error) {
	p, err := r.partition(ctx, userID)
	if err != nil {
		return evidence{}, err
	}
	e := evidence{partition: *p, byAddress: map[string]table.Claim{}}
	for _, row := range p.emails {
		addresses = append(addresses, row.Email)
	}
	slices.Sort(addresses)
	for _, address := range slices.Compact(addresses) {
		item, err := dynamo.Get(ctx, r.client, r.table, table.ClaimKey(address))
		if err != nil {
			return evidence{}, err
		}
		if item == nil {
			continue
		}
		claim, err := table.DecodeClaim(item)
		if err != nil {
			return evidence{}, err
		}
		e.byAddress[address] = claim
		if claim.UserID == userID {
			e.naming = append(e.naming, claim)
		}
	}
	return e, nil
}

// partition reads the items of one account. What cannot be decoded was noted by the scan.
func (r reader) partition(ctx context.Context, userID string) (*partition, error) {
	items, err := dynamo.Query(ctx, r.client, table.PartitionQuery(r.table, userID, table.FromCodes))
	if err != nil {
		return nil, err
	}
	p := &partition{userID: userID}
	for _, item := range items {
		if err := p.add(item); err != nil && !errors.Is(err, dynamo.ErrCorrupt) {
			return nil, err
		}
	}
	return p, nil
}
