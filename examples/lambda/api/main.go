package main

import (
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/usercore-go/usercore/examples/deployment"
	"github.com/usercore-go/usercore/examples/lambda/function"
	"github.com/usercore-go/usercore/examples/lambda/gateway"
	"github.com/usercore-go/usercore/httpapi"
)

func main() { function.Run(build) }

func build(d *deployment.Deployment) (lambda.Handler, error) {
	service, err := d.Service(httpapi.Config{})
	if err != nil {
		return nil, err
	}
	return gateway.New(service.API, gateway.Config{BasePath: d.Text("USERCORE_BASE_PATH", "")})
}
