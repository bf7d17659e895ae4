package integration_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider"
	cognito "github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/userstore"
)

// cognitoVariable names cognito-local.
const cognitoVariable = "USERCORE_COGNITO_LOCAL"

const code = "123456"

// TestSignUp signs a user up at cognito-local, which calls the post-confirmation function in Lambda's emulator, and finds
// the account in the table.
func TestSignUp(t *testing.T) {
	cognitoLocal := os.Getenv(cognitoVariable)
	if cognitoLocal == "" {
		t.Skipf("%s names no program", cognitoVariable)
	}
	client, endpoint := startTable(t)
	trigger := startFunction(t, build(t, emulator(t), "./lambda/postconfirmation"), "postconfirmation", map[string]string{
		"AWS_ENDPOINT_URL_DYNAMODB": endpoint, "USERCORE_TABLE": "users", "USERCORE_OUTBOX_TABLE": "outbox",
		"USERCORE_SIGNUP_QUEUE_URL": "http://127.0.0.1:1/queue",
	})
	pool := startCognito(t, cognitoLocal, trigger.address)

	ctx := t.Context()
	created, err := pool.CreateUserPool(ctx, &cognitoidentityprovider.CreateUserPoolInput{
		PoolName: aws.String("users"), UsernameAttributes: []cognito.UsernameAttributeType{cognito.UsernameAttributeTypeEmail},
		AutoVerifiedAttributes: []cognito.VerifiedAttributeType{cognito.VerifiedAttributeTypeEmail},
	})
	require.NoError(t, err)
	app, err := pool.CreateUserPoolClient(ctx, &cognitoidentityprovider.CreateUserPoolClientInput{
		UserPoolId: created.UserPool.Id, ClientName: aws.String("app"),
	})
	require.NoError(t, err)
	email := aws.String("dana@example.com")
	signedUp, err := pool.SignUp(ctx, &cognitoidentityprovider.SignUpInput{
		ClientId: app.UserPoolClient.ClientId, Username: email, Password: aws.String("Correct-Horse-1"),
		UserAttributes: []cognito.AttributeType{{Name: aws.String("email"), Value: email}},
	})
	require.NoError(t, err)
	_, err = pool.ConfirmSignUp(ctx, &cognitoidentityprovider.ConfirmSignUpInput{
		ClientId: app.UserPoolClient.ClientId, Username: email, ConfirmationCode: aws.String(code),
	})
	require.NoError(t, err)

	users, err := userstore.New(client, userstore.Config{Table: "users"})
	require.NoError(t, err)
	user, err := users.Get(ctx, *signedUp.UserSub)
	require.NoError(t, err)
	require.Equal(t, userstore.Active, user.Status)
	require.Equal(t, 1, user.EmailCount)
}

// startTable serves an in-memory DynamoDB with the tables of accounts and events.
func startTable(t *testing.T) (*dynamodb.Client, string) {
	t.Helper()
	db := memdynamo.New(memdynamo.Options{})
	server := httptest.NewServer(db)
	t.Cleanup(server.Close)
	for _, name := range []string{"users", "outbox"} {
		_, err := db.Client().CreateTable(t.Context(), userstore.TableDefinition(name))
		require.NoError(t, err)
	}
	return db.Client(), server.URL
}

// startCognito runs cognito-local with the function as its trigger, and returns a client for it.
func startCognito(t *testing.T, program, function string) *cognitoidentityprovider.Client {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".cognito"), 0o755))
	config := fmt.Sprintf(`{"LambdaClient":{"endpoint":%q,"region":"us-east-1","credentials":{"accessKeyId":"test","secretAccessKey":"test"}},
		"TriggerFunctions":{"PostConfirmation":"function"}}`, function)
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".cognito", "config.json"), []byte(config), 0o600))
	address := freeAddress(t)
	_, port, _ := strings.Cut(address, ":")
	startProgram(t, dir, environ(map[string]string{"HOST": "127.0.0.1", "PORT": port, "CODE": code}), program)
	await(t, address)
	return cognitoidentityprovider.New(cognitoidentityprovider.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://" + address), HTTPClient: http.DefaultClient,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	})
}

// startProgram runs a program in this environment until the test ends; what it printed is shown if the test fails.
func startProgram(t *testing.T, dir string, environment []string, program string, arguments ...string) {
	t.Helper()
	var output strings.Builder
	command := exec.Command(program, arguments...)
	command.Dir, command.Env = dir, environment
	command.Stdout, command.Stderr = &output, &output
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait() // it was killed
		if t.Failed() {
			t.Logf("%s:\n%s", filepath.Base(program), output.String())
		}
	})
}

// await returns when something listens on an address.
func await(t *testing.T, address string) {
	t.Helper()
	require.Eventually(t, func() bool {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			return false
		}
		return connection.Close() == nil
	}, 2*time.Minute, 5*time.Millisecond, "nothing listens on %s", address)
}

// freeAddress is a loopback address on which nobody listens now.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}
