package account_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/table"
)

func TestOptionsKnowTheTableByNameAndARN(t *testing.T) {
	t.Parallel()
	const arn = "arn:aws:dynamodb:eu-central-1:123456789012:table/"
	for name, c := range map[string]struct {
		ours, theirs string
		refused      bool
	}{
		"names":                    {"users", "users", true},
		"their_arn":                {"users", arn + "users", true},
		"our_arn":                  {arn + "users", "users", true},
		"arns":                     {arn + "users", arn + "users", true},
		"another_name":             {"users", "orders", false},
		"another_arn":              {"users", arn + "orders", false},
		"a_name_that_ends_like_it": {"users", arn + "old-users", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			action := types.TransactWriteItem{Delete: &types.Delete{TableName: aws.String(c.theirs), Key: table.ProfileKey("u1")}}
			err := account.Options{With: []types.TransactWriteItem{action}}.Check(t.Context(), c.ours, "u1")
			if c.refused {
				require.ErrorIs(t, err, account.ErrInvalid)
				return
			}
			require.NoError(t, err)
		})
	}
}
