package audit

import (
	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
)

// partition is the items of one account.
type partition struct {
	userID     string
	profile    *table.Profile
	emails     []table.Email
	codes      []table.Code
	indexWrong map[string]bool // rows that GSI1 shows elsewhere
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
		if !table.IndexedAs(item, p.userID, row.Email) {
			if p.indexWrong == nil {
				p.indexWrong = map[string]bool{}
			}
			p.indexWrong[row.EmailID] = true
		}
	case table.IsCode(item):
		var code table.Code
		code, err = table.DecodeCode(item)
		p.codes = append(p.codes, code)
	case table.IsBudget(item):
		_, err = table.DecodeBudget(item)
	}
	return err
}

// claimKeys are the keys of the claims on the addresses of the rows.
func (p *partition) claimKeys() []dynamo.Item {
	keys := make([]dynamo.Item, len(p.emails))
	for i, row := range p.emails {
		keys[i] = table.ClaimKey(row.Email)
	}
	return keys
}
