package memdynamo

import (
	"crypto/sha256"
	"maps"
	"slices"
	"time"
)

// tokenLife is how long a request token is remembered ("TransactWriteItems", DynamoDB API reference).
const tokenLife = 10 * time.Minute

// fingerprint identifies the content of a transaction, whatever the order of members in its JSON.
type fingerprint [sha256.Size]byte

func fingerprintOf(token *string, actions []*write) fingerprint {
	if token == nil {
		return fingerprint{}
	}
	var w jsonWriter
	for _, action := range actions {
		w.canonical(action)
	}
	return sha256.Sum256(w.buf)
}

// canonical writes an action in one form only: items and placeholders are sorted already.
func (w *jsonWriter) canonical(action *write) {
	w.beginArray()
	w.integer(int(action.kind))
	w.str(action.table)
	w.attributes(action.subject)
	for _, text := range []*string{action.updateText, action.conditionText} {
		if text != nil {
			w.str(*text)
		} else {
			w.boolean(false)
		}
	}
	w.names(action.refs.names)
	w.attributes(action.refs.values)
	w.str(action.onFailure)
	w.endArray()
}

func (w *jsonWriter) names(names map[string]string) {
	w.beginObject()
	for _, ref := range slices.Sorted(maps.Keys(names)) {
		w.name(ref).str(names[ref])
	}
	w.endObject()
}

// repeated reports whether a transaction with this token and content has succeeded before.
func (db *DB) repeated(token *string, content fingerprint) (bool, error) {
	if token == nil {
		return false, nil
	}
	known, ok := db.tokens[*token]
	if ok && known != content {
		return false, newError(serviceErrors+"IdempotentParameterMismatchException",
			"Request contains a ClientRequestToken that has been used with other parameters")
	}
	return ok, nil
}

// remember keeps a token whose transaction succeeded. A cancelled one may be sent again under its token.
func (db *DB) remember(token *string, content fingerprint, now time.Time) {
	if token == nil {
		return
	}
	db.tokens[*token] = content
	db.agenda.add(now.Add(tokenLife), func(time.Time) { delete(db.tokens, *token) })
}
