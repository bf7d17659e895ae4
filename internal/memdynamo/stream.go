package memdynamo

import "time"

type stream struct{ arn, label string }

func (t *table) openStream(now time.Time) {}

func (s *stream) record(now time.Time, c change, expired bool) {}

// streamSpecification reads StreamSpecification and returns the view type, "" for no stream.
func (r *jsonReader) streamSpecification() string {
	enabled, view := false, ""
	r.object(func(name string) {
		switch name {
		case "StreamEnabled":
			enabled = r.boolean()
		case "StreamViewType":
			view = r.str()
		default:
			r.unknown(name)
		}
	})
	if !enabled {
		return ""
	}
	return view
}
