package consume

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/outbox"
)

// Projection says where a consumer keeps what it makes of an aggregate's events: one item per aggregate, with the number and the id of
// the last event beside what was made of it. Such an item must never be deleted while events can still come, nor by TTL: without its
// position an old event would start it anew.
type Projection struct {
	// Table is where the items lie.
	Table Table
	// SeqAttribute holds the number of the last event; default lastSeq. Projections that share an item need different ones.
	SeqAttribute string
	// EventIDAttribute holds the id of the last event; default lastEventId. Projections that share an item need different ones.
	EventIDAttribute string
}

// withDefaults returns the projection with its defaults filled in, or an error that names the field that is wrong.
func (p Projection) withDefaults() (Projection, error) {
	var err error
	if p.Table, err = p.Table.withDefaults("", "PROJECTION"); err != nil {
		return p, err
	}
	p.SeqAttribute = cmp.Or(p.SeqAttribute, "lastSeq")
	p.EventIDAttribute = cmp.Or(p.EventIDAttribute, "lastEventId")
	switch {
	case p.SeqAttribute == p.EventIDAttribute:
		return p, badConfig("SeqAttribute and EventIDAttribute are the same")
	case p.Table.isKey(p.SeqAttribute) || p.Table.isKey(p.EventIDAttribute):
		return p, badConfig("SeqAttribute or EventIDAttribute is part of the key")
	}
	return p, nil
}

// reserves reports whether an attribute is not the consumer's to change.
func (p Projection) reserves(attribute string) bool {
	return p.Table.isKey(attribute) || attribute == p.SeqAttribute || attribute == p.EventIDAttribute
}

// order is which event may follow which.
type order int

const (
	increasing order = iota // state: any later event
	contiguous              // deltas: the very next event
)

// guard returns the conditional write that applies the event.
func (p Projection) guard(e outbox.Event, o order, c Change) (*Guard, error) {
	if err := validate(e); err != nil {
		return nil, err
	}
	if err := c.validate(p); err != nil {
		return nil, err
	}
	x := newExpression()
	seq := x.name(p.SeqAttribute)
	x.set(p.SeqAttribute, number(e.Seq))
	x.set(p.EventIDAttribute, text(e.ID))
	c.write(x)
	condition := ""
	switch {
	case o == increasing:
		condition = fmt.Sprintf("attribute_not_exists(%s) OR %s < %s", seq, seq, x.value(number(e.Seq)))
	case e.Seq == 1:
		condition = fmt.Sprintf("attribute_not_exists(%s) OR %s = %s", seq, seq, x.value(number(0)))
	default:
		condition = fmt.Sprintf("%s = %s", seq, x.value(number(e.Seq-1)))
	}
	return &Guard{projection: p, order: o, event: e, expression: x, condition: condition}, nil
}

// position reads which event an item had last; 0 for none.
func (p Projection) position(old Item) (seq int64, eventID string, err error) {
	if old[p.SeqAttribute] == nil {
		return 0, "", nil
	}
	seq, err = readNumber(old, p.SeqAttribute)
	return seq, readText(old, p.EventIDAttribute), err
}

// number returns an integer as DynamoDB has it.
func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}
