package table

import (
	"time"

	"github.com/usercore-go/usercore/internal/dynamo"
)

// Fleet is what holds for all accounts: the one FLEET item.
type Fleet struct {
	// TokensValidAfter is before which every access token must have been issued to be refused.
	TokensValidAfter time.Time
}

var fleetFields = []field[Fleet]{
	epochField("tokensValidAfter", func(f *Fleet) *time.Time { return &f.TokensValidAfter }),
}

// FleetKey is the key of the FLEET item.
func FleetKey() dynamo.Item { return key(fleetPK, tokensSK) }

// Item is the stored form.
func (f Fleet) Item() dynamo.Item { return encode(FleetKey(), fleetFields, &f) }

// DecodeFleet reads the FLEET item; an absent one is the zero Fleet.
func DecodeFleet(item dynamo.Item) (Fleet, error) { return decode(item, fleetFields) }

// NoLaterCutoff holds on a FLEET item whose tokens are not refused up to a later time already.
func NoLaterCutoff(t time.Time) dynamo.Expr {
	return dynamo.Expr{
		Text:   "attribute_not_exists(tokensValidAfter) OR tokensValidAfter <= :cutoff",
		Values: dynamo.Item{":cutoff": num(t.Unix())},
	}
}
