package outbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// ErrTable says that the table is not as it was configured.
var ErrTable = errors.New("outbox: the table's keys are not as configured")

// checkTable makes sure that the key attributes have the configured names, and are strings.
func (s store) checkTable(ctx context.Context) error {
	out, err := s.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(s.table.Name)})
	if err != nil {
		return fmt.Errorf("outbox: describe the table: %w", err)
	}
	kinds := make(map[string]types.ScalarAttributeType)
	for _, attribute := range out.Table.AttributeDefinitions {
		kinds[aws.ToString(attribute.AttributeName)] = attribute.AttributeType
	}
	keys := make(map[types.KeyType]string)
	for _, element := range out.Table.KeySchema {
		keys[element.KeyType] = aws.ToString(element.AttributeName)
	}
	for keyType, want := range map[types.KeyType]string{types.KeyTypeHash: s.table.PartitionKey, types.KeyTypeRange: s.table.SortKey} {
		if keys[keyType] != want || kinds[want] != types.ScalarAttributeTypeS {
			return fmt.Errorf("%w: want the string %q as %s", ErrTable, want, keyType)
		}
	}
	return nil
}

// checkPublisher asks the publisher whether its target exists, if it can tell.
func checkPublisher(ctx context.Context, publisher Publisher) error {
	checker, ok := publisher.(Checker)
	if !ok {
		return nil
	}
	if err := checker.Check(ctx); err != nil {
		return fmt.Errorf("outbox: check the publisher: %w", err)
	}
	return nil
}
