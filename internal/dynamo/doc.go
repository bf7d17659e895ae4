// Package dynamo runs transactions and queries on DynamoDB. It knows no keys and no attributes: what a table looks
// like is said in internal/table, what a change means in the packages above.
//
// A [Part] is one action of a transaction together with what its failed condition means:
//
//	dynamo.Delete(name, key).If(heldBy(user, id)).Means(func(old dynamo.Item) error { return ErrNotFound })
//
// [Commit] sends the parts as one TransactWriteItems. When DynamoDB cancels it, each failed part is handed its item
// as it stands (ReturnValuesOnConditionCheckFailure ALL_OLD), found by its index and never by a message text, and the
// first error in the order of the parts is the answer. So one state of the table gives one error, always.
//
// Cost: a committed or cancelled transaction is one request and 2 WCU per part (items up to 1 KB); each resend after a
// conflict costs the same again.
package dynamo
