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

// RowID names an address row.
type RowID struct{ UserID, EmailID string }

// RowIDOf is which row an item is, by its key.
func RowIDOf(item dynamo.Item) RowID {
	return RowID{UserID: UserOf(item), EmailID: strings.TrimPrefix(text(item[SK]), emailPrefix)}
}

// IndexedAs says whether GSI1 shows a row under that account and address.
func IndexedAs(item dynamo.Item, userID, address string) bool {
	return text(item[IndexPK]) == emailPrefix+address && text(item[IndexSK]) == userPrefix+userID
}

// Rewritten is the update expression that makes all attributes of a stored row those of e, the keys of GSI1 too. It is for repairs.
func (e Email) Rewritten() dynamo.Expr { return rewritten(e.Item()) }

// MarkedAs holds on an EMAIL row that is, or is not, verified and marked as primary; a row that does not say is not.
func MarkedAs(verified, primary bool) dynamo.Expr {
	return Exists().And(flagIs("isVerified", verified)).And(flagIs("isPrimary", primary))
}

func flagIs(name string, value bool) dynamo.Expr {
	text := name + " = :was_" + name
	if !value {
		text += " OR attribute_not_exists(" + name + ")"
	}
	return dynamo.Expr{Text: text, Values: dynamo.Item{":was_" + name: boolean(value)}}
}

// HasNot holds when there is no row under the key, or one of another address.
func HasNot(address string) dynamo.Expr {
	return dynamo.Expr{Text: "attribute_not_exists(PK) OR email <> :address", Values: dynamo.Item{":address": str(address)}}
}
