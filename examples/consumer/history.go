package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/consume"
)

// envelope is the form in which usercore publishes.
var envelope = outbox.Envelope{AggregateField: "userId"}

// history returns what happened to two users, as usercore would publish it. Each user's events are numbered from 1.
func history() []outbox.Event {
	var events []outbox.Event
	for _, user := range []struct {
		id      string
		changes [][2]string
	}{
		{"dana", [][2]string{
			{"user.created", `{"email":"dana@example.com"}`},
			{"email.added", `{"emailId":"e2","email":"dana@work.example"}`},
			{"user.suspended", `{"reason":"chargeback"}`},
			{"user.reactivated", `{}`},
			{"email.verified", `{"emailId":"e2","email":"dana@work.example"}`},
			{"email.primary.changed", `{"oldEmail":"dana@example.com","newEmail":"dana@work.example"}`},
			{"email.removed", `{"emailId":"e1","email":"dana@example.com"}`},
		}},
		{"robin", [][2]string{
			{"user.created", `{"email":"robin@example.com"}`},
			{"user.updated", `{"changedFields":["phone"]}`},
			{"user.suspended", `{"reason":"abuse"}`},
		}},
	} {
		for i, change := range user.changes {
			events = append(events, outbox.Event{
				ID:          uuid.NewSHA1(uuid.NameSpaceURL, fmt.Appendf(nil, "%s/%d", user.id, i)).String(),
				Type:        change[0],
				AggregateID: user.id,
				Seq:         int64(i) + 1,
				Time:        time.Date(2026, 1, 2, 3, i, 0, 0, time.UTC),
				Data:        json.RawMessage(change[1]),
			})
		}
	}
	return events
}

// message returns the event as a rule of EventBridge sends it to a queue.
func message(e outbox.Event) (consume.SQSMessage, error) {
	detail, err := envelope.Encode(e)
	if err != nil {
		return consume.SQSMessage{}, err
	}
	body, err := json.Marshal(map[string]any{
		"source":      "user-service",
		"detail-type": e.Type,
		"time":        e.Time.Format(time.RFC3339),
		"detail":      json.RawMessage(detail),
	})
	return consume.SQSMessage{MessageID: fmt.Sprintf("%s/%d", e.AggregateID, e.Seq), Body: string(body)}, err
}
