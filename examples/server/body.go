package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// maxBody is the size of the largest request body, in bytes.
const maxBody = 64 << 10

// decode reads a body of JSON, at most maxBody long. A field that into does not have is refused.
func decode(r *http.Request, into any) error {
	text, err := readBody(r)
	if err != nil {
		return err
	}
	return parse(r, text, into)
}

// decodeOptional is decode for a body that may be left out.
func decodeOptional(r *http.Request, into any) error {
	text, err := readBody(r)
	if err != nil || len(text) == 0 {
		return err
	}
	return parse(r, text, into)
}

func readBody(r *http.Request) ([]byte, error) {
	text, err := io.ReadAll(r.Body)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, bodyTooLarge()
	case err != nil:
		return nil, badBody()
	}
	return text, nil
}

func parse(r *http.Request, text []byte, into any) error {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return wrongMediaType()
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return refused(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return badBody() // more than one value
	}
	return nil
}

// refused names the field that an error of encoding/json is about.
func refused(err error) error {
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) && wrongType.Field != "" {
		return refuse(wrongType.Field, "has the wrong type")
	}
	// The package has no type for this one.
	if quoted, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
		if name, err := strconv.Unquote(quoted); err == nil {
			return refuse(name, "is not known")
		}
	}
	return badBody()
}
