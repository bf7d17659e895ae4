package outbox

import "context"

// Batcher makes the calls of one Publish for a service whose calls take several entries and have a result for each. It is for authors of
// publishers: it keeps the limits of a call, and finds the entry for which a call is refused as a whole. T is an entry in the
// service's form. All fields are required.
type Batcher[T any] struct {
	// MaxEntries and MaxBytes limit one call, MaxEntryBytes one entry, which is Rejected with the code EntryTooLarge if it is above.
	MaxEntries, MaxBytes, MaxEntryBytes int
	// Encode returns the entry and its size as the service counts it. After an error the entry is Rejected with the code InvalidEvent.
	Encode func(Entry) (encoded T, size int, err error)
	// Send makes one call and returns a result for each entry. After an error nothing is known of any.
	Send func(context.Context, []T) ([]Result, error)
	// Refused reports whether the error of a call says that the call is wrong, so that sending it again is of no use.
	Refused func(error) bool
}

// Publish sends the entries in as few calls as the limits allow, one after another, in their order. A call that is refused is halved until the
// entry is found for which it is: that one is Rejected. If all entries of a call are refused one by one, something else is more likely to
// be wrong: they are to be sent again.
//
// It returns an error if nothing is known of any entry. Once something is, the entries of a failed call have the result Retry.
func (b Batcher[T]) Publish(ctx context.Context, entries []Entry) ([]Result, error) {
	p := publication[T]{Batcher: b, results: make([]Result, len(entries))}
	var pending []piece[T]
	for i, e := range entries {
		if encoded, ok := p.encode(i, e); ok {
			pending = append(pending, encoded)
		}
	}
	for len(pending) > 0 {
		call := pending[:b.fit(pending)]
		pending = pending[len(call):]
		before := p.refusals
		if err := p.send(ctx, call); err != nil && !p.known {
			return nil, err
		}
		if len(call) > 1 && p.refusals-before == len(call) {
			p.suspend(call)
		}
	}
	return p.results, nil
}

// piece is one encoded entry.
type piece[T any] struct {
	// index is its place in the results.
	index   int
	encoded T
	size    int
}

// fit returns how many of the pieces go into one call, at least one.
func (b Batcher[T]) fit(pieces []piece[T]) int {
	bytes := 0
	for n, p := range pieces {
		if bytes += p.size; n > 0 && (n == b.MaxEntries || bytes > b.MaxBytes) {
			return n
		}
	}
	return len(pieces)
}

// publication is one Publish.
type publication[T any] struct {
	Batcher[T]
	results []Result
	// known is true once an entry has a result that must not get lost.
	known bool
	// refusals counts the entries that were refused in a call of their own.
	refusals int
}

func (p *publication[T]) encode(index int, e Entry) (piece[T], bool) {
	encoded, size, err := p.Encode(e)
	switch {
	case err != nil:
		p.settle(index, Result{Outcome: Rejected, Code: "InvalidEvent", Message: err.Error()})
	case size > p.MaxEntryBytes:
		p.settle(index, Result{Outcome: Rejected, Code: "EntryTooLarge"})
	default:
		return piece[T]{index: index, encoded: encoded, size: size}, true
	}
	return piece[T]{}, false
}

func (p *publication[T]) settle(index int, r Result) {
	p.results[index] = r
	p.known = true
}

// send makes one call, or several if it is refused.
func (p *publication[T]) send(ctx context.Context, call []piece[T]) error {
	encoded := make([]T, len(call))
	for i, c := range call {
		encoded[i] = c.encoded
	}
	results, err := p.Send(ctx, encoded)
	switch {
	case err == nil && len(results) == len(call):
		for i, c := range call {
			p.settle(c.index, results[i])
		}
		return nil
	case err == nil:
		err = errResults
	case p.Refused(err) && len(call) == 1:
		p.refusals++
		p.settle(call[0].index, Result{Outcome: Rejected, Code: codeOf(err)})
		return nil
	case p.Refused(err):
		return p.bisect(ctx, call)
	}
	for _, c := range call {
		p.results[c.index] = Result{Code: codeOf(err)}
	}
	return err
}

// bisect sends the halves of a refused call. It returns an error only if both have one.
func (p *publication[T]) bisect(ctx context.Context, call []piece[T]) error {
	half := len(call) / 2
	first, second := p.send(ctx, call[:half]), p.send(ctx, call[half:])
	if first == nil || second == nil {
		return nil
	}
	return first
}

// suspend takes back that all entries of a call were refused. Those that are indeed wrong are soon sent alone.
func (p *publication[T]) suspend(call []piece[T]) {
	for _, c := range call {
		p.results[c.index].Outcome = Retry
	}
}
