package table

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/internal/dynamo"
)

// timeLayout is how times are stored: UTC, fixed width, so that they sort as text.
const timeLayout = "2006-01-02T15:04:05.000Z"

// field is one attribute of a stored shape: its name, how it is read from and written to the Go value, and whether two
// values are stored alike. get returns nil when the attribute is left out of the item; set is not called for an absent one.
type field[T any] struct {
	name string
	get  func(*T) types.AttributeValue
	set  func(*T, types.AttributeValue) bool
	same func(a, b *T) bool
}

// keyAttributes is how many attributes an item has beside its fields, at most: keys and TTL.
const keyAttributes = 4

// encode is the item under key with the fields of v.
func encode[T any](key dynamo.Item, fields []field[T], v *T) dynamo.Item {
	item := make(dynamo.Item, len(fields)+keyAttributes)
	maps.Copy(item, key)
	for _, f := range fields {
		if a := f.get(v); a != nil {
			item[f.name] = a
		}
	}
	return item
}

// decode reads the fields of an item. Attributes that it does not know are left alone.
func decode[T any](item dynamo.Item, fields []field[T]) (T, error) {
	var v T
	for _, f := range fields {
		a, ok := item[f.name]
		if !ok {
			continue
		}
		if !f.set(&v, a) {
			return v, fmt.Errorf("%w: attribute %s has the wrong type", dynamo.ErrCorrupt, f.name)
		}
	}
	return v, nil
}

// difference is the update expression that turns the stored form of a into that of b, and touches nothing else.
func difference[T any](fields []field[T], a, b *T) dynamo.Expr {
	e := dynamo.Expr{Names: map[string]string{}, Values: dynamo.Item{}}
	var set, remove string
	for _, f := range fields {
		if f.same(a, b) {
			continue
		}
		e.Names["#"+f.name] = f.name
		is := f.get(b)
		if is == nil {
			remove += ", #" + f.name
			continue
		}
		e.Values[":"+f.name] = is
		set += ", #" + f.name + " = :" + f.name
	}
	if set != "" {
		e.Text = "SET " + set[2:]
	}
	if remove != "" {
		e.Text += " REMOVE " + remove[2:]
	}
	return e
}

// rewritten is the update expression that makes the attributes of a stored item, but its keys, those of item. What item leaves out stays.
func rewritten(item dynamo.Item) dynamo.Expr {
	x := dynamo.Expr{Names: map[string]string{}, Values: dynamo.Item{}}
	for _, name := range slices.Sorted(maps.Keys(item)) {
		if name == PK || name == SK {
			continue
		}
		x.Names["#"+name], x.Values[":"+name] = name, item[name]
		x.Text += ", #" + name + " = :" + name
	}
	x.Text = "SET " + strings.TrimPrefix(x.Text, ", ")
	return x
}

// timeAttributes are the attributes of PROFILE and EMAIL that are times for readers.
var timeAttributes = []string{"createdAt", "updatedAt", "verifiedAt", "suspendedAt", "deletedAt", "tokensValidAfter"}

// WithTimes is an item whose times, in any form of RFC 3339, are in the stored form, and whether that changes it. What is no time stays, and
// does not decode.
func WithTimes(item dynamo.Item) (_ dynamo.Item, changed bool) {
	fixed := maps.Clone(item)
	for _, name := range timeAttributes {
		was := text(item[name])
		if t, err := time.Parse(time.RFC3339Nano, was); err == nil {
			is := t.UTC().Format(timeLayout)
			fixed[name] = str(is)
			changed = changed || is != was
		}
	}
	return fixed, changed
}

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func num(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

func boolean(b bool) types.AttributeValue { return &types.AttributeValueMemberBOOL{Value: b} }

// text is the value of a string attribute, "" for any other.
func text(v types.AttributeValue) string {
	s, ok := v.(*types.AttributeValueMemberS)
	if !ok {
		return ""
	}
	return s.Value
}

// textField is a string attribute, left out when empty.
func textField[T any](name string, at func(*T) *string) field[T] {
	return field[T]{
		name: name,
		get: func(v *T) types.AttributeValue {
			if s := *at(v); s != "" {
				return str(s)
			}
			return nil
		},
		set: func(v *T, a types.AttributeValue) bool {
			s, ok := a.(*types.AttributeValueMemberS)
			if ok {
				*at(v) = s.Value
			}
			return ok
		},
		same: func(a, b *T) bool { return *at(a) == *at(b) },
	}
}

// countField is a whole number that is always written.
func countField[T any](name string, at func(*T) *int64) field[T] {
	return field[T]{
		name: name,
		get:  func(v *T) types.AttributeValue { return num(*at(v)) },
		set: func(v *T, a types.AttributeValue) bool {
			n, ok := whole(a)
			*at(v) = n
			return ok
		},
		same: func(a, b *T) bool { return *at(a) == *at(b) },
	}
}

// boolField is a boolean that is always written.
func boolField[T any](name string, at func(*T) *bool) field[T] {
	return field[T]{
		name: name,
		get:  func(v *T) types.AttributeValue { return boolean(*at(v)) },
		set: func(v *T, a types.AttributeValue) bool {
			b, ok := a.(*types.AttributeValueMemberBOOL)
			if ok {
				*at(v) = b.Value
			}
			return ok
		},
		same: func(a, b *T) bool { return *at(a) == *at(b) },
	}
}

// timeField is a time for readers, left out when zero.
func timeField[T any](name string, at func(*T) *time.Time) field[T] {
	return field[T]{
		name: name,
		get: func(v *T) types.AttributeValue {
			if t := *at(v); !t.IsZero() {
				return str(t.UTC().Format(timeLayout))
			}
			return nil
		},
		set: func(v *T, a types.AttributeValue) bool {
			t, err := time.Parse(timeLayout, text(a))
			*at(v) = t
			return err == nil
		},
		same: func(a, b *T) bool { return at(a).Truncate(time.Millisecond).Equal(at(b).Truncate(time.Millisecond)) },
	}
}

// epochField is a time that conditions compare: epoch seconds, left out when zero.
func epochField[T any](name string, at func(*T) *time.Time) field[T] {
	return field[T]{
		name: name,
		get: func(v *T) types.AttributeValue {
			if t := *at(v); !t.IsZero() {
				return num(t.Unix())
			}
			return nil
		},
		set: func(v *T, a types.AttributeValue) bool {
			n, ok := whole(a)
			if ok {
				*at(v) = time.Unix(n, 0).UTC()
			}
			return ok
		},
		same: func(a, b *T) bool { return at(a).Unix() == at(b).Unix() },
	}
}

func whole(a types.AttributeValue) (int64, bool) {
	n, ok := a.(*types.AttributeValueMemberN)
	if !ok {
		return 0, false
	}
	i, err := strconv.ParseInt(n.Value, 10, 64)
	return i, err == nil
}
