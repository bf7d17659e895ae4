package userstore

import (
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/table"
)

// Status is where an account stands in its life.
type Status string

// The states of an account.
const (
	Active    Status = "active"
	Suspended Status = "suspended"
	Deleted   Status = "deleted"
)

// User is an account. Times are UTC in whole milliseconds; a zero time is "never".
type User struct {
	UserID   string
	Username string // of the identity provider, empty when it is not known
	// Email is the primary address, PrimaryEmailID its id; both are empty until the account's first address is verified.
	Email          string
	PrimaryEmailID string
	FirstName      string
	LastName       string
	Phone          string // E.164, empty when unset
	Status         Status
	// Version moves by one when a visible field changes: profile, status, primary address.
	Version       int64
	EmailCount    int
	CreatedAt     time.Time
	UpdatedAt     time.Time
	SuspendedAt   time.Time
	SuspendReason string
	DeletedAt     time.Time
	// PurgeAfter is when a deleted account may be purged; zero otherwise, and after the purge.
	PurgeAfter time.Time
	// TokensValidAfter is before which an access token must have been issued to be refused.
	TokensValidAfter time.Time

	stored account.Account
}

// DecodeUser reads a PROFILE item of the table, for those who read it by themselves: from a stream, an export, or the
// old item of a failed condition. It returns ErrInvalid for another item, and ErrCorrupt for an attribute of the wrong
// type.
func DecodeUser(item map[string]types.AttributeValue) (*User, error) {
	if !table.IsProfile(item) || table.UserOf(item) == "" {
		return nil, wrap("decode", fmt.Errorf("%w: the item is not a PROFILE", ErrInvalid))
	}
	profile, err := table.DecodeProfile(item)
	if err != nil {
		return nil, wrap("decode", err)
	}
	return newUser(account.Account{Profile: profile}), nil
}

func newUser(acc account.Account) *User {
	p := acc.Profile
	return &User{
		UserID: p.UserID, Username: p.Username, Email: p.Email, PrimaryEmailID: p.PrimaryEmailID,
		FirstName: p.FirstName, LastName: p.LastName, Phone: p.Phone, Status: Status(p.Status),
		Version: p.Version, EmailCount: int(p.EmailCount), CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
		SuspendedAt: p.SuspendedAt, SuspendReason: p.SuspendReason, DeletedAt: p.DeletedAt,
		PurgeAfter: p.PurgeAfter, TokensValidAfter: p.TokensValidAfter,
		stored: account.Account{Profile: acc.Profile},
	}
}
