package httpapi

import (
	"context"
	"net/http"
	"time"
)

// sendCode is POST /users/me/emails/{emailId}/verify: two requests, and one for the headers of a code that was sent.
func (h *Handler) sendCode(ctx context.Context, c *call) (answer, error) {
	sent, err := h.addresses.SendCode(ctx, c.identity.UserID, c.emailID)
	if err != nil {
		return answer{}, err
	}
	a := reply(http.StatusOK, sentBody{Message: "Verification code sent", ExpiresIn: int64(sent.ExpiresIn / time.Second)})
	a.header = h.sendQuota(ctx, c, sent.Email)
	return a, nil
}

// confirm is POST /users/me/emails/{emailId}/verify/confirm: three requests, two for a wrong code, one for an address that is verified
// already.
func (h *Handler) confirm(ctx context.Context, c *call) (answer, error) {
	in, err := decode(c.body, field{name: fieldCode, required: true})
	if err != nil {
		return answer{}, err
	}
	email, err := h.addresses.Confirm(ctx, c.identity.UserID, c.emailID, *in.text(fieldCode))
	if err != nil {
		return answer{}, err
	}
	return reply(http.StatusOK, newEmailBody(email)), nil
}
