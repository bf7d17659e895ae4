package memdynamo

import (
	"errors"
	"net/http"
	"strings"
)

// operation answers one request: it reads its parameters from r and writes its answer to w.
type operation func(db *DB, r *jsonReader, w *jsonWriter) error

// operations are the operations that the engine has, by the header X-Amz-Target.
var operations = map[string]operation{
	"DynamoDB_20120810.CreateTable":        createTable,
	"DynamoDB_20120810.DescribeTable":      describeTable,
	"DynamoDB_20120810.DeleteTable":        deleteTable,
	"DynamoDB_20120810.ListTables":         listTables,
	"DynamoDB_20120810.UpdateTimeToLive":   updateTimeToLive,
	"DynamoDB_20120810.DescribeTimeToLive": describeTimeToLive,
	"DynamoDB_20120810.GetItem":            getItem,
	"DynamoDB_20120810.PutItem":            putItem,
	"DynamoDB_20120810.UpdateItem":         updateItem,
	"DynamoDB_20120810.DeleteItem":         deleteItem,
	"DynamoDB_20120810.Query":              query,
	"DynamoDB_20120810.Scan":               scanTable,
	"DynamoDB_20120810.BatchGetItem":       batchGetItem,
	"DynamoDB_20120810.BatchWriteItem":     batchWriteItem,
	"DynamoDB_20120810.TransactGetItems":   transactGetItems,
	"DynamoDB_20120810.TransactWriteItems": transactWriteItems,

	"DynamoDBStreams_20120810.DescribeStream":   describeStream,
	"DynamoDBStreams_20120810.GetShardIterator": getShardIterator,
	"DynamoDBStreams_20120810.GetRecords":       getRecords,
}

// serve answers one request of the protocol.
func (db *DB) serve(target string, body []byte) (status int, answer []byte) {
	w := &jsonWriter{}
	err := db.dispatch(target, body, w)
	if err == nil {
		return http.StatusOK, w.buf
	}
	var api *apiError
	if !errors.As(err, &api) {
		api = newError(serviceErrors+"InternalServerError", "%v", err)
		api.status = http.StatusInternalServerError
	}
	return failure(api)
}

// failure is the answer that carries an error.
func failure(err *apiError) (status int, answer []byte) {
	w := &jsonWriter{}
	w.writeError(err)
	return err.status, w.buf
}

func (db *DB) dispatch(target string, body []byte, w *jsonWriter) error {
	run, ok := operations[target]
	if !ok {
		return newError(protocolErrors+"UnknownOperationException", "memdynamo does not have the operation %q", target)
	}
	_, name, _ := strings.Cut(target, ".")
	db.meter.request(name)
	return run(db, &jsonReader{data: body}, w)
}
