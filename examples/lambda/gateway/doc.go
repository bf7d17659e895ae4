// Package gateway runs a net/http handler as a Lambda function behind an API Gateway REST API, an HTTP API, or a function URL:
//
//	lambda.Start(gateway.New(handler, gateway.Config{}))
//
// # Events
//
// Three shapes are known: REST API (payload format 1.0, which HTTP APIs can send too), HTTP API (2.0), and function URL (2.0). Anything
// else, an event of a load balancer too, is ErrEvent: answering it would hide that the function stands behind the wrong thing.
//
// # What the handler sees
//
// The method; the path as the client sent it, percent-encoding kept (Go's http.Request.URL.EscapedPath), without the stage in the URL
// of API Gateway's own domains and without Config.BasePath. An HTTP API decodes the path before the function sees it, so there it is encoded
// anew: %2F has become a slash, which no function can tell from a slash that was sent. REST APIs and function URLs decode nothing. Further
// the query; the headers. Of a header that was sent several times, format
// 1.0 has every value, 2.0 one value joined by commas, apart from cookies, which are joined as in one Cookie header. The body is
// decoded from base64 where the event says so. RemoteAddr is the client's address as the gateway saw it, with port 0.
//
// Claims of an authorizer that has verified the token (Cognito authorizer of a REST API, JWT authorizer of an HTTP API) are handed
// over with httpapi.WithClaims. They come from the event's request context, which a client cannot write; whoever may invoke the
// function directly can write it, so grant lambda:InvokeFunction to the gateway only.
//
// # What the client gets
//
// Status, headers and body of the handler, as net/http's server would send them: no body on HEAD, 204 and 304, and a Content-Type
// by content if the handler sets none. A body that is not UTF-8, or has a Content-Encoding, travels as base64. The whole answer is
// held in memory; Lambda takes 6 MB.
package gateway
