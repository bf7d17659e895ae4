package faults_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
)

// engine stands for a database: it records what reaches it and answers with success.
type engine struct {
	// replies overrides the reply to an operation.
	replies map[string]reply

	mu       sync.Mutex
	requests []received
}

type reply struct {
	status int
	body   string
}

type received struct {
	op   string
	body []byte
}

// RoundTrip answers like DynamoDB, checksum included.
func (e *engine) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err := errors.Join(err, req.Body.Close()); err != nil {
		return nil, err
	}
	if err := checkCopies(req, body); err != nil {
		return nil, err
	}
	_, op, _ := strings.Cut(req.Header.Get("X-Amz-Target"), ".")
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests = append(e.requests, received{op, body})
	answer, found := e.replies[op]
	if !found {
		answer = reply{http.StatusOK, "{}"}
	}
	return &http.Response{
		StatusCode: answer.status,
		Header: http.Header{
			"Content-Type":   {"application/x-amz-json-1.0"},
			"Content-Length": {strconv.Itoa(len(answer.body))},
			"X-Amz-Crc32":    {fmt.Sprint(crc32.ChecksumIEEE([]byte(answer.body)))},
		},
		ContentLength: int64(len(answer.body)),
		Body:          io.NopCloser(strings.NewReader(answer.body)),
		Request:       req,
	}, nil
}

// checkCopies compares what the request says about its body with the body: the length, and the copy for a connection that breaks.
func checkCopies(req *http.Request, body []byte) error {
	if int64(len(body)) != req.ContentLength {
		return fmt.Errorf("content length %d, body of %d octets", req.ContentLength, len(body))
	}
	again, err := req.GetBody()
	if err != nil {
		return err
	}
	second, err := io.ReadAll(again)
	if err := errors.Join(err, again.Close()); err != nil {
		return err
	}
	if !bytes.Equal(second, body) {
		return fmt.Errorf("GetBody gives %q, the body is %q", second, body)
	}
	return nil
}

func (e *engine) received() []received {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]received(nil), e.requests...)
}

// decode reads the body of the n-th request that reached the engine.
func (e *engine) decode(t *testing.T, n int, into any) {
	t.Helper()
	requests := e.received()
	require.Greater(t, len(requests), n)
	require.NoError(t, json.Unmarshal(requests[n].body, into))
}

// setup returns a client of an engine behind a Transport. The client makes as many attempts as given, does not wait between them and
// has no retry quota.
func setup(t testing.TB, plan faults.Plan, attempts int) (*dynamodb.Client, *faults.Transport, *engine) {
	t.Helper()
	db := &engine{}
	transport, err := faults.New(db, plan)
	require.NoError(t, err)
	return newClient(transport, attempts), transport, db
}

func newClient(transport http.RoundTripper, attempts int) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String("http://dynamodb.test"),
		Region:       "eu-central-1",
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
		HTTPClient: &http.Client{Transport: transport},
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxAttempts = attempts
			o.RateLimiter = ratelimit.None
			o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
		}),
	})
}

func key(name string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: name},
		"SK": &types.AttributeValueMemberS{Value: "ITEM"},
	}
}

func put(name string) *dynamodb.PutItemInput {
	return &dynamodb.PutItemInput{TableName: aws.String("main"), Item: key(name)}
}

func get(name string) *dynamodb.GetItemInput {
	return &dynamodb.GetItemInput{TableName: aws.String("main"), Key: key(name)}
}

func transaction(names ...string) *dynamodb.TransactWriteItemsInput {
	input := &dynamodb.TransactWriteItemsInput{}
	for _, name := range names {
		input.TransactItems = append(input.TransactItems, types.TransactWriteItem{
			Put: &types.Put{TableName: aws.String("main"), Item: key(name)},
		})
	}
	return input
}
