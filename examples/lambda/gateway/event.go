package gateway

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
)

// event is what the known shapes have, in one struct: format 1.0 fills the second group of fields, 2.0 the third.
type event struct {
	Version         string            `json:"version"`
	Headers         map[string]string `json:"headers"`
	Body            *string           `json:"body"`
	IsBase64Encoded bool              `json:"isBase64Encoded"`
	RequestContext  *requestContext   `json:"requestContext"`

	HTTPMethod        string              `json:"httpMethod"`
	Path              string              `json:"path"`
	MultiValueHeaders map[string][]string `json:"multiValueHeaders"`
	Query             map[string]string   `json:"queryStringParameters"`
	MultiValueQuery   map[string][]string `json:"multiValueQueryStringParameters"`

	RawPath        string   `json:"rawPath"`
	RawQueryString string   `json:"rawQueryString"`
	Cookies        []string `json:"cookies"`
}

type requestContext struct {
	Stage      string          `json:"stage"`
	DomainName string          `json:"domainName"`
	Authorizer json.RawMessage `json:"authorizer"`
	// ELB is set in events of load balancers, which otherwise look like format 1.0.
	ELB json.RawMessage `json:"elb"`

	Identity struct {
		SourceIP string `json:"sourceIp"`
	} `json:"identity"`

	HTTP struct {
		Method   string `json:"method"`
		SourceIP string `json:"sourceIp"`
	} `json:"http"`
}

// decode reads an event of one of the shapes.
func decode(payload []byte) (*event, error) {
	e := new(event)
	if err := json.Unmarshal(payload, e); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEvent, err)
	}
	switch {
	case e.RequestContext == nil || e.RequestContext.ELB != nil:
	case e.Version == "2.0" && e.RequestContext.HTTP.Method != "" && e.RawPath != "":
		return e, nil
	case (e.Version == "" || e.Version == "1.0") && e.HTTPMethod != "" && e.Path != "":
		return e, nil
	}
	return nil, ErrEvent
}

// isV2 says which of the two formats the event has, and so its answer.
func (e *event) isV2() bool { return e.Version == "2.0" }

func (e *event) method() string {
	if e.isV2() {
		return e.RequestContext.HTTP.Method
	}
	return e.HTTPMethod
}

func (e *event) sourceIP() string {
	if e.isV2() {
		return e.RequestContext.HTTP.SourceIP
	}
	return e.RequestContext.Identity.SourceIP
}

// apiDomain is in the names of the domains that API Gateway gives an API; in others there is no stage in the path.
const apiDomain = ".execute-api."

// urlDomain is in the names of function URLs, which have no other domains.
const urlDomain = ".lambda-url."

// defaultStage is the stage of an HTTP API that is not in the path.
const defaultStage = "$default"

// url is the path and query as the client sent them, as far as the gateway tells. A REST API has no stage in its path.
func (e *event) url(basePath string) *url.URL {
	path := e.Path
	if e.isV2() {
		path = e.RawPath
		if c := e.RequestContext; c.Stage != defaultStage && strings.Contains(c.DomainName, apiDomain) {
			path = trimBase(path, "/"+c.Stage)
		}
	}
	path = trimBase(path, basePath)
	if e.isDecoded() {
		return &url.URL{Path: path, RawQuery: e.query()}
	}
	u := &url.URL{Path: path, RawPath: path, RawQuery: e.query()}
	if decoded, err := url.PathUnescape(path); err == nil {
		u.Path = decoded
	}
	return u
}

// isDecoded says whether the gateway has decoded the path. HTTP APIs do in both formats, of which only they write a version into 1.0; REST APIs
// and function URLs hand the path over as it was sent. This is not in AWS's reference but what captured events show.
func (e *event) isDecoded() bool {
	if e.isV2() {
		return !strings.Contains(e.RequestContext.DomainName, urlDomain)
	}
	return e.Version == "1.0"
}

// trimBase takes whole segments away from the front of a path.
func trimBase(path, base string) string {
	rest, has := strings.CutPrefix(path, base)
	switch {
	case !has || base == "" || rest != "" && rest[0] != '/':
		return path
	case rest == "":
		return "/"
	}
	return rest
}

func (e *event) query() string {
	if e.isV2() {
		return e.RawQueryString
	}
	values := url.Values(e.MultiValueQuery)
	if values == nil {
		values = url.Values{}
		for name, value := range e.Query {
			values.Set(name, value)
		}
	}
	return values.Encode()
}

func (e *event) header() http.Header {
	header := http.Header{}
	for name, values := range e.MultiValueHeaders {
		key := textproto.CanonicalMIMEHeaderKey(name)
		header[key] = append(header[key], values...)
	}
	if e.MultiValueHeaders == nil {
		for name, value := range e.Headers {
			header.Set(name, value)
		}
	}
	if len(e.Cookies) > 0 {
		header.Set("Cookie", strings.Join(e.Cookies, "; "))
	}
	return header
}

func (e *event) body() ([]byte, error) {
	if e.Body == nil {
		return nil, nil
	}
	if !e.IsBase64Encoded {
		return []byte(*e.Body), nil
	}
	body, err := base64.StdEncoding.DecodeString(*e.Body)
	if err != nil {
		return nil, fmt.Errorf("%w: the body is not base64: %w", ErrEvent, err)
	}
	return body, nil
}

// claims are those that an authorizer has verified, nil if there was none. Authorizers of one's own may hand over anything; what is not
// of the expected shape counts as none.
func (e *event) claims() map[string]string {
	var authorizer struct {
		Claims map[string]any `json:"claims"`
		JWT    struct {
			Claims map[string]any `json:"claims"`
		} `json:"jwt"`
	}
	if e.RequestContext.Authorizer == nil || json.Unmarshal(e.RequestContext.Authorizer, &authorizer) != nil {
		return nil
	}
	given := authorizer.Claims
	if e.isV2() {
		given = authorizer.JWT.Claims
	}
	if given == nil {
		return nil
	}
	claims := make(map[string]string, len(given))
	for name, value := range given {
		if text, isText := value.(string); isText {
			claims[name] = text
		}
	}
	return claims
}
