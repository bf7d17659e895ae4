package userstore_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/userstore"
)

func TestCheckTable(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*dynamodb.CreateTableInput)
		ttl    string            // the attribute; empty for none
		wrong  map[string]string // property → what is got
	}{
		"right":  {ttl: userstore.TTLAttribute},
		"no_ttl": {wrong: map[string]string{"time to live": "none"}},
		"other_ttl": {
			ttl: "expires", wrong: map[string]string{"time to live": "expires"},
		},
		"no_index": {
			change: func(in *dynamodb.CreateTableInput) {
				in.GlobalSecondaryIndexes, in.AttributeDefinitions = nil, in.AttributeDefinitions[:2]
			},
			ttl: userstore.TTLAttribute, wrong: map[string]string{"index GSI1": "none", "projection of GSI1": "none"},
		},
		"whole_items_in_the_index": {
			change: func(in *dynamodb.CreateTableInput) {
				in.GlobalSecondaryIndexes[0].Projection.ProjectionType = types.ProjectionTypeAll
			},
			ttl: userstore.TTLAttribute, wrong: map[string]string{"projection of GSI1": "ALL"},
		},
		"number_as_key": {
			change: func(in *dynamodb.CreateTableInput) {
				in.AttributeDefinitions[1].AttributeType = types.ScalarAttributeTypeN
			},
			ttl: userstore.TTLAttribute, wrong: map[string]string{"keys": "PK:S SK:N"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := memdynamo.New(memdynamo.Options{}).Client()
			makeTable(t, client, test.change, test.ttl)
			properties, err := userstore.CheckTable(t.Context(), client, "users")
			require.NoError(t, err)
			require.Len(t, properties, 4)
			wrong := map[string]string{}
			for _, p := range properties {
				if !p.OK() {
					wrong[p.Name] = p.Got
				}
			}
			if test.wrong == nil {
				test.wrong = map[string]string{}
			}
			require.Equal(t, test.wrong, wrong)
		})
	}
}

// makeTable makes the table users, changed, with time to live on an attribute, or without if that is empty.
func makeTable(t *testing.T, client *dynamodb.Client, change func(*dynamodb.CreateTableInput), ttl string) {
	t.Helper()
	definition := userstore.TableDefinition("users")
	if change != nil {
		change(definition)
	}
	_, err := client.CreateTable(t.Context(), definition)
	require.NoError(t, err)
	if ttl == "" {
		return
	}
	_, err = client.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName:               definition.TableName,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &ttl, Enabled: aws.Bool(true)},
	})
	require.NoError(t, err)
}

func TestCheckTableWithoutTable(t *testing.T) {
	t.Parallel()
	_, err := userstore.CheckTable(t.Context(), memdynamo.New(memdynamo.Options{}).Client(), "users")
	var missing *types.ResourceNotFoundException
	require.ErrorAs(t, err, &missing)
	require.ErrorContains(t, err, "table users")
}
