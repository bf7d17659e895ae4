// Package eventbridgepub publishes the events of an outbox to an Amazon EventBridge bus.
//
//	publisher, err := eventbridgepub.New(eventbridge.NewFromConfig(cfg), eventbridgepub.Config{
//		Bus:      "users",
//		Source:   "user-service",
//		Envelope: outbox.Envelope{AggregateField: "userId"},
//	})
//	relay, err := outbox.NewRelay(dynamodb.NewFromConfig(cfg), publisher, outbox.RelayConfig{Table: table})
//
// # What a consumer sees
//
// The entry's Source is Config.Source, DetailType the event's type, Time the event's time, Detail its envelope (see outbox.Envelope).
// EventBridge delivers at least once and in no order, whatever the order of publication: consumers go by seq and eventId, as
// package consume does.
//
// # Results
//
// Every entry has a result of its own; FailedEntryCount is not relied on.
//
//	answer                                        result
//	an event id                                   Published
//	MalformedDetail, InvalidArgument              Rejected: the event will never be taken
//	any other code                                Retry: throttling, internal failures, and missing permissions, which are the bus's fault
//	an entry above Config.MaxEntryBytes           Rejected with the code EntryTooLarge, without being sent
//	the call refused as invalid or as too large   the call is halved until the entry is found that makes it so: that one is Rejected,
//	                                              unless all of several are refused, which then are to be sent again
//	the call failed otherwise                     an error, or Retry for its entries if others of the same Publish have results
//
// # Limits and cost
//
// PutEvents takes 10 entries and, in most regions, 1 MiB in one call (API reference); some regions take 256 KiB, which is the default here. A
// relay fills calls with 10 entries: 0.1 calls per event under load. AWS bills an event per 64 KiB of its size.
//
// Permissions: events:PutEvents, and events:DescribeEventBus for the check at start. The classic PutEvents reports success for a bus that
// does not exist, so leave the check on unless the bus is another account's.
package eventbridgepub
