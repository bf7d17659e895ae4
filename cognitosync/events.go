package cognitosync

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/usercore-go/usercore/userstore"
)

// HandleEvent makes the pool follow a published event: user.suspended, user.reactivated, user.deleted, user.restored, user.purged and
// email.primary.changed; every other type is left alone. The event only says which account to look at: the pool follows the account as it
// stands when the event is handled. So events may come late, twice and in any order.
//
// event is the JSON that EventBridge delivers, with detail-type and detail. For events from an SQS queue, use Batch(s.HandleEvent, logger).
//
// It returns ErrBadEvent, and the errors of DynamoDB and Cognito; after one of those, deliver the event again. An address that another
// user of the pool has is no error: it is logged and given to Config.OnConflict, since a new delivery would not help. Costs as Suspend,
// Reactivate and SyncPrimary without the change of the account.
func (s *Syncer) HandleEvent(ctx context.Context, event json.RawMessage) (err error) {
	e, err := parseEvent(event)
	if err != nil {
		return wrap("event", err)
	}
	var follow func(context.Context, string) error
	switch e.Type {
	case "user.suspended", "user.reactivated", "user.deleted", "user.restored", "user.purged":
		follow = s.followStatus
	case "email.primary.changed":
		follow = s.followAddress
	default:
		return nil
	}
	defer s.signals.recorder.Begin(&ctx, "cognitosync.event", "").End(&err)
	userID := e.Detail.UserID
	if userID == "" {
		return wrap("event", fmt.Errorf("%w: the detail has no userId", ErrBadEvent))
	}
	err = follow(ctx, userID)
	switch {
	case errors.Is(err, ErrAliasTaken):
		if s.cfg.OnConflict != nil {
			s.cfg.OnConflict(ctx, userID)
		}
		return nil
	case errors.Is(err, userstore.ErrNotFound):
		return nil // an event of another table's account, or of a test
	case err != nil:
		s.signals.failed(ctx, "cognitosync.event", "failed")
	}
	return wrap("event", err)
}

// publishedEvent is what the package reads of an event on the bus.
type publishedEvent struct {
	Type   string `json:"detail-type"`
	Detail struct {
		UserID string `json:"userId"`
	} `json:"detail"`
}

func parseEvent(raw []byte) (publishedEvent, error) {
	var e publishedEvent
	if err := json.Unmarshal(raw, &e); err != nil || e.Type == "" {
		return e, fmt.Errorf("%w: not an event of EventBridge", ErrBadEvent)
	}
	return e, nil
}
