package outbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxPayloadDepth is how deep JSON may nest for PutEvents (API reference).
const maxPayloadDepth = 1000

// compactPayload returns the payload without insignificant blanks; an empty one becomes {}.
func compactPayload(data json.RawMessage) (json.RawMessage, error) {
	if len(data) == 0 {
		return json.RawMessage("{}"), nil
	}
	if !utf8.Valid(data) {
		return nil, badField("Data", "is not UTF-8")
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		return nil, badField("Data", "is not valid JSON")
	}
	if compact.Bytes()[0] != '{' {
		return nil, badField("Data", "is not a JSON object")
	}
	return compact.Bytes(), nil
}

// checkPayload makes sure that EventBridge takes a compact payload and that consumers read one meaning from it. Taken are the names
// that its members must not have.
func checkPayload(data json.RawMessage, taken []string) error {
	scan := payloadScan{decoder: json.NewDecoder(bytes.NewReader(data)), names: make(map[string]bool, len(taken))}
	scan.decoder.UseNumber()
	for _, name := range taken {
		scan.names[name] = true
	}
	for {
		switch token, err := scan.decoder.Token(); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return badField("Data", "is not valid JSON")
		default:
			if err := scan.take(token); err != nil {
				return err
			}
		}
	}
}

// payloadScan walks over the tokens of a JSON object.
type payloadScan struct {
	decoder *json.Decoder
	// names are those that a further member of the outermost object must not have.
	names map[string]bool
	depth int
	// inValue is true in the outermost object between a name and its value.
	inValue bool
}

func (s *payloadScan) take(token json.Token) error {
	if s.depth == 1 && !s.inValue && token != json.Delim('}') {
		return s.takeName(token)
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' || t == '[' {
			s.depth++
		} else {
			s.depth--
		}
		if s.depth > maxPayloadDepth {
			return badField("Data", "nests deeper than %d levels", maxPayloadDepth)
		}
	case json.Number:
		if !fitsEventBridge(t) {
			return badField("Data", "has an integer of more than 64 bits")
		}
	}
	if s.depth == 1 {
		s.inValue = false
	}
	return nil
}

func (s *payloadScan) takeName(token json.Token) error {
	name, _ := token.(string) // a name, because the decoder checks the grammar
	if s.names[name] {
		return badField("Data", "has a member twice, or one with a name of the envelope")
	}
	s.names[name] = true
	s.inValue = true
	return nil
}

// fitsEventBridge reports whether PutEvents takes the number: integers are limited to 64 bits (API reference).
func fitsEventBridge(n json.Number) bool {
	if strings.ContainsAny(n.String(), ".eE") {
		return true
	}
	_, err := strconv.ParseInt(n.String(), 10, 64)
	return err == nil
}
