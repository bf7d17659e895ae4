package cognitotest_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	cognito "github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider"
	"github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/cognitosync/cognitotest"
)

func TestRaggedPages(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 60, 61, 1_000} {
		p := cognitotest.New(cognitotest.Options{Ragged: true})
		for i := range size {
			p.Put(cognitotest.User{Sub: fmt.Sprint(i)})
		}
		seen, empty, repeated := map[string]bool{}, 0, 0
		in := &cognito.ListUsersInput{UserPoolId: aws.String(cognitotest.PoolID)}
		for more := true; more; more = in.PaginationToken != nil {
			out, err := p.Client().ListUsers(t.Context(), in)
			require.NoError(t, err)
			if len(out.Users) == 0 {
				empty++
			}
			for _, u := range out.Users {
				if seen[*u.Username] {
					repeated++
				}
				seen[*u.Username] = true
			}
			in.PaginationToken = out.PaginationToken
		}
		require.Len(t, seen, size)
		if size == 1_000 {
			require.Positive(t, empty)
			require.Positive(t, repeated)
		}
	}
}

func TestListLags(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := cognitotest.New(cognitotest.Options{Lag: time.Minute})
		client := p.Client()
		name, pool := aws.String("s1"), aws.String(cognitotest.PoolID)
		list := func() []types.UserType {
			out, err := client.ListUsers(t.Context(), &cognito.ListUsersInput{UserPoolId: pool})
			require.NoError(t, err)
			return out.Users
		}
		p.Put(cognitotest.User{Sub: "s1"})
		require.Empty(t, list())
		<-time.After(time.Minute)
		require.Len(t, list(), 1)
		_, err := client.AdminDisableUser(t.Context(), &cognito.AdminDisableUserInput{UserPoolId: pool, Username: name})
		require.NoError(t, err)
		require.True(t, list()[0].Enabled)
		got, err := client.AdminGetUser(t.Context(), &cognito.AdminGetUserInput{UserPoolId: pool, Username: name})
		require.NoError(t, err)
		require.False(t, got.Enabled, "this read does not lag")
		<-time.After(time.Minute)
		require.False(t, list()[0].Enabled)
	})
}

func TestNames(t *testing.T) {
	t.Parallel()
	p := cognitotest.New(cognitotest.Options{})
	p.Put(cognitotest.User{Sub: "s1", Username: "dana", Email: "Dana@example.com", EmailVerified: true})
	p.Put(cognitotest.User{Sub: "s2", Username: "Google_1", Status: cognitotest.External})
	client := p.Client()
	for name, found := range map[string]bool{"dana": true, "s1": true, "dana@example.com": true, "Google_1": true, "s2": false, "x": false} {
		_, err := client.AdminGetUser(t.Context(), &cognito.AdminGetUserInput{UserPoolId: aws.String(cognitotest.PoolID), Username: &name})
		if found {
			require.NoError(t, err, name)
			continue
		}
		var missing *types.UserNotFoundException
		require.ErrorAs(t, err, &missing, name)
	}
	_, err := client.AdminUpdateUserAttributes(t.Context(), &cognito.AdminUpdateUserAttributesInput{
		UserPoolId: aws.String(cognitotest.PoolID), Username: aws.String("Google_1"),
		UserAttributes: []types.AttributeType{
			{Name: aws.String("email"), Value: aws.String("dana@example.com")}, {Name: aws.String("email_verified"), Value: aws.String("true")},
		},
	})
	var taken *types.AliasExistsException
	require.ErrorAs(t, err, &taken)
	_, err = client.DescribeUserPool(t.Context(), &cognito.DescribeUserPoolInput{UserPoolId: aws.String(cognitotest.PoolID)})
	require.ErrorContains(t, err, "UnknownOperation")
	_, err = client.ListUsers(t.Context(), &cognito.ListUsersInput{
		UserPoolId: aws.String(cognitotest.PoolID), AttributesToGet: []string{"email"},
	})
	require.ErrorContains(t, err, "AttributesToGet", "a parameter that it does not know is refused")
}
