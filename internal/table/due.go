package table

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/usercore-go/usercore/internal/dynamo"
)

// DueScan reads what has come to its end: the PROFILE of deleted accounts whose retention is over by now, and the claims whose lease had
// ended by lapsed.
func DueScan(name string, now, lapsed time.Time) dynamodb.ScanInput {
	return dynamodb.ScanInput{
		TableName: &name,
		FilterExpression: aws.String("(SK = :profile AND begins_with(PK, :user) AND #status = :deleted AND purgeAfter <= :now) OR " +
			"(SK = :claim AND begins_with(PK, :email) AND leaseUntil <= :lapsed)"),
		ExpressionAttributeNames: map[string]string{"#status": "status"},
		ExpressionAttributeValues: dynamo.Item{
			":profile": str(profileSK), ":user": str(userPrefix), ":deleted": str(string(Deleted)), ":now": num(now.Unix()),
			":claim": str(claimSK), ":email": str(emailPrefix), ":lapsed": num(lapsed.Unix()),
		},
	}
}
