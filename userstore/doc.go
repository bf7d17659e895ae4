// Package userstore keeps user accounts in DynamoDB: profile, life cycle, and one first address each. Package emails
// adds, verifies and removes further addresses of the same accounts.
//
// # Guarantees
//
// They hold under any number of concurrent writers, lost replies and throttling, since each change is one transaction
// whose conditions state what it relies on:
//
//   - An address belongs to one account. Of two accounts that ask for one address, one gets ErrTaken.
//   - No update is lost. A change is committed on the account that was read, or decided again.
//   - A change is committed whole or not at all, and so are the caller's own items given by With.
//   - Nothing changes on an account that is not active, but for its life cycle.
//   - A deleted account resolves to nobody, and nobody else gets its verified addresses before it is purged. A user id is
//     never used twice: a purge leaves a tombstone.
//   - One state of the table gives one error. When several apply, the order is: account, row, code, claim, limit, the
//     caller's items.
//
// # Life of an account
//
//	Create ──► active ──Suspend──► suspended
//	             │  ◄──Reinstate──   │
//	             └──────Delete───────┴──► deleted ──Purge (after Retention)──► tombstone
//	                  ◄──Restore (until PurgeAfter)──┘
//
// A call that finds the account where it shall go succeeds and writes nothing. Erase goes to the tombstone from anywhere, at once.
//
// # The table
//
// One table with string keys PK and SK, index GSI1 (GSI1PK, GSI1SK, projection KEYS_ONLY) and TTL attribute ttl; see
// TableDefinition, and CheckTable for a table that is there.
//
//	PK              SK                item
//	USER#{userId}   PROFILE           the account
//	USER#{userId}   EMAIL#{emailId}   one address of it; alone in GSI1, under EMAIL#{email}
//	USER#{userId}   CODE#{emailId}    the live verification code of that address (its id, never the digits)
//	USER#{userId}   BUDGET#{hash}     confirmation attempts for an address
//	EMAIL#{email}   CLAIM             who holds the address: this item makes it unique
//	FLEET           TOKENS            since when access tokens are valid, for all accounts
//
// # Cost
//
// Requests, read and write capacity units of a call with items below 1 KB. A race with another writer costs the write
// once more. A refused transaction costs what a committed one does. Actions are those of the largest transaction of a
// call; with those of With it has at most 100.
//
//	                              requests   RCU   WCU     actions
//	Create                        1          0     9       4
//	Create, repeated              2          1     8       4
//	Create, lapsed address        3          1     26      8
//	Get                           1          1     0       0
//	GetByEmail                    2          2     0       0
//	Update, Suspend, Reinstate,
//	Delete, Restore, RevokeTokens 2          1     4       2         one request and no read with Loaded
//	Update without an outbox      2          1     2       1
//	Purge, one verified address   2          1     9       4         5 WCU, 2 actions more for each verified, 7, 3 for each unverified one
//	Erase, three addresses        2          1     21      9
//	Export, three addresses       4          4     0       0
//	RevokeAllTokens               1          0     2       1
//	TokensValidAfter              1          1     0       0
//
// # Permissions
//
// On the table dynamodb:GetItem, Query, PutItem, UpdateItem and DeleteItem, by which DynamoDB authorises the actions of transactions; Scan for
// All, and DescribeTable and DescribeTimeToLive for CheckTable. On the table of the outbox dynamodb:PutItem.
//
// # Events
//
// With Config.Outbox every change stores its events in its own transaction, numbered by the account's seq without a gap;
// a relay of package outbox publishes them in that order, at least once. Nothing is published of a change that was not
// committed. Consumers see userId, the members below, timestamp, eventId, version, seq, and metadata with correlationId (see
// WithRequestID) and environment.
//
//	user.created            email
//	user.updated            changedFields
//	user.suspended          reason
//	user.reactivated        –
//	user.deleted            –
//	user.restored           –
//	user.purged             –
//	user.tokens.revoked     –
//	email.added             emailId, email
//	email.verified          emailId, email
//	email.removed           emailId, email; reason "lapsed" when another account took the address over
//	email.primary.changed   oldEmail (empty for the first one), newEmail
//
// # Unknown outcomes
//
// When no answer comes at all, the error is ErrOutcomeUnknown and the change may be committed. Every call may be
// repeated: Create returns the stored user, the life-cycle calls succeed on an account that is already so, and Update with
// an ExpectedVersion answers ErrVersionConflict if the first one was committed.
package userstore
