package audit_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/table"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/userstore/audit"
)

// planted is a defect in a place.
type planted struct {
	plant  func(t *testing.T, p place)
	others []audit.Kind // kinds that the same defect implies
	// person says that no repair is made.
	person bool
}

// allPlanted has a defect of each kind.
func allPlanted() map[audit.Kind]planted {
	return map[audit.Kind]planted{
		"claim_missing": {plant: func(t *testing.T, p place) { p.remove(t, table.ClaimKey(p.address("second"))) }},
		"claim_of_other_row": {plant: func(t *testing.T, p place) {
			p.change(t, table.ClaimKey(p.address("second")), "emailId", str("other"))
		}},
		"claim_without_row": {plant: func(t *testing.T, p place) {
			p.put(t, table.Claim{Email: p.address("ghost"), UserID: p.u1, EmailID: "gone", ClaimedAt: time.Now()}.Item())
		}},
		"address_shared": {plant: func(t *testing.T, p place) {
			p.put(t, table.Email{EmailID: "dup", UserID: p.u2, Email: p.address("second")}.Item())
			p.change(t, table.ProfileKey(p.u2), "emailCount", number("2"))
		}},
		"verified_with_lease": {plant: func(t *testing.T, p place) {
			p.change(t, table.ClaimKey(p.address("second")), "leaseUntil", number("1"))
		}},
		"unverified_without_lease": {plant: func(t *testing.T, p place) {
			p.change(t, table.ClaimKey(p.address("third")), "leaseUntil", nil)
		}},
		"profile_missing": {plant: func(t *testing.T, p place) { p.remove(t, table.ProfileKey(p.u2)) }, person: true},
		"row_misplaced": {plant: func(t *testing.T, p place) {
			p.change(t, table.EmailKey(p.u1, p.second), "userId", str(p.u2))
		}},
		"primary_unverified": {plant: func(t *testing.T, p place) {
			p.change(t, table.EmailKey(p.u1, p.first), "isVerified", yes(false))
		}, others: []audit.Kind{"unverified_without_lease"}},
		"primary_not_marked": {plant: func(t *testing.T, p place) {
			p.change(t, table.EmailKey(p.u1, p.first), "isPrimary", yes(false))
		}},
		"second_primary": {plant: func(t *testing.T, p place) {
			p.change(t, table.EmailKey(p.u1, p.second), "isPrimary", yes(true))
		}},
		"primary_differs": {plant: func(t *testing.T, p place) {
			p.change(t, table.ProfileKey(p.u1), "email", str(p.address("second")))
		}},
		"primary_missing": {plant: func(t *testing.T, p place) {
			p.change(t, table.ProfileKey(p.u1), "primaryEmailId", str("gone"))
		}, others: []audit.Kind{"second_primary"}},
		"no_primary": {plant: func(t *testing.T, p place) {
			p.change(t, table.ProfileKey(p.u1), "primaryEmailId", nil)
		}, others: []audit.Kind{"second_primary"}},
		"count_wrong": {plant: func(t *testing.T, p place) {
			p.change(t, table.ProfileKey(p.u1), "emailCount", number("2"))
		}},
		"too_many_addresses": {plant: func(t *testing.T, p place) {
			for _, id := range []string{"a", "b", "c"} {
				row := table.Email{EmailID: id, UserID: p.u1, Email: p.address(id), IsVerified: true}
				p.put(t, row.Item())
				p.put(t, table.Claim{Email: row.Email, UserID: p.u1, EmailID: id}.Item())
			}
			p.change(t, table.ProfileKey(p.u1), "emailCount", number("6"))
		}, person: true},
		"no_address": {plant: func(t *testing.T, p place) {
			user, err := p.Users.Get(t.Context(), p.u2)
			require.NoError(t, err)
			p.remove(t, table.EmailKey(p.u2, user.PrimaryEmailID))
			p.remove(t, table.ClaimKey(p.u2+"@example.com"))
			p.change(t, table.ProfileKey(p.u2), "emailCount", number("0"))
		}, person: true},
		"code_without_row": {plant: func(t *testing.T, p place) {
			p.put(t, table.Code{UserID: p.u1, EmailID: "gone", CodeID: "c", KeyID: "k1", ExpiresAt: time.Now()}.Item())
		}},
		"code_of_verified": {plant: func(t *testing.T, p place) {
			p.put(t, table.Code{UserID: p.u1, EmailID: p.second, CodeID: "c", KeyID: "k1", ExpiresAt: time.Now()}.Item())
		}},
		"unreadable": {plant: func(t *testing.T, p place) {
			p.change(t, table.CodeKey(p.u1, p.third), "attempts", str("many"))
		}, person: true},
		"attempts_exceeded": {plant: func(t *testing.T, p place) {
			p.change(t, table.CodeKey(p.u1, p.third), "attempts", number("9"))
		}},
		"index_wrong": {plant: func(t *testing.T, p place) {
			p.change(t, table.EmailKey(p.u1, p.second), "GSI1PK", str("EMAIL#"+p.address("other")))
		}},
		"retention_missing": {plant: func(t *testing.T, p place) {
			p.change(t, table.ProfileKey(p.u2), "status", str("deleted"))
		}, person: true},
		"profile_misplaced": {plant: func(t *testing.T, p place) {
			p.change(t, table.ProfileKey(p.u2), "userId", str(p.u2+"x"))
		}, person: true},
		"status_unknown": {plant: func(t *testing.T, p place) {
			p.change(t, table.ProfileKey(p.u2), "status", str("asleep"))
		}, person: true},
		"counters_wrong": {plant: func(t *testing.T, p place) {
			p.change(t, table.ProfileKey(p.u2), "version", number("0"))
		}, person: true},
		"event_ahead": {plant: func(t *testing.T, p place) { p.event(t, p.u2, 2) }, person: true},
		"event_repeated": {plant: func(t *testing.T, p place) {
			p.event(t, p.u2, 2, 3)
			p.event(t, p.u2, 3)
			p.change(t, table.ProfileKey(p.u2), "seq", number("3"))
		}, person: true},
	}
}

// event stores a pack of events behind the library's back.
func (p place) event(t *testing.T, userID string, numbers ...int64) {
	t.Helper()
	var events []outbox.Event
	for _, n := range numbers {
		events = append(events, outbox.Event{
			ID: uuid.NewString(), Type: "user.updated", AggregateID: userID, Seq: n, Time: time.Now(), Data: json.RawMessage(`{}`),
		})
	}
	pack, err := p.Config.Outbox.TransactItem(events...)
	require.NoError(t, err)
	_, err = p.Client.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{pack}})
	require.NoError(t, err)
}
