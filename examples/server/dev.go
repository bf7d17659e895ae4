package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/usercore-go/usercore/userstore"
	"github.com/usercore-go/usercore/userstore/audit"
)

const (
	tokenLifetime = time.Hour
	// maxTokenLifetime keeps exp within what a time can hold; the API does not care.
	maxTokenLifetime = 10 * 365 * 24 * time.Hour
)

// tokenBody is what a call that makes a token answers.
type tokenBody struct {
	UserID      string `json:"userId,omitempty"`
	AccessToken string `json:"accessToken"`
}

// createUser is POST /dev/users: what Cognito does when a user has confirmed their address.
func (a *app) createUser(r *http.Request) (answer, error) {
	var in struct {
		Email     string `json:"email"`
		FirstName string `json:"firstName"`
		LastName  string `json:"lastName"`
	}
	if err := decode(r, &in); err != nil {
		return answer{}, err
	}
	id := uuid.NewString() // a new one each time, so an address that has an account is refused
	event := confirmation{
		Source: "PostConfirmation_ConfirmSignUp", UserName: id,
		Request: confirmedUser{Attributes: map[string]string{
			"sub": id, "email": in.Email, "email_verified": "true", "given_name": in.FirstName, "family_name": in.LastName,
		}},
	}
	if err := a.signUp(r.Context(), event); err != nil {
		return answer{}, err
	}
	token, err := a.issuer.accessToken(id, tokenLifetime, nil)
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusCreated, body: tokenBody{UserID: id, AccessToken: token}}, nil
}

// issueToken is POST /dev/tokens. It signs what it is asked to, for accounts that are not there and with claims that are wrong.
func (a *app) issueToken(r *http.Request) (answer, error) {
	var in struct {
		UserID    string                     `json:"userId"`
		ExpiresIn *int64                     `json:"expiresIn"` // seconds; negative for a token that has expired
		Claims    map[string]json.RawMessage `json:"claims"`
	}
	if err := decode(r, &in); err != nil {
		return answer{}, err
	}
	lifetime := tokenLifetime
	if in.ExpiresIn != nil {
		const most = int64(maxTokenLifetime / time.Second)
		if *in.ExpiresIn < -most || *in.ExpiresIn > most {
			return answer{}, refuse("expiresIn", "must be within ten years")
		}
		lifetime = time.Duration(*in.ExpiresIn) * time.Second
	}
	if in.UserID == "" {
		return answer{}, refuse("userId", "must not be empty")
	}
	token, err := a.issuer.accessToken(in.UserID, lifetime, in.Claims)
	if err != nil {
		return answer{}, err
	}
	return ok(tokenBody{AccessToken: token}), nil
}

// keySet is GET /.well-known/jwks.json.
func (a *app) keySet(*http.Request) (answer, error) { return ok(a.issuer.keys), nil }

// listMail is GET /dev/mail.
func (a *app) listMail(r *http.Request) (answer, error) {
	return ok(a.mail.sentTo(r.URL.Query().Get("to"))), nil
}

// suspendUser is POST /dev/users/{userId}/suspend. The body may be left out.
func (a *app) suspendUser(r *http.Request) (answer, error) {
	var in struct {
		Reason string `json:"reason"`
	}
	if err := decodeOptional(r, &in); err != nil {
		return answer{}, err
	}
	_, err := a.users.Suspend(r.Context(), r.PathValue("userId"), in.Reason)
	return noContent(), withoutBadID(err)
}

// reinstateUser is POST /dev/users/{userId}/reinstate.
func (a *app) reinstateUser(r *http.Request) (answer, error) {
	_, err := a.users.Reinstate(r.Context(), r.PathValue("userId"))
	return noContent(), withoutBadID(err)
}

// withoutBadID makes an id that no account can have one that none has.
func withoutBadID(err error) error {
	var invalid *userstore.ValidationError
	if errors.As(err, &invalid) && slices.ContainsFunc(invalid.Fields, func(f userstore.FieldError) bool { return f.Field == "userId" }) {
		return userstore.ErrNotFound
	}
	return err
}

// audit is GET /dev/audit: it reads the whole table.
func (a *app) audit(r *http.Request) (answer, error) {
	report, err := audit.Run(r.Context(), a.client, audit.Config{Table: tableName, Outbox: a.outbox})
	if err != nil {
		return answer{}, err
	}
	return ok(report), nil
}
