package main

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/userstore"
)

// property is one thing that a table should have.
type property struct {
	Name string `json:"property"`
	Want string `json:"want"`
	Got  string `json:"got"`
	OK   bool   `json:"ok"`
}

func compare(name, want, got string) property {
	return property{Name: name, Want: want, Got: got, OK: want == got}
}

// notThere is what is got of a property that the table does not have.
const notThere = "none"

func (p *program) checkTable(ctx context.Context) error {
	properties, err := p.properties(ctx)
	if err != nil {
		return err
	}
	wrong := 0
	rows := p.list("PROPERTY", "WANT", "GOT", "OK")
	for _, property := range properties {
		if !property.OK {
			wrong++
		}
		if err := rows.add(property, property.Name, property.Want, property.Got, property.OK); err != nil {
			return err
		}
	}
	if err := rows.end(); err != nil {
		return err
	}
	if wrong > 0 {
		return foundf("table %s: %d properties are not as they should be", p.table, wrong)
	}
	return nil
}

func (p *program) properties(ctx context.Context) ([]property, error) {
	client, err := p.dynamodb(ctx)
	if err != nil {
		return nil, err
	}
	needed, err := userstore.CheckTable(ctx, client, p.table)
	if err != nil {
		return nil, err
	}
	var all []property
	for _, n := range needed {
		all = append(all, compare(n.Name, n.Want, n.Got))
	}
	recovery, err := p.recovery(ctx, client)
	if err != nil {
		return nil, err
	}
	described, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &p.table})
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", p.table, err)
	}
	protection := "off"
	if aws.ToBool(described.Table.DeletionProtectionEnabled) {
		protection = "on"
	}
	return append(all, recovery, compare("deletion protection", "on", protection)), nil
}

// recovery is point-in-time recovery. An engine at --endpoint that has none is not blamed for it.
func (p *program) recovery(ctx context.Context, client *dynamodb.Client) (property, error) {
	const name, want = "point-in-time recovery", string(types.PointInTimeRecoveryStatusEnabled)
	out, err := client.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: &p.table})
	if p.notOffered(err) {
		return property{Name: name, Want: want, Got: "not offered by the endpoint", OK: true}, nil
	}
	if err != nil {
		return property{}, fmt.Errorf("backups of table %s: %w", p.table, err)
	}
	got := notThere
	if d := out.ContinuousBackupsDescription; d != nil && d.PointInTimeRecoveryDescription != nil {
		got = string(d.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus)
	}
	return compare(name, want, got), nil
}
