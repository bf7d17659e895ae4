package cognitosync

import (
	"context"
	"encoding/json"
	"log/slog"
)

// DeadLetters makes the accounts that a Trigger could not make. It is safe for concurrent use.
type DeadLetters struct {
	users Creator
	log   *slog.Logger
}

// NewDeadLetters returns the processor. A nil logger logs nothing.
func NewDeadLetters(users Creator, logger *slog.Logger) (*DeadLetters, error) {
	if users == nil {
		return nil, badConfig("NewDeadLetters: users is required")
	}
	return &DeadLetters{users: users, log: loggerOf(logger)}, nil
}

// Handle takes a batch of the queue as Lambda sends it, and answers with the messages that failed; see Batch.
func (d *DeadLetters) Handle(ctx context.Context, event json.RawMessage) (json.RawMessage, error) {
	return Batch(d.Process, d.log)(ctx, event)
}

// Process makes the account that a message asks for. It may be called any number of times with one message: there is one account.
//
// It returns ErrBadEvent for what is no dead letter, and userstore's errors, as EnsureUser does. One request; a repeat two.
func (d *DeadLetters) Process(ctx context.Context, body json.RawMessage) error {
	identity, err := parseDeadLetter(body)
	if err != nil {
		return wrap("dead letter", err)
	}
	user, err := create(ctx, d.users, identity)
	if err != nil {
		return wrap("dead letter", err)
	}
	d.log.InfoContext(ctx, "account is there", "operation", "cognitosync.deadletter", "outcome", "stored", "userId", user.UserID)
	return nil
}
