package memdynamo

import (
	"time"

	"github.com/google/uuid"
)

// The engine's place in the world, as table and stream ARNs state it.
const (
	region    = "us-east-1"
	accountID = "000000000000"
	arnPrefix = "arn:aws:dynamodb:" + region + ":" + accountID + ":table/"
)

func createTable(db *DB, r *jsonReader, w *jsonWriter) error {
	req := r.tableRequest()
	if err := r.finish(); err != nil {
		return err
	}
	t, err := req.build()
	if err != nil {
		return err
	}
	return db.write(func(now time.Time) error {
		if _, exists := db.tables.Get(t.name); exists {
			return newError(serviceErrors+"ResourceInUseException", "Table already exists: %s", t.name)
		}
		t.id, t.created = uuid.NewString(), now
		t.openStream(now)
		db.tables.Set(t.name, t)
		w.beginObject()
		w.name("TableDescription").describe(t, statusActive)
		w.endObject()
		return nil
	})
}

func describeTable(db *DB, r *jsonReader, w *jsonWriter) error {
	name, err := r.tableName()
	if err != nil {
		return err
	}
	return db.read(func(time.Time) error {
		t, err := db.table(name)
		if err != nil {
			return err
		}
		w.beginObject()
		w.name("Table").describe(t, statusActive)
		w.endObject()
		return nil
	})
}

func deleteTable(db *DB, r *jsonReader, w *jsonWriter) error {
	name, err := r.tableName()
	if err != nil {
		return err
	}
	return db.write(func(time.Time) error {
		t, err := db.table(name)
		if err != nil {
			return err
		}
		if t.protected {
			return invalid("Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.")
		}
		db.tables.Delete(name)
		w.beginObject()
		w.name("TableDescription").describe(t, statusDeleting)
		w.endObject()
		return nil
	})
}

// tableName reads a request whose only parameter is TableName.
func (r *jsonReader) tableName() (name string, err error) {
	err = r.request(members{"TableName": &name})
	return name, err
}

// maxListed is the largest and the default page of ListTables.
const maxListed = 100

func listTables(db *DB, r *jsonReader, w *jsonWriter) error {
	after, limit := "", maxListed
	if err := r.request(members{"ExclusiveStartTableName": &after, "Limit": &limit}); err != nil {
		return err
	}
	if limit < 1 || limit > maxListed {
		return invalid("Limit must be between 1 and %d, but is %d", maxListed, limit)
	}
	return db.read(func(time.Time) error {
		w.beginObject()
		w.name("TableNames").beginArray()
		last, count, more := "", 0, false
		db.tables.Ascend(after, func(name string, _ *table) bool {
			if name == after {
				return true
			}
			if more = count == limit; more {
				return false
			}
			w.str(name)
			last = name
			count++
			return true
		})
		w.endArray()
		if more {
			w.name("LastEvaluatedTableName").str(last)
		}
		w.endObject()
		return nil
	})
}
