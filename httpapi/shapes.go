package httpapi

import (
	"time"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/userstore"
)

// The shapes of the answers. The order of the fields is the order of the keys.

type userBody struct {
	UserID    string           `json:"userId"`
	Email     string           `json:"email,omitempty"` // absent until the first address is verified
	FirstName string           `json:"firstName"`
	LastName  string           `json:"lastName"`
	Phone     string           `json:"phone,omitempty"`
	Status    userstore.Status `json:"status"`
	CreatedAt timestamp        `json:"createdAt"`
	UpdatedAt timestamp        `json:"updatedAt"`
}

func newUserBody(u *userstore.User) userBody {
	return userBody{
		UserID: u.UserID, Email: u.Email, FirstName: u.FirstName, LastName: u.LastName, Phone: u.Phone, Status: u.Status,
		CreatedAt: timestamp(u.CreatedAt), UpdatedAt: timestamp(u.UpdatedAt),
	}
}

type emailBody struct {
	EmailID    string     `json:"emailId"`
	Email      string     `json:"email"`
	IsPrimary  bool       `json:"isPrimary"`
	IsVerified bool       `json:"isVerified"`
	VerifiedAt *timestamp `json:"verifiedAt,omitempty"` // absent while unverified
	CreatedAt  timestamp  `json:"createdAt"`
}

func newEmailBody(e emails.Email) emailBody {
	body := emailBody{
		EmailID: e.EmailID, Email: e.Email, IsPrimary: e.IsPrimary, IsVerified: e.IsVerified, CreatedAt: timestamp(e.CreatedAt),
	}
	if !e.VerifiedAt.IsZero() {
		verifiedAt := timestamp(e.VerifiedAt)
		body.VerifiedAt = &verifiedAt
	}
	return body
}

type emailsBody struct {
	Emails []emailBody `json:"emails"`
}

func newEmailsBody(list []emails.Email) emailsBody {
	body := emailsBody{Emails: make([]emailBody, len(list))}
	for i, e := range list {
		body.Emails[i] = newEmailBody(e)
	}
	return body
}

type deletedBody struct {
	Message   string    `json:"message"`
	DeletedAt timestamp `json:"deletedAt"`
}

type sentBody struct {
	Message   string `json:"message"`
	ExpiresIn int64  `json:"expiresIn"` // seconds
}

// timestamp is a time in UTC, in whole seconds: "2026-01-15T10:30:00Z".
type timestamp time.Time

// MarshalText makes it a JSON string.
func (t timestamp) MarshalText() ([]byte, error) {
	return time.Time(t).UTC().AppendFormat(nil, "2006-01-02T15:04:05Z"), nil
}
