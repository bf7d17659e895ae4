package table

import (
	"time"

	"github.com/usercore-go/usercore/internal/dynamo"
)

// Status is where an account stands in its life.
type Status string

// The states of an account.
const (
	Active    Status = "active"
	Suspended Status = "suspended"
	Deleted   Status = "deleted"
)

// Profile is the PROFILE item of an account.
type Profile struct {
	UserID   string
	Username string // of the identity provider
	// Email is the primary address, PrimaryEmailID its row; both are empty until an address is verified.
	Email          string
	PrimaryEmailID string
	FirstName      string
	LastName       string
	Phone          string
	Status         Status
	// Version is the optimistic lock that clients see; it moves with the visible fields.
	Version int64
	// Seq moves with every change of the account by the number of its events: the lock of every transaction.
	Seq              int64
	EmailCount       int64
	CreatedAt        time.Time
	UpdatedAt        time.Time
	SuspendedAt      time.Time
	SuspendReason    string
	DeletedAt        time.Time
	PurgeAfter       time.Time // zero once purged
	TokensValidAfter time.Time
}

var profileFields = []field[Profile]{
	textField("userId", func(p *Profile) *string { return &p.UserID }),
	textField("username", func(p *Profile) *string { return &p.Username }),
	textField("email", func(p *Profile) *string { return &p.Email }),
	textField("primaryEmailId", func(p *Profile) *string { return &p.PrimaryEmailID }),
	textField("firstName", func(p *Profile) *string { return &p.FirstName }),
	textField("lastName", func(p *Profile) *string { return &p.LastName }),
	textField("phone", func(p *Profile) *string { return &p.Phone }),
	textField("status", func(p *Profile) *string { return (*string)(&p.Status) }),
	countField("version", func(p *Profile) *int64 { return &p.Version }),
	countField("seq", func(p *Profile) *int64 { return &p.Seq }),
	countField("emailCount", func(p *Profile) *int64 { return &p.EmailCount }),
	timeField("createdAt", func(p *Profile) *time.Time { return &p.CreatedAt }),
	timeField("updatedAt", func(p *Profile) *time.Time { return &p.UpdatedAt }),
	timeField("suspendedAt", func(p *Profile) *time.Time { return &p.SuspendedAt }),
	textField("suspendReason", func(p *Profile) *string { return &p.SuspendReason }),
	timeField("deletedAt", func(p *Profile) *time.Time { return &p.DeletedAt }),
	epochField("purgeAfter", func(p *Profile) *time.Time { return &p.PurgeAfter }),
	timeField("tokensValidAfter", func(p *Profile) *time.Time { return &p.TokensValidAfter }),
}

// Purged says whether the account is a tombstone: deleted, and with nothing left to purge.
func (p Profile) Purged() bool { return p.Status == Deleted && p.PurgeAfter.IsZero() }

// Item is the stored form.
func (p Profile) Item() dynamo.Item { return encode(ProfileKey(p.UserID), profileFields, &p) }

// To is the update expression that turns the stored p into next.
func (p Profile) To(next Profile) dynamo.Expr { return difference(profileFields, &p, &next) }

// DecodeProfile reads a PROFILE item.
func DecodeProfile(item dynamo.Item) (Profile, error) { return decode(item, profileFields) }

// IsProfile says whether an item of an account's partition is its PROFILE.
func IsProfile(item dynamo.Item) bool { return text(item[SK]) == profileSK }

// Rewritten is the update expression that makes all attributes of a stored profile those of p. It is for repairs and adoption.
func (p Profile) Rewritten() dynamo.Expr { return rewritten(p.Item()) }

// Unnumbered holds on a PROFILE that has no seq: one that was not written by this module.
func Unnumbered() dynamo.Expr {
	return dynamo.Expr{Text: "attribute_exists(PK) AND attribute_not_exists(#seq)", Names: map[string]string{"#seq": "seq"}}
}

// VersionIs holds while the visible fields of a PROFILE are as they were; 0 for a PROFILE without a version.
func VersionIs(version int64) dynamo.Expr {
	if version == 0 {
		return dynamo.Expr{Text: "attribute_not_exists(version)"}
	}
	return dynamo.Expr{Text: "version = :wasVersion", Values: dynamo.Item{":wasVersion": num(version)}}
}
