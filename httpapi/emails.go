package httpapi

import (
	"context"
	"net/http"

	"github.com/usercore-go/usercore/emails"
)

const (
	fieldEmail = "email"
	fieldCode  = "code"
)

// listEmails is GET /users/me/emails: one request.
func (h *Handler) listEmails(ctx context.Context, c *call) (answer, error) {
	list, err := h.readEmails(ctx, c)
	if err != nil {
		return answer{}, err
	}
	return reply(http.StatusOK, newEmailsBody(list)), nil
}

// getEmail is GET /users/me/emails/{emailId}: one request.
func (h *Handler) getEmail(ctx context.Context, c *call) (answer, error) {
	email, err := h.readEmail(ctx, c)
	if err != nil {
		return answer{}, err
	}
	return reply(http.StatusOK, newEmailBody(email)), nil
}

// readEmails reads the account together with its addresses, so that its status is known without another request.
func (h *Handler) readEmails(ctx context.Context, c *call) ([]emails.Email, error) {
	user, list, err := h.addresses.Profile(ctx, c.identity.UserID)
	if err != nil {
		return nil, err
	}
	return list, c.admit(user)
}

func (h *Handler) readEmail(ctx context.Context, c *call) (emails.Email, error) {
	list, err := h.readEmails(ctx, c)
	if err != nil {
		return emails.Email{}, err
	}
	for _, email := range list {
		if email.EmailID == c.emailID {
			return email, nil
		}
	}
	return emails.Email{}, emails.ErrNotFound
}

// addEmail is POST /users/me/emails: two requests, and one for the headers of an address that was added. Whether an address is refused does
// not show who has it: the cost and the answer are the same.
func (h *Handler) addEmail(ctx context.Context, c *call) (answer, error) {
	in, err := decode(c.body, field{name: fieldEmail, required: true})
	if err != nil {
		return answer{}, err
	}
	added, err := h.addresses.Add(ctx, c.identity.UserID, *in.text(fieldEmail), c.loaded()...)
	if err != nil {
		return answer{}, err
	}
	if added.SendErr != nil {
		h.warn(ctx, c, "an address was added, but its code was not sent", added.SendErr)
	}
	a := reply(http.StatusCreated, newEmailBody(added.Email))
	a.header = h.sendQuota(ctx, c, added.Email.Email)
	return a.with("Location", c.route.path+"/"+added.EmailID), nil
}

// removeEmail is DELETE /users/me/emails/{emailId}: two requests.
func (h *Handler) removeEmail(ctx context.Context, c *call) (answer, error) {
	if err := h.addresses.Remove(ctx, c.identity.UserID, c.emailID); err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusNoContent}, nil
}

// setPrimary is PUT /users/me/emails/{emailId}/primary: two requests, one when it is the primary address already.
func (h *Handler) setPrimary(ctx context.Context, c *call) (answer, error) {
	email, err := h.addresses.SetPrimary(ctx, c.identity.UserID, c.emailID)
	if err != nil {
		return answer{}, err
	}
	return reply(http.StatusOK, newEmailBody(email)), nil
}
