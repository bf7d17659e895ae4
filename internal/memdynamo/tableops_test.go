package memdynamo_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/memdynamo"
)

func TestDescribeTable(t *testing.T) {
	now := newClock()
	h := setupWith(t, memdynamo.Options{Now: now.Now})
	h.put(inIndex("a", "G", "1"), key("b", "s"))
	out, err := h.client.DescribeTable(h.ctx, &dynamodb.DescribeTableInput{TableName: aws.String(tableName)})
	require.NoError(t, err)
	table, in := out.Table, tableInput()
	require.Equal(t, types.TableStatusActive, table.TableStatus)
	require.Equal(t, in.KeySchema, table.KeySchema)
	require.Equal(t, in.AttributeDefinitions, table.AttributeDefinitions)
	require.Equal(t, types.BillingModePayPerRequest, table.BillingModeSummary.BillingMode)
	require.Equal(t, now.Now(), table.CreationDateTime.UTC())
	require.EqualValues(t, 2, *table.ItemCount)
	require.EqualValues(t, 2+1+2+1+4+1+4+1+2+1+2+1, *table.TableSizeBytes)
	require.Len(t, table.GlobalSecondaryIndexes, 1)
	index := table.GlobalSecondaryIndexes[0]
	require.Equal(t, types.IndexStatusActive, index.IndexStatus)
	require.Equal(t, in.GlobalSecondaryIndexes[0].KeySchema, index.KeySchema)
	require.Equal(t, in.GlobalSecondaryIndexes[0].Projection, index.Projection)
	require.EqualValues(t, 1, *index.ItemCount)
	require.NoError(t, dynamodb.NewTableExistsWaiter(h.client).Wait(
		h.ctx, &dynamodb.DescribeTableInput{TableName: aws.String(tableName)}, time.Second,
	))
}

func TestTablesComeAndGo(t *testing.T) {
	h := setup(t)
	_, err := h.client.CreateTable(h.ctx, tableInput())
	requireCode(t, "ResourceInUseException", err)
	h.put(key("a", "s"))

	_, err = h.client.DeleteTable(h.ctx, &dynamodb.DeleteTableInput{TableName: aws.String(tableName)})
	require.NoError(t, err)
	for _, name := range []string{tableName, "missing"} {
		_, err = h.client.DescribeTable(h.ctx, &dynamodb.DescribeTableInput{TableName: aws.String(name)})
		requireCode(t, "ResourceNotFoundException", err)
		_, err = h.client.DeleteTable(h.ctx, &dynamodb.DeleteTableInput{TableName: aws.String(name)})
		requireCode(t, "ResourceNotFoundException", err)
	}
	requireCode(t, "ResourceNotFoundException", h.tryPut(key("a", "s")))

	h.create(func(in *dynamodb.CreateTableInput) { in.DeletionProtectionEnabled = aws.Bool(true) })
	require.Nil(t, h.get("a", "s"), "the new table is empty")
	_, err = h.client.DeleteTable(h.ctx, &dynamodb.DeleteTableInput{TableName: aws.String(tableName)})
	requireCode(t, validation, err)
	h.db.Reset()
	requireCode(t, "ResourceNotFoundException", h.tryPut(key("a", "s")))
}

func TestListTables(t *testing.T) {
	h := setup(t)
	for i := range 4 {
		h.create(func(in *dynamodb.CreateTableInput) { in.TableName = aws.String(fmt.Sprintf("extra%d", i)) })
	}
	var names []string
	pages := dynamodb.NewListTablesPaginator(h.client, &dynamodb.ListTablesInput{Limit: aws.Int32(2)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(h.ctx)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page.TableNames), 2)
		names = append(names, page.TableNames...)
	}
	require.Equal(t, []string{"extra0", "extra1", "extra2", "extra3", tableName}, names)
	_, err := h.client.ListTables(h.ctx, &dynamodb.ListTablesInput{Limit: aws.Int32(101)})
	requireCode(t, validation, err)
}

func TestInvalidTables(t *testing.T) {
	h := setup(t)
	index := func(in *dynamodb.CreateTableInput) *types.GlobalSecondaryIndex { return &in.GlobalSecondaryIndexes[0] }
	for message, change := range map[string]func(*dynamodb.CreateTableInput){
		"at least 3 characters":       func(in *dynamodb.CreateTableInput) { in.TableName = aws.String("ab") },
		"regular expression":          func(in *dynamodb.CreateTableInput) { in.TableName = aws.String("a b c") },
		"at 'BillingMode'":            func(in *dynamodb.CreateTableInput) { in.BillingMode = "FREE" },
		"must both be specified":      func(in *dynamodb.CreateTableInput) { in.BillingMode = "" },
		"Invalid KeySchema":           func(in *dynamodb.CreateTableInput) { in.KeySchema = in.KeySchema[1:] },
		"Invalid KeySchema: one HASH": func(in *dynamodb.CreateTableInput) { in.KeySchema = append(in.KeySchema, in.KeySchema[1]) },
		"have the same name":          func(in *dynamodb.CreateTableInput) { in.KeySchema = keySchema("pk", "pk") },
		"Key: [zz]":                   func(in *dynamodb.CreateTableInput) { in.KeySchema = keySchema("pk", "zz") },
		"at 'AttributeType'":          func(in *dynamodb.CreateTableInput) { in.AttributeDefinitions[0].AttributeType = "BOOL" },
		"AttributeDefinition: g1pk":   func(in *dynamodb.CreateTableInput) { in.GlobalSecondaryIndexes = nil },
		"at 'ProjectionType'":         func(in *dynamodb.CreateTableInput) { index(in).Projection.ProjectionType = "SOME" },
		"if and only if":              func(in *dynamodb.CreateTableInput) { index(in).Projection.ProjectionType = "INCLUDE" },
		"IndexName must be":           func(in *dynamodb.CreateTableInput) { index(in).IndexName = aws.String("x") },
		"Duplicate index name": func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, *index(in))
		},
		"StreamViewType must be specified": func(in *dynamodb.CreateTableInput) {
			in.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true)}
		},
		"Neither ReadCapacityUnits":         func(in *dynamodb.CreateTableInput) { in.ProvisionedThroughput = throughput(1) },
		"should not be specified for index": func(in *dynamodb.CreateTableInput) { index(in).ProvisionedThroughput = throughput(1) },
		"unsupported parameter: Tags": func(in *dynamodb.CreateTableInput) {
			in.Tags = []types.Tag{{Key: aws.String("k"), Value: aws.String("v")}}
		},
		"parameter: LocalSecondaryIndexes": func(in *dynamodb.CreateTableInput) {
			in.LocalSecondaryIndexes = []types.LocalSecondaryIndex{
				{IndexName: aws.String("LSI"), KeySchema: keySchema("pk", "g1sk"), Projection: &types.Projection{ProjectionType: "ALL"}},
			}
		},
	} {
		in := tableInput()
		in.TableName = aws.String("another")
		change(in)
		_, err := h.client.CreateTable(h.ctx, in)
		requireCode(t, validation, err)
		require.ErrorContains(t, err, message)
	}
}

func throughput(units int64) *types.ProvisionedThroughput {
	return &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(units), WriteCapacityUnits: aws.Int64(units)}
}

func TestProvisionedTableWithoutSortKey(t *testing.T) {
	h := setup(t)
	in := tableInput()
	in.TableName, in.BillingMode, in.ProvisionedThroughput, in.GlobalSecondaryIndexes = aws.String("plain"), "", throughput(5), nil
	in.KeySchema, in.AttributeDefinitions = in.KeySchema[:1], in.AttributeDefinitions[:1]
	out, err := h.client.CreateTable(h.ctx, in)
	require.NoError(t, err)
	require.EqualValues(t, 5, *out.TableDescription.ProvisionedThroughput.ReadCapacityUnits)
	_, err = h.client.PutItem(h.ctx, &dynamodb.PutItemInput{TableName: in.TableName, Item: attrs{"pk": S("a"), "sk": N("1")}})
	require.NoError(t, err)
	found, err := h.client.Query(h.ctx, &dynamodb.QueryInput{
		TableName: in.TableName, KeyConditionExpression: aws.String("pk = :p"), ExpressionAttributeValues: attrs{":p": S("a")},
		Limit: aws.Int32(1),
	})
	require.NoError(t, err)
	require.Equal(t, []attrs{{"pk": S("a"), "sk": N("1")}}, found.Items)
	require.Equal(t, attrs{"pk": S("a")}, found.LastEvaluatedKey)
}
