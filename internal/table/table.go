// Package table is the layout of the users' table: its keys, the shapes of its items, and the conditions under which
// they change. It does no I/O and knows no clock. The whole table:
//
//	PK              SK                item      what it is
//	USER#{userId}   PROFILE           Profile   the account; seq counts its changes
//	USER#{userId}   EMAIL#{emailId}   Email     one address of the account; the only items in GSI1
//	USER#{userId}   CODE#{emailId}    Code      the live verification code of that address, never the code itself
//	USER#{userId}   BUDGET#{hash}     Budget    confirmation attempts for an address in the last hour and day
//	EMAIL#{email}   CLAIM             Claim     who holds the address
//	FLEET           TOKENS            Fleet     since when access tokens are valid, for all accounts
//
//	GSI1PK = EMAIL#{email}, GSI1SK = USER#{userId}, KEYS_ONLY: who holds or asks for an address, for support and audit.
//
// BUDGET < CODE < EMAIL < PROFILE, so one Query from a sort key on reads the account and as much as an operation needs.
// Stored times are UTC text of fixed width with milliseconds; what a condition compares is a number of epoch seconds.
package table

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/internal/dynamo"
)

// Names of the table's keys, of its index and of its TTL attribute.
const (
	PK, SK         = "PK", "SK"
	Index          = "GSI1"
	IndexPK        = "GSI1PK"
	IndexSK        = "GSI1SK"
	TTL            = "ttl"
	profileSK      = "PROFILE"
	claimSK        = "CLAIM"
	userPrefix     = "USER#"
	emailPrefix    = "EMAIL#"
	codePrefix     = "CODE#"
	budgetPrefix   = "BUDGET#"
	fleetPK        = "FLEET"
	tokensSK       = "TOKENS"
	budgetHashSize = 16
)

// Where a Query of an account's partition begins.
const (
	FromBudgets = budgetPrefix
	FromCodes   = codePrefix
	FromEmails  = emailPrefix
)

// ProfileKey is the key of an account's PROFILE.
func ProfileKey(userID string) dynamo.Item { return key(userPrefix+userID, profileSK) }

// EmailKey is the key of one address of an account.
func EmailKey(userID, emailID string) dynamo.Item { return key(userPrefix+userID, emailPrefix+emailID) }

// CodeKey is the key of the live code of an address.
func CodeKey(userID, emailID string) dynamo.Item { return key(userPrefix+userID, codePrefix+emailID) }

// ClaimKey is the key of the claim on an address in canonical form.
func ClaimKey(email string) dynamo.Item { return key(emailPrefix+email, claimSK) }

// BudgetKey is the key of the confirmation attempts for an address in canonical form. The address stands there as a
// hash, since the item outlives the address at the account.
func BudgetKey(userID, email string) dynamo.Item {
	return key(userPrefix+userID, budgetPrefix+budgetHash(email))
}

func budgetHash(email string) string {
	sum := sha256.Sum256([]byte(email))
	return hex.EncodeToString(sum[:budgetHashSize])
}

func key(pk, sk string) dynamo.Item { return dynamo.Item{PK: str(pk), SK: str(sk)} }

// Definition is the table as CreateTable wants it: on demand, with GSI1 in KEYS_ONLY.
func Definition(name string) *dynamodb.CreateTableInput {
	attribute := func(name string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: &name, AttributeType: types.ScalarAttributeTypeS}
	}
	keys := func(pk, sk string) []types.KeySchemaElement {
		return []types.KeySchemaElement{{AttributeName: &pk, KeyType: types.KeyTypeHash}, {AttributeName: &sk, KeyType: types.KeyTypeRange}}
	}
	return &dynamodb.CreateTableInput{
		TableName:            &name,
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{attribute(PK), attribute(SK), attribute(IndexPK), attribute(IndexSK)},
		KeySchema:            keys(PK, SK),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName:  aws.String(Index),
			KeySchema:  keys(IndexPK, IndexSK),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}},
	}
}

// PartitionQuery reads an account's partition from a sort key on, strongly consistent.
func PartitionQuery(name, userID, from string) *dynamodb.QueryInput {
	return &dynamodb.QueryInput{
		TableName:                 &name,
		ConsistentRead:            aws.Bool(true),
		KeyConditionExpression:    aws.String("PK = :pk AND SK >= :from"),
		ExpressionAttributeValues: dynamo.Item{":pk": str(userPrefix + userID), ":from": str(from)},
	}
}

// HoldersQuery reads the index entries of an address in canonical form, eventually consistent.
func HoldersQuery(name, email string) *dynamodb.QueryInput {
	return &dynamodb.QueryInput{
		TableName:                 &name,
		IndexName:                 aws.String(Index),
		KeyConditionExpression:    aws.String("GSI1PK = :pk"),
		ExpressionAttributeValues: dynamo.Item{":pk": str(emailPrefix + email)},
	}
}

// ProfileScan reads the PROFILE items of one segment of the table.
func ProfileScan(name string, segment, segments int32) *dynamodb.ScanInput {
	return &dynamodb.ScanInput{
		TableName:                 &name,
		Segment:                   &segment,
		TotalSegments:             &segments,
		FilterExpression:          aws.String("SK = :profile AND begins_with(PK, :user)"),
		ExpressionAttributeValues: dynamo.Item{":profile": str(profileSK), ":user": str(userPrefix)},
	}
}

// OwnsKey says whether an item's key is one of this layout, whose items only this module writes.
func OwnsKey(item dynamo.Item) bool {
	pk, sk := text(item[PK]), text(item[SK])
	if pk == fleetPK {
		return sk == tokensSK
	}
	if strings.HasPrefix(pk, emailPrefix) {
		return sk == claimSK
	}
	if !strings.HasPrefix(pk, userPrefix) {
		return false
	}
	return sk == profileSK || strings.HasPrefix(sk, emailPrefix) || strings.HasPrefix(sk, codePrefix) || strings.HasPrefix(sk, budgetPrefix)
}

// UserOf is the account whose partition an item stands in, "" for an item of no account.
func UserOf(item dynamo.Item) string {
	userID, ok := strings.CutPrefix(text(item[PK]), userPrefix)
	if !ok {
		return ""
	}
	return userID
}
