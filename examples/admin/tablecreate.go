package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/urfave/cli/v3"

	"github.com/usercore-go/usercore/userstore"
)

// activeWait is how long a new table may take to become active; it takes seconds.
const activeWait = 2 * time.Minute

// timeToLive is the property that a table gets after it was created.
const timeToLive = "time to live"

// activePoll is the first pause between two looks at a new table.
const activePoll = 100 * time.Millisecond

func (p *program) tableCommand() *cli.Command {
	var unprotected bool
	return p.group("table", "the table of accounts",
		&cli.Command{
			Name: "create", Usage: "create the table, with time to live, backups and deletion protection",
			Flags: []cli.Flag{&cli.BoolFlag{
				Name: "unprotected", Usage: "without deletion protection, for a table that is to be thrown away", Destination: &unprotected,
			}},
			Action: p.action(0, 0, func(ctx context.Context, _ []string) error { return p.createTable(ctx, !unprotected) }),
		},
		&cli.Command{
			Name: "check", Usage: "check keys, index, time to live, backups and deletion protection",
			Action: p.action(0, 0, func(ctx context.Context, _ []string) error { return p.checkTable(ctx) }),
		},
	)
}

// createTable may be repeated: a table that is there is completed, if its keys and index are right.
func (p *program) createTable(ctx context.Context, protected bool) error {
	client, err := p.dynamodb(ctx)
	if err != nil {
		return err
	}
	definition := userstore.TableDefinition(p.table)
	definition.DeletionProtectionEnabled = &protected
	_, err = client.CreateTable(ctx, definition)
	if exists := new(types.ResourceInUseException); err != nil && !errors.As(err, &exists) {
		return fmt.Errorf("creating table %s: %w", p.table, err)
	}
	active := dynamodb.NewTableExistsWaiter(client, func(o *dynamodb.TableExistsWaiterOptions) { o.MinDelay = activePoll })
	if err := active.Wait(ctx, &dynamodb.DescribeTableInput{TableName: &p.table}, activeWait); err != nil {
		return fmt.Errorf("waiting for table %s: %w", p.table, err)
	}
	if err := p.complete(ctx, client); err != nil {
		return err
	}
	if err := p.enableBackups(ctx, client); err != nil {
		return err
	}
	rows := p.list("TABLE", "STATUS")
	if err := rows.add(map[string]string{"table": p.table, "status": "active"}, p.table, "active"); err != nil {
		return err
	}
	return rows.end()
}

// complete enables time to live unless it is on already: DynamoDB refuses to enable it twice. A table that was there with other keys or
// another index cannot be completed.
func (p *program) complete(ctx context.Context, client *dynamodb.Client) error {
	needed, err := userstore.CheckTable(ctx, client, p.table)
	if err != nil {
		return err
	}
	for _, property := range needed {
		switch {
		case property.OK():
		case property.Name != timeToLive:
			return foundf("table %s is there, but not as it should be: %s: want %s, got %s", p.table, property.Name, property.Want, property.Got)
		default:
			_, err := client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
				TableName: &p.table,
				TimeToLiveSpecification: &types.TimeToLiveSpecification{
					AttributeName: aws.String(userstore.TTLAttribute), Enabled: aws.Bool(true),
				},
			})
			if err != nil {
				return fmt.Errorf("enabling time to live on table %s: %w", p.table, err)
			}
		}
	}
	return nil
}

// enableBackups enables point-in-time recovery. An engine at --endpoint may have none.
func (p *program) enableBackups(ctx context.Context, client *dynamodb.Client) error {
	_, err := client.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{
		TableName:                        &p.table,
		PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)},
	})
	if p.notOffered(err) {
		fmt.Fprintln(p.stderr, "usercore-admin: the endpoint has no point-in-time recovery")
		return nil
	}
	if err != nil {
		return fmt.Errorf("enabling point-in-time recovery on table %s: %w", p.table, err)
	}
	return nil
}

// notOffered says whether an engine at --endpoint does not know an operation. AWS knows them all.
func (p *program) notOffered(err error) bool {
	apiErr, isAPI := errors.AsType[smithy.APIError](err)
	return p.endpoint != "" && isAPI && apiErr.ErrorCode() == "UnknownOperationException"
}
