package main

import (
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/urfave/cli/v3"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/userstore"
)

// settings are the flags that all commands share. Rules of the deployment (outbox, retention…) must be as its services have them.
type settings struct {
	table       string
	endpoint    string
	region      string
	userPool    string
	environment string
	maxEmails   int
	retention   time.Duration
	gmailRules  bool

	outboxTable  string
	outboxPrefix string
	shards       int
	noOutbox     bool

	json bool
	yes  bool
}

func (s *settings) flags() []cli.Flag {
	text := func(name, env, value, usage string, to *string) cli.Flag {
		return &cli.StringFlag{Name: name, Usage: usage, Value: value, Sources: cli.EnvVars(env), Destination: to}
	}
	number := func(name, env, usage string, to *int) cli.Flag {
		return &cli.IntFlag{Name: name, Usage: usage, Sources: cli.EnvVars(env), Destination: to, HideDefault: true}
	}
	flag := func(name, env, usage string, to *bool) cli.Flag {
		return &cli.BoolFlag{Name: name, Usage: usage, Sources: cli.EnvVars(env), Destination: to}
	}
	return []cli.Flag{
		text("table", "USERCORE_TABLE", "usercore", "`NAME` of the table of accounts", &s.table),
		text("endpoint", "USERCORE_ENDPOINT", "", "`URL` of a DynamoDB that is not the region's own", &s.endpoint),
		text("region", "AWS_REGION", "", "AWS `REGION`", &s.region),
		text("user-pool", "USERCORE_USER_POOL_ID", "", "`ID` of the Cognito user pool that is to follow", &s.userPool),
		text("outbox-table", "USERCORE_OUTBOX_TABLE", "", "`NAME` of the table of the outbox; may be the table of accounts", &s.outboxTable),
		text("outbox-prefix", "USERCORE_OUTBOX_PREFIX", "", "`PREFIX` of the outbox's keys, if not OUTBOX#", &s.outboxPrefix),
		number("outbox-shards", "USERCORE_OUTBOX_SHARDS", "`NUMBER` of the outbox's shards, if not 16", &s.shards),
		flag("no-outbox", "USERCORE_NO_OUTBOX", "the deployment has no outbox, so changes write no events", &s.noOutbox),
		text("environment", "USERCORE_ENVIRONMENT", "", "`NAME` of the deployment, for the metadata of events", &s.environment),
		number("max-emails", "USERCORE_MAX_EMAILS", "`NUMBER` of addresses that an account may have, if not 5", &s.maxEmails),
		&cli.DurationFlag{
			Name: "retention", Usage: "`TIME` that a deleted account can be restored, if not 720h", HideDefault: true,
			Sources: cli.EnvVars("USERCORE_RETENTION"), Destination: &s.retention,
		},
		flag("gmail-rules", "USERCORE_GMAIL_RULES", "one address for all spellings that Gmail delivers alike", &s.gmailRules),
		&cli.BoolFlag{Name: "json", Usage: "print JSON, one object on each line", Destination: &s.json},
		&cli.BoolFlag{Name: "yes", Usage: "do not ask", Destination: &s.yes},
	}
}

// check finds settings that contradict each other, before anything is done.
func (s *settings) check() error {
	if s.table == "" {
		return usagef("--table is empty")
	}
	if s.endpoint != "" {
		u, err := url.Parse(s.endpoint)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			return usagef("--endpoint %q is not a URL such as http://127.0.0.1:8000", s.endpoint)
		}
	}
	if s.noOutbox && s.outboxTable != "" {
		return usagef("--no-outbox and --outbox-table %s contradict each other", s.outboxTable)
	}
	if _, err := userstore.New(new(dynamodb.Client), s.accounts()); err != nil { // makes no request: it knows the ranges
		return usagef("%w", err)
	}
	return nil
}

// outbox is where the outbox lies, for the commands that cannot do without.
func (s *settings) outbox() (outbox.Table, error) {
	if s.outboxTable == "" {
		return outbox.Table{}, usagef("--outbox-table is missing")
	}
	return outbox.Table{Name: s.outboxTable, KeyPrefix: s.outboxPrefix}, nil
}

// accounts describes the table for reading.
func (s *settings) accounts() userstore.Config {
	return userstore.Config{
		Table: s.table, MaxEmails: s.maxEmails, Retention: s.retention, GmailRules: s.gmailRules, Environment: s.environment,
	}
}

// accountsFor describes the table for changes, or for reading alone.
func (s *settings) accountsFor(changes bool) (userstore.Config, error) {
	if changes {
		return s.changeableAccounts()
	}
	return s.accounts(), nil
}

// changeableAccounts describes the table for changes, whose events go to the outbox.
func (s *settings) changeableAccounts() (userstore.Config, error) {
	cfg := s.accounts()
	if s.noOutbox {
		return cfg, nil
	}
	if s.outboxTable == "" {
		return cfg, usagef("a change writes events: name the outbox with --outbox-table, or say --no-outbox")
	}
	table, err := s.outbox()
	if err != nil {
		return cfg, err
	}
	cfg.Outbox, err = outbox.NewWriter(outbox.WriterConfig{Table: table, Shards: s.shards, Envelope: userstore.Envelope()})
	if err != nil {
		return cfg, usagef("%w", err)
	}
	return cfg, nil
}
