package cognitotest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	cognito "github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider"
)

// Client returns an SDK client of the pool, with dummy credentials.
func (p *Pool) Client() *cognito.Client {
	return cognito.New(cognito.Options{
		Region:       "eu-west-1",
		BaseEndpoint: aws.String("http://cognito-idp.invalid"),
		HTTPClient:   &http.Client{Transport: transport{p}},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "fake", SecretAccessKey: "fake"}, nil
		}),
	})
}

// transport hands requests to the pool without a socket.
type transport struct{ pool *Pool }

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	recorder := httptest.NewRecorder()
	t.pool.ServeHTTP(recorder, request)
	response := recorder.Result()
	response.Request = request
	return response, nil
}

// apiError is an exception of the API.
type apiError struct{ name, message string }

func (e *apiError) Error() string { return e.name + ": " + e.message }

func exception(name, message string) error { return &apiError{name, message} }

// status is that of an exception; those that are not the caller's fault have a 5xx.
func (e *apiError) status() int {
	switch e.name {
	case "InternalErrorException":
		return http.StatusInternalServerError
	case "ServiceUnavailable":
		return http.StatusServiceUnavailable
	}
	return http.StatusBadRequest
}

const (
	service     = "AWSCognitoIdentityProviderService."
	contentType = "application/x-amz-json-1.1"
)

// ServeHTTP answers a request of the JSON 1.1 protocol.
func (p *Pool) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	out, err := p.answer(request)
	status := http.StatusOK
	if failure, ok := errors.AsType[*apiError](err); ok {
		status = failure.status()
		out = map[string]string{"__type": failure.name, "message": failure.message}
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(out) // the client has gone if this fails; nobody is left to be told
}

func (p *Pool) answer(request *http.Request) (any, error) {
	op, ok := strings.CutPrefix(request.Header.Get("X-Amz-Target"), service)
	if !ok {
		return nil, exception("UnknownOperationException", "no target")
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, exception("SerializationException", "the body cannot be read")
	}
	var in userInput
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, exception("SerializationException", "the body is not JSON")
	}
	if p.options.Intercept != nil {
		if name := p.options.Intercept(Call{Op: op, Username: in.Username, At: time.Now()}); name != "" {
			return nil, exception(name, "injected")
		}
	}
	if in.UserPoolID != PoolID {
		return nil, exception("ResourceNotFoundException", "User pool does not exist.")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dispatch(op, body)
}

func (p *Pool) dispatch(op string, body []byte) (any, error) {
	switch op {
	case "ListUsers":
		return decoded(body, p.list)
	case "AdminGetUser":
		return decoded(body, p.get)
	case "AdminDisableUser":
		return decoded(body, p.change(func(u *User) { u.Disabled = true }))
	case "AdminEnableUser":
		return decoded(body, p.change(func(u *User) { u.Disabled = false }))
	case "AdminUserGlobalSignOut":
		return decoded(body, p.change(func(u *User) { u.SignedOut++ }))
	case "AdminDeleteUser":
		return decoded(body, p.remove)
	case "AdminUpdateUserAttributes":
		return decoded(body, p.update)
	}
	return nil, exception("UnknownOperationException", fmt.Sprintf("the fake has no %s", op))
}

// decoded calls an operation with its input, which must have no member that the fake does not know.
func decoded[In any](body []byte, do func(In) (any, error)) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	var in In
	if err := decoder.Decode(&in); err != nil {
		return nil, exception("InvalidParameterException", err.Error())
	}
	return do(in)
}
