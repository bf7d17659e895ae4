package cognitosync

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider/types"

	"github.com/usercore-go/usercore/userstore"
)

// scanPool looks at every user of the pool, page by page.
func (r *run) scanPool(ctx context.Context) error {
	known, err := r.takeStock(ctx)
	if err != nil {
		return err
	}
	if r.at.Page == "" {
		r.roster = newRoster(fullWindow(), r.cfg.MaxTracked) // complete at the end, so the table phase need not list again
	}
	for resumed := r.at.Page != ""; ; resumed = false {
		users, next, err := r.pool.list(ctx, r.at.Page, "")
		if err != nil {
			return refusedPage(err, resumed)
		}
		if err := r.lookAt(ctx, users, known); err != nil {
			return err
		}
		if next == "" { // only the token counts: a page may be short or empty and not the last
			break
		}
		r.at.Page = next
		r.checkpoint()
	}
	r.at.Phase, r.at.Page, r.at.Segment, r.at.Segments = tablePhase, "", 0, r.cfg.Segments
	r.at.Window = fullWindow()
	if r.roster != nil {
		r.roster.seal()
		r.at.Window = r.roster.window
	}
	r.checkpoint()
	return nil
}

// refusedPage is ErrToken when Cognito does not accept the page that a run was resumed with: page tokens expire.
func refusedPage(err error, resumed bool) error {
	if _, ok := errors.AsType[*types.InvalidParameterException](err); ok && resumed {
		return fmt.Errorf("%w: %w", ErrToken, err)
	}
	return err
}

// takeStock notes the state of every account, as far as there is room. A scan reads a page of accounts for what one account costs by itself.
func (r *run) takeStock(ctx context.Context) (*roster, error) {
	known := newRoster(fullWindow(), r.cfg.MaxTracked)
	for account, err := range r.users.All(ctx, userstore.Segment{}) {
		if err != nil {
			return nil, err
		}
		known.add(account.UserID, stateOf(account))
	}
	known.seal()
	return known, nil
}

// lookAt compares a page of users with their accounts: with what is known of them, and where that does not agree, with what is stored now.
func (r *run) lookAt(ctx context.Context, users []*poolUser, known *roster) error {
	var suspects []*poolUser
	for _, user := range users {
		if r.roster != nil {
			r.roster.add(user.UserID, 0)
		}
		if state, found := known.find(user.UserID); !found || !user.agrees(state) {
			suspects = append(suspects, user)
		}
	}
	accounts, err := r.accounts(ctx, suspects)
	if err != nil {
		return err
	}
	for i, user := range suspects {
		if err := r.examine(ctx, pair{user: user, account: accounts[i]}); err != nil {
			return err
		}
	}
	r.at.Counts.PoolUsers += int64(len(users))
	return nil
}

// readers is how many accounts are read at once. One after the other, reading would be slower than listing when much is unknown.
const readers = 8

// accounts reads the account of each user, nil for none.
func (r *run) accounts(ctx context.Context, users []*poolUser) ([]*userstore.User, error) {
	accounts := make([]*userstore.User, len(users))
	errs := make([]error, readers)
	var wg sync.WaitGroup
	for worker := range min(readers, len(users)) {
		wg.Go(func() {
			for i := worker; i < len(users) && errs[worker] == nil; i += readers {
				accounts[i], errs[worker] = r.account(ctx, users[i].UserID)
			}
		})
	}
	wg.Wait()
	return accounts, errors.Join(errs...)
}

// account reads an account, nil for none.
func (r *run) account(ctx context.Context, userID string) (*userstore.User, error) {
	user, err := r.users.Get(ctx, userID)
	if errors.Is(err, userstore.ErrNotFound) || errors.Is(err, userstore.ErrInvalid) {
		return nil, nil
	}
	return user, err
}

// scanTable looks at every account, window by window and segment by segment.
func (r *run) scanTable(ctx context.Context) error {
	for {
		if r.roster == nil {
			if err := r.enroll(ctx); err != nil {
				return err
			}
		}
		for r.at.Segment < r.at.Segments {
			if err := r.scanSegment(ctx); err != nil {
				return err
			}
			if r.at.Segment++; r.at.Segment < r.at.Segments {
				r.checkpoint()
			}
		}
		next, more := r.at.Window.after()
		if !more {
			return nil
		}
		r.at.Window, r.at.Segment, r.roster = next, 0, nil
		r.checkpoint()
	}
}

// enroll lists the pool for the window, and narrows the window to what fits in. That may be less than what the segments before this one were
// compared with, if the pool has grown since; the next window begins where this one ends then, and with the first segment.
func (r *run) enroll(ctx context.Context) error {
	roster := newRoster(r.at.Window, r.cfg.MaxTracked)
	for page := ""; ; {
		users, next, err := r.pool.list(ctx, page, "")
		if err != nil {
			return err
		}
		for _, user := range users {
			roster.add(user.UserID, 0)
		}
		if next == "" {
			break
		}
		page = next
	}
	roster.seal()
	r.roster, r.at.Window = roster, roster.window
	r.checkpoint()
	return nil
}

func (r *run) scanSegment(ctx context.Context) error {
	for account, err := range r.users.All(ctx, userstore.Segment{Index: r.at.Segment, Of: r.at.Segments}) {
		if err != nil {
			return err
		}
		if !r.at.Window.holds(fingerprint(account.UserID)) {
			continue
		}
		r.at.Counts.Accounts++
		if _, found := r.roster.find(account.UserID); found {
			continue
		}
		if err := r.examine(ctx, pair{account: account}); err != nil {
			return err
		}
	}
	return nil
}
