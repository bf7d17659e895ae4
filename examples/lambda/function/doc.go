// Package function is what the Lambda functions beside it share: starting, and stopping before their time is over. With package deployment,
// which reads the environment, a function's main is a screen long:
//
//	func main() { function.Run(build) }
//
//	func build(d *deployment.Deployment) (lambda.Handler, error) { … }
//
// A function that is configured wrongly ends at its start with status 1, and with one log record that names every variable that is
// missing, wrong or contradicts another. Nothing is requested from AWS before the first event, so a cold start takes what the
// program takes to load. Logs are JSON on standard error, with the id of the invocation as awsRequestId.
package function
