package emails

import (
	"context"
	"time"
)

// Sender mails verification codes. Send is called after the change is committed, from several goroutines at once, and
// may be called twice with one code; it should return within the context's deadline. Never log a Message.
type Sender interface {
	Send(ctx context.Context, m Message) error
}

// Message is a verification code on its way to an address.
type Message struct {
	To        string        // the address, in canonical form
	Code      string        // six digits
	ExpiresIn time.Duration // from now on
	UserID    string
	EmailID   string
}

// Secret is a key that verification codes are derived with.
type Secret struct {
	// ID names the key in stored codes: 1 to 64 characters of [A-Za-z0-9._-].
	ID string
	// Key is random: at least 32 bytes.
	Key []byte
}
