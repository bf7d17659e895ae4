package httpapi

import (
	"context"
	"errors"
	"fmt"

	"github.com/usercore-go/usercore/userstore"
)

// StatusCheck says when the account behind a token is looked at.
type StatusCheck int32

const (
	// Writes has each change check in its own transaction that the account is active, and reads refuse deleted accounts. It costs nothing.
	// Tokens are valid until they expire.
	Writes StatusCheck = iota
	// EveryRequest also refuses tokens that were issued before the account's TokensValidAfter or before Config.TokensValidAfter: for mass
	// revocation. It costs writes on addresses that are there already one request more (1 RCU), and nothing else.
	EveryRequest
)

func (s StatusCheck) known() bool { return s == Writes || s == EveryRequest }

// SetStatusCheck changes Config.StatusCheck for the requests that begin from now on. It returns an error for a value that is not one of the
// constants. It may be called at any time.
func (h *Handler) SetStatusCheck(s StatusCheck) error {
	if !s.known() {
		return fmt.Errorf("httpapi: the status check is %d, not Writes or EveryRequest", s)
	}
	h.mode.Store(int32(s))
	return nil
}

// StatusCheck is the one that is in force.
func (h *Handler) StatusCheck() StatusCheck { return StatusCheck(h.mode.Load()) }

var (
	// errRevoked says that a token was issued before a cut-off.
	errRevoked = fmt.Errorf("the token was issued before a cut-off: %w", ErrUnauthenticated)
	// errCutOff says that the fleet-wide cut-off is not known.
	errCutOff = errors.New("the fleet-wide cut-off could not be read")
)

// authenticate finds out who asks. What an Authenticator returns beside the errors of its contract is a fault, and is not wrapped: its
// cause may be an error that means something else here.
func (h *Handler) authenticate(ctx context.Context, c *call) error {
	identity, err := h.auth.Authenticate(c.request)
	var unavailable *UnavailableError
	switch {
	case errors.As(err, &unavailable):
		return fmt.Errorf("%w: %w", errJudge, unavailable)
	case errors.Is(err, ErrUnauthenticated):
		return err
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("authenticating: %w", ctx.Err())
	case err != nil:
		return fmt.Errorf("authenticating: %v", err)
	}
	c.identity = identity
	c.mode = h.StatusCheck()
	if c.mode != EveryRequest || h.cfg.TokensValidAfter == nil {
		return nil
	}
	cutOff, err := h.cfg.TokensValidAfter(ctx)
	if err != nil {
		return fmt.Errorf("%w: %v", errCutOff, err)
	}
	if identity.IssuedAt.Before(cutOff) {
		return errRevoked
	}
	return nil
}

// checkStatus reads and judges the account before a write, when every request is to be checked.
func (h *Handler) checkStatus(ctx context.Context, c *call) error {
	if c.mode != EveryRequest || c.route.access != writes {
		return nil
	}
	user, err := h.users.Get(ctx, c.identity.UserID)
	if err != nil {
		return err
	}
	c.user = user
	return c.admit(user)
}

// admit judges an account that was read: userstore.ErrNotActive, or errRevoked. A token tells the time of its issue in whole seconds, so
// one issued in the second of the cut-off is refused.
func (c *call) admit(user *userstore.User) error {
	deleted := user.Status == userstore.Deleted
	inactive := deleted || user.Status == userstore.Suspended && c.route.access == writes
	switch {
	case inactive && !c.route.anyStatus:
		return userstore.ErrNotActive
	case c.mode != EveryRequest:
		return nil
	case deleted:
		// DELETE repeats its answer. The cut-off is the moment of deletion, so no token would be left to ask with.
		return nil
	case c.identity.IssuedAt.Before(user.TokensValidAfter):
		return errRevoked
	}
	return nil
}

// loaded hands the account to a store, if it was read.
func (c *call) loaded() []userstore.Option {
	if c.user == nil {
		return nil
	}
	return []userstore.Option{userstore.Loaded(c.user)}
}
