package table

import (
	"strings"
	"time"

	"github.com/usercore-go/usercore/internal/dynamo"
)

// Email is one address of an account: the EMAIL row.
type Email struct {
	EmailID string
	UserID  string
	Email   string // in canonical form
	// IsPrimary is for readers of the table; the authority is the profile's PrimaryEmailID.
	IsPrimary  bool
	IsVerified bool
	VerifiedAt time.Time
	CreatedAt  time.Time
}

var emailFields = []field[Email]{
	textField("emailId", func(e *Email) *string { return &e.EmailID }),
	textField("userId", func(e *Email) *string { return &e.UserID }),
	textField("email", func(e *Email) *string { return &e.Email }),
	boolField("isPrimary", func(e *Email) *bool { return &e.IsPrimary }),
	boolField("isVerified", func(e *Email) *bool { return &e.IsVerified }),
	timeField("verifiedAt", func(e *Email) *time.Time { return &e.VerifiedAt }),
	timeField("createdAt", func(e *Email) *time.Time { return &e.CreatedAt }),
}

// Item is the stored form, with the keys of GSI1.
func (e Email) Item() dynamo.Item {
	item := EmailKey(e.UserID, e.EmailID)
	item[IndexPK], item[IndexSK] = str(emailPrefix+e.Email), str(userPrefix+e.UserID)
	return encode(item, emailFields, &e)
}

// To is the update expression that turns the stored e into next. The keys of GSI1 stay as they are.
func (e Email) To(next Email) dynamo.Expr { return difference(emailFields, &e, &next) }

// DecodeEmail reads an EMAIL row.
func DecodeEmail(item dynamo.Item) (Email, error) { return decode(item, emailFields) }

// IsEmail says whether an item of an account's partition is an EMAIL row.
func IsEmail(item dynamo.Item) bool { return strings.HasPrefix(text(item[SK]), emailPrefix) }

// DecodeHolder reads an entry of GSI1: an account that holds or asks for the address, and the row.
func DecodeHolder(item dynamo.Item) (userID, emailID string) {
	return strings.TrimPrefix(text(item[IndexSK]), userPrefix), strings.TrimPrefix(text(item[SK]), emailPrefix)
}
