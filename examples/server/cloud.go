package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/usercore-go/usercore/cognitosync/cognitotest"
	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/userstore"
)

// cloud stands in for AWS in the local mode, and is what -dynamodb serves: the tables, the user pool, and the queue of sign-ups.
type cloud struct {
	db     *memdynamo.DB
	pool   *cognitotest.Pool
	queue  *queue
	faults *plan
	// transport is how this program's own client reaches the tables.
	transport http.RoundTripper
}

func newCloud(db *memdynamo.DB) *cloud {
	c := &cloud{db: db, pool: cognitotest.New(cognitotest.Options{}), queue: &queue{}, faults: &plan{}}
	c.transport = faultyTransport{plan: c.faults, next: db.Transport()}
	return c
}

// client reaches the tables, through the planted faults.
func (c *cloud) client() *dynamodb.Client {
	return c.db.Client(func(o *dynamodb.Options) { o.HTTPClient = &http.Client{Transport: c.transport} })
}

// fillPool puts a user into the pool for each account that earlier runs have left in the tables.
func (a *app) fillPool(ctx context.Context) error {
	for user, err := range a.users.All(ctx, userstore.Segment{}) {
		if err != nil {
			return err
		}
		if user.Email != "" {
			a.cloud.pool.Put(cognitotest.User{
				Sub: user.UserID, Email: user.Email, EmailVerified: true, Disabled: user.Status != userstore.Active, Created: user.CreatedAt,
			})
		}
	}
	return nil
}

// ServeHTTP hands a request to the service that its header names; to DynamoDB, if it names none.
func (c *cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	target := r.Header.Get("X-Amz-Target")
	switch {
	case strings.HasPrefix(target, "AWSCognitoIdentityProviderService."):
		c.pool.ServeHTTP(w, r)
	case strings.HasPrefix(target, sqsTarget):
		c.queue.ServeHTTP(w, r)
	default:
		c.db.ServeHTTP(w, r)
	}
}

// awsError is an error of the AWS JSON protocol.
type awsError struct {
	Type    string `json:"__type"`
	Message string `json:"message"`
}

func answerAWS(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails when the client has gone: nobody is left to be told
}
