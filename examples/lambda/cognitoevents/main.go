// Cognitoevents makes the user pool follow the accounts: it handles the events user.suspended, user.reactivated, user.deleted,
// user.restored, user.purged and email.primary.changed, which a rule of the bus puts into a queue. The event source mapping needs
// ReportBatchItemFailures.
//
// Variables: those of package deployment; USERCORE_USER_POOL_ID; and USERCORE_DELETE_PURGED, true to delete the pool's user of a purged
// account, which otherwise stays disabled.
//
// Permissions: on the table dynamodb:GetItem; on the pool cognito-idp:ListUsers, AdminGetUser, AdminDisableUser, AdminEnableUser,
// AdminUserGlobalSignOut, AdminUpdateUserAttributes and, for USERCORE_DELETE_PURGED, AdminDeleteUser; on the queue sqs:ReceiveMessage,
// DeleteMessage and GetQueueAttributes.
package main

import (
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider"

	"github.com/usercore-go/usercore/cognitosync"
	"github.com/usercore-go/usercore/examples/deployment"
	"github.com/usercore-go/usercore/examples/lambda/function"
)

func main() { function.Run(build) }

func build(d *deployment.Deployment) (lambda.Handler, error) {
	cfg := cognitosync.Config{
		UserPoolID: d.Required("USERCORE_USER_POOL_ID"), DeletePurged: d.Bool("USERCORE_DELETE_PURGED"), Logger: d.Logger,
	}
	users, err := d.Users()
	if err != nil {
		return nil, err
	}
	syncer, err := cognitosync.New(cognitoidentityprovider.NewFromConfig(d.AWS), users, cfg)
	if err != nil {
		return nil, err
	}
	return function.Handler(cognitosync.Batch(syncer.HandleEvent, d.Logger)), nil
}
