// Package consume is the receiving end of an outbox: it applies published events, which come at least once and in any order, so that every
// order of delivery ends in the same state. One conditional write decides and applies; nothing is read first and nothing has to expire.
//
//	status, err := consume.NewState(client, consume.StateConfig{
//		Projection: consume.Projection{Table: consume.Table{Name: "profiles"}},
//		Attributes: []string{"status"},
//	})
//	…
//	batch, err := consume.NewBatch(func(ctx context.Context, e outbox.Event) error {
//		_, err := status.Apply(ctx, e, consume.Item{"status": &types.AttributeValueMemberS{Value: statusAfter[e.Type]}})
//		return err
//	}, consume.BatchConfig{Decoder: consume.Decoder{Envelope: outbox.Envelope{AggregateField: "userId"}}, Independent: true})
//	lambda.Start(batch.Process)
//
// # Which kind
//
//   - [State] is for events that say how things are afterwards: all attributes of the projection, each time. The last one wins, events may be
//     missing, and the rule on the bus may filter.
//   - [Delta] is for events that say what changed: one more address, one less. Each is applied once and in turn. It must get every event of
//     the aggregate, also those that mean nothing to it (an empty [Change]), because a missing number is waited for.
//   - [State.Guard] and [Delta.Guard] are the same writes as part of the caller's transaction, for effects on several items.
//   - [Effects] is for what happens outside of DynamoDB.
//
// One item may have several projections with different SeqAttribute, EventIDAttribute and attributes. That is how State takes events that
// carry only a part: of usercore's, user.suspended and user.reactivated have the whole status but nothing of the address, which
// user.created and email.primary.changed have. One projection for each, and events only go to those whose state they carry in full.
//
// # What an event meets
//
//	the item's last event            State                 Delta
//	none                             Applied               Applied for number 1, else Gap
//	the one before                   Applied               Applied
//	an earlier one                   Applied               Gap
//	the same number, same id         Duplicate             Duplicate
//	the same number, another id      Conflict              Conflict
//	a later one                      Stale                 Stale
//
// Applied, Duplicate and Stale come without an error: the message can be deleted. Gap is [ErrGap]: the message goes back to the queue until
// the missing event has come, so the queue's maxReceiveCount should allow for that; a FIFO queue makes gaps rare. Conflict is [ErrConflict]:
// two producers use one counter, or one was restored from an old backup. It never goes away by itself; the dead-letter queue is right.
//
// # The item
//
// The position, lastSeq and lastEventId by default, stands in the projection's own item, in any table with string keys (see [Table]):
//
//	PK             SK          attributes
//	{aggregateId}  PROJECTION  lastSeq, lastEventId, and the consumer's
//
// The item must stay when its aggregate is gone, else a late event brings it back: apply an empty state, or a Change that removes. A
// consumer that starts from a copy of the data writes lastSeq from the same copy; the event's id may be missing then.
//
// # Cost
//
//	State.Apply, Delta.Apply    1 request, 1 write unit per KiB of the item, whatever the outcome
//	Guard                       an action of the caller's transaction, 2 write units per KiB
//	Effects.Do                  2 requests, 2 write units; 1 and 1 for an effect that is done
//
// The permission needed is dynamodb:UpdateItem. One item takes 1,000 write units a second.
//
// # Exact and approximate
//
// State and Delta are exact for any number of consumers, retries and lost replies: nothing depends on clocks. A State projection lags
// behind the producer by what is under way; a Delta projection also waits for events that are missing, for good if one never comes (a dead
// letter at the producer, a rule that filters). An aggregate whose seq is no counter but grows with time has gaps, so it can only
// have State.
//
// Effects is approximate: an effect may be made again if a consumer dies between act and note, if act outlasts its lease, or if clocks
// differ by more than the lease. The receiver makes it one by [Claim].IdempotencyKey.
//
// # Versions
//
// Unknown members are kept in Data, and ignored by a handler that does not ask for them. A new [outbox.Event].Version is a breaking change;
// a handler that does not know it should return an error, so that the events wait in the dead-letter queue for the code that does.
package consume
