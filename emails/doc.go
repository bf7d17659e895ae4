// Package emails keeps the e-mail addresses of the accounts of package userstore: adding, verifying by a mailed code,
// choosing the primary one, removing.
//
// # Guarantees
//
//   - An address is on one account at a time, in its canonical form. An unverified one is kept for its account for
//     Config.Store.ClaimLease; after that another account may take it over. A verified one stays until it is removed.
//   - An account with a verified address has exactly one primary address, and it is verified.
//   - An account has at most Config.Store.MaxEmails addresses, whatever calls race.
//   - An address becomes verified through the live code of its own row, once. A code is compared at most Config.Attempts
//     times: attempts are counted before the comparison.
//   - An account compares at most AttemptsPerHour and AttemptsPerDay codes for an address. Neither a new code nor removing
//     and adding the address again resets that.
//   - An address gets at most SendsPerAddress codes in any hour, whoever asks for them; an account sends at most
//     SendsPerAccount. The limits are part of the transactions, so no caller can go round them.
//
// # Codes
//
// A code is six digits, derived from a [Secret] and the ids of account, row and code, and never stored. While a code has
// attempts and at least five minutes left, SendCode sends the same one again. A code is never logged and never part of
// an error. The [Sender] is called after the commit: when it fails, the code is stored and can be sent again.
//
// # Cost
//
// Requests, read and write capacity units of a call with items below 1 KB. A race with another writer costs the
// transaction once more, and the read too where rows are read. A refused transaction costs what a committed one does.
// Actions are those of the largest transaction of a call, and of the one that userstore.With adds to.
//
//	                              requests   RCU   WCU     actions
//	Add                           2          1     15      7         one request and no read with userstore.Loaded
//	Add, taken / lapsed address   2 / 4      1 / 2 14 / 38 7 / 11
//	List, Get, Profile            1          1     0       0
//	SendCode, same code / fresh   2          1     4 / 10  2 / 5
//	Confirm, wrong / right        2 / 3      1     4 / 14  2 / 5
//	Confirm, verified already     1          1     0       0
//	SetPrimary                    2          1     8       4         one request when it is the primary one
//	Remove, verified/unverified   2          1     9 / 11  4 / 5
//	Holders                       1          0.5   0       0
//	SendQuota                     1          1     0       0
//
// # Permissions
//
// On the table dynamodb:GetItem, Query, PutItem, UpdateItem and DeleteItem, and ConditionCheckItem for SendCode; Holders needs Query on the index
// GSI1. On the table of the limits, if Config.Limits names another one, dynamodb:GetItem and UpdateItem. On the table of the outbox PutItem.
//
// # Errors
//
// One state of the table gives one error. When several apply, the order is: account, row, code, claim, limit, the
// caller's items. Each method lists its errors in that order.
//
// # Unknown outcomes
//
// When no answer comes at all, the error is userstore.ErrOutcomeUnknown and the change may be committed. Call again: if the first one
// was, Confirm and SetPrimary succeed, Remove answers userstore.ErrNotFound, and Add answers userstore.ErrTaken; List then shows
// the address. A repeated SendCode sends the same code, and may count twice against the limits.
package emails
