package cognitosync

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"time"

	"github.com/aws/smithy-go"

	"github.com/usercore-go/usercore/userstore"
)

// Revocations makes access tokens invalid; *userstore.Store is one. Every method may be called twice and concurrently.
type Revocations interface {
	Get(ctx context.Context, userID string) (*userstore.User, error)
	RevokeTokens(ctx context.Context, userID string, options ...userstore.Option) (*userstore.User, error)
	RevokeAllTokens(ctx context.Context) (time.Time, error)
}

// RevokeConfig configures a Revoker.
type RevokeConfig struct {
	// UserPoolID is the pool whose users are signed out; required.
	UserPoolID string
	// CallsPerSecond is the rate of requests to Cognito, 0.1 to 100, default 5. They are evenly spaced, and rarer while Cognito throttles.
	CallsPerSecond float64
	// Progress, if set, is called after each page of the pool, or each user of a list, by the goroutine that runs.
	Progress func(RevokeProgress)
	// Logger takes one record for each user who could not be signed out; by default nothing is logged.
	Logger *slog.Logger
}

// RevokeProgress is how far a revocation is.
type RevokeProgress struct {
	// Token resumes RevokePool from here; "" in RevokeUsers.
	Token string `json:"token,omitempty"`
	// Done counts the users who were looked at since the start or the resumption, those who failed too. To resume RevokeUsers, leave out
	// so many of the list.
	Done int64 `json:"done"`
	// Failed counts the users whom Cognito or the table refused; the log names them.
	Failed int64 `json:"failed"`
	// ValidAfter is the fleet-wide time before which tokens are refused, as RevokePool set it.
	ValidAfter time.Time `json:"validAfter,omitzero"`
}

// Revoker ends the sessions of many users, after a security incident. Use one at a time for a pool.
type Revoker struct {
	pool  *userPool
	users Revocations
	cfg   RevokeConfig
	log   *slog.Logger
}

// NewRevoker returns a Revoker, or an error that names the field that is wrong. It does no I/O.
func NewRevoker(pool Pool, users Revocations, cfg RevokeConfig) (*Revoker, error) {
	setDefault(&cfg.CallsPerSecond, defaultCallsPerSecond)
	switch {
	case pool == nil || users == nil:
		return nil, badConfig("NewRevoker: pool and users are required")
	case cfg.UserPoolID == "":
		return nil, badConfig("RevokeConfig.UserPoolID is required")
	case badRate(cfg.CallsPerSecond):
		return nil, badConfig("RevokeConfig.CallsPerSecond is %v, want 0.1 to 100", cfg.CallsPerSecond)
	}
	return &Revoker{
		pool:  &userPool{client: pool, id: cfg.UserPoolID, pace: steadyPacer(cfg.CallsPerSecond)},
		users: users, cfg: cfg, log: loggerOf(cfg.Logger),
	}, nil
}

// RevokePool makes the access tokens of all accounts invalid that were issued before now (userstore.Store.RevokeAllTokens), then signs
// out every user of the pool, so that no refresh token works. The first step is one write and takes effect for every verifier within its
// CachedTokensValidAfter interval. The second takes one call for each user, and one for each 60.
//
// token is "" to start, or that of the last progress to go on; a run that goes on does not move the time again. It returns how far it
// came, also beside an error. A user whom Cognito refuses is logged and counted, and does not end the run.
func (r *Revoker) RevokePool(ctx context.Context, token string) (RevokeProgress, error) {
	progress := RevokeProgress{Token: token}
	at, err := parseToken(token, r.cfg.UserPoolID, revokePhase)
	if err != nil {
		return progress, wrap("revoke pool", err)
	}
	if token == "" {
		if progress.ValidAfter, err = r.users.RevokeAllTokens(ctx); err != nil {
			return progress, wrap("revoke pool", err)
		}
	}
	return progress, wrap("revoke pool", r.signOutPool(ctx, at, &progress))
}

func (r *Revoker) signOutPool(ctx context.Context, at position, progress *RevokeProgress) error {
	for resumed := at.Page != ""; ; resumed = false {
		users, next, err := r.pool.list(ctx, at.Page, "")
		if err != nil {
			return refusedPage(err, resumed)
		}
		for _, user := range users {
			if err := r.count(ctx, progress, user.UserID, r.signOut(ctx, user.Username)); err != nil {
				return err
			}
		}
		at.Page = next
		progress.Token = ""
		if next != "" {
			progress.Token = at.token()
		}
		r.tell(*progress)
		if next == "" {
			return nil
		}
	}
}

// signOut signs out a user of the list, which lags: one who is gone is signed out.
func (r *Revoker) signOut(ctx context.Context, username string) error {
	if err := r.pool.signOut(ctx, username); !notFound(err) {
		return err
	}
	return nil
}

// RevokeUsers makes the access tokens of the listed accounts invalid that were issued before now, then signs each of them out. To go on
// with a list after a crash, leave out the users that the last progress counts as done.
//
// It returns how far it came, also beside an error. An account that does not exist or is deleted is only signed out; a user whom Cognito or
// the table refuses is logged and counted. Two requests to DynamoDB and one to Cognito for each; three more to Cognito for a federated
// user.
func (r *Revoker) RevokeUsers(ctx context.Context, userIDs iter.Seq[string]) (RevokeProgress, error) {
	var progress RevokeProgress
	for userID := range userIDs {
		if err := r.count(ctx, &progress, userID, r.revokeUser(ctx, userID)); err != nil {
			return progress, wrap("revoke users", err)
		}
		r.tell(progress)
	}
	return progress, nil
}

func (r *Revoker) revokeUser(ctx context.Context, userID string) error {
	var username string
	user, err := r.users.RevokeTokens(ctx, userID)
	if errors.Is(err, userstore.ErrStatus) {
		user, err = r.users.Get(ctx, userID)
	}
	switch {
	case err == nil:
		username = user.Username
	case !errors.Is(err, userstore.ErrNotFound):
		return err
	}
	return r.pool.on(ctx, userID, username, r.pool.signOut)
}

// count notes a user as done. It returns the errors that concern more than this user.
func (r *Revoker) count(ctx context.Context, progress *RevokeProgress, userID string, err error) error {
	if err != nil {
		_, refused := errors.AsType[smithy.APIError](err)
		if !permanent(err) && (!refused || r.pool.pace.passing(err)) {
			return err
		}
		progress.Failed++
		r.log.ErrorContext(ctx, "user not signed out", "operation", "cognitosync.revoke", "outcome", "failed", "userId", userID, "error", err.Error())
	}
	progress.Done++
	return nil
}

func (r *Revoker) tell(progress RevokeProgress) {
	if r.cfg.Progress != nil {
		r.cfg.Progress(progress)
	}
}
