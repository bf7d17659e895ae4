package cognitosync

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
)

// phase is what a run is doing.
type phase string

const (
	poolPhase   phase = "pool"   // reconciling: every user of the pool has its account
	tablePhase  phase = "table"  // reconciling: every account has its user in the pool
	revokePhase phase = "revoke" // signing out
)

// position is where a run stands: all before it is done.
type position struct {
	Pool  string `json:"pool"`
	Phase phase  `json:"phase"`
	// Page is the page of ListUsers to read next, "" for the first.
	Page string `json:"page,omitempty"`
	// Window is the part of the ids that the table phase is at, Segment the segment of the table to scan next for it.
	Window  window `json:"window,omitzero"`
	Segment int    `json:"segment,omitempty"`
	// Segments is the number of segments of the run: a segment means nothing without it.
	Segments int    `json:"segments,omitempty"`
	Counts   Counts `json:"counts,omitzero"`
}

func (p position) token() string {
	text, err := json.Marshal(p)
	if err != nil {
		return "" // not reached: the struct has nothing that does not encode
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// parseToken is the position that a token stands for, in one of the phases; the empty token is the start of the first.
func parseToken(token, pool string, phases ...phase) (position, error) {
	if token == "" {
		return position{Pool: pool, Phase: phases[0]}, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(token)
	var p position
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	switch {
	case err != nil || p.Window.High < p.Window.Low || p.Segment < 0 || p.Segment > p.Segments || p.Segments > maxSegments,
		p.Phase == tablePhase && p.Segments < 1:
		return position{}, fmt.Errorf("%w: it is damaged", ErrToken)
	case p.Pool != pool || !slices.Contains(phases, p.Phase):
		return position{}, fmt.Errorf("%w: it is of another pool or another kind of run", ErrToken)
	}
	return p, nil
}
