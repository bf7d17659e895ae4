package cognitotest

import (
	"maps"
	"slices"
	"time"
)

type attributeJSON struct {
	Name  string
	Value string
}

// userJSON is a user as ListUsers has it; AdminGetUser calls the attributes UserAttributes.
type userJSON struct {
	Username             string
	Attributes           []attributeJSON `json:",omitempty"`
	UserAttributes       []attributeJSON `json:",omitempty"`
	Enabled              bool
	UserStatus           string
	UserCreateDate       float64
	UserLastModifiedDate float64
}

func newUserJSON(u *User) userJSON {
	attributes := []attributeJSON{{"sub", u.Sub}}
	if u.Email != "" {
		verified := "false"
		if u.EmailVerified {
			verified = "true"
		}
		attributes = append(attributes, attributeJSON{"email", u.Email}, attributeJSON{"email_verified", verified})
	}
	for _, name := range slices.Sorted(maps.Keys(u.Attributes)) {
		attributes = append(attributes, attributeJSON{name, u.Attributes[name]})
	}
	return userJSON{
		Username: u.Username, Attributes: attributes, Enabled: !u.Disabled, UserStatus: u.Status,
		UserCreateDate: epoch(u.Created), UserLastModifiedDate: epoch(u.Modified),
	}
}

func epoch(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

type userInput struct {
	UserPoolID string `json:"UserPoolId"`
	Username   string
}

func (p *Pool) get(in userInput) (any, error) {
	r := p.find(in.Username)
	if r == nil {
		return nil, noUser()
	}
	out := newUserJSON(r.now)
	out.Attributes, out.UserAttributes = nil, out.Attributes
	return out, nil
}

// change returns the call that changes a user.
func (p *Pool) change(edit func(*User)) func(userInput) (any, error) {
	return func(in userInput) (any, error) {
		r := p.find(in.Username)
		if r == nil {
			return nil, noUser()
		}
		next := *r.now
		edit(&next)
		next.Modified = time.Now()
		p.replace(r, &next)
		return struct{}{}, nil
	}
}

func (p *Pool) remove(in userInput) (any, error) {
	r := p.find(in.Username)
	if r == nil {
		return nil, noUser()
	}
	p.replace(r, nil)
	return struct{}{}, nil
}

type updateInput struct {
	UserPoolID     string `json:"UserPoolId"`
	Username       string
	UserAttributes []attributeJSON
}

// update is AdminUpdateUserAttributes. An address that is written without email_verified becomes unverified.
func (p *Pool) update(in updateInput) (any, error) {
	r := p.find(in.Username)
	if r == nil {
		return nil, noUser()
	}
	next := *r.now
	next.Attributes = maps.Clone(next.Attributes)
	values := map[string]string{}
	for _, a := range in.UserAttributes {
		values[a.Name] = a.Value
	}
	for name, value := range values {
		switch name {
		case "email":
			next.Email, next.EmailVerified = value, values["email_verified"] == "true"
		case "email_verified":
			next.EmailVerified = value == "true"
		default:
			return nil, exception("InvalidParameterException", "the fake writes email and email_verified alone")
		}
	}
	if holder := p.aliases[alias(&next)]; next.EmailVerified && holder != nil && holder != r {
		return nil, exception("AliasExistsException", "An account with the email already exists.")
	}
	next.Modified = time.Now()
	p.replace(r, &next)
	return struct{}{}, nil
}

func noUser() error { return exception("UserNotFoundException", "User does not exist.") }
