package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestBarText(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"audit  [###############...............] 50 %  500 of about 1000  1m5s": barText("audit", 500, 1000, 65*time.Second),
		"audit  [#############################.] 99 %  2000 of about 1000  0s":  barText("audit", 2000, 1000, time.Millisecond),
		"sign-out  7 done  3s": barText("sign-out", 7, 0, 3500*time.Millisecond),
	} {
		assert.Equal(t, want, got)
	}
}

// TestProgressLine draws at once, then no more often than is readable, and leaves no line behind.
func TestProgressLine(t *testing.T) {
	t.Parallel()
	var screen bytes.Buffer
	bar := &progress{w: &screen, label: "audit", start: time.Now()}
	bar.add(1)
	bar.add(1)
	bar.end()
	assert.Equal(t, eraseLine+"audit  1 done  0s"+eraseLine, screen.String())
}

// TestNoProgressWithoutTerminal keeps logs and pipes free of control characters.
func TestNoProgressWithoutTerminal(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	bar := (&program{stderr: &stderr}).progress("audit", 10)
	bar.set(5)
	bar.end()
	assert.Empty(t, stderr.String())
}
