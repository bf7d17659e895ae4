package table

import (
	"strings"
	"time"

	"github.com/usercore-go/usercore/internal/dynamo"
)

// Budget counts the confirmation attempts that an account made for one address in the current UTC hour and day. It
// outlives codes and rows: neither a new code nor adding the address again resets it.
type Budget struct {
	Hour      int64 // hours since the epoch
	HourCount int64
	Day       int64 // days since the epoch
	DayCount  int64
	Rev       int64 // moves with every write: the lock
}

var budgetFields = []field[Budget]{
	countField("hour", func(b *Budget) *int64 { return &b.Hour }),
	countField("hourCount", func(b *Budget) *int64 { return &b.HourCount }),
	countField("day", func(b *Budget) *int64 { return &b.Day }),
	countField("dayCount", func(b *Budget) *int64 { return &b.DayCount }),
	countField("rev", func(b *Budget) *int64 { return &b.Rev }),
}

const (
	hourSeconds = 3600
	daySeconds  = 24 * hourSeconds
	// budgetRetention is longer than the longest count.
	budgetRetention = 25 * time.Hour
)

// At is the budget at a later time: counts of a past hour or day are dropped. A clock that steps back drops nothing.
func (b Budget) At(now time.Time) Budget {
	if hour := now.Unix() / hourSeconds; hour > b.Hour {
		b.Hour, b.HourCount = hour, 0
	}
	if day := now.Unix() / daySeconds; day > b.Day {
		b.Day, b.DayCount = day, 0
	}
	return b
}

// Charged is the budget after one more attempt.
func (b Budget) Charged(now time.Time) Budget {
	b = b.At(now)
	b.HourCount++
	b.DayCount++
	b.Rev++
	return b
}

// HourEnds is when the hour's count starts anew, DayEnds the day's.
func (b Budget) HourEnds() time.Time { return time.Unix((b.Hour+1)*hourSeconds, 0).UTC() }

// DayEnds is when the day's count starts anew.
func (b Budget) DayEnds() time.Time { return time.Unix((b.Day+1)*daySeconds, 0).UTC() }

// Item is the stored form for an account's address, with its TTL.
func (b Budget) Item(userID, email string) dynamo.Item {
	item := encode(BudgetKey(userID, email), budgetFields, &b)
	item[TTL] = num(time.Unix(b.Hour*hourSeconds, 0).Add(budgetRetention).Unix())
	return item
}

// DecodeBudget reads a BUDGET item.
func DecodeBudget(item dynamo.Item) (Budget, error) { return decode(item, budgetFields) }

// IsBudget says whether an item of an account's partition is a BUDGET.
func IsBudget(item dynamo.Item) bool { return strings.HasPrefix(text(item[SK]), budgetPrefix) }

// BudgetFor picks an account's budget for an address out of its partition; the zero Budget when there is none.
func BudgetFor(budgets map[string]Budget, email string) Budget { return budgets[budgetHash(email)] }

// BudgetHash is under which entry of an account's budgets an item belongs.
func BudgetHash(item dynamo.Item) string { return strings.TrimPrefix(text(item[SK]), budgetPrefix) }
