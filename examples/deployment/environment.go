package deployment

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Environment reads variables and remembers what is wrong with them, so that all of it can be said at once. It is used by one
// goroutine.
type Environment struct {
	lookup func(name string) string
	wrong  []error
}

// NewEnvironment reads variables through lookup, such as os.Getenv. An empty variable counts as one that is not set.
func NewEnvironment(lookup func(name string) string) *Environment {
	return &Environment{lookup: lookup}
}

// Err names every variable that was found wrong so far; nil if there is none.
func (e *Environment) Err() error { return errors.Join(e.wrong...) }

// Refuse notes that a variable is wrong, and what is wrong with it once.
func (e *Environment) Refuse(name, format string, args ...any) {
	reason := fmt.Errorf("%s: "+format, append([]any{name}, args...)...)
	if !slices.ContainsFunc(e.wrong, func(known error) bool { return known.Error() == reason.Error() }) {
		e.wrong = append(e.wrong, reason)
	}
}

// Text is the value of a variable, or other if it is not set.
func (e *Environment) Text(name, other string) string {
	if value := e.lookup(name); value != "" {
		return value
	}
	return other
}

// Required is the value of a variable that has to be set.
func (e *Environment) Required(name string) string {
	value := e.lookup(name)
	if value == "" {
		e.Refuse(name, "is not set")
	}
	return value
}

// List is the parts of a value between commas, without blanks around them; none if the variable is not set.
func (e *Environment) List(name string) []string {
	var parts []string
	for part := range strings.SplitSeq(e.lookup(name), ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// Int is a whole number, 0 if the variable is not set.
func (e *Environment) Int(name string) int { return parse(e, name, "a whole number", strconv.Atoi) }

// Bool is true or false, false if the variable is not set.
func (e *Environment) Bool(name string) bool {
	return parse(e, name, "true or false", strconv.ParseBool)
}

// Duration is a time as in 15m, 0 if the variable is not set.
func (e *Environment) Duration(name string) time.Duration {
	return parse(e, name, "a time such as 15m", time.ParseDuration)
}

func parse[T any](e *Environment, name, kind string, read func(string) (T, error)) T {
	var none T
	text := e.lookup(name)
	if text == "" {
		return none
	}
	value, err := read(text)
	if err != nil {
		e.Refuse(name, "%q is not %s", text, kind)
		return none
	}
	return value
}
