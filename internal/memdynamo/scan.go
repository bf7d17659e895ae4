package memdynamo

import (
	"encoding/binary"
	"math/bits"
)

func scanTable(db *DB, r *jsonReader, w *jsonWriter) error {
	req := newPageRequest()
	var segment, segments *int
	if err := r.request(req.members(), members{"Segment": &segment, "TotalSegments": &segments}); err != nil {
		return err
	}
	within, err := segmentRange(segment, segments)
	if err != nil {
		return err
	}
	if _, err := req.parse(false); err != nil {
		return err
	}
	pg, err := db.readPage(req, false, func(source) (placeRange, error) { return within, nil })
	if err != nil {
		return err
	}
	db.answerPage(req, pg, w)
	return nil
}

// segmentRange is the share of a segment in the places: places begin with a hash, and each segment has an equal range of
// hashes.
func segmentRange(segment, segments *int) (placeRange, error) {
	if segment == nil && segments == nil {
		return placeRange{}, nil
	}
	if segment == nil || segments == nil {
		return placeRange{}, invalid("Segment and TotalSegments must be given together")
	}
	if *segments < 1 || *segments > maxSegments {
		return placeRange{}, invalid("TotalSegments must be between 1 and %d", maxSegments)
	}
	if *segment < 0 || *segment >= *segments {
		return placeRange{}, invalid("The Segment parameter is zero-based and must be less than parameter TotalSegments: "+
			"Segment: %d is not less than TotalSegments: %d", *segment, *segments)
	}
	return placeRange{segmentStart(*segment, *segments), segmentStart(*segment+1, *segments)}, nil
}

// segmentStart is where a segment's hashes begin: 2⁶⁴ · segment / segments. The place behind the last segment is "".
func segmentStart(segment, segments int) string {
	if segment == segments {
		return ""
	}
	hash, _ := bits.Div64(uint64(segment), 0, uint64(segments))
	return string(binary.BigEndian.AppendUint64(nil, hash))
}
