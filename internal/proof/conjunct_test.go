package proof

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/suite"
)

// condition is one conjunct of the condition of one part of an operation's transactions: what can be dropped by itself.
type condition struct {
	operation kind
	part      string // as in "Put CLAIM"
	text      string
}

func (c condition) String() string { return string(c.operation) + ": " + c.part + ": " + c.text }

// conjuncts splits a condition at its top-level ANDs. One with a top-level OR is a conjunct as a whole.
func conjuncts(text string) []string {
	text = unwrapped(strings.TrimSpace(text))
	if text == "" {
		return nil
	}
	if len(splitTop(text, " OR ")) > 1 {
		return []string{text}
	}
	parts := splitTop(text, " AND ")
	if len(parts) == 1 {
		return parts
	}
	var all []string
	for _, part := range parts {
		all = append(all, conjuncts(part)...)
	}
	return all
}

// splitTop splits at the separators that stand in no parentheses.
func splitTop(text, separator string) []string {
	var parts []string
	depth, from := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && strings.HasPrefix(text[i:], separator) {
			parts = append(parts, text[from:i])
			from = i + len(separator)
		}
	}
	return append(parts, text[from:])
}

// unwrapped is the text without parentheses around all of it.
func unwrapped(text string) string {
	for strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") {
		depth := 0
		for i := range len(text) - 1 {
			switch text[i] {
			case '(':
				depth++
			case ')':
				depth--
			}
			if depth == 0 {
				return text
			}
		}
		text = text[1 : len(text)-1]
	}
	return text
}

// conditionsOf names the conjuncts of an action of an operation, in their order, and gives their texts as sent.
func conditionsOf(op operation, action types.TransactWriteItem) (names []condition, texts []string) {
	text, placeholders := suite.Condition(action)
	for _, conjunct := range conjuncts(text) {
		readable := conjunct
		for placeholder, name := range placeholders {
			readable = strings.ReplaceAll(readable, placeholder, name)
		}
		names = append(names, condition{operation: op.kind, part: partOf(op, action), text: readable})
		texts = append(texts, conjunct)
	}
	return names, texts
}

// partOf names an action as suite.PartName does, and says whose item it is where an operation has two of the kind.
func partOf(op operation, action types.TransactWriteItem) string {
	name, pk, sk := suite.PartName(action), "", ""
	for _, key := range []map[string]types.AttributeValue{putItem(action), keyOf(action)} {
		if key != nil {
			pk, sk = value(key["PK"]), value(key["SK"])
		}
	}
	owner, isPack, isUser := op.user, strings.HasSuffix(name, " OUTBOX"), strings.HasPrefix(pk, "USER#")
	switch {
	case isPack:
		owner, _, _ = strings.Cut(sk, "#")
	case isUser:
		owner = strings.TrimPrefix(pk, "USER#")
	case strings.HasPrefix(pk, "RATELIMIT#verify#"):
		return name + " of the address"
	case strings.HasPrefix(pk, "RATELIMIT#sends#"):
		return name + " of the account"
	}
	if owner != op.user {
		return name + " of the old owner"
	}
	return name
}

func putItem(action types.TransactWriteItem) map[string]types.AttributeValue {
	if action.Put == nil {
		return nil
	}
	return action.Put.Item
}

func keyOf(action types.TransactWriteItem) map[string]types.AttributeValue {
	switch {
	case action.Update != nil:
		return action.Update.Key
	case action.Delete != nil:
		return action.Delete.Key
	case action.ConditionCheck != nil:
		return action.ConditionCheck.Key
	}
	return nil
}

func value(v types.AttributeValue) string {
	s, ok := v.(*types.AttributeValueMemberS)
	if !ok {
		return ""
	}
	return s.Value
}

// without is the transaction without one condition, wherever it stands.
func without(op operation, dropped condition, in *dynamodb.TransactWriteItemsInput) *dynamodb.TransactWriteItemsInput {
	out := *in
	out.TransactItems = make([]types.TransactWriteItem, len(in.TransactItems))
	for i, action := range in.TransactItems {
		out.TransactItems[i] = action
		names, texts := conditionsOf(op, action)
		var kept []string
		for j, name := range names {
			if name != dropped {
				kept = append(kept, "("+texts[j]+")")
			}
		}
		if len(kept) < len(names) {
			out.TransactItems[i] = suite.WithCondition(action, strings.Join(kept, " AND "))
		}
	}
	return &out
}

func TestConjuncts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                          nil,
		"a = :a":                    {"a = :a"},
		"a = :a AND b = :b":         {"a = :a", "b = :b"},
		"(a = :a AND b = :b) AND c": {"a = :a", "b = :b", "c"},
		"(a OR b) AND (c)":          {"a OR b", "c"},
		"a OR b AND c":              {"a OR b AND c"},
		"(a) AND (b)":               {"a", "b"},
		"((a) AND (f(b) OR c))":     {"a", "f(b) OR c"},
	} {
		require.Equal(t, want, conjuncts(text), text)
	}
}
