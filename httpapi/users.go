package httpapi

import (
	"context"
	"net/http"

	"github.com/usercore-go/usercore/userstore"
)

// getUser is GET /users/me: one request.
func (h *Handler) getUser(ctx context.Context, c *call) (answer, error) {
	user, err := h.users.Get(ctx, c.identity.UserID)
	if err != nil {
		return answer{}, err
	}
	if err := c.admit(user); err != nil {
		return answer{}, err
	}
	return userAnswer(user), nil
}

// updateUser is PUT /users/me: two requests.
func (h *Handler) updateUser(ctx context.Context, c *call) (answer, error) {
	match, err := parseIfMatch(c.request.Header.Values("If-Match"))
	if err != nil {
		return answer{}, err
	}
	in, err := decode(c.body, field{name: "firstName"}, field{name: "lastName"}, field{name: "phone", nullable: true})
	changes := userstore.Changes{
		FirstName:  in.text("firstName"),
		LastName:   in.text("lastName"),
		Phone:      in.text("phone"),
		ClearPhone: in.isNull("phone"),
	}
	if err := withValues(err, changes.Validate()); err != nil {
		return answer{}, err
	}
	if c.user == nil {
		if c.user, err = h.users.Get(ctx, c.identity.UserID); err != nil {
			return answer{}, err
		}
	}
	changes.ExpectedVersion = match.expected(c.user.Version)
	user, err := h.users.Update(ctx, c.identity.UserID, changes, c.loaded()...)
	if err != nil {
		return answer{}, err
	}
	return userAnswer(user), nil
}

// deleteUser is DELETE /users/me: two requests, one when the account is deleted already.
func (h *Handler) deleteUser(ctx context.Context, c *call) (answer, error) {
	user, err := h.users.Delete(ctx, c.identity.UserID, c.loaded()...)
	if err != nil {
		return answer{}, err
	}
	body := deletedBody{Message: "Account scheduled for deletion", DeletedAt: timestamp(user.DeletedAt)}
	return reply(http.StatusOK, body), nil
}

func userAnswer(user *userstore.User) answer {
	return reply(http.StatusOK, newUserBody(user)).with("ETag", etag(user.Version))
}
