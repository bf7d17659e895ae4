// Package adopt brings a table over whose accounts other programs have written in the plain layout: PROFILE and EMAIL items and GSI1 as
// usercore has them, but no claims, no seq, no primaryEmailId and no count of addresses. The old programs may go on meanwhile.
//
//	report, err := adopt.Run(ctx, client, adopt.Config{Store: userstore.Config{Table: "users"}, Apply: true}, "")
//
// [Run] looks at one account after the other. It adds what is missing in one transaction per account, conditional on what was read, and
// leaves alone what is as it must be; so it may be stopped, resumed from a token, and repeated. What a person has to decide is reported by its
// [Kind] and left. Without Config.Apply nothing is written.
//
// # What an account gets
//
//   - seq, emailCount, primaryEmailId, and a version if it has none; times in the stored form; purgeAfter, a retention from now, if it is
//     deleted.
//   - A claim on each of its addresses, with a lease on those that are not verified. An address that another account holds, or has verified
//     too, gets none: DuplicateAddress. A claim whose address has been verified since loses its lease; one whose row has gone, goes.
//   - With an outbox, the event user.adopted (email, status), so that its events are numbered from 1.
//
// The rows lead: the address that is marked primary and verified becomes the profile's. Where none is marked, or several are, the address on the
// profile decides between them; where it does not, a person does.
//
// # While old programs write
//
// They know nothing of claims and counts, so until they are gone an account that was adopted can get an address without a claim, another
// primary address, or a wrong count, and two old programs can still give one address to two accounts. Each run finds and mends what has come
// since the one before. The order of a switch:
//
//  1. Run without Apply; decide its problems, in the old programs.
//  2. Run with Apply, as often as you like, while old programs write. Start nothing that writes by usercore.
//  3. Stop the old programs' writes; run with Apply until the report is settled ([Report.Settled]); userstore/audit finds nothing.
//  4. Start the services that use usercore.
//
// Between 3 and 4 writes stand still for as long as a run takes: accounts divided by AccountsPerSecond, which may be raised then.
//
// # Cost
//
// A consistent scan of the table (1 RCU for each 4 KB); for each account a query (1 RCU), a read of its claims and of their rows (1 RCU each) and,
// for each address without a claim, a query of GSI1 (0.5 RCU); for each claim a read of its row (1 RCU). Adopting an account costs 2 WCU for its
// profile, each changed row, each claim, and the event.
//
// IAM: dynamodb:Scan, Query (the index too), GetItem, BatchGetItem, PutItem, UpdateItem, DeleteItem, ConditionCheckItem.
package adopt
