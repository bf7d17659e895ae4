package account

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
)

// Account is what an operation has read of one account.
type Account struct {
	Profile table.Profile
	// Stored is the PROFILE item as Load read it, for others to decode; nil after LoadProfile and after a change.
	Stored dynamo.Item
	// Emails are the address rows, oldest first; Codes the live codes by email id; Budgets by hash of the address.
	// Each is there only if the operation reads that far.
	Emails  []table.Email
	Codes   map[string]table.Code
	Budgets map[string]table.Budget
}

// Email finds an address row by its id.
func (a Account) Email(emailID string) (table.Email, bool) {
	i := slices.IndexFunc(a.Emails, func(e table.Email) bool { return e.EmailID == emailID })
	if i < 0 {
		return table.Email{}, false
	}
	return a.Emails[i], true
}

// torn says whether rows and PROFILE are not of one moment. Query is read-committed against transactions: it may see
// a part of one that is being committed.
func (a Account) torn() bool {
	if int64(len(a.Emails)) != a.Profile.EmailCount {
		return true
	}
	if a.Profile.PrimaryEmailID == "" {
		return slices.ContainsFunc(a.Emails, func(e table.Email) bool { return e.IsVerified })
	}
	primary, ok := a.Email(a.Profile.PrimaryEmailID)
	return !ok || !primary.IsVerified
}

// LoadProfile reads the PROFILE alone. It returns ErrNotFound. One request.
func (k *Kernel) LoadProfile(ctx context.Context, userID string) (Account, error) {
	item, err := dynamo.Get(ctx, k.Client, k.Table, table.ProfileKey(userID))
	if err != nil {
		return Account{}, err
	}
	if item == nil {
		return Account{}, ErrNotFound
	}
	profile, err := table.DecodeProfile(item)
	return Account{Profile: profile}, err
}

// tornReads is how many reads of one seq in a row may be torn before the rows are taken to contradict the PROFILE.
const tornReads = 8

// Load reads the account's partition from a sort key on, PROFILE and rows of one moment. It returns ErrNotFound, and
// ErrCorrupt when rows and PROFILE keep contradicting each other. One request, another for each torn read.
func (k *Kernel) Load(ctx context.Context, userID, from string) (Account, error) {
	var wait dynamo.Backoff
	for torn, seq := 0, int64(-1); ; {
		items, err := dynamo.Query(ctx, k.Client, table.PartitionQuery(k.Table, userID, from))
		if err != nil {
			return Account{}, err
		}
		acc, err := decode(items)
		if err != nil || !acc.torn() {
			return acc, err
		}
		if acc.Profile.Seq != seq {
			torn, seq = 0, acc.Profile.Seq
		}
		if torn++; torn == tornReads {
			return Account{}, fmt.Errorf("%w: the address rows do not fit the profile", ErrCorrupt)
		}
		if err := wait.Pause(ctx, errTorn); err != nil {
			return Account{}, err
		}
	}
}

var errTorn = errors.New("the rows are being changed")

// decode sorts the items of a partition into an account.
func decode(items []dynamo.Item) (Account, error) {
	acc := Account{Emails: make([]table.Email, 0, len(items))}
	for _, item := range items {
		var err error
		switch {
		case table.IsProfile(item):
			acc.Stored = item
			acc.Profile, err = table.DecodeProfile(item)
		case table.IsEmail(item):
			var row table.Email
			row, err = table.DecodeEmail(item)
			acc.Emails = append(acc.Emails, row)
		case table.IsCode(item):
			var code table.Code
			code, err = table.DecodeCode(item)
			if acc.Codes == nil {
				acc.Codes = map[string]table.Code{}
			}
			acc.Codes[code.EmailID] = code
		case table.IsBudget(item):
			if acc.Budgets == nil {
				acc.Budgets = map[string]table.Budget{}
			}
			acc.Budgets[table.BudgetHash(item)], err = table.DecodeBudget(item)
		}
		if err != nil {
			return acc, err
		}
	}
	if acc.Stored == nil {
		return acc, ErrNotFound
	}
	slices.SortStableFunc(acc.Emails, func(a, b table.Email) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return acc, nil
}
