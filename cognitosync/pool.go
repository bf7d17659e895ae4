package cognitosync

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	cognito "github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider"
	"github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider/types"
)

// Pool is the part of *cognitoidentityprovider.Client that the package calls. Every call may be repeated and made concurrently. The
// package does the repeating, so that each request counts against the call rate: it switches the SDK's own off.
type Pool interface {
	ListUsers(context.Context, *cognito.ListUsersInput, ...func(*cognito.Options)) (*cognito.ListUsersOutput, error)
	AdminGetUser(context.Context, *cognito.AdminGetUserInput, ...func(*cognito.Options)) (*cognito.AdminGetUserOutput, error)
	AdminDisableUser(context.Context, *cognito.AdminDisableUserInput, ...func(*cognito.Options)) (*cognito.AdminDisableUserOutput, error)
	AdminEnableUser(context.Context, *cognito.AdminEnableUserInput, ...func(*cognito.Options)) (*cognito.AdminEnableUserOutput, error)
	AdminUserGlobalSignOut(
		context.Context, *cognito.AdminUserGlobalSignOutInput, ...func(*cognito.Options),
	) (*cognito.AdminUserGlobalSignOutOutput, error)
	AdminUpdateUserAttributes(
		context.Context, *cognito.AdminUpdateUserAttributesInput, ...func(*cognito.Options),
	) (*cognito.AdminUpdateUserAttributesOutput, error)
	AdminDeleteUser(context.Context, *cognito.AdminDeleteUserInput, ...func(*cognito.Options)) (*cognito.AdminDeleteUserOutput, error)
}

// pageSize is the most users that ListUsers returns at once (AWS API reference).
const pageSize = 60

// userPool is one user pool as the package speaks of it: by sub, with a pace.
type userPool struct {
	client Pool
	id     string
	pace   *pacer
	calls  atomic.Int64
}

// poolUser is a user of the pool.
type poolUser struct {
	Identity
	enabled bool
	status  types.UserStatusType
	changed time.Time // when it was created or modified last
}

func newPoolUser(username *string, attributes []types.AttributeType, enabled bool, status types.UserStatusType, dates ...*time.Time) *poolUser {
	values := make(map[string]string, len(attributes))
	for _, a := range attributes {
		values[aws.ToString(a.Name)] = aws.ToString(a.Value)
	}
	u := &poolUser{Identity: newIdentity(aws.ToString(username), values), enabled: enabled, status: status}
	for _, date := range dates {
		if date != nil && date.After(u.changed) {
			u.changed = *date
		}
	}
	return u
}

// call makes a paced request. It counts every attempt.
func (p *userPool) call(ctx context.Context, request func(once func(*cognito.Options)) error) error {
	return p.pace.do(ctx, func() error {
		p.calls.Add(1)
		return request(func(o *cognito.Options) { o.Retryer = aws.NopRetryer{} })
	})
}

// list reads a page. Pages may be short, empty, or repeat a user; next is "" only after the last one.
func (p *userPool) list(ctx context.Context, page, filter string) (users []*poolUser, next string, err error) {
	in := &cognito.ListUsersInput{UserPoolId: &p.id, Limit: aws.Int32(pageSize)}
	if page != "" {
		in.PaginationToken = &page
	}
	if filter != "" {
		in.Filter = &filter
	}
	err = p.call(ctx, func(once func(*cognito.Options)) error {
		out, err := p.client.ListUsers(ctx, in, once)
		if err != nil {
			return err
		}
		for _, u := range out.Users {
			users = append(users, newPoolUser(u.Username, u.Attributes, u.Enabled, u.UserStatus, u.UserCreateDate, u.UserLastModifiedDate))
		}
		next = aws.ToString(out.PaginationToken)
		return nil
	})
	return users, next, err
}

// get reads a user by user name, or by sub if it is a local user; nil means that there is none. The read is current, unlike list.
func (p *userPool) get(ctx context.Context, username string) (user *poolUser, err error) {
	err = p.call(ctx, func(once func(*cognito.Options)) error {
		u, err := p.client.AdminGetUser(ctx, &cognito.AdminGetUserInput{UserPoolId: &p.id, Username: &username}, once)
		if err == nil {
			user = newPoolUser(u.Username, u.UserAttributes, u.Enabled, u.UserStatus, u.UserCreateDate, u.UserLastModifiedDate)
		}
		return err
	})
	if notFound(err) {
		return nil, nil
	}
	return user, err
}

// find reads the user that an account belongs to. Cognito takes the sub of a local user for its name but not that of a federated one.
// A user who has the name and another sub is somebody else, who signed up after this one was deleted.
func (p *userPool) find(ctx context.Context, userID, username string) (*poolUser, error) {
	user, err := p.get(ctx, userID)
	if err != nil || user != nil && user.UserID == userID {
		return user, err
	}
	if username == "" {
		if username, err = p.lookUp(ctx, userID); err != nil {
			return nil, err
		}
	}
	if username == "" || username == userID {
		return nil, nil
	}
	user, err = p.get(ctx, username)
	if err != nil || user == nil || user.UserID != userID {
		return nil, err
	}
	return user, nil
}

// lookUp is the name of the user with a sub, "" if the list, which lags, has none.
func (p *userPool) lookUp(ctx context.Context, userID string) (string, error) {
	if strings.ContainsAny(userID, `"\`) {
		return "", nil // no sub has them, and they would end the filter's text
	}
	for page := ""; ; {
		users, next, err := p.list(ctx, page, `sub = "`+userID+`"`)
		if err != nil {
			return "", err
		}
		if len(users) > 0 {
			return users[0].Username, nil
		}
		if next == "" {
			return "", nil
		}
		page = next
	}
}

// on calls do with the name under which Cognito knows the user of an account; a user who does not exist is no error. The sub is tried
// first: it needs no look-up, and never means somebody else.
func (p *userPool) on(ctx context.Context, userID, username string, do func(ctx context.Context, name string) error) error {
	err := do(ctx, userID)
	if !notFound(err) {
		return err
	}
	if username == userID {
		return nil
	}
	user, err := p.find(ctx, userID, username)
	if err != nil || user == nil {
		return err
	}
	if err := do(ctx, user.Username); !notFound(err) {
		return err
	}
	return nil
}

func (p *userPool) disable(ctx context.Context, name string) error {
	return p.call(ctx, func(once func(*cognito.Options)) error {
		_, err := p.client.AdminDisableUser(ctx, &cognito.AdminDisableUserInput{UserPoolId: &p.id, Username: &name}, once)
		return err
	})
}

func (p *userPool) enable(ctx context.Context, name string) error {
	return p.call(ctx, func(once func(*cognito.Options)) error {
		_, err := p.client.AdminEnableUser(ctx, &cognito.AdminEnableUserInput{UserPoolId: &p.id, Username: &name}, once)
		return err
	})
}

func (p *userPool) signOut(ctx context.Context, name string) error {
	return p.call(ctx, func(once func(*cognito.Options)) error {
		_, err := p.client.AdminUserGlobalSignOut(ctx, &cognito.AdminUserGlobalSignOutInput{UserPoolId: &p.id, Username: &name}, once)
		return err
	})
}

func (p *userPool) erase(ctx context.Context, name string) error {
	return p.call(ctx, func(once func(*cognito.Options)) error {
		_, err := p.client.AdminDeleteUser(ctx, &cognito.AdminDeleteUserInput{UserPoolId: &p.id, Username: &name}, once)
		return err
	})
}

// setEmail writes the address as verified. It returns ErrAliasTaken. Both attributes go together: the address alone would become
// unverified, and its owner could not sign in with it.
func (p *userPool) setEmail(ctx context.Context, name, email string) error {
	err := p.call(ctx, func(once func(*cognito.Options)) error {
		_, err := p.client.AdminUpdateUserAttributes(ctx, &cognito.AdminUpdateUserAttributesInput{
			UserPoolId: &p.id, Username: &name,
			UserAttributes: []types.AttributeType{
				{Name: aws.String("email"), Value: &email},
				{Name: aws.String("email_verified"), Value: aws.String("true")},
			},
		}, once)
		return err
	})
	if _, ok := errors.AsType[*types.AliasExistsException](err); ok {
		return ErrAliasTaken
	}
	return err
}

func notFound(err error) bool {
	_, ok := errors.AsType[*types.UserNotFoundException](err)
	return ok
}
