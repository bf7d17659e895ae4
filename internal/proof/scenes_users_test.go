package proof

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/userstore"
)

func createScenes() []scene {
	call := creates("u3", "new@example.com")
	return []scene{
		{
			name: "account_made_meanwhile", needs: needs(create, "Put PROFILE", absent), kind: create, user: "u3", call: call,
			between: meanwhile(creates("u3", "other@example.com")), want: userstore.ErrExists,
		},
		{
			name: "address_claimed_meanwhile", needs: needs(create, "Put CLAIM", absent), kind: create, user: "u3", call: call,
			between: meanwhile(adds("u2", "new@example.com")), want: userstore.ErrTaken,
		},
		{
			name: "row_of_that_id_is_there", needs: needs(create, "Put EMAIL", absent), kind: create, user: "u3", call: call,
			between: occupy("Put EMAIL"), byHand: true, want: userstore.ErrCorrupt,
		},
		{
			name: "events_of_that_number_are_there", needs: needs(create, "Put OUTBOX", absent), kind: create, user: "u3", call: call,
			between: occupy("Put OUTBOX"), byHand: true, want: userstore.ErrCorrupt,
		},
	}
}

// profileByHand changes u1's PROFILE and leaves its seq alone, as no operation does.
func profileByHand(attribute string, v types.AttributeValue) intruder {
	return byHand(func(s *stage) { s.alter("USER#u1", "PROFILE", map[string]types.AttributeValue{attribute: v}) })
}

// claimByHand gives the claim on an address to an account, or to a row, that is not there.
func claimByHand(address, attribute string) intruder {
	return byHand(func(s *stage) {
		s.alter("EMAIL#"+address, "CLAIM", map[string]types.AttributeValue{attribute: text("nobody")})
	})
}

func lifeScenes() []scene {
	purging := func(name, part, condition string, between intruder) scene {
		return scene{
			name: name, needs: needs(purge, part, condition), kind: purge, user: "u1", before: first(deletes, later(month)), call: purges,
			between: between, byHand: true, want: userstore.ErrCorrupt,
		}
	}
	erasing := func(name, part, condition string, between intruder) scene {
		return scene{
			name: name, needs: needs(erase, part, condition), kind: erase, user: "u1", call: erases,
			between: between, byHand: true, want: userstore.ErrCorrupt,
		}
	}
	return []scene{
		erasing("row_erased_by_hand", "Delete EMAIL", present, byHand(func(s *stage) { s.erase("USER#u1", "EMAIL#"+s.second) })),
		erasing("claim_given_away_by_hand", "Delete CLAIM", heldByUser, claimByHand("second@example.com", "userId")),
		erasing("claim_moved_by_hand", "Delete CLAIM", heldByRow, claimByHand("second@example.com", "emailId")),
		{
			name: "retention_ended_by_hand", needs: needs(restore, "Update PROFILE", "purgeAfter > :now"), kind: restore, user: "u1",
			before: first(deletes), call: restores, between: profileByHand("purgeAfter", number(1)), byHand: true, want: userstore.ErrCorrupt,
		},
		purging("status_set_by_hand", "Update PROFILE", "status = :isStatus", profileByHand("status", text("active"))),
		purging("retention_prolonged_by_hand", "Update PROFILE", "purgeAfter <= :now", profileByHand("purgeAfter", number(1<<40))),
		purging("row_erased_by_hand", "Delete EMAIL", present, byHand(func(s *stage) { s.erase("USER#u1", "EMAIL#"+s.second) })),
		purging("claim_given_away_by_hand", "Delete CLAIM", heldByUser, claimByHand("second@example.com", "userId")),
		purging("claim_moved_by_hand", "Delete CLAIM", heldByRow, claimByHand("second@example.com", "emailId")),
		{
			name:  "a_later_time_is_in_force",
			needs: needs(revokeAll, "Put TOKENS", "attribute_not_exists(tokensValidAfter) OR tokensValidAfter <= :cutoff"),
			kind:  revokeAll, call: func(ctx context.Context, s *stage) error {
				_, err := s.Users.RevokeAllTokens(ctx)
				return err
			},
			between: meanwhile(later(time.Hour), func(ctx context.Context, s *stage) error {
				at, err := s.Users.RevokeAllTokens(ctx)
				s.note["cutoff"] = fmt.Sprint(at)
				return err
			}, later(-time.Hour)),
			after: func(s *stage) error {
				at, err := s.Users.TokensValidAfter(s.t.Context())
				if err == nil && fmt.Sprint(at) != s.note["cutoff"] {
					err = fmt.Errorf("the time moved back")
				}
				return err
			},
		},
	}
}

// takeOverScenes take u1's third address, whose lease has lapsed, into another account: the second transaction of the call.
func takeOverScenes() []scene {
	var all []scene
	for _, c := range []struct {
		kind kind
		user string
		call caller
	}{
		{create, "u3", creates("u3", thirdAddress)},
		{add, "u2", adds("u2", thirdAddress)},
	} {
		take := func(name, part, condition string, between intruder, want error) scene {
			return scene{
				name: name, needs: needs(c.kind, part, condition), kind: c.kind, user: c.user, before: first(later(24 * time.Hour)),
				call: c.call, between: between, nth: 1, byHand: want != nil, want: want,
			}
		}
		verified := take("holder_verified_meanwhile", "Put CLAIM", "leaseUntil <= :now", meanwhile(confirmsNewest), emails.ErrTaken)
		verified.before, verified.byHand = first(later(24*time.Hour), sends), false
		all = append(all, verified,
			take("claim_given_away_by_hand", "Put CLAIM", heldByUser, claimByHand(thirdAddress, "userId"), userstore.ErrCorrupt),
			take("claim_moved_by_hand", "Put CLAIM", heldByRow, claimByHand(thirdAddress, "emailId"), userstore.ErrCorrupt),
			take("row_verified_by_hand", "Delete EMAIL of the old owner", "isVerified = :wasVerified", byHand(func(s *stage) {
				s.alter("USER#u1", "EMAIL#"+s.third, map[string]types.AttributeValue{"isVerified": truth(true)})
			}), userstore.ErrCorrupt),
			take("old_owner_changed_meanwhile", "Update PROFILE of the old owner", seqIs, meanwhile(updates), nil),
			take("old_owners_events_are_there", "Put OUTBOX of the old owner", absent, occupyOf("u1#", "Put OUTBOX"), userstore.ErrCorrupt),
		)
	}
	return all
}
