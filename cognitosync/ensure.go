package cognitosync

import (
	"context"
	"errors"

	"github.com/usercore-go/usercore/userstore"
)

// Creator makes accounts; *userstore.Store is one. Both methods may be called twice and concurrently.
type Creator interface {
	// Get returns userstore.ErrNotFound when there is no account.
	Get(ctx context.Context, userID string) (*userstore.User, error)
	// Create returns the stored account when it exists with the address.
	Create(ctx context.Context, in userstore.NewUser, options ...userstore.Option) (*userstore.User, error)
}

// EnsureUser returns the account of a user who has signed in, and makes it if there is none: for users whom the post-confirmation
// trigger does not see, such as imported ones and those that an administrator made. An account that exists is returned as it is,
// whatever its status and address.
//
// It returns userstore's errors: ErrTaken when somebody else has the address, a *ValidationError for an identity without a valid
// address. Names that userstore does not accept are left out rather than refused. One request, 1 RCU; two when the account is made.
func EnsureUser(ctx context.Context, users Creator, identity Identity) (*userstore.User, error) {
	user, err := users.Get(ctx, identity.UserID)
	if errors.Is(err, userstore.ErrNotFound) {
		user, err = create(ctx, users, identity)
	}
	return user, wrap("ensure user", err)
}

// create makes the account of a confirmed user. An account that exists is success: the id is never used twice, so it is the user's own,
// who has changed the address or was deleted since.
func create(ctx context.Context, users Creator, identity Identity) (*userstore.User, error) {
	in := userstore.NewUser{
		UserID: identity.UserID, Username: identity.Username,
		Email: identity.Email, EmailVerified: identity.EmailVerified,
		FirstName: identity.FirstName, LastName: identity.LastName,
	}
	user, err := users.Create(ctx, in)
	if refusesNames(err) {
		in.FirstName, in.LastName = "", ""
		user, err = users.Create(ctx, in)
	}
	if errors.Is(err, userstore.ErrExists) {
		return users.Get(ctx, identity.UserID)
	}
	return user, err
}

// refusesNames is true of an error that is about names and nothing else: providers let people write anything there, and it must not
// keep them out.
func refusesNames(err error) bool {
	bad, ok := errors.AsType[*userstore.ValidationError](err)
	if !ok {
		return false
	}
	for _, f := range bad.Fields {
		if f.Field != "firstName" && f.Field != "lastName" {
			return false
		}
	}
	return len(bad.Fields) > 0
}
