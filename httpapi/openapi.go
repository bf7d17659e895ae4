package httpapi

import (
	"context"
	_ "embed"
	"net/http"
	"strings"
)

// documentPath is where the OpenAPI document is served, outside the prefix and without a token.
const documentPath = "/openapi.json"

//go:embed openapi.json
var openAPI string

// document is the OpenAPI document of an API with a prefix.
func document(prefix string) []byte {
	if prefix == "" {
		prefix = "/"
	}
	return []byte(strings.Replace(openAPI, `"url": "`+defaultPrefix+`"`, `"url": "`+prefix+`"`, 1))
}

// getDocument is GET /openapi.json: no requests.
func (h *Handler) getDocument(context.Context, *call) (answer, error) {
	return answer{status: http.StatusOK, body: h.document}, nil
}
