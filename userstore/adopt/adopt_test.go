package adopt_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/userstore/adopt"
	"github.com/usercore-go/usercore/userstore/audit"
)

var accountsFlag = flag.Int("accounts", 200, "accounts in the table of TestAdopt")

type item = map[string]types.AttributeValue

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
func number(n int) types.AttributeValue  { return &types.AttributeValueMemberN{Value: fmt.Sprint(n)} }
func flagOf(b bool) types.AttributeValue { return &types.AttributeValueMemberBOOL{Value: b} }

// profile and row are items as the plain layout has them, with times to the second.
func profile(id, email string) item {
	return item{
		"PK": text("USER#" + id), "SK": text("PROFILE"), "userId": text(id), "email": text(email), "firstName": text("Ada"), "status": text("active"),
		"version": number(3), "createdAt": text("2024-01-15T10:30:00Z"), "updatedAt": text("2024-01-16T10:30:00+02:00"), "note": text("theirs"),
	}
}

func row(id, emailID, email string, primary, verified bool) item {
	r := item{
		"PK": text("USER#" + id), "SK": text("EMAIL#" + emailID), "GSI1PK": text("EMAIL#" + email), "GSI1SK": text("USER#" + id),
		"emailId": text(emailID), "userId": text(id), "email": text(email), "isPrimary": flagOf(primary), "isVerified": flagOf(verified),
		"createdAt": text("2024-01-15T10:30:00Z"),
	}
	if verified {
		r["verifiedAt"] = text("2024-01-15T10:31:00Z")
	}
	return r
}

// account is a clean one: a primary address, and for every third a second one.
func account(i int) []item {
	id := fmt.Sprintf("u%06d", i)
	email := id + "@example.com"
	items := []item{profile(id, email), row(id, "e1", email, true, true)}
	if i%3 == 0 {
		items = append(items, row(id, "e2", id+".two@example.com", false, i%2 == 0))
	}
	return items
}

// defects are accounts that a person has to decide on, and how many of each kind they make.
func defects() ([]item, map[adopt.Kind]int64) {
	return []item{
			profile("dup1", "same@example.com"), row("dup1", "e1", "same@example.com", true, true),
			profile("dup2", "same@example.com"), row("dup2", "e1", "same@example.com", true, true),
			profile("none", "gone@example.com"), row("none", "e1", "none@example.com", false, true),
			profile("two", "gone@example.com"), row("two", "e1", "two1@example.com", true, true), row("two", "e2", "two2@example.com", true, true),
			profile("open", "open@example.com"), row("open", "e1", "open@example.com", true, false),
			profile("big", "Big@Example.com"), row("big", "e1", "Big@Example.com", true, true),
			profile("odd", "not an address"), row("odd", "e1", "not an address", true, true),
		}, map[adopt.Kind]int64{
			adopt.DuplicateAddress: 2, adopt.NoPrimary: 1, adopt.SeveralPrimaries: 1, adopt.PrimaryUnverified: 1, adopt.NotCanonical: 1, adopt.NotAccepted: 1,
		}
}

func put(t *testing.T, w *suite.World, items []item) {
	t.Helper()
	const mostInBatch = 25 // BatchWriteItem, API reference
	for len(items) > 0 {
		n := min(mostInBatch, len(items))
		var batch []types.WriteRequest
		for _, it := range items[:n] {
			batch = append(batch, types.WriteRequest{PutRequest: &types.PutRequest{Item: it}})
		}
		items = items[n:]
		out, err := w.Plain().BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{w.Config.Table: batch},
		})
		require.NoError(t, err)
		require.Empty(t, out.UnprocessedItems)
	}
}

// TestAdopt: a dry run tells; a run is killed and resumed while old programs write; when they have stopped, runs settle all but what a person has to
// decide, and the auditor finds nothing else.
func TestAdopt(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	var items []item
	for i := range *accountsFlag {
		items = append(items, account(i)...)
	}
	planted, want := defects()
	put(t, w, append(items, planted...))
	cfg := adopt.Config{Store: w.Config, AccountsPerSecond: 10_000}
	dry, err := adopt.Run(t.Context(), w.Client, cfg, "")
	require.NoError(t, err)
	require.Equal(t, want, dry.Kinds)
	require.True(t, dry.Complete)
	require.False(t, dry.Settled())
	require.Equal(t, int64(*accountsFlag+7), dry.Accounts)

	cfg.Apply = true
	stop := oldProgram(t, w)
	token := killed(t, w, cfg)
	resumed, err := adopt.Run(t.Context(), w.Client, cfg, token)
	require.NoError(t, err)
	require.True(t, resumed.Complete)
	stop()

	mended, err := adopt.Run(t.Context(), w.Client, cfg, "")
	require.NoError(t, err)
	require.Zero(t, mended.Moved)
	settled, err := adopt.Run(t.Context(), w.Client, cfg, "")
	require.NoError(t, err)
	require.Zero(t, settled.Adopted)
	require.Equal(t, want, settled.Kinds)

	t.Logf("%d accounts, %d of them adopted after the kill, %d mended once the old program had stopped, left to a person: %v",
		dry.Accounts, resumed.Adopted, mended.Adopted, settled.Kinds)

	report, err := audit.Run(t.Context(), w.Client, audit.Config{Table: w.Config.Table, MaxEmails: 30})
	require.NoError(t, err)
	for _, v := range report.Violations {
		require.Contains(t, []string{"dup1", "dup2", "none", "two", "open", "big", "odd"}, v.UserID, v.Kind)
	}
	require.NotZero(t, report.Users)
	user, err := w.Users.Get(t.Context(), "u000001")
	require.NoError(t, err)
	require.Equal(t, "u000001@example.com", user.Email)
	user, err = w.Users.GetByEmail(t.Context(), "u000002@example.com")
	require.NoError(t, err)
	require.Equal(t, "u000002", user.UserID)
	stored, err := w.Plain().GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: &w.Config.Table, Key: item{"PK": text("USER#u000001"), "SK": text("PROFILE")},
	})
	require.NoError(t, err)
	require.Equal(t, text("theirs"), stored.Item["note"], "attributes of others stay")
}

// killed runs until the first page is done, or to the end of a table of one page, and returns the token to go on with.
func killed(t *testing.T, w *suite.World, cfg adopt.Config) (token string) {
	t.Helper()
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	cfg.Progress = func(_ adopt.Report, at string) {
		token = at
		kill()
	}
	report, err := adopt.Run(ctx, w.Client, cfg, "")
	if !report.Complete {
		require.ErrorIs(t, err, context.Canceled)
		require.NotEmpty(t, token)
	}
	return token
}

// oldProgram adds, verifies and removes addresses, moves primary ones and edits profiles by the plain code, until it is stopped.
func oldProgram(t *testing.T, w *suite.World) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		r := rand.New(rand.NewPCG(1, 2))
		for n := 0; n < 10*(*accountsFlag) && ctx.Err() == nil; n++ {
			id := fmt.Sprintf("u%06d", r.IntN(*accountsFlag))
			switch n % 5 {
			case 0:
				nth := n / 5 % 2
				added := fmt.Sprintf("%s.more%d@example.com", id, nth)
				_, _ = w.Plain().PutItem(ctx, &dynamodb.PutItemInput{
					TableName: &w.Config.Table, Item: row(id, fmt.Sprintf("n%d", nth), added, false, nth == 0),
				})
			case 1:
				_, _ = w.Plain().UpdateItem(ctx, &dynamodb.UpdateItemInput{
					TableName: &w.Config.Table, Key: item{"PK": text("USER#" + id), "SK": text("PROFILE")},
					UpdateExpression:          aws.String("SET firstName = :name, version = version + :one"),
					ExpressionAttributeValues: item{":name": text(fmt.Sprint("Ada ", n)), ":one": number(1)},
				})
			case 2:
				movePrimary(ctx, w, id)
			case 3:
				_, _ = w.Plain().UpdateItem(ctx, &dynamodb.UpdateItemInput{
					TableName: &w.Config.Table, Key: item{"PK": text("USER#" + id), "SK": text("EMAIL#n1")},
					UpdateExpression: aws.String("SET isVerified = :yes"), ConditionExpression: aws.String("attribute_exists(PK)"),
					ExpressionAttributeValues: item{":yes": flagOf(true)},
				})
			case 4:
				_, _ = w.Plain().DeleteItem(ctx, &dynamodb.DeleteItemInput{
					TableName: &w.Config.Table, Key: item{"PK": text("USER#" + id), "SK": text("EMAIL#n0")},
				})
			}
		}
	})
	return func() {
		cancel()
		done.Wait()
	}
}

// movePrimary is the plain code: the second address becomes primary, if it is there and verified.
func movePrimary(ctx context.Context, w *suite.World, id string) {
	set := func(sk, expression string, condition *string, values item) types.TransactWriteItem {
		return types.TransactWriteItem{Update: &types.Update{
			TableName: &w.Config.Table, Key: item{"PK": text("USER#" + id), "SK": text(sk)}, UpdateExpression: &expression,
			ConditionExpression: condition, ExpressionAttributeValues: values,
		}}
	}
	_, _ = w.Plain().TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		set("EMAIL#e1", "SET isPrimary = :no", nil, item{":no": flagOf(false)}),
		set("EMAIL#e2", "SET isPrimary = :yes", aws.String("isVerified = :yes"), item{":yes": flagOf(true)}),
		set("PROFILE", "SET email = :email", nil, item{":email": text(id + ".two@example.com")}),
	}})
}

func TestRunRefuses(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	cfg := adopt.Config{Store: w.Config}
	_, err := adopt.Run(t.Context(), w.Client, cfg, "no token")
	require.ErrorIs(t, err, adopt.ErrToken)
	_, err = adopt.Run(t.Context(), nil, cfg, "")
	require.ErrorContains(t, err, "client")
	cfg.AccountsPerSecond = -1
	_, err = adopt.Run(t.Context(), w.Client, cfg, "")
	require.ErrorContains(t, err, "Config.AccountsPerSecond")
	_, err = adopt.Run(t.Context(), w.Client, adopt.Config{}, "")
	require.ErrorContains(t, err, "Config.Table")
}
