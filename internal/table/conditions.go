package table

import (
	"time"

	"github.com/usercore-go/usercore/internal/dynamo"
)

// Absent holds when nothing stands under the key.
func Absent() dynamo.Expr { return dynamo.Expr{Text: "attribute_not_exists(PK)"} }

// Exists holds when an item stands under the key.
func Exists() dynamo.Expr { return dynamo.Expr{Text: "attribute_exists(PK)"} }

// SeqIs holds while nobody has changed the account: the condition of every change.
func SeqIs(seq int64) dynamo.Expr {
	return dynamo.Expr{Text: "#seq = :wasSeq", Names: map[string]string{"#seq": "seq"}, Values: dynamo.Item{":wasSeq": num(seq)}}
}

// IsActive holds on the PROFILE of an active account.
func IsActive() dynamo.Expr { return statusIs(Active) }

// Purgeable holds on the PROFILE of a deleted account whose retention is over.
func Purgeable(now time.Time) dynamo.Expr {
	return statusIs(Deleted).And(dynamo.Expr{Text: "purgeAfter <= :now", Values: dynamo.Item{":now": num(now.Unix())}})
}

// Restorable holds on the PROFILE of a deleted account while it is retained.
func Restorable(now time.Time) dynamo.Expr {
	return dynamo.Expr{Text: "purgeAfter > :now", Values: dynamo.Item{":now": num(now.Unix())}}
}

func statusIs(s Status) dynamo.Expr {
	return dynamo.Expr{Text: "#status = :isStatus", Names: map[string]string{"#status": "status"}, Values: dynamo.Item{":isStatus": str(string(s))}}
}

// PrimaryIs holds on the PROFILE whose primary address is that row; "" for none yet.
func PrimaryIs(emailID string) dynamo.Expr {
	if emailID == "" {
		return dynamo.Expr{Text: "attribute_not_exists(primaryEmailId)"}
	}
	return dynamo.Expr{Text: "primaryEmailId = :wasPrimary", Values: dynamo.Item{":wasPrimary": str(emailID)}}
}

// HasPrimary holds on the PROFILE of an account with a primary address.
func HasPrimary() dynamo.Expr { return dynamo.Expr{Text: "attribute_exists(primaryEmailId)"} }

// VerifiedIs holds on an EMAIL row that is, or is not, verified; false on an absent one.
func VerifiedIs(v bool) dynamo.Expr {
	return dynamo.Expr{Text: "isVerified = :wasVerified", Values: dynamo.Item{":wasVerified": boolean(v)}}
}

// CodeIs holds on a CODE with that id; false on an absent one.
func CodeIs(codeID string) dynamo.Expr {
	return dynamo.Expr{Text: "codeId = :code", Values: dynamo.Item{":code": str(codeID)}}
}

// CodeOpen holds on a CODE with that id which may be tried once more.
func CodeOpen(codeID string, now time.Time) dynamo.Expr {
	return CodeIs(codeID).And(dynamo.Expr{
		Text:   "attempts < maxAttempts AND expiresAt > :now",
		Values: dynamo.Item{":now": num(now.Unix())},
	})
}

// OneMoreAttempt counts an attempt on a CODE.
func OneMoreAttempt() dynamo.Expr {
	return dynamo.Expr{Text: "SET attempts = attempts + :one", Values: dynamo.Item{":one": num(1)}}
}

// HeldBy holds on a CLAIM of that account and row.
func HeldBy(userID, emailID string) dynamo.Expr {
	return dynamo.Expr{Text: "userId = :holder AND emailId = :heldRow", Values: dynamo.Item{":holder": str(userID), ":heldRow": str(emailID)}}
}

// LapsedAt holds on a CLAIM that another account may take over.
func LapsedAt(now time.Time) dynamo.Expr {
	return dynamo.Expr{Text: "leaseUntil <= :now", Values: dynamo.Item{":now": num(now.Unix())}}
}

// NoLease makes a CLAIM permanent: its address is verified.
func NoLease() dynamo.Expr { return dynamo.Expr{Text: "REMOVE leaseUntil"} }

// BudgetIs holds while nobody has charged the BUDGET; the zero Budget is an absent one.
func BudgetIs(b Budget) dynamo.Expr {
	if b.Rev == 0 {
		return Absent()
	}
	return dynamo.Expr{Text: "rev = :wasRev", Values: dynamo.Item{":wasRev": num(b.Rev)}}
}
