package memdynamo

// Limits of requests and items ("Quotas" and the API reference of each operation).
const (
	maxRequest     = 16 << 20  // bytes of a request's body
	maxItem        = 400 << 10 // bytes of an item
	maxPage        = 1 << 20   // bytes that one Query or Scan reads
	maxBatchGet    = 100       // keys of a BatchGetItem
	maxBatchAnswer = 16 << 20  // bytes of a BatchGetItem's answer
	maxBatchWrite  = 25        // writes of a BatchWriteItem
	maxActions     = 100       // actions of a transaction
	maxTransaction = 4 << 20   // bytes of the items of a transaction
	maxToken       = 36        // bytes of a ClientRequestToken
	maxSegments    = 1_000_000 // segments of a parallel scan
)

// checkName checks the name of a table or an index.
func checkName(parameter, name string) error {
	if name == "" {
		return invalid("The parameter '%s' is required but was not present in the request", parameter)
	}
	if len(name) < 3 || len(name) > 255 {
		return invalid("%s must be at least 3 characters long and at most 255 characters long", parameter)
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; !wordByte(c) && c != '-' && c != '.' {
			return invalid("1 validation error detected: Value '%s' at '%s' failed to satisfy constraint: "+
				"Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+", name, parameter)
		}
	}
	return nil
}

// checkCount checks the length of a list that may not be empty.
func checkCount(parameter string, count, most int) error {
	if count < 1 || count > most {
		return invalid("1 validation error detected: Value at '%s' failed to satisfy constraint: "+
			"Member must have length between 1 and %d", parameter, most)
	}
	return nil
}
