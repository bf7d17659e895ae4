package memdynamo

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// jsonWriter appends JSON to a buffer and places the commas itself.
type jsonWriter struct {
	buf []byte
}

func (w *jsonWriter) beginObject() { w.separate(); w.buf = append(w.buf, '{') }
func (w *jsonWriter) endObject()   { w.buf = append(w.buf, '}') }
func (w *jsonWriter) beginArray()  { w.separate(); w.buf = append(w.buf, '[') }
func (w *jsonWriter) endArray()    { w.buf = append(w.buf, ']') }

// name starts a member; the next call writes its value.
func (w *jsonWriter) name(name string) *jsonWriter {
	w.str(name)
	w.buf = append(w.buf, ':')
	return w
}

func (w *jsonWriter) str(s string) {
	w.separate()
	if !plainText(s) {
		w.buf = append(w.buf, quote(s)...)
		return
	}
	w.buf = append(w.buf, '"')
	w.buf = append(w.buf, s...)
	w.buf = append(w.buf, '"')
}

func (w *jsonWriter) boolean(b bool) {
	w.separate()
	w.buf = strconv.AppendBool(w.buf, b)
}

func (w *jsonWriter) integer(n int) {
	w.separate()
	w.buf = strconv.AppendInt(w.buf, int64(n), 10)
}

func (w *jsonWriter) float(f float64) {
	w.separate()
	w.buf = strconv.AppendFloat(w.buf, f, 'f', -1, 64)
}

// separate writes the comma that the next name or value needs.
func (w *jsonWriter) separate() {
	if len(w.buf) == 0 {
		return
	}
	switch w.buf[len(w.buf)-1] {
	case '{', '[', ':':
	default:
		w.buf = append(w.buf, ',')
	}
}

// plainText reports whether s may stand between quotes as it is.
func plainText(s string) bool {
	ascii := true
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c < ' ', c == '"', c == '\\':
			return false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return ascii || utf8.ValidString(s)
}

// quote escapes the rare text that needs it. Marshalling a string cannot fail.
func quote(s string) []byte {
	quoted, _ := json.Marshal(s)
	return quoted
}
