package suite

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/userstore"
)

// EndpointVariable names the engine that the tests run on, instead of the in-memory one.
const EndpointVariable = "USERCORE_TEST_DYNAMODB"

// Independent says whether the tests run on an engine that is not ours.
func Independent() bool { return os.Getenv(EndpointVariable) != "" }

// engine is how requests reach a DynamoDB.
type engine struct {
	endpoint  string
	transport http.RoundTripper
	attempts  int
	db        *memdynamo.DB // nil for an independent engine
}

// defaultAttempts is how often a client sends a request, unless a test says otherwise.
const defaultAttempts = 5

func newEngine(clock *Clock, o options) engine {
	attempts := cmp.Or(o.attempts, defaultAttempts)
	if endpoint := os.Getenv(EndpointVariable); endpoint != "" && o.engineNow == nil {
		return engine{endpoint: strings.TrimSuffix(endpoint, "/"), transport: http.DefaultTransport, attempts: attempts}
	}
	now := clock.Now
	if o.engineNow != nil {
		now = o.engineNow
	}
	db := memdynamo.New(memdynamo.Options{Now: now})
	return engine{endpoint: "http://dynamodb.invalid", transport: db.Transport(), attempts: attempts, db: db}
}

// client is an SDK client whose requests go through the faults. It has no quota of repeats, which would make a client
// of many callers give up early.
func (e engine) client(transport http.RoundTripper) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:       "us-east-1",
		BaseEndpoint: &e.endpoint,
		HTTPClient:   &http.Client{Transport: transport},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret"}, nil
		}),
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxAttempts = e.attempts
			o.MaxBackoff = 20 * time.Millisecond
			o.RateLimiter = ratelimit.None
		}),
	})
}

// newTable creates the users' table under a name of its own. That it is in use already says that an attempt before, whose reply was lost, made it.
func newTable(t testing.TB, client *dynamodb.Client) string {
	t.Helper()
	name := "usercore-" + uuid.NewString()
	_, err := client.CreateTable(t.Context(), userstore.TableDefinition(name))
	if inUse := new(types.ResourceInUseException); !errors.As(err, &inUse) {
		require.NoError(t, err)
	}
	err = dynamodb.NewTableExistsWaiter(client).Wait(t.Context(), &dynamodb.DescribeTableInput{TableName: &name}, time.Minute)
	require.NoError(t, err)
	if Independent() { // its clock is not the test's, by which every code is long expired
		return name
	}
	_, err = client.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName:               &name,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String(userstore.TTLAttribute), Enabled: aws.Bool(true)},
	})
	require.NoError(t, err)
	return name
}

// newFaults puts a plan in front of an engine.
func newFaults(t testing.TB, e engine, plan faults.Plan) *faults.Transport {
	t.Helper()
	transport, err := faults.New(e.transport, plan)
	require.NoError(t, err)
	return transport
}
