package userstore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// TableDescriber is what CheckTable calls of *dynamodb.Client. It needs dynamodb:DescribeTable and DescribeTimeToLive.
type TableDescriber interface {
	DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
	DescribeTimeToLive(
		context.Context, *dynamodb.DescribeTimeToLiveInput, ...func(*dynamodb.Options),
	) (*dynamodb.DescribeTimeToLiveOutput, error)
}

// TableProperty is one thing that the package needs of its table.
type TableProperty struct {
	// Name is "keys", "index GSI1", "projection of GSI1" or "time to live".
	Name string
	// Want is what the package needs and Got what the table has, as in "PK:S SK:S"; Got is "none" if it has nothing.
	Want, Got string
}

// OK says whether the table has what is needed.
func (p TableProperty) OK() bool { return p.Got == p.Want }

// nothing is what is got of a property that the table does not have.
const nothing = "none"

// CheckTable compares the table with TableDefinition, and its time to live with TTLAttribute. It returns every property, right or wrong; an
// error says that the table, named by name or ARN, cannot be described. It makes two requests of the control plane, which use no
// capacity but are limited for each account and region, so do not call it for every request.
func CheckTable(ctx context.Context, client TableDescriber, name string) ([]TableProperty, error) {
	described, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		return nil, fmt.Errorf("userstore: describing table %s: %w", name, err)
	}
	ttl, err := client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	if err != nil {
		return nil, fmt.Errorf("userstore: describing the time to live of table %s: %w", name, err)
	}
	return append(layoutOf(described.Table), TableProperty{"time to live", TTLAttribute, ttlAttribute(ttl)}), nil
}

// layoutOf compares keys and index.
func layoutOf(has *types.TableDescription) []TableProperty {
	want := TableDefinition("")
	properties := []TableProperty{{
		"keys", keyText(want.KeySchema, want.AttributeDefinitions), keyText(has.KeySchema, has.AttributeDefinitions),
	}}
	for _, index := range want.GlobalSecondaryIndexes {
		keys, projection := nothing, nothing
		at := slices.IndexFunc(has.GlobalSecondaryIndexes, func(d types.GlobalSecondaryIndexDescription) bool {
			return aws.ToString(d.IndexName) == *index.IndexName
		})
		if at >= 0 {
			found := has.GlobalSecondaryIndexes[at]
			keys = keyText(found.KeySchema, has.AttributeDefinitions)
			if found.Projection != nil {
				projection = string(found.Projection.ProjectionType)
			}
		}
		properties = append(properties,
			TableProperty{"index " + *index.IndexName, keyText(index.KeySchema, want.AttributeDefinitions), keys},
			TableProperty{"projection of " + *index.IndexName, string(index.Projection.ProjectionType), projection})
	}
	return properties
}

// keyText is a key schema with its types, partition key first: "PK:S SK:S".
func keyText(schema []types.KeySchemaElement, attributes []types.AttributeDefinition) string {
	kinds := map[string]types.ScalarAttributeType{}
	for _, a := range attributes {
		kinds[aws.ToString(a.AttributeName)] = a.AttributeType
	}
	var keys []string
	for _, element := range schema {
		name := aws.ToString(element.AttributeName)
		keys = append(keys, name+":"+string(kinds[name]))
	}
	return strings.Join(keys, " ")
}

// ttlAttribute is the attribute that time to live is enabled on, or being enabled.
func ttlAttribute(out *dynamodb.DescribeTimeToLiveOutput) string {
	if d := out.TimeToLiveDescription; d != nil {
		switch d.TimeToLiveStatus {
		case types.TimeToLiveStatusEnabled, types.TimeToLiveStatusEnabling:
			return aws.ToString(d.AttributeName)
		}
	}
	return nothing
}
