package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/userstore"
)

// TestMain makes the test binary the program itself when a script calls it by name.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"usercore-admin": func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			os.Exit(run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr))
		},
	})
}

// TestSessions runs the terminal sessions in testdata/script, each against a DynamoDB, a user pool and queues of its own.
func TestSessions(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setupSession,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"accounts": func(ts *testscript.TestScript, _ bool, ids []string) { worldOf(ts).accounts(ts, ids) },
			"damage":   func(ts *testscript.TestScript, _ bool, ids []string) { worldOf(ts).damage(ts, ids[0]) },
			"plain":    func(ts *testscript.TestScript, _ bool, args []string) { worldOf(ts).plain(ts, args) },
			"await":    func(ts *testscript.TestScript, _ bool, _ []string) { worldOf(ts).aws.await(ts) },
			"release":  func(ts *testscript.TestScript, _ bool, _ []string) { worldOf(ts).aws.release() },
			"calls":    func(ts *testscript.TestScript, _ bool, args []string) { worldOf(ts).aws.check(ts, args) },
			"status":   checkStatus,
			"keep":     keep,
		},
	})
}

// world is what a session talks to.
type world struct {
	db  *memdynamo.DB
	aws *fakeAWS
}

type worldKey struct{}

func worldOf(ts *testscript.TestScript) *world { return ts.Value(worldKey{}).(*world) }

func setupSession(env *testscript.Env) error {
	w := &world{db: memdynamo.New(memdynamo.Options{}), aws: newFakeAWS()}
	env.Values[worldKey{}] = w
	for variable, handler := range map[string]http.Handler{
		"USERCORE_ENDPOINT":                          w.db,
		"AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER": w.aws,
		"AWS_ENDPOINT_URL_SQS":                       w.aws,
	} {
		server := httptest.NewServer(handler)
		env.Defer(server.Close)
		env.Setenv(variable, server.URL)
	}
	env.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	env.Setenv("GORACE", "atexit_sleep_ms=0") // a program under the race detector otherwise sleeps a second before it ends
	env.Defer(w.aws.release)
	return nil
}

// accounts: with the table there, make accounts with a verified address, id@example.com, and their events in the same table. An id that
// begins with old- is one that was deleted two months ago.
func (w *world) accounts(ts *testscript.TestScript, ids []string) {
	writer, err := outbox.NewWriter(outbox.WriterConfig{Table: outbox.Table{Name: "usercore"}, Envelope: userstore.Envelope()})
	ts.Check(err)
	ctx := context.Background()
	for _, id := range ids {
		old := len(id) > 4 && id[:4] == "old-"
		now := time.Now
		if old {
			now = func() time.Time { return time.Now().AddDate(0, -2, 0) }
		}
		store, err := userstore.New(w.db.Client(), userstore.Config{Table: "usercore", Outbox: writer, Now: now})
		ts.Check(err)
		_, err = store.Create(ctx, userstore.NewUser{UserID: id, Email: id + "@example.com", EmailVerified: true, FirstName: "Ada"})
		ts.Check(err)
		if old {
			_, err = store.Delete(ctx, id)
			ts.Check(err)
		}
	}
}

// plain: plain ID [ADDRESS] makes an account as programs without claims do, with a verified primary address, ID@example.com if none is given.
func (w *world) plain(ts *testscript.TestScript, args []string) {
	id, address := args[0], args[0]+"@example.com"
	if len(args) > 1 {
		address = args[1]
	}
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	yes, one := &types.AttributeValueMemberBOOL{Value: true}, &types.AttributeValueMemberN{Value: "1"}
	for _, item := range []map[string]types.AttributeValue{
		{
			"PK": text("USER#" + id), "SK": text("PROFILE"), "userId": text(id), "email": text(address), "status": text("active"), "version": one,
			"createdAt": text("2024-01-15T10:30:00Z"),
		},
		{
			"PK": text("USER#" + id), "SK": text("EMAIL#e1"), "GSI1PK": text("EMAIL#" + address), "GSI1SK": text("USER#" + id), "emailId": text("e1"),
			"userId": text(id), "email": text(address), "isPrimary": yes, "isVerified": yes, "createdAt": text("2024-01-15T10:30:00Z"),
		},
	} {
		_, err := w.db.Client().PutItem(context.Background(), &dynamodb.PutItemInput{TableName: aws.String("usercore"), Item: item})
		ts.Check(err)
	}
}

// damage: take away the claim on an account's address, behind the library's back.
func (w *world) damage(ts *testscript.TestScript, id string) {
	_, err := w.db.Client().DeleteItem(context.Background(), &dynamodb.DeleteItemInput{
		TableName: aws.String("usercore"),
		Key: map[string]types.AttributeValue{
			"PK": &types.AttributeValueMemberS{Value: "EMAIL#" + id + "@example.com"},
			"SK": &types.AttributeValueMemberS{Value: "CLAIM"},
		},
	})
	ts.Check(err)
}

// checkStatus: status N COMMAND... runs the command and wants that exit status.
func checkStatus(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if exit, ok := err.(interface{ ExitCode() int }); ok {
		got = fmt.Sprint(exit.ExitCode())
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

// keep: keep VARIABLE PATTERN puts what the pattern's group matches in standard error into a variable.
func keep(ts *testscript.TestScript, _ bool, args []string) {
	match := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stderr"))
	if match == nil {
		ts.Fatalf("no match for %s", args[1])
	}
	ts.Setenv(args[0], match[1])
}
