package main

import (
	"context"
	"fmt"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/usercore-go/usercore/userstore"
)

// localRegion is signed with at an --endpoint when no region is set: engines outside AWS accept any.
const localRegion = "us-east-1"

// credentialVariables tell that the environment has credentials, or says where they are.
var credentialVariables = []string{
	"AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE",
	"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
}

// awsConfig is the environment's configuration. With --endpoint it does without credentials and region.
func (p *program) awsConfig(ctx context.Context) (aws.Config, error) {
	var options []func(*config.LoadOptions) error
	region := p.region
	if p.endpoint != "" {
		if region == "" && os.Getenv("AWS_DEFAULT_REGION") == "" {
			region = localRegion
		}
		if !credentialsInEnvironment() {
			options = append(options, config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider("local", "local", "")))
		}
	}
	if region != "" {
		options = append(options, config.WithRegion(region))
	}
	cfg, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return cfg, fmt.Errorf("reading the AWS configuration: %w", err)
	}
	if cfg.Region == "" {
		return cfg, usagef("no region: give --region, or set AWS_REGION")
	}
	return cfg, nil
}

func credentialsInEnvironment() bool {
	for _, name := range credentialVariables {
		if os.Getenv(name) != "" {
			return true
		}
	}
	return false
}

func (p *program) dynamodb(ctx context.Context) (*dynamodb.Client, error) {
	cfg, err := p.awsConfig(ctx)
	if err != nil {
		return nil, err
	}
	return dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) {
		if p.endpoint != "" {
			o.BaseEndpoint = &p.endpoint
		}
	}), nil
}

func (p *program) cognito(ctx context.Context) (*cognitoidentityprovider.Client, error) {
	cfg, err := p.awsConfig(ctx)
	if err != nil {
		return nil, err
	}
	return cognitoidentityprovider.NewFromConfig(cfg), nil
}

func (p *program) sqs(ctx context.Context) (*sqs.Client, error) {
	cfg, err := p.awsConfig(ctx)
	if err != nil {
		return nil, err
	}
	return sqs.NewFromConfig(cfg), nil
}

// users opens the accounts for changes.
func (p *program) users(ctx context.Context) (*userstore.Store, error) {
	cfg, err := p.changeableAccounts()
	if err != nil {
		return nil, err
	}
	client, err := p.dynamodb(ctx)
	if err != nil {
		return nil, err
	}
	store, err := userstore.New(client, cfg)
	if err != nil {
		return nil, usagef("%w", err)
	}
	return store, nil
}
