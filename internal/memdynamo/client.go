package memdynamo

import (
	"context"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Client returns an SDK client that reaches the engine without a socket, with dummy credentials and a region. The options
// are applied last and may change everything, such as the HTTP client (see Transport) or the retries.
func (db *DB) Client(options ...func(*dynamodb.Options)) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:       region,
		BaseEndpoint: aws.String("http://memdynamo.invalid"),
		Credentials:  aws.CredentialsProviderFunc(dummyCredentials),
		HTTPClient:   &http.Client{Transport: db.Transport()},
	}, options...)
}

func dummyCredentials(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "memdynamo", SecretAccessKey: "memdynamo", Source: "memdynamo"}, nil
}
