package memdynamo

import (
	"strconv"
	"time"
)

func updateTimeToLive(db *DB, r *jsonReader, w *jsonWriter) error {
	var table, attr string
	var enabled bool
	err := r.request(members{
		"TableName": &table,
		"TimeToLiveSpecification": func() {
			r.members(members{"AttributeName": &attr, "Enabled": &enabled})
		},
	})
	if err != nil {
		return err
	}
	return db.write(func(time.Time) error {
		t, err := db.table(table)
		if err != nil {
			return err
		}
		if err := db.setTimeToLive(t, attr, enabled); err != nil {
			return err
		}
		w.beginObject()
		w.name("TimeToLiveSpecification").beginObject()
		w.name("AttributeName").str(attr)
		w.name("Enabled").boolean(enabled)
		w.endObject()
		w.endObject()
		return nil
	})
}

func (db *DB) setTimeToLive(t *table, attr string, enabled bool) error {
	switch {
	case attr == "":
		return invalid("TimeToLiveSpecification.AttributeName must not be empty")
	case enabled && t.ttlAttribute == attr:
		return invalid("TimeToLive is already enabled")
	case enabled && t.ttlAttribute != "":
		return invalid("TimeToLive is active on a different AttributeName: current AttributeName is %s", t.ttlAttribute)
	case !enabled && t.ttlAttribute == "":
		return invalid("TimeToLive is already disabled")
	case !enabled && t.ttlAttribute != attr:
		return invalid("TimeToLive is active on a different AttributeName: current AttributeName is %s", t.ttlAttribute)
	case !enabled:
		t.ttlAttribute = ""
		return nil
	}
	t.ttlAttribute = attr
	t.rows.Scan(func(_ string, r *row) bool {
		db.scheduleExpiry(t, r)
		return true
	})
	return nil
}

func describeTimeToLive(db *DB, r *jsonReader, w *jsonWriter) error {
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
		w.name("TimeToLiveDescription").beginObject()
		if t.ttlAttribute == "" {
			w.name("TimeToLiveStatus").str("DISABLED")
		} else {
			w.name("TimeToLiveStatus").str("ENABLED")
			w.name("AttributeName").str(t.ttlAttribute)
		}
		w.endObject()
		w.endObject()
		return nil
	})
}

// Bounds on the time in an expiry attribute: the service leaves items alone that expired more than five years ago
// ("Using time to live", DynamoDB developer guide), and no item lives beyond the year 9999.
const (
	maxExpired = 5 * 365 * 24 * time.Hour
	maxExpiry  = 253402300799
)

// scheduleExpiry puts the removal of a row on the agenda, if it is to be removed at all.
func (db *DB) scheduleExpiry(t *table, r *row) {
	if db.opts.TTLLag <= 0 || t.ttlAttribute == "" || r == nil {
		return
	}
	if expiry, ok := r.expiry(t.ttlAttribute); ok {
		place := r.place
		db.agenda.add(expiry.Add(db.opts.TTLLag), func(now time.Time) { db.expire(t, place, now) })
	}
}

// expire removes the row at a place if its time is over. It is judged anew: since the removal was put on the agenda the
// row may have been written again or deleted, and time to live switched off or to another attribute.
func (db *DB) expire(t *table, place string, now time.Time) {
	r, ok := t.rows.Get(place)
	if !ok || t.ttlAttribute == "" {
		return
	}
	expiry, ok := r.expiry(t.ttlAttribute)
	if ok && !expiry.Add(db.opts.TTLLag).After(now) && now.Sub(expiry) < maxExpired {
		db.apply(now, newChange(t, place, r, nil), true)
	}
}

// expiry is the time that the attribute holds, in whole epoch seconds.
func (r *row) expiry(attr string) (time.Time, bool) {
	v, ok := r.attrs.get(attr)
	if !ok || v.kind != kindN {
		return time.Time{}, false
	}
	seconds, err := strconv.ParseInt(v.text, 10, 64)
	return time.Unix(seconds, 0), err == nil && seconds <= maxExpiry
}
