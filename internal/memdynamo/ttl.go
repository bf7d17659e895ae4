package memdynamo

import (
	"strconv"
	"time"
)

func updateTimeToLive(db *DB, r *jsonReader, w *jsonWriter) error {
	var table, attr string
	var enabled bool
	r.object(func(name string) {
		switch name {
		case "TableName":
			table = r.str()
		case "TimeToLiveSpecification":
			r.object(func(name string) {
				switch name {
				case "AttributeName":
					attr = r.str()
				case "Enabled":
					enabled = r.boolean()
				default:
					r.unknown(name)
				}
			})
		default:
			r.unknown(name)
		}
	})
	if err := r.finish(); err != nil {
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
	expiry, ok := r.expiry(t.ttlAttribute)
	if !ok {
		return
	}
	attr := t.ttlAttribute
	db.agenda.add(expiry.Add(db.opts.TTLLag), func(now time.Time) {
		current, _ := t.rows.Get(r.place)
		// The row may have been written again, and time to live switched off or moved, since this was put down.
		if current == r && t.ttlAttribute == attr && now.Sub(expiry) < maxExpired {
			db.apply(now, newChange(t, r.place, r, nil), true)
		}
	})
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
