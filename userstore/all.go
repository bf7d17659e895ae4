package userstore

import (
	"context"
	"fmt"
	"iter"

	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
)

// Segment names a part of the table for All, so that several workers can share the work.
type Segment struct {
	// Index is from 0 to Of−1.
	Index int
	// Of is the number of segments, 1 to 1,000,000; 0 means that there is only one.
	Of int
}

// All iterates over the accounts of a segment, deleted and purged ones too, in no order. It is for administration: it
// scans the table, which reads every item of it (0.5 RCU for 4 KB, eventually consistent, one request for each
// megabyte). After an error the iteration ends.
func (s *Store) All(ctx context.Context, segment Segment) iter.Seq2[*User, error] {
	return func(yield func(*User, error) bool) {
		if segment.Of == 0 {
			segment.Of = 1
		}
		if segment.Of < 1 || segment.Of > 1_000_000 || segment.Index < 0 || segment.Index >= segment.Of {
			yield(nil, wrap("all", fmt.Errorf("%w: segment %d of %d", ErrInvalid, segment.Index, segment.Of)))
			return
		}
		s.scan(ctx, segment, yield)
	}
}

func (s *Store) scan(ctx context.Context, segment Segment, yield func(*User, error) bool) {
	input := table.ProfileScan(s.kernel.Table, int32(segment.Index), int32(segment.Of))
	for {
		page, err := dynamo.Scan(ctx, s.kernel.Client, input)
		if err != nil {
			yield(nil, wrap("all", err))
			return
		}
		for _, item := range page.Items {
			user, err := DecodeUser(item)
			if !yield(user, err) || err != nil {
				return
			}
		}
		if len(page.LastEvaluatedKey) == 0 {
			return
		}
		input.ExclusiveStartKey = page.LastEvaluatedKey
	}
}
