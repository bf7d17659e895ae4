package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi/cognitojwt"
)

// stringOf is a string attribute.
func stringOf(value types.AttributeValue) string {
	text, _ := value.(*types.AttributeValueMemberS)
	if text == nil {
		return ""
	}
	return text.Value
}

func TestDevUsers(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t).api)
	first, firstID := c.newUser("Ada@Example.com")
	_, secondID := c.newUser("grace@example.com")
	assert.NotEqual(t, firstID, secondID)
	profile := first.expect(http.StatusOK, "GET", "/v1/users/me", "")
	assert.Equal(t, firstID, profile.text("userId"))
	assert.Equal(t, "ada@example.com", profile.text("email"))
	assert.Equal(t, "Lovelace", profile.text("lastName"))

	c.expect(http.StatusCreated, "POST", "/dev/users", `{"email":"nameless@example.com"}`)
	taken := c.expect(http.StatusConflict, "POST", "/dev/users", `{"email":"ADA@example.com"}`)
	assert.Equal(t, "Email address is not available", taken.text("message"))
	bad := c.expect(http.StatusBadRequest, "POST", "/dev/users", `{"email":"ada","firstName":"1"}`)
	assert.Contains(t, bad.body, `{"field":"email",`)
	assert.Contains(t, bad.body, `{"field":"firstName",`)
	badName := c.expect(http.StatusCreated, "POST", "/dev/users", `{"email":"bad.name@example.com","firstName":"1","lastName":"Hopper"}`)
	profile = c.with(badName.text("accessToken")).expect(http.StatusOK, "GET", "/v1/users/me", "")
	assert.Empty(t, profile.text("firstName")+profile.text("lastName"), "names do not keep anybody out")
	require.Equal(t, 4, c.requireClean())
}

// TestDevBodies sends bodies that the calls do not take.
func TestDevBodies(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t).api)
	_, userID := c.newUser("ada@example.com")
	for _, path := range []string{"/dev/users", "/dev/tokens", "/dev/users/" + userID + "/suspend"} {
		for _, body := range []string{`{`, `[]`, `{} {}`, `"text"`} {
			c.expect(http.StatusBadRequest, "POST", path, body)
		}
		unknown := c.expect(http.StatusBadRequest, "POST", path, `{"isAdmin":true}`)
		assert.Contains(t, unknown.body, `"details":[{"field":"isAdmin","message":"is not known"}]`)
		c.expect(http.StatusRequestEntityTooLarge, "POST", path, `{"email":"`+strings.Repeat("x", maxBody)+`"}`)
		for _, media := range []string{"", "text/plain", "application/json-patch+json", ";"} {
			r := c.sendWith(http.Header{"Content-Type": {media}}, "POST", path, `{}`)
			assert.Equal(t, http.StatusUnsupportedMediaType, r.status, media)
		}
	}
	wrongType := c.expect(http.StatusBadRequest, "POST", "/dev/users", `{"email":1}`)
	assert.Contains(t, wrongType.body, `"details":[{"field":"email","message":"has the wrong type"}]`)
	c.expect(http.StatusUnsupportedMediaType, "POST", "/dev/users", "")
}

func TestDevMail(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t).api)
	assert.Equal(t, "[]", c.expect(http.StatusOK, "GET", "/dev/mail?to=ada@example.com", "").body)
	ada, _ := c.newUser("ada@example.com")
	one := ada.addEmail("ada.one@example.com")
	ada.addEmail("ada.two@example.com")
	ada.expect(http.StatusOK, "POST", "/v1/users/me/emails/"+one+"/verify", "")

	var mails []mail
	c.expect(http.StatusOK, "GET", "/dev/mail?to=ADA.one@example.com", "").into(&mails)
	require.Len(t, mails, 2)
	assert.Equal(t, mails[0].Code, mails[1].Code, "a code with time left is sent again")
	assert.False(t, mails[0].SentAt.Before(mails[1].SentAt), "newest first")
	assert.Equal(t, "ada.one@example.com", mails[0].To)
	assert.Equal(t, "Your verification code", mails[0].Subject)
	assert.Equal(t, "Your verification code is "+mails[0].Code+". It is valid for 15 minutes.", mails[1].Text)

	c.expect(http.StatusOK, "GET", "/dev/mail", "").into(&mails)
	require.Len(t, mails, 3)
	newestFirst := []string{"ada.one@example.com", "ada.two@example.com", "ada.one@example.com"}
	assert.Equal(t, newestFirst, []string{mails[0].To, mails[1].To, mails[2].To})
}

func TestDevSuspend(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t).api)
	ada, userID := c.newUser("ada@example.com")
	path := "/dev/users/" + userID
	status := func() string { return ada.expect(http.StatusOK, "GET", "/v1/users/me", "").text("status") }

	c.expect(http.StatusNoContent, "POST", path+"/suspend", `{"reason":"a test"}`)
	c.expect(http.StatusNoContent, "POST", path+"/suspend", "")
	assert.Equal(t, "suspended", status())
	c.expect(http.StatusNoContent, "POST", path+"/reinstate", "")
	c.expect(http.StatusNoContent, "POST", path+"/reinstate", "")
	assert.Equal(t, "active", status())
	c.expect(http.StatusNoContent, "POST", path+"/suspend", "")
	assert.Equal(t, "suspended", status())

	long := c.expect(http.StatusBadRequest, "POST", path+"/suspend", `{"reason":"`+strings.Repeat("x", 501)+`"}`)
	assert.Contains(t, long.body, `{"field":"reason",`)
	for _, id := range []string{"nobody", "a%2Fb", "%00", strings.Repeat("x", 129)} {
		c.expect(http.StatusNotFound, "POST", "/dev/users/"+id+"/suspend", `{"reason":"a test"}`)
		c.expect(http.StatusNotFound, "POST", "/dev/users/"+id+"/reinstate", "")
	}
	ada.expect(http.StatusOK, "DELETE", "/v1/users/me", "")
	c.expect(http.StatusConflict, "POST", path+"/suspend", "")
	c.expect(http.StatusConflict, "POST", path+"/reinstate", "")
}

func TestDevAudit(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t).api)
	assert.Equal(t, `{"users":0,"emails":0,"claims":0,"violations":[]}`, c.expect(http.StatusOK, "GET", "/dev/audit", "").body)
	ada, _ := c.newUser("ada@example.com")
	ada.addEmail("ada.work@example.com")
	assert.Equal(t, `{"users":1,"emails":2,"claims":2,"violations":[]}`, c.expect(http.StatusOK, "GET", "/dev/audit", "").body)
}

// TestKeySet verifies a token as another service would, with the keys that the server serves.
func TestKeySet(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t).api)
	ada, userID := c.newUser("ada@example.com")
	verifier, err := cognitojwt.New([]cognitojwt.Pool{{
		Issuer: issuerURL, JWKSURL: c.url + "/.well-known/jwks.json", ClientIDs: []string{clientID},
	}}, cognitojwt.Config{HTTPClient: c.http})
	require.NoError(t, err)
	claims, err := verifier.Verify(t.Context(), ada.token)
	require.NoError(t, err)
	assert.Equal(t, userID, claims.Subject)
}

// TestPaths asks for what is not there. The transport of the client checks the form of the errors.
func TestPaths(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t).api)
	unknown := []string{
		"/", "/dev", "/dev/", "/dev/nothing", "/dev/users/", "/dev/users/x", "/dev/users//suspend", "//dev/users", "/dev/./audit",
		"/v1/../dev/audit", "/healthz/", "/.well-known/", "/v1", "/v1/users/me/", "/favicon.ico",
	}
	for _, path := range unknown {
		c.expect(http.StatusNotFound, "GET", path, "")
	}
	gets := []string{"/healthz", "/readyz", "/.well-known/jwks.json", "/dev/mail", "/dev/events", "/dev/audit"}
	posts := []string{"/dev/users", "/dev/tokens", "/dev/users/x/suspend", "/dev/users/x/reinstate"}
	for _, path := range gets {
		assert.Equal(t, "GET, HEAD, OPTIONS", c.expect(http.StatusMethodNotAllowed, "POST", path, "").header.Get("Allow"))
		assert.Equal(t, "GET, HEAD, OPTIONS", c.expect(http.StatusNoContent, "OPTIONS", path, "").header.Get("Allow"))
		assert.Empty(t, c.expect(http.StatusOK, "HEAD", path, "").body)
	}
	for _, path := range posts {
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			assert.Equal(t, "OPTIONS, POST", c.expect(http.StatusMethodNotAllowed, method, path, "").header.Get("Allow"))
		}
	}
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t).api)
	for _, path := range []string{"/healthz", "/dev/audit", "/dev/nothing", "/v1/users/me"} {
		given := c.sendWith(http.Header{"X-Request-Id": {"from-a-test"}}, "GET", path, "")
		assert.Equal(t, "from-a-test", given.header.Get("X-Request-Id"))
		bad := c.sendWith(http.Header{"X-Request-Id": {"not an id"}}, "GET", path, "")
		assert.Regexp(t, `^req-[A-Z2-7]+$`, bad.header.Get("X-Request-Id"))
	}
}
