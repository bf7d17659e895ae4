package emails

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/usercore-go/usercore/internal/table"
)

// purpose keeps codes apart from anything else that is derived with the same secret.
const purpose = "usercore/email-verification/1"

const (
	codeDigits = 6
	codeSpace  = 1_000_000
	// codeReject is the largest multiple of codeSpace in 32 bits: words from there on would favour low codes.
	codeReject = (1 << 32) / codeSpace * codeSpace
)

// newCode is a fresh code for an address, derived with the newest secret.
func (s *Store) newCode(row table.Email, now time.Time) table.Code {
	return table.Code{
		UserID: row.UserID, EmailID: row.EmailID, CodeID: uuid.NewString(), KeyID: s.secrets[0].ID,
		MaxAttempts: s.codes.attempts, ExpiresAt: now.Add(s.codes.life).Truncate(time.Second), SentAt: now,
	}
}

// digits are the six digits of a stored code; "" when its secret is not known any more.
func (s *Store) digits(c table.Code) string {
	secret, ok := s.secret(c.KeyID)
	if !ok {
		return ""
	}
	return derive(secret.Key, c.UserID, c.EmailID, c.CodeID)
}

func (s *Store) secret(keyID string) (Secret, bool) {
	for _, secret := range s.secrets {
		if secret.ID == keyID {
			return secret, true
		}
	}
	return Secret{}, false
}

// derive turns HMAC-SHA-256 of the ids into six digits, each code as likely as the next.
func derive(key []byte, userID, emailID, codeID string) string {
	for round := uint32(0); ; round++ {
		mac := hmac.New(sha256.New, key)
		for _, part := range []string{purpose, userID, emailID, codeID} {
			// The length in front keeps one sequence of parts from reading like another.
			mac.Write(binary.BigEndian.AppendUint32(nil, uint32(len(part))))
			mac.Write([]byte(part))
		}
		mac.Write(binary.BigEndian.AppendUint32(nil, round))
		for sum := mac.Sum(nil); len(sum) >= 4; sum = sum[4:] {
			if word := binary.BigEndian.Uint32(sum); uint64(word) < codeReject {
				return fmt.Sprintf("%0*d", codeDigits, word%codeSpace)
			}
		}
	}
}

// isCode says whether s has the form of a code.
func isCode(s string) bool {
	if len(s) != codeDigits {
		return false
	}
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
