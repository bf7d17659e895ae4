package httpapi_test

import (
	"fmt"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// schema checks values against the part of JSON Schema 2020-12 that the OpenAPI document uses. A keyword that it does not know is an error,
// so a rule in the document is never passed over.
type schema struct {
	// resolve finds what a $ref points to.
	resolve func(ref string) map[string]any
}

func (s schema) check(rules map[string]any, value any, at string) error {
	for keyword, rule := range rules {
		if err := s.keyword(rules, keyword, rule, value); err != nil {
			return fmt.Errorf("%s: %s: %w", at, keyword, err)
		}
	}
	return nil
}

func (s schema) keyword(rules map[string]any, keyword string, rule, value any) error {
	switch keyword {
	case "description", "then", "else": // then and else belong to if
		return nil
	case "$ref":
		return s.check(s.resolve(rule.(string)), value, rule.(string))
	case "allOf", "oneOf":
		return s.combined(keyword, rule.([]any), value)
	case "not":
		if s.check(rule.(map[string]any), value, "not") == nil {
			return fmt.Errorf("%v must not match", value)
		}
		return nil
	case "if":
		branch := "else"
		if s.check(rule.(map[string]any), value, "if") == nil {
			branch = "then"
		}
		then, _ := rules[branch].(map[string]any)
		return s.check(then, value, branch)
	case "type", "const", "enum":
		return equality(keyword, rule, value)
	case "required", "properties", "additionalProperties":
		return s.object(rules, keyword, rule, value)
	case "items", "minItems":
		return s.array(keyword, rule, value)
	case "minimum", "maximum":
		return number(keyword, rule, value)
	case "pattern", "format", "minLength", "maxLength":
		return text(keyword, rule, value)
	}
	return fmt.Errorf("the checker does not know this keyword")
}

func (s schema) combined(keyword string, branches []any, value any) error {
	matches := 0
	var last error
	for i, branch := range branches {
		if err := s.check(branch.(map[string]any), value, fmt.Sprint(i)); err != nil {
			last = err
			continue
		}
		matches++
	}
	if keyword == "allOf" && matches == len(branches) || keyword == "oneOf" && matches == 1 {
		return nil
	}
	return fmt.Errorf("%d of %d match: %w", matches, len(branches), last)
}

func equality(keyword string, rule, value any) error {
	switch keyword {
	case "const":
		if value != rule {
			return fmt.Errorf("%v is not %v", value, rule)
		}
	case "enum":
		if !slices.Contains(rule.([]any), value) {
			return fmt.Errorf("%v is none of %v", value, rule)
		}
	case "type":
		if kind := kindOf(value); kind != rule {
			return fmt.Errorf("%v is of type %s, not %v", value, kind, rule)
		}
	}
	return nil
}

func kindOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func (s schema) object(rules map[string]any, keyword string, rule, value any) error {
	members, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	switch keyword {
	case "required":
		for _, name := range rule.([]any) {
			if _, ok := members[name.(string)]; !ok {
				return fmt.Errorf("%s is missing", name)
			}
		}
	case "properties":
		for name, property := range rule.(map[string]any) {
			if member, ok := members[name]; ok {
				if err := s.check(property.(map[string]any), member, name); err != nil {
					return err
				}
			}
		}
	case "additionalProperties":
		for name := range members {
			if _, ok := rules["properties"].(map[string]any)[name]; !ok && rule == false {
				return fmt.Errorf("%s is not in the schema", name)
			}
		}
	}
	return nil
}

func (s schema) array(keyword string, rule, value any) error {
	elements, ok := value.([]any)
	if !ok {
		return nil
	}
	if keyword == "minItems" && len(elements) < int(rule.(float64)) {
		return fmt.Errorf("%d elements", len(elements))
	}
	if keyword == "items" {
		for i, element := range elements {
			if err := s.check(rule.(map[string]any), element, fmt.Sprint(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func number(keyword string, rule, value any) error {
	n, ok := value.(float64)
	bound := rule.(float64)
	if ok && (keyword == "minimum" && n < bound || keyword == "maximum" && n > bound) {
		return fmt.Errorf("%v against %v", n, bound)
	}
	return nil
}

func text(keyword string, rule, value any) error {
	s, ok := value.(string)
	if !ok {
		return nil
	}
	good := false
	switch keyword {
	case "pattern":
		good = regexp.MustCompile(rule.(string)).MatchString(s)
	case "minLength":
		good = utf8.RuneCountInString(s) >= int(rule.(float64))
	case "maxLength":
		good = utf8.RuneCountInString(s) <= int(rule.(float64))
	case "format":
		good = hasFormat(rule.(string), s)
	}
	if !good {
		return fmt.Errorf("%q against %v", s, rule)
	}
	return nil
}

func hasFormat(format, s string) bool {
	switch format {
	case "date-time":
		_, err := time.Parse(time.RFC3339, s)
		return err == nil
	case "email":
		address, err := mail.ParseAddress(s)
		return err == nil && address.Address == s
	case "uri-reference":
		return strings.HasPrefix(s, "/") && !strings.ContainsAny(s, " <>\"")
	}
	return false
}
