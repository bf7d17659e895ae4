// Package outbox publishes the events of a DynamoDB application: none is lost, none is invented, and those of one aggregate stay in order.
//
// A change and its events are committed in one transaction: [Writer] makes the action that stores the events. A [Relay] publishes what is
// stored and deletes it. The package works on anyone's table and knows nothing of what the aggregates are.
//
//	table := outbox.Table{Name: "shop"}
//	relay, err := outbox.NewRelay(client, publisher, outbox.RelayConfig{Table: table})
//	writer, err := outbox.NewWriter(outbox.WriterConfig{Table: table, Wake: relay.Wake})
//	go relay.Run(ctx)
//
//	// in a request: the order and its event, both or neither
//	pack, err := writer.TransactItem(outbox.Event{
//		ID: uuid.NewString(), Type: "order.placed", AggregateID: order.ID, Seq: order.Seq, Time: now, Data: data,
//	})
//	_, err = client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
//		TransactItems: []types.TransactWriteItem{putOrder, pack},
//	})
//	writer.Committed(order.ID)
//
// Publishers are packages eventbridgepub and sqspub, or anything with the one method of [Publisher], which package outboxtest tests. Package
// consume is the receiving end.
//
// # Guarantees
//
// An event is published if and only if its transaction commits. What could not be published, because it is malformed or too large, is
// refused before the commit.
//
// Delivery is at least once. An event is published twice only if a relay dies between its publication and its deletion, loses its lease
// in between, or does not get the answer of a call: at most what was in flight then. A relay that is stopped in good order repeats nothing.
//
// Order: at most one event of an aggregate is in flight, the next one follows when the one before is published, and each is published
// for the first time after those with lower numbers. This holds across relays that crash or stall. Two things break it, both of them an
// operator's or an owner's decision: a dead letter comes after the events that overtook it, and an aggregate without a counter of its own,
// whose Seq is a number that grows with time, is in the order of these numbers only as far as they were committed in that order, and costs
// one more read for each. The bus has its own order, or none: consumers go by Seq.
//
// One aggregate never holds up another: not by failing, not by being rejected, not by having a large backlog, not by breaking the
// calls that it is part of.
//
// # The table
//
// Any table whose two keys are strings. No index, no stream and no TTL are needed. Permissions: dynamodb:PutItem for the writer's transaction;
// DescribeTable, Query, PutItem, UpdateItem, DeleteItem and BatchWriteItem for relays.
//
//	partition key          sort key                          item
//	OUTBOX#{shard}         {aggregateId}#{seq, 19 digits}    a pack: the events of one transaction and aggregate
//	OUTBOX#DEAD#{shard}    {aggregateId}#{seq, 19 digits}    a dead letter: one event, with the error
//	OUTBOX#RELAYS          RELAY#{id}, SHARD#{n}             a relay's counter; the owner of a shard
//
// The shard is a hash of the aggregate's id. In the sort key, % and # of the id are %25 and %23. Key names, the prefix and the number of
// shards are configuration.
//
// # Relays
//
// Run any number of relays; they share the shards by leases. [Relay.Run] is for a process that stays, [Relay.RunOnce] for a job that is
// started every minute, [StreamHandler] for a Lambda function behind the table's stream. A relay needs no clock that agrees with others'.
// After a crash its shards are taken over within LeaseDuration and a fifth.
//
// # Cost
//
// For each event of less than 1 KiB that has a pack of its own: 2 write units in the transaction, 1 for its deletion, about 0.2 read
// units and 0.1 calls to the publisher under load. The third failed attempt at an event and each later one cost 1 write unit, a dead
// letter 4. An idle relay with 16 shards costs less than 8 read units and 0.5 write units per second. What a relay holds in memory does not
// depend on the backlog: at most 612 packs and about 3 MiB per shard.
//
// # Operations
//
// Watch [Admin.Depth] (the age of the oldest pack, dead letters, held packs) and [Relay.Stats] (failures by code, calls that failed, the last
// sweep). A growing age with failures means that the publisher refuses or throttles; without failures, that no relay runs.
//
// An event that is rejected for good becomes a dead letter, or holds its aggregate, by [Policy]. What to do with a dead letter:
//
//  1. Look at it with [Admin.Dead]: Error is the publisher's code and message.
//  2. Remove the cause: a missing permission, a consumer's schema, a size limit.
//  3. [Admin.Redrive] sends it again, after the later events of its aggregate: consumers that apply only the latest state drop it as stale,
//     those that need every event have waited for it.
//  4. If it can never be published, tell the consumers that need every event, and [Admin.Discard] it.
//
// A held aggregate is the same without the overtaking: its later events wait too. Take Hold for types whose order must not break.
package outbox
