package proof

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/internal/table"
	"github.com/usercore-go/usercore/userstore"
)

// codeByHand changes the live code of the third address.
func codeByHand(attribute string, v types.AttributeValue) intruder {
	return byHand(func(s *stage) {
		s.alter("USER#u1", "CODE#"+s.third, map[string]types.AttributeValue{attribute: v})
	})
}

// replaced puts a fresh code in the place of the one that the call has read.
func replaced(s *stage, _ *dynamodb.TransactWriteItemsInput) { s.do(later(12*time.Minute), sends) }

// confirmScenes are the two transactions of a confirmation: the attempt, and the change.
func confirmScenes() []scene {
	attempt := func(name, part, condition string, between intruder, want error) scene {
		return scene{name: name, needs: needs(confirm, part, condition), kind: confirm, user: "u1", call: confirms, between: between, want: want}
	}
	change := func(name, part, condition string, between intruder, want error) scene {
		sc := attempt(name, part, condition, between, want)
		sc.nth = 1
		return sc
	}
	handmade := func(sc scene) scene { sc.byHand = true; return sc }
	charged := func(n string, sc scene, before ...caller) scene {
		sc.before = first(before...)
		sc.after = func(s *stage) error {
			if got := s.budget(); got != n {
				return fmt.Errorf("%s attempts are charged, not %s", got, n)
			}
			return nil
		}
		return sc
	}
	compared := attempt("code_replaced_before_the_attempt", "Update CODE", "codeId = :code", replaced, emails.ErrWrongCode)
	compared.after = func(s *stage) error {
		if n := s.item("USER#u1", "CODE#"+s.third)["attempts"].(*types.AttributeValueMemberN).Value; n != "1" {
			return fmt.Errorf("the fresh code is charged with %s attempts", n)
		}
		return nil
	}
	setsPrimary := byHand(func(s *stage) {
		s.alter("USER#u4", "PROFILE", map[string]types.AttributeValue{"primaryEmailId": text("x")})
	})
	firstPrimary := handmade(change("primary_set_by_hand", "Update PROFILE", "attribute_not_exists(primaryEmailId)",
		setsPrimary, userstore.ErrCorrupt))
	firstPrimary.user, firstPrimary.before, firstPrimary.call = "u4", unverifiedAccount, confirmsFirst
	return []scene{
		compared,
		handmade(attempt("attempts_spent_by_hand", "Update CODE", "attempts < maxAttempts",
			codeByHand("attempts", number(5)), emails.ErrTooManyAttempts)),
		handmade(attempt("code_ended_by_hand", "Update CODE", "expiresAt > :now", codeByHand("expiresAt", number(1)), emails.ErrCodeExpired)),
		charged("2", attempt("first_attempt_meanwhile", "Put BUDGET", absent, meanwhile(mistakes), nil)),
		charged("3", attempt("attempt_meanwhile", "Put BUDGET", "rev = :wasRev", meanwhile(mistakes), nil), mistakes),

		firstPrimary,
		handmade(change("primary_taken_away_by_hand", "Update PROFILE", "attribute_exists(primaryEmailId)",
			profileByHand("primaryEmailId", nil), userstore.ErrCorrupt)),
		change("address_removed_meanwhile", "Update EMAIL", "isVerified = :wasVerified", meanwhile(removesThird), emails.ErrNotFound),
		change("code_replaced_before_the_change", "Delete CODE", "codeId = :code", replaced, emails.ErrWrongCode),
		handmade(change("claim_given_away_by_hand", "Update CLAIM", heldByUser, claimByHand(thirdAddress, "userId"), userstore.ErrCorrupt)),
		handmade(change("claim_moved_by_hand", "Update CLAIM", heldByRow, claimByHand(thirdAddress, "emailId"), userstore.ErrCorrupt)),
	}
}

// budget is how many attempts for the third address are charged in this hour.
func (s *stage) budget() string {
	n, ok := s.item("USER#u1", "BUDGET#"+table.BudgetHash(table.BudgetKey("u1", thirdAddress)))["hourCount"].(*types.AttributeValueMemberN)
	if !ok {
		return "no"
	}
	return n.Value
}

// unverifiedAccount makes u4, none of whose addresses is verified yet.
func unverifiedAccount(s *stage) {
	s.do(func(ctx context.Context, s *stage) error {
		_, err := s.Users.Create(ctx, userstore.NewUser{UserID: "u4", Email: "u4@example.com"})
		if err != nil {
			return err
		}
		rows, err := s.Emails.List(ctx, "u4")
		if err != nil {
			return err
		}
		s.note["row"] = rows[0].EmailID
		_, err = s.Emails.SendCode(ctx, "u4", rows[0].EmailID)
		return err
	})
}

func confirmsFirst(ctx context.Context, s *stage) error {
	_, err := s.Emails.Confirm(ctx, "u4", s.note["row"], s.Mail.Code(s.t, "u4@example.com"))
	return err
}

// rowScenes are SetPrimary and Remove.
func rowScenes() []scene {
	hand := func(k kind, name, part, condition string, call caller, between intruder, want error) scene {
		return scene{
			name: name, needs: needs(k, part, condition), kind: k, user: "u1", call: call, between: between, byHand: true, want: want,
		}
	}
	erased := func(id func(*stage) string) intruder {
		return byHand(func(s *stage) { s.erase("USER#u1", "EMAIL#"+id(s)) })
	}
	return []scene{
		hand(setPrimary, "primary_changed_by_hand", "Update PROFILE", "primaryEmailId = :wasPrimary", makesSecondPrimary,
			profileByHand("primaryEmailId", text("x")), userstore.ErrCorrupt),
		hand(setPrimary, "old_row_erased_by_hand", "Update EMAIL", present, makesSecondPrimary,
			erased(func(s *stage) string { return s.first }), userstore.ErrCorrupt),
		hand(setPrimary, "new_row_unverified_by_hand", "Update EMAIL", "isVerified = :wasVerified", makesSecondPrimary, byHand(func(s *stage) {
			s.alter("USER#u1", "EMAIL#"+s.second, map[string]types.AttributeValue{"isVerified": truth(false)})
		}), emails.ErrNotVerified),
		hand(remove, "row_erased_by_hand", "Delete EMAIL", present, removesSecond,
			erased(func(s *stage) string { return s.second }), emails.ErrNotFound),
		hand(remove, "claim_given_away_by_hand", "Delete CLAIM", heldByUser, removesSecond,
			claimByHand("second@example.com", "userId"), userstore.ErrCorrupt),
		hand(remove, "claim_moved_by_hand", "Delete CLAIM", heldByRow, removesSecond,
			claimByHand("second@example.com", "emailId"), userstore.ErrCorrupt),
	}
}
