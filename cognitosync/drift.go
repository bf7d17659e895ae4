package cognitosync

import (
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider/types"
	"golang.org/x/net/idna"

	"github.com/usercore-go/usercore/userstore"
)

// Class is a kind of drift between pool and table.
type Class string

// The classes of drift, and what the Reconciler does about each when it is told to.
const (
	// PoolOnly is a confirmed, enabled user without an account: the account is made.
	PoolOnly Class = "pool_only"
	// TableOnly is an active account whose user is not in the pool: the account is suspended.
	TableOnly Class = "table_only"
	// AddressDiffers is a user with another address than the account's primary one, or with that one unverified: the primary address is
	// written to the pool. That of a federated user is only reported: its provider writes it at each sign-in.
	AddressDiffers Class = "address_differs"
	// StillEnabled is an enabled user of a suspended or deleted account: it is disabled and signed out.
	StillEnabled Class = "still_enabled"
	// StillDisabled is a disabled user of an active account: it is enabled. Leave this class out where administrators disable users in
	// Cognito itself.
	StillDisabled Class = "still_disabled"
	// Duplicate is a confirmed, enabled user without an account whose address another account has, such as a federated user beside a
	// local one. It is only reported: a person links or deletes it.
	Duplicate Class = "duplicate"
)

// Classes lists the classes of drift.
func Classes() []Class {
	return []Class{PoolOnly, TableOnly, AddressDiffers, StillEnabled, StillDisabled, Duplicate}
}

// pair is what both sides have of one user id; either may be nil.
type pair struct {
	user    *poolUser
	account *userstore.User
}

func (p pair) userID() string {
	if p.user != nil {
		return p.user.UserID
	}
	return p.account.UserID
}

// drifts are the classes that apply to a pair.
func (p pair) drifts() []Class {
	switch {
	case p.account == nil:
		if p.user != nil && p.user.enabled && p.user.confirmed() {
			return []Class{PoolOnly}
		}
		return nil
	case p.user == nil:
		if p.account.Status == userstore.Active {
			return []Class{TableOnly}
		}
		return nil
	}
	var found []Class
	switch active := p.account.Status == userstore.Active; {
	case active && !p.user.enabled:
		found = append(found, StillDisabled)
	case !active && p.user.enabled:
		found = append(found, StillEnabled)
	}
	if p.addressDiffers() {
		found = append(found, AddressDiffers)
	}
	return found
}

func (p pair) addressDiffers() bool {
	primary := primaryOf(p.account)
	if primary == "" {
		return false
	}
	unverified := !p.user.EmailVerified && !p.user.federated() // many providers vouch for no address
	return unverified || !sameAddress(primary, p.user.Email)
}

// settled is true when the side that decides was not written after a time: what is younger may be on its way, in a trigger, a queue or an
// event.
func (p pair) settled(before time.Time) bool {
	if p.account != nil {
		return !p.account.UpdatedAt.After(before)
	}
	return p.user == nil || !p.user.changed.After(before)
}

// confirmed is true of a user who has proved to be somebody. A sign-up that was never confirmed has no account, and must not get one.
func (u *poolUser) confirmed() bool {
	switch u.status {
	case types.UserStatusTypeConfirmed, types.UserStatusTypeExternalProvider,
		types.UserStatusTypeResetRequired, types.UserStatusTypeForceChangePassword:
		return true
	}
	return false
}

func (u *poolUser) federated() bool { return u.status == types.UserStatusTypeExternalProvider }

// stateOf is a hash of what the pool's user of an account must agree with.
func stateOf(account *userstore.User) uint64 {
	return stateHash(account.Status == userstore.Active, primaryOf(account))
}

// agrees says whether a user certainly has no drift against a state. One of which it is not certain may have none either.
func (u *poolUser) agrees(state uint64) bool {
	return state == stateHash(u.enabled, "") || u.EmailVerified && state == stateHash(u.enabled, strings.ToLower(u.Email))
}

func stateHash(active bool, address string) uint64 {
	if active {
		return fingerprint("+" + address)
	}
	return fingerprint("-" + address)
}

// sameAddress compares the canonical address of an account with one as somebody has typed it.
func sameAddress(canonical, typed string) bool {
	typed = strings.ToLower(strings.Trim(typed, " \t\r\n"))
	if canonical == typed {
		return true
	}
	at := strings.LastIndexByte(typed, '@')
	if at < 0 {
		return false
	}
	domain, err := idna.Lookup.ToASCII(typed[at+1:])
	return err == nil && canonical == typed[:at+1]+domain
}
