// Package sweep goes over a whole table, one segment after the other, at a bounded pace, and can go on where it ended.
//
// A sweep that ended early is told by a token of two numbers, the segment to begin with and how many there are. It shows nothing of the
// items, as the key that a scan ended at would. What was visited of a segment that was not finished is visited again.
package sweep

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/usercore-go/usercore/internal/dynamo"
)

// ErrToken says that a token is none of a sweep.
var ErrToken = errors.New("the token is none of such a run")

const (
	// segments is into how many parts a sweep cuts the table, so how much of it a resumed one repeats at most.
	segments = 128
	// mostSegments is what Scan takes (API reference).
	mostSegments = 1_000_000
	// pageItems bounds what is held in memory: a page of a megabyte, DynamoDB's own bound, takes many times its size to decode.
	pageItems = 1_000
)

// Sweep is one pass over a table.
type Sweep struct {
	Client dynamo.Client
	// Scan is the request to make; its segments, limit and start are set here.
	Scan dynamodb.ScanInput
	// Pace spaces the pages by the items that they read.
	Pace *Pace
	// Visit is called with each page, one after the other. Its error ends the sweep.
	Visit func(ctx context.Context, items []dynamo.Item) error
	// Progress is called after each page with the number of items read so far, those that a filter left out too, and the token to go on with.
	Progress func(items int64, token string)
}

// Run sweeps the table from a token on, "" for all of it. It returns the token to go on with, "" after the last segment, beside the error
// that ended it: ErrToken, that of a read, or that of Visit.
func (s Sweep) Run(ctx context.Context, token string) (string, error) {
	at, of, err := parse(token)
	if err != nil {
		return "", err
	}
	var items int64
	for ; at < of; at++ {
		if err := s.segment(ctx, at, of, &items); err != nil {
			return format(at, of), err
		}
	}
	return "", nil
}

func (s Sweep) segment(ctx context.Context, at, of int, items *int64) error {
	input := s.Scan
	input.Segment, input.TotalSegments, input.Limit = aws.Int32(int32(at)), aws.Int32(int32(of)), aws.Int32(pageItems)
	for {
		page, err := dynamo.Scan(ctx, s.Client, &input)
		if err != nil {
			return err
		}
		if err := s.Pace.Wait(ctx, int(page.ScannedCount)); err != nil {
			return err
		}
		if err := s.Visit(ctx, page.Items); err != nil {
			return err
		}
		*items += int64(page.ScannedCount)
		input.ExclusiveStartKey = page.LastEvaluatedKey
		last := len(input.ExclusiveStartKey) == 0
		if s.Progress != nil {
			next := at
			if last {
				next++
			}
			s.Progress(*items, format(next, of))
		}
		if last {
			return nil
		}
	}
}

// format is the token that begins with a segment; "" behind the last one.
func format(at, of int) string {
	if at == of {
		return ""
	}
	return fmt.Sprintf("%d/%d", at, of)
}

func parse(token string) (at, of int, err error) {
	if token == "" {
		return 0, segments, nil
	}
	if _, err := fmt.Sscanf(token, "%d/%d", &at, &of); err != nil || of < 1 || of > mostSegments || at < 0 || at >= of || format(at, of) != token {
		return 0, 0, fmt.Errorf("%w: want SEGMENT/SEGMENTS", ErrToken)
	}
	return at, of, nil
}
