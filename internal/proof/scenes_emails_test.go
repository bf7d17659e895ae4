package proof

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/userstore"
)

// Texts of the limiter's conditions: the slot that has to be free, and that the newest admission does not fall.
const (
	addressSlot = "NOT attribute_type(t3, :number) OR t3 <= :ago OR t3 > :horizon"
	accountSlot = "NOT attribute_type(t20, :number) OR t20 <= :ago OR t20 > :horizon"
	newestSlot  = "NOT attribute_type(t1, :number) OR t1 <= :stamp OR t1 > :horizon"

	addressLimit = "Update SLIDING of the address"
	accountLimit = "Update SLIDING of the account"
)

// limitScenes are what an operation that sends needs of the limits. exhaust uses the address's sends up; ahead lets another
// process send to address whose clock is ahead.
func limitScenes(k kind, exhaust []caller, call caller, before []caller, address string, ahead caller) []scene {
	behind := func(part, item string) scene {
		return scene{
			name: "another_clock_is_ahead", needs: needs(k, part, newestSlot), kind: k, user: "u1", call: call,
			before: func(s *stage) {
				s.do(before...)
				s.do(later(10*time.Minute), ahead, later(-10*time.Minute))
				s.note["newest"] = newestOf(s, item)
			},
			after: func(s *stage) error {
				if newestOf(s, item) < s.note["newest"] {
					return errors.New("the newest admission has fallen")
				}
				return nil
			},
		}
	}
	return []scene{
		{
			name: "address_is_spent", needs: needs(k, addressLimit, addressSlot), kind: k, user: "u1", before: first(exhaust...), call: call,
			want: emails.ErrLimited,
		},
		{
			name: "account_is_spent", needs: needs(k, accountLimit, accountSlot), kind: k, user: "u1",
			before: first(append([]caller{spendAccount}, before...)...), call: call, want: emails.ErrLimited,
		},
		behind(addressLimit, "RATELIMIT#verify#"+address),
		behind(accountLimit, "RATELIMIT#sends#u1"),
	}
}

// newestOf is the newest admission of a limit, as text of a fixed width.
func newestOf(s *stage, item string) string {
	n, ok := s.item(item, "SLIDING")["t1"].(*types.AttributeValueMemberN)
	if !ok {
		return ""
	}
	return n.Value
}

// spendAccount uses the account's sends up: 20 in an hour, 2 of which the stage has used.
func spendAccount(ctx context.Context, s *stage) error {
	for i := range 18 {
		added, err := s.other.Add(ctx, "u1", "spent"+strconv.Itoa(i)+"@example.com")
		if err != nil {
			return err
		}
		if err := s.Emails.Remove(ctx, "u1", added.EmailID); err != nil {
			return err
		}
	}
	return nil
}

// othersAdd adds and removes an address in another process.
func othersAdd(address string) caller {
	return func(ctx context.Context, s *stage) error {
		added, err := s.other.Add(ctx, "u1", address)
		if err != nil {
			return err
		}
		return s.other.Remove(ctx, "u1", added.EmailID)
	}
}

func othersSend(ctx context.Context, s *stage) error {
	_, err := s.other.SendCode(ctx, "u1", s.third)
	return err
}

func addScenes() []scene {
	const address = "new@example.com"
	call := adds("u1", address)
	three := []caller{othersAdd(address), othersAdd(address), othersAdd(address)}
	return append(limitScenes(add, three, call, nil, address, othersAdd(address)),
		scene{
			name: "address_claimed_meanwhile", needs: needs(add, "Put CLAIM", absent), kind: add, user: "u1", call: call,
			between: meanwhile(adds("u2", address)), want: emails.ErrTaken,
		},
		scene{
			name: "row_of_that_id_is_there", needs: needs(add, "Put EMAIL", absent), kind: add, user: "u1", call: call,
			between: occupy("Put EMAIL"), byHand: true, want: userstore.ErrCorrupt,
		})
}

func sendScenes() []scene {
	eraseCode := func(_ context.Context, s *stage) error { s.erase("USER#u1", "CODE#"+s.third); return nil }
	// The code that somebody else was sent meanwhile is the live one: it must not be replaced unseen.
	theirs := func(ctx context.Context, s *stage) error {
		err := sends(ctx, s)
		s.note["code"] = s.Mail.Code(s.t, thirdAddress)
		return err
	}
	stillLive := func(s *stage) error {
		if _, err := s.Emails.Confirm(s.t.Context(), "u1", s.third, s.note["code"]); err != nil {
			return fmt.Errorf("the code that was mailed is not the live one: %w", err)
		}
		return nil
	}
	fresh := func(name, part, condition string, before caller, between intruder, want error) scene {
		return scene{
			name: name, needs: needs(sendCode, part, condition), kind: sendCode, user: "u1", before: first(before), call: sends,
			between: between, want: want,
		}
	}
	absentCode := fresh("first_code_made_meanwhile", "Put CODE", absent, eraseCode, meanwhile(theirs), nil)
	otherCode := fresh("another_code_made_meanwhile", "Put CODE", "codeId = :code", later(time.Hour), meanwhile(theirs), nil)
	absentCode.after, otherCode.after = stillLive, stillLive
	return append(limitScenes(sendCode, []caller{sends, sends}, sends, nil, thirdAddress, othersSend),
		fresh("account_suspended_meanwhile", "Check PROFILE", "status = :isStatus", later(time.Hour), meanwhile(suspends), userstore.ErrNotActive),
		fresh("address_removed_meanwhile", "Check EMAIL", "isVerified = :wasVerified", eraseCode, meanwhile(removesThird), emails.ErrNotFound),
		absentCode, otherCode)
}
