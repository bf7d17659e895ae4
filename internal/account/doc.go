// Package account is what every operation on an account shares: load, decide, commit.
//
// An operation loads what it needs of the account, a pure function decides (an error, or a [Change] with its events),
// and one transaction commits it while the account's seq is what was read. When seq has moved, the PROFILE that came
// back with the refusal is decided on again and sent again: a stale read is retried, a real refusal never is.
//
// An address is acquired through its CLAIM, by the same transaction: a free one, or one whose unverified holder let
// the lease lapse, which is then taken out of that account in the same transaction.
//
// One state of the table gives one error, in a fixed precedence: account, row, code, claim, limit, the caller's items.
package account
