// Package memdynamo is an in-memory DynamoDB: the engine behind this module's tests and the default of the example
// server. It needs no process, port or container, and it keeps the promises that the module's invariants stand on.
//
//	db := memdynamo.New(memdynamo.Options{})
//	client := db.Client()          // a *dynamodb.Client that reaches db without a socket
//	http.ListenAndServe(addr, db)  // the same over HTTP, for any other client
//
// # What it does as the service does
//
//   - Operations: CreateTable, DescribeTable, DeleteTable, ListTables, UpdateTimeToLive, DescribeTimeToLive, GetItem,
//     PutItem, UpdateItem, DeleteItem, Query, Scan with segments, BatchGetItem, BatchWriteItem, TransactGetItems,
//     TransactWriteItems; of DynamoDB Streams DescribeStream, GetShardIterator and GetRecords.
//   - The whole expression language, with its reserved words, placeholders, overlapping paths and type rules.
//   - A failed condition returns the old item if ALL_OLD is asked for, in single writes and in cancellation reasons.
//   - A request token is remembered for ten minutes after a success; other content under it is an
//     IdempotentParameterMismatchException. A cancelled transaction may be sent again under its token.
//   - Numbers have 38 exact digits; sparse indexes; limits of keys, items, pages, batches and transactions.
//   - ConsumedCapacity, in total and by index. DB.Usage also has what failed requests cost, which no answer states.
//
// # Where it differs
//
//   - Every read is strongly consistent, apart from indexes when Options.IndexLag is set.
//   - Requests run one after the other, reads beside each other, so no TransactionConflict, throttling or unprocessed write
//     ever occurs. Package faults injects those.
//   - A BatchWriteItem is carried out as a whole.
//   - Tables are usable when CreateTable returns and gone when DeleteTable does. ItemCount is exact.
//   - Expired items stay unless Options.TTLLag is set: the service gives no bound either.
//   - A stream has one shard, its iterators do not expire, and a page of it is bounded by records only, not by bytes.
//   - No PartiQL, local secondary indexes, UpdateTable, backups, tags, or legacy parameters such as Expected. What it does
//     not have is an error that names it: an UnknownOperationException or a ValidationException, never ignored.
//   - Texts of errors are near those of the service, not the same; test for codes.
//   - Where the service's documentation is silent it is guessed: writes of indexes inside a transaction cost once, not
//     twice, and a cancelled transaction costs twice the units of the items that it met.
//
// # Cost
//
// Tables and indexes are B-trees ordered by key, so a Query costs O(log n) and its rows, however large the table. A request
// through Client costs 40 to 80 µs, of which the engine has 10 to 20 percent; the rest is the SDK. To measure:
//
//	go test -run=^$ -bench=. ./internal/memdynamo
//
// # Time
//
// The engine has a clock of its own, Options.Now, and no goroutines. What is to happen later, such as the expiry of an item,
// happens on the first request that comes late enough.
package memdynamo
