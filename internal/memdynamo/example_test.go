package memdynamo_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/internal/memdynamo"
)

func Example() {
	ctx := context.Background()
	client := memdynamo.New(memdynamo.Options{}).Client()
	_, err := client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            aws.String("claims"),
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("PK"), AttributeType: "S"}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, user := range []string{"ada", "bob"} {
		_, err := client.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: aws.String("claims"),
			Item: map[string]types.AttributeValue{
				"PK": &types.AttributeValueMemberS{Value: "EMAIL#a@example.com"}, "userId": &types.AttributeValueMemberS{Value: user},
			},
			ConditionExpression:                 aws.String("attribute_not_exists(PK)"),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		})
		var taken *types.ConditionalCheckFailedException
		if errors.As(err, &taken) {
			fmt.Println(user, "lost to", taken.Item["userId"].(*types.AttributeValueMemberS).Value)
		}
	}
	// Output: bob lost to ada
}
