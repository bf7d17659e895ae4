// Package faults injects the faults of a distributed database under the AWS SDK's DynamoDB client, for tests.
//
// [Transport] is an http.RoundTripper between the client and the engine. It knows the DynamoDB protocol and nothing of the engine, so
// the same faults happen on any: in process, on the local network or in a container.
//
//	transport, err := faults.New(engine, faults.Plan{Seed: 1, Conflict: 0.1, LoseReply: 0.05, MaxInRow: 3})
//	client := dynamodb.New(dynamodb.Options{HTTPClient: &http.Client{Transport: transport}, …})
//
// # Faults
//
//	kind          happens to                        the engine  the client gets
//	Conflict      TransactWriteItems, -GetItems     no          TransactionCanceledException, every reason TransactionConflict
//	              PutItem, UpdateItem, DeleteItem   no          TransactionConflictException
//	PartConflict  TransactWriteItems, -GetItems     no          TransactionCanceledException, one reason TransactionConflict
//	PartThrottle  TransactWriteItems, -GetItems     no          TransactionCanceledException, one reason ThrottlingError
//	Throttle      any operation                     no          ProvisionedThroughputExceededException or the like, status 400
//	Internal      any operation                     no          InternalServerError, status 500
//	LoseRequest   any operation                     no          io.ErrUnexpectedEOF
//	LoseReply     any operation                     yes         io.ErrUnexpectedEOF
//	Unprocessed   BatchWriteItem, BatchGetItem      in part     the withheld items as UnprocessedItems or UnprocessedKeys
//
// The column in the middle says whether the engine executes the request. A lost request and a lost reply look the same to the client,
// as they do on a real network.
//
// What the SDK does about them is part of what a test sees. It repeats Throttle, Internal, LoseRequest and LoseReply by itself (four
// attempts by default, a TransactWriteItems with the same ClientRequestToken). It does not repeat Conflict, PartConflict and
// PartThrottle, nor what Unprocessed withheld: those reach the caller at once. It stops repeating when its retry quota is spent (500
// tokens per client, one repeat costs up to 14): a client that meets many faults needs a retry.Standard with ratelimit.None.
//
// # Random and scripted
//
// [Plan] gives each kind a probability per request. The random numbers depend on the seed, the operation and how many requests of that
// operation came before, and on nothing else: a sequential caller meets the same faults in each run, also when requests of other
// operations come or go in between. Concurrent callers meet the same faults in the order in which their requests arrive.
//
// [Transport.Next] scripts the fault of one coming request, [Transport.Hold] stops one until the test releases it: together they
// play one interleaving exactly. [Transport.Counts] and [Transport.Pending] tell a test at its end that what it planned took place.
//
// # Limits
//
// Unprocessed changes the body after the SDK signed it, so an engine that verifies signatures refuses the request; the usual local
// engines do not verify. A request without the X-Amz-Target header goes through untouched and uncounted.
package faults
