package audit_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/internal/table"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/userstore"
	"github.com/usercore-go/usercore/userstore/audit"
)

var itemsFlag = flag.Int("items", 3_000, "items in the table of TestLargeTable")

// The environment of the auditor's own process.
const (
	endpointVariable = "USERCORE_TEST_AUDIT_ENDPOINT"
	tableVariable    = "USERCORE_TEST_AUDIT_TABLE"
	repairVariable   = "USERCORE_TEST_AUDIT_REPAIR"
)

// mostMemory is what the auditor's process may take, in bytes, of a table with tellingItems or more. A smaller table proves nothing: what the
// process takes before it audits (under the race detector most of the bound) depends on the machine.
const (
	mostMemory   = 100 << 20
	tellingItems = 1_000_000
)

func TestMain(m *testing.M) {
	if os.Getenv(endpointVariable) == "" {
		os.Exit(m.Run())
	}
	if err := auditElsewhere(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// outcome is what the auditor's process tells.
type outcome struct {
	Report audit.Report
	Peak   int64 // bytes; the largest resident size that the process had
}

// auditElsewhere audits the table of the environment and prints the outcome.
func auditElsewhere() error {
	endpoint, name := os.Getenv(endpointVariable), os.Getenv(tableVariable)
	client := dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: &endpoint,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "any", SecretAccessKey: "any"}, nil
		}),
	})
	where := outbox.Table{Name: name}
	waiting, err := outbox.NewAdmin(client, outbox.AdminConfig{Table: where})
	if err != nil {
		return err
	}
	cfg := audit.Config{Table: name, Outbox: waiting}
	if os.Getenv(repairVariable) != "" {
		writer, err := outbox.NewWriter(outbox.WriterConfig{Table: where, Envelope: userstore.Envelope()})
		if err != nil {
			return err
		}
		cfg.Repair = &audit.Repair{Store: userstore.Config{Table: name, Outbox: writer, Now: suite.NewClock().Now}}
	}
	report, err := audit.Run(context.Background(), client, cfg)
	if err != nil {
		return err
	}
	peak, err := peakMemory()
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(outcome{Report: report, Peak: peak})
}

// peakMemory is VmHWM (proc(5)); 0 on systems without it.
func peakMemory() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if os.IsNotExist(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	line, _, _ := strings.Cut(rest, "\n")
	kilobytes, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(line), " kB"), 10, 64)
	return kilobytes << 10, err
}

// TestLargeTable audits a table over HTTP from a process of its own: each planted defect is found, none is invented, what can be repaired is,
// and the memory of the process does not depend on the table.
func TestLargeTable(t *testing.T) {
	t.Parallel()
	w := suite.New(t, suite.WithEngineClock(suite.NewClock().Now))
	want, personal := map[audit.Kind]int{}, 0
	for kind, c := range allPlanted() {
		c.plant(t, placeIn(t, w, string(kind)))
		for _, k := range append([]audit.Kind{kind}, c.others...) {
			want[k]++
			if c.person {
				personal++
			}
		}
	}
	fill(t, w, *itemsFlag)
	server := httptest.NewServer(w.Engine)
	defer server.Close()

	began := time.Now()
	found := auditIn(t, w, server.URL, false)
	t.Logf("%d items in %v, %d MB", *itemsFlag, time.Since(began).Round(time.Second), found.Peak>>20)
	require.Equal(t, want, found.Report.Kinds)
	if *itemsFlag >= tellingItems {
		require.Less(t, found.Peak, int64(mostMemory))
	}
	require.GreaterOrEqual(t, found.Report.Users+found.Report.Emails+found.Report.Claims, *itemsFlag)

	repaired := auditIn(t, w, server.URL, true)
	require.Equal(t, want, repaired.Report.Kinds)
	require.Equal(t, repaired.Report.Found()-personal, repaired.Report.Repaired)
	require.Equal(t, personal, auditIn(t, w, server.URL, true).Report.Found(), "what a person has to decide is left, and nothing else")
}

func auditIn(t *testing.T, w *suite.World, endpoint string, repair bool) outcome {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	child := exec.CommandContext(t.Context(), self)
	child.Env = append(os.Environ(), endpointVariable+"="+endpoint, tableVariable+"="+w.Config.Table)
	if repair {
		child.Env = append(child.Env, repairVariable+"=1")
	}
	child.Stderr = os.Stderr
	output, err := child.Output()
	require.NoError(t, err)
	var o outcome
	require.NoError(t, json.Unmarshal(output, &o))
	return o
}

// fill puts clean accounts into the table until there are so many items more: each has a profile, a row and a claim.
func fill(t *testing.T, w *suite.World, items int) {
	t.Helper()
	const itemsOfOne, mostInBatch = 3, 25 // BatchWriteItem, API reference
	accounts := make(chan int)
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			var batch []types.WriteRequest
			send := func() {
				if len(batch) == 0 {
					return
				}
				out, err := w.Plain().BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{
					RequestItems: map[string][]types.WriteRequest{w.Config.Table: batch},
				})
				if err != nil || len(out.UnprocessedItems) > 0 {
					t.Errorf("filling the table: %v, %d left", err, len(out.UnprocessedItems))
				}
				batch = nil
			}
			for i := range accounts {
				for _, it := range cleanAccount(i, w.Clock.Now()) {
					batch = append(batch, types.WriteRequest{PutRequest: &types.PutRequest{Item: it}})
				}
				if len(batch)+itemsOfOne > mostInBatch {
					send()
				}
			}
			send()
		})
	}
	for i := range (items + itemsOfOne - 1) / itemsOfOne {
		accounts <- i
	}
	close(accounts)
	writers.Wait()
}

func cleanAccount(i int, now time.Time) []item {
	id := fmt.Sprintf("clean-%07d", i)
	row := table.Email{EmailID: "e-" + id, UserID: id, Email: id + "@example.com", IsPrimary: true, IsVerified: true, VerifiedAt: now, CreatedAt: now}
	profile := table.Profile{
		UserID: id, Email: row.Email, PrimaryEmailID: row.EmailID, Status: table.Active, Version: 1, Seq: 1, EmailCount: 1, CreatedAt: now, UpdatedAt: now,
	}
	return []item{profile.Item(), row.Item(), table.Claim{Email: row.Email, UserID: id, EmailID: row.EmailID, ClaimedAt: now}.Item()}
}
