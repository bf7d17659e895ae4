package httpapi

import (
	"context"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/ratelimit"
	"github.com/usercore-go/usercore/userstore"
)

// Users is the part of a *userstore.Store that the handlers call, concurrently; see there for errors and cost.
type Users interface {
	Get(ctx context.Context, userID string) (*userstore.User, error)
	Update(ctx context.Context, userID string, changes userstore.Changes, options ...userstore.Option) (*userstore.User, error)
	Delete(ctx context.Context, userID string, options ...userstore.Option) (*userstore.User, error)
}

// Addresses is the part of an *emails.Store that the handlers call, concurrently; see there for errors and cost.
type Addresses interface {
	Profile(ctx context.Context, userID string) (*userstore.User, []emails.Email, error)
	Add(ctx context.Context, userID, address string, options ...userstore.Option) (emails.Added, error)
	SendCode(ctx context.Context, userID, emailID string, options ...userstore.Option) (emails.Sent, error)
	Confirm(ctx context.Context, userID, emailID, code string, options ...userstore.Option) (emails.Email, error)
	SetPrimary(ctx context.Context, userID, emailID string, options ...userstore.Option) (emails.Email, error)
	Remove(ctx context.Context, userID, emailID string, options ...userstore.Option) error
	SendQuota(ctx context.Context, address string) (ratelimit.Decision, error)
}

// Limiter is the part of a ratelimit.Limiter that the general limit needs. Allow asks for one unit of key and is called once for each
// authenticated request, concurrently. An error means that nothing was decided; it is answered with 503.
type Limiter interface {
	Allow(ctx context.Context, key string) (ratelimit.Decision, error)
}

var (
	_ Users     = (*userstore.Store)(nil)
	_ Addresses = (*emails.Store)(nil)
	_ Limiter   = (ratelimit.Limiter)(nil)
)
