// Package audit checks the invariants of usercore over a whole table, and repairs what can be repaired without a person.
//
//	report, err := audit.Run(ctx, client, audit.Config{Table: "users"})
//	for _, v := range report.Violations {
//		fmt.Println(v.Invariant, v.Kind, v.UserID, v.EmailID, v.Detail)
//	}
//
// [Run] reads the table in parallel segments, each account with the claims on its addresses and each claim with its row, and holds one page
// of each segment in memory, whatever the size of the table. It may run while the table is in use: what looks wrong is read again,
// consistently, until nobody has changed it meanwhile, and only then reported. It does not see what changes behind it, so a table that
// is being damaged is clean only as of when each account was read.
//
// A report names accounts and rows by their ids and never shows an address. The items of a finding are under USER#{userId}; a claim without
// a row is found by the address that usercore-admin user find is given.
//
// # What it finds
//
// [Defects] lists every kind with its invariant, and what a repair does:
//
//	I1   an address belongs to one account
//	I2   claims and address rows match one to one
//	I3   an account with a verified address has exactly one primary address, and it is verified
//	I4   the profile counts its addresses, and there are not too many
//	I5   a code is tried no more often than it may be
//	I8   no code outlives its address, or the address's verification
//	I9   a deleted account says when it was deleted
//	I10  no two events that wait have one number, and none is beyond the account's counter
//	     shape: items are as the layout says
//
// I6 and I7 speak of changes and leave no trace that a table could show. Of I10 only what waits can be checked (Config.Outbox).
//
// # Repair
//
// Without Config.Repair nothing is written. With it, an account is repaired by one transaction, as a change like any other: it rests on the seq
// that was read, moves it, and has the event user.repaired with the kinds that were found, beside email.primary.changed and
// email.removed where these happen. Every part is conditional on what was read. A repair may be interrupted and repeated: a repaired
// account has nothing to repair. A claim without a row is no change of an account: it goes without an event. Violation.Repaired tells what was repaired. Where facts contradict each other so that somebody
// could lose an address, nothing is done, and a person decides: see Defect.Remedy.
//
// # Cost
//
// One strongly consistent Scan: a request for each thousand items or megabyte, 1 RCU for each 4 KB. Looking up claims and rows: a BatchGetItem for each hundred,
// 1 RCU each. Four more reads for each account under suspicion, two more each time that it changes meanwhile. A repair costs one transaction,
// 2 WCU for each item of it.
//
// IAM: dynamodb:Scan, BatchGetItem, GetItem, Query; for repairs PutItem, UpdateItem, DeleteItem, ConditionCheckItem.
package audit
