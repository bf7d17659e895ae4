package table

import (
	"strings"
	"time"

	"github.com/usercore-go/usercore/internal/dynamo"
)

// Code is the live verification code of an address: the CODE item. The six digits are derived and never stored.
type Code struct {
	UserID      string // part of the key, not an attribute
	EmailID     string // part of the key, not an attribute
	CodeID      string
	KeyID       string // names the secret that the digits are derived with
	Attempts    int64
	MaxAttempts int64
	ExpiresAt   time.Time
	SentAt      time.Time
}

// codeRetention is how long an expired code stays, so that the TTL lies after the expiry for every clock.
const codeRetention = time.Hour

var codeFields = []field[Code]{
	textField("codeId", func(c *Code) *string { return &c.CodeID }),
	textField("keyId", func(c *Code) *string { return &c.KeyID }),
	countField("attempts", func(c *Code) *int64 { return &c.Attempts }),
	countField("maxAttempts", func(c *Code) *int64 { return &c.MaxAttempts }),
	epochField("expiresAt", func(c *Code) *time.Time { return &c.ExpiresAt }),
	timeField("sentAt", func(c *Code) *time.Time { return &c.SentAt }),
}

// Item is the stored form, with its TTL.
func (c Code) Item() dynamo.Item {
	item := encode(CodeKey(c.UserID, c.EmailID), codeFields, &c)
	item[TTL] = num(c.ExpiresAt.Add(codeRetention).Unix())
	return item
}

// Expired compares whole seconds, as the condition does.
func (c Code) Expired(now time.Time) bool { return c.ExpiresAt.Unix() <= now.Unix() }

// DecodeCode reads a CODE item.
func DecodeCode(item dynamo.Item) (Code, error) {
	c, err := decode(item, codeFields)
	c.UserID = strings.TrimPrefix(text(item[PK]), userPrefix)
	c.EmailID = strings.TrimPrefix(text(item[SK]), codePrefix)
	return c, err
}

// IsCode says whether an item of an account's partition is a CODE.
func IsCode(item dynamo.Item) bool { return strings.HasPrefix(text(item[SK]), codePrefix) }
