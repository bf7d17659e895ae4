package proof

import (
	"context"
	"time"

	"github.com/usercore-go/usercore/userstore"
)

// Names of costs that are not just those of a method.
const (
	createRepeated      = "userstore.Create, repeated"
	createLapsed        = "userstore.Create, lapsed address"
	updateLoaded        = "userstore.Update, loaded"
	updateWithoutOutbox = "userstore.Update, no outbox"
	purgeVerified       = "userstore.Purge, 1 verified address"
	purgeTwo            = "userstore.Purge, 2 verified addresses"
	purgeUnverified     = "userstore.Purge, 1 verified and 1 unverified address"
	addLoaded           = "emails.Add, loaded"
	addTaken            = "emails.Add, taken"
	addLapsed           = "emails.Add, lapsed address"
	sendSame            = "emails.SendCode, same code"
	sendFresh           = "emails.SendCode, fresh code"
	confirmWrong        = "emails.Confirm, wrong code"
	confirmRight        = "emails.Confirm, right code"
	confirmAgain        = "emails.Confirm, verified already"
	primaryAgain        = "emails.SetPrimary, primary already"
	removeVerified      = "emails.Remove, verified address"
	removeUnverified    = "emails.Remove, unverified address"
)

type action = func(ctx context.Context, h *household) error

// bills are the calls whose costs are measured.
func bills() []bill {
	return append(userBills(), emailBills()...)
}

func userBills() []bill {
	waits := func(d time.Duration) action {
		return func(_ context.Context, h *household) error { h.Clock.Advance(d); return nil }
	}
	creates := func(id, address string) action {
		return func(ctx context.Context, h *household) error {
			_, err := h.Users.Create(ctx, userstore.NewUser{
				UserID: id, Username: id, Email: address, EmailVerified: true, FirstName: "Dana", LastName: "Reyes",
			})
			return err
		}
	}
	updates := func(options func(*household) []userstore.Option) action {
		return func(ctx context.Context, h *household) error {
			name := "Daniela"
			_, err := h.Users.Update(ctx, dana, userstore.Changes{FirstName: &name, ExpectedVersion: h.user.Version}, options(h)...)
			return err
		}
	}
	reads := func(*household) []userstore.Option { return nil }
	suspends := func(ctx context.Context, h *household) error {
		_, err := h.Users.Suspend(ctx, dana, "Chargebacks")
		return err
	}
	deletes := func(ctx context.Context, h *household) error { _, err := h.Users.Delete(ctx, dana); return err }
	removes := func(id func(*household) string) action {
		return func(ctx context.Context, h *household) error { return h.Emails.Remove(ctx, dana, id(h)) }
	}
	removesWork := removes(func(h *household) string { return h.work })
	removesSpare := removes(func(h *household) string { return h.spare })
	purges := func(ctx context.Context, h *household) error { return h.Users.Purge(ctx, dana) }
	return []bill{
		{string(create), nil, creates(newcomer, danaNext)},
		{createRepeated, nil, creates(dana, danaHome)},
		{createLapsed, []action{waits(24 * time.Hour)}, creates(newcomer, danaSpare)},
		{string(getUser), nil, func(ctx context.Context, h *household) error { _, err := h.Users.Get(ctx, dana); return err }},
		{string(byEmail), nil, func(ctx context.Context, h *household) error { _, err := h.Users.GetByEmail(ctx, danaHome); return err }},
		{string(updating), nil, updates(reads)},
		{updateLoaded, nil, updates(func(h *household) []userstore.Option { return []userstore.Option{userstore.Loaded(h.user)} })},
		{updateWithoutOutbox, nil, updates(reads)},
		{string(suspend), nil, suspends},
		{string(reinstate), []action{suspends}, func(ctx context.Context, h *household) error { _, err := h.Users.Reinstate(ctx, dana); return err }},
		{string(deleting), nil, deletes},
		{string(restore), []action{deletes}, func(ctx context.Context, h *household) error { _, err := h.Users.Restore(ctx, dana); return err }},
		{string(revoke), nil, func(ctx context.Context, h *household) error { _, err := h.Users.RevokeTokens(ctx, dana); return err }},
		{string(revokeAll), nil, func(ctx context.Context, h *household) error { _, err := h.Users.RevokeAllTokens(ctx); return err }},
		{string(cutoff), nil, func(ctx context.Context, h *household) error { _, err := h.Users.TokensValidAfter(ctx); return err }},
		{string(erase), nil, func(ctx context.Context, h *household) error { return h.Users.Erase(ctx, dana) }},
		{string(exporting), nil, func(ctx context.Context, h *household) error { _, err := h.Users.Export(ctx, dana); return err }},
		{purgeVerified, []action{removesWork, removesSpare, deletes, waits(month)}, purges},
		{purgeTwo, []action{removesSpare, deletes, waits(month)}, purges},
		{purgeUnverified, []action{removesWork, deletes, waits(month)}, purges},
	}
}

func emailBills() []bill {
	waits := func(_ context.Context, h *household) error { h.Clock.Advance(24 * time.Hour); return nil }
	adds := func(id, address string, options func(*household) []userstore.Option) action {
		return func(ctx context.Context, h *household) error {
			_, err := h.Emails.Add(ctx, id, address, options(h)...)
			return err
		}
	}
	reads := func(*household) []userstore.Option { return nil }
	sends := func(ctx context.Context, h *household) error {
		_, err := h.Emails.SendCode(ctx, dana, h.spare)
		return err
	}
	confirms := func(id func(*household) string, code func(*household) string) action {
		return func(ctx context.Context, h *household) error {
			_, err := h.Emails.Confirm(ctx, dana, id(h), code(h))
			return err
		}
	}
	home := func(h *household) string { return h.home }
	work := func(h *household) string { return h.work }
	spare := func(h *household) string { return h.spare }
	wrong := func(h *household) string { return h.Mail.Wrong(danaSpare) }
	right := func(h *household) string { return h.Mail.Code(h.t, danaSpare) }
	chooses := func(id func(*household) string) action {
		return func(ctx context.Context, h *household) error {
			_, err := h.Emails.SetPrimary(ctx, dana, id(h))
			return err
		}
	}
	removes := func(id func(*household) string) action {
		return func(ctx context.Context, h *household) error { return h.Emails.Remove(ctx, dana, id(h)) }
	}
	return []bill{
		{string(add), nil, adds(dana, danaNext, reads)},
		{addLoaded, nil, adds(dana, danaNext, func(h *household) []userstore.Option { return []userstore.Option{userstore.Loaded(h.user)} })},
		{addTaken, nil, adds(sam, danaHome, reads)},
		{addLapsed, []action{waits}, adds(sam, danaSpare, reads)},
		{string(profile), nil, func(ctx context.Context, h *household) error { _, _, err := h.Emails.Profile(ctx, dana); return err }},
		{string(list), nil, func(ctx context.Context, h *household) error { _, err := h.Emails.List(ctx, dana); return err }},
		{string(getEmail), nil, func(ctx context.Context, h *household) error { _, err := h.Emails.Get(ctx, dana, h.work); return err }},
		{sendSame, nil, sends},
		{sendFresh, []action{waits}, sends},
		{confirmWrong, nil, confirms(spare, wrong)},
		{confirmRight, nil, confirms(spare, right)},
		{confirmAgain, nil, confirms(work, wrong)},
		{string(setPrimary), nil, chooses(work)},
		{primaryAgain, nil, chooses(home)},
		{removeVerified, nil, removes(work)},
		{removeUnverified, nil, removes(spare)},
		{string(holders), nil, func(ctx context.Context, h *household) error { _, err := h.Emails.Holders(ctx, danaHome); return err }},
		{string(sendQuota), nil, func(ctx context.Context, h *household) error { _, err := h.Emails.SendQuota(ctx, danaHome); return err }},
	}
}
