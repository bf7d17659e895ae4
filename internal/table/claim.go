package table

import (
	"time"

	"github.com/usercore-go/usercore/internal/dynamo"
)

// Claim says who holds an address: the CLAIM item.
type Claim struct {
	Email     string // in canonical form; part of the key, not an attribute
	UserID    string
	EmailID   string
	ClaimedAt time.Time
	// LeaseUntil is when another account may take the address over; zero once it is verified.
	LeaseUntil time.Time
}

var claimFields = []field[Claim]{
	textField("userId", func(c *Claim) *string { return &c.UserID }),
	textField("emailId", func(c *Claim) *string { return &c.EmailID }),
	timeField("claimedAt", func(c *Claim) *time.Time { return &c.ClaimedAt }),
	epochField("leaseUntil", func(c *Claim) *time.Time { return &c.LeaseUntil }),
}

// Item is the stored form.
func (c Claim) Item() dynamo.Item { return encode(ClaimKey(c.Email), claimFields, &c) }

// Verified says whether the holder has proven that the address is theirs.
func (c Claim) Verified() bool { return c.LeaseUntil.IsZero() }

// Lapsed says whether another account may take the address over. It compares whole seconds, as the condition does.
func (c Claim) Lapsed(now time.Time) bool { return !c.Verified() && c.LeaseUntil.Unix() <= now.Unix() }

// DecodeClaim reads a CLAIM item.
func DecodeClaim(item dynamo.Item) (Claim, error) {
	c, err := decode(item, claimFields)
	if pk := text(item[PK]); len(pk) > len(emailPrefix) {
		c.Email = pk[len(emailPrefix):]
	}
	return c, err
}

// IsClaim says whether an item is a CLAIM.
func IsClaim(item dynamo.Item) bool { return text(item[SK]) == claimSK }
