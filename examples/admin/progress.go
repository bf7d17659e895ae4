package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

const (
	barWidth = 30 // characters
	// redrawInterval keeps the bar from being what takes the time.
	redrawInterval = 100 * time.Millisecond
	// eraseLine goes to the start of the terminal's line and clears it (ECMA-48: EL).
	eraseLine = "\r\x1b[K"
)

// progress is a line at the bottom of a terminal that says how far long work is. It is safe for concurrent use.
type progress struct {
	w     io.Writer
	label string
	total int64 // 0: unknown
	start time.Time

	mu    sync.Mutex
	done  int64
	drawn time.Time
}

// progress begins a progress line; nothing is drawn unless standard error is a terminal. total is an estimate; 0 if there is none.
func (p *program) progress(label string, total int64) *progress {
	b := &progress{w: io.Discard, label: label, total: total, start: time.Now()}
	if isTerminal(p.stderr) {
		b.w = p.stderr
	}
	return b
}

// add counts n more as done.
func (b *progress) add(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.draw(b.done + n)
}

// set says how many are done.
func (b *progress) set(done int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.draw(done)
}

func (b *progress) draw(done int64) {
	b.done = done
	now := time.Now()
	if now.Sub(b.drawn) < redrawInterval {
		return
	}
	b.drawn = now
	_, _ = io.WriteString(b.w, eraseLine+barText(b.label, done, b.total, now.Sub(b.start)))
}

// end removes the line.
func (b *progress) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.drawn.IsZero() {
		_, _ = io.WriteString(b.w, eraseLine)
	}
}

// barText is the line. The total is an estimate that the work may exceed, so 100 % is kept for the end.
func barText(label string, done, total int64, elapsed time.Duration) string {
	took := elapsed.Truncate(time.Second)
	if total <= 0 {
		return fmt.Sprintf("%s  %d done  %s", label, done, took)
	}
	share := min(float64(done)/float64(total), 0.99)
	full := int(share * barWidth)
	bar := strings.Repeat("#", full) + strings.Repeat(".", barWidth-full)
	return fmt.Sprintf("%s  [%s] %2.0f %%  %d of about %d  %s", label, bar, share*100, done, total, took)
}
