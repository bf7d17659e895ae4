package main

import (
	"context"
	"encoding/json"

	"github.com/usercore-go/usercore/userstore"
)

// exported is what user export prints.
type exported struct {
	userstore.Export
	// WaitingEvents are those that are not published yet, as they will be; they carry addresses too. Left out when no outbox is named.
	WaitingEvents []json.RawMessage `json:"waitingEvents,omitempty"`
}

// exportUser prints all that is stored of an account, as one object.
func (p *program) exportUser(ctx context.Context, userID string) error {
	users, err := p.readableUsers(ctx)
	if err != nil {
		return err
	}
	waiting, err := p.waitingEvents(ctx)
	if err != nil {
		return err
	}
	all := exported{}
	if all.Export, err = users.Export(ctx, userID); err != nil {
		return err
	}
	if waiting != nil {
		for pack, err := range waiting.Waiting(ctx, userID) {
			if err != nil {
				return err
			}
			for _, event := range pack.Events {
				detail, err := userstore.Envelope().Encode(event)
				if err != nil {
					return err
				}
				all.WaitingEvents = append(all.WaitingEvents, detail)
			}
		}
	}
	return p.printJSON(all)
}
