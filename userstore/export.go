package userstore

import (
	"context"
	"time"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/table"
)

// exportFormat names the members of an export and their meaning.
const exportFormat = "usercore-export/1"

// Export is all that the table holds of one account, for a person who asks for their data. As JSON its members are camelCase, times are in
// RFC 3339 with milliseconds, and what is not there is left out.
type Export struct {
	Format     string           `json:"format"` // usercore-export/1
	ExportedAt time.Time        `json:"exportedAt"`
	Account    ExportedAccount  `json:"account"`
	Emails     []ExportedEmail  `json:"emails"`          // oldest first
	Codes      []ExportedCode   `json:"codes,omitempty"` // codes that were sent and not used; never the digits
	Attempts   ExportedAttempts `json:"confirmAttempts"` // in the hour and day of the last attempt, over all addresses
}

// ExportedAccount is the account in an Export.
type ExportedAccount struct {
	UserID           string    `json:"userId"`
	Username         string    `json:"username,omitempty"`
	Email            string    `json:"email,omitempty"`
	FirstName        string    `json:"firstName,omitempty"`
	LastName         string    `json:"lastName,omitempty"`
	Phone            string    `json:"phone,omitempty"`
	Status           Status    `json:"status"`
	Version          int64     `json:"version"`
	Changes          int64     `json:"changes"` // the number of events of the account
	CreatedAt        time.Time `json:"createdAt,omitzero"`
	UpdatedAt        time.Time `json:"updatedAt,omitzero"`
	SuspendedAt      time.Time `json:"suspendedAt,omitzero"`
	SuspendReason    string    `json:"suspendReason,omitempty"`
	DeletedAt        time.Time `json:"deletedAt,omitzero"`
	PurgeAfter       time.Time `json:"purgeAfter,omitzero"`
	TokensValidAfter time.Time `json:"tokensValidAfter,omitzero"`
}

// ExportedEmail is an address in an Export.
type ExportedEmail struct {
	EmailID    string    `json:"emailId"`
	Email      string    `json:"email"`
	IsPrimary  bool      `json:"isPrimary"`
	IsVerified bool      `json:"isVerified"`
	VerifiedAt time.Time `json:"verifiedAt,omitzero"`
	CreatedAt  time.Time `json:"createdAt,omitzero"`
	ClaimedAt  time.Time `json:"claimedAt,omitzero"`  // since when no other account can have it
	LeaseUntil time.Time `json:"leaseUntil,omitzero"` // until when, unless it is verified
}

// ExportedCode is a live code in an Export.
type ExportedCode struct {
	EmailID   string    `json:"emailId"`
	SentAt    time.Time `json:"sentAt,omitzero"`
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	Attempts  int64     `json:"attempts"`
}

// ExportedAttempts are counts of attempts to confirm addresses.
type ExportedAttempts struct {
	Hour int64 `json:"hour"`
	Day  int64 `json:"day"`
}

// Export reads all that the table holds of one account, deleted ones too. Events that wait are in the outbox (outbox.Admin.Waiting); limits on
// sends are kept for an hour under the address and hold a time alone.
//
// It returns ErrNotFound. One request and one for each address; 1 RCU each.
func (s *Store) Export(ctx context.Context, userID string) (_ Export, err error) {
	defer s.kernel.Begin(&ctx, "userstore.export", userID).End(&err)
	if err := checkUserID(userID); err != nil {
		return Export{}, wrap("export", err)
	}
	acc, err := s.kernel.Load(ctx, userID, table.FromBudgets)
	if err != nil {
		return Export{}, wrap("export", err)
	}
	e := newExport(acc, s.kernel.Now())
	for i := range e.Emails {
		if err := s.exportClaim(ctx, userID, &e.Emails[i]); err != nil {
			return Export{}, wrap("export", err)
		}
	}
	return e, nil
}

// exportClaim adds what the claim of an address says, unless it is removed meanwhile.
func (s *Store) exportClaim(ctx context.Context, userID string, e *ExportedEmail) error {
	claim, err := s.claim(ctx, e.Email)
	if err == nil && claim.UserID == userID && claim.EmailID == e.EmailID {
		e.ClaimedAt, e.LeaseUntil = claim.ClaimedAt, claim.LeaseUntil
	}
	return err
}

func newExport(acc account.Account, now time.Time) Export {
	p := acc.Profile
	e := Export{
		Format: exportFormat, ExportedAt: now,
		Account: ExportedAccount{
			UserID: p.UserID, Username: p.Username, Email: p.Email, FirstName: p.FirstName, LastName: p.LastName, Phone: p.Phone,
			Status: Status(p.Status), Version: p.Version, Changes: p.Seq, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
			SuspendedAt: p.SuspendedAt, SuspendReason: p.SuspendReason, DeletedAt: p.DeletedAt, PurgeAfter: p.PurgeAfter,
			TokensValidAfter: p.TokensValidAfter,
		},
		Emails: []ExportedEmail{},
	}
	for _, row := range acc.Emails {
		e.Emails = append(e.Emails, ExportedEmail{
			EmailID: row.EmailID, Email: row.Email, IsPrimary: row.EmailID == p.PrimaryEmailID, IsVerified: row.IsVerified,
			VerifiedAt: row.VerifiedAt, CreatedAt: row.CreatedAt,
		})
		if code, ok := acc.Codes[row.EmailID]; ok {
			e.Codes = append(e.Codes, ExportedCode{EmailID: row.EmailID, SentAt: code.SentAt, ExpiresAt: code.ExpiresAt, Attempts: code.Attempts})
		}
	}
	for _, budget := range acc.Budgets {
		e.Attempts.Hour += budget.HourCount
		e.Attempts.Day += budget.DayCount
	}
	return e
}
