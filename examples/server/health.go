package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/usercore-go/usercore/userstore"
)

// layoutInterval is how long a layout that was right is taken to be right: DynamoDB limits how often it is asked for.
const layoutInterval = time.Minute

// healthz says that the process is up and answers. It makes no request.
func (s *service) healthz(*http.Request) (answer, error) {
	return ok(map[string]string{"status": "ok"}), nil
}

// readyz says that the table has the keys, the index and the time to live that it should have, and can be read, consistently: one request, 1
// RCU, and two more for the layout once a minute.
func (s *service) readyz(r *http.Request) (answer, error) {
	err := s.layout.check(r.Context(), s.client, s.table, time.Now())
	if err == nil {
		err = s.read(r.Context())
	}
	if err != nil {
		s.logger.WarnContext(r.Context(), "not ready", "error", err)
		return answer{}, notReady(err)
	}
	return ok(map[string]string{"status": "ready"}), nil
}

func (s *service) read(ctx context.Context) error {
	const anyID = "readyz"
	if _, err := s.users.Get(ctx, anyID); err != nil && !errors.Is(err, userstore.ErrNotFound) {
		return err
	}
	return nil
}

// layout remembers until when the table's layout need not be looked at, in nanoseconds of Unix time.
type layout struct{ rightUntil atomic.Int64 }

func (l *layout) check(ctx context.Context, client userstore.TableDescriber, table string, now time.Time) error {
	if now.UnixNano() < l.rightUntil.Load() {
		return nil
	}
	properties, err := userstore.CheckTable(ctx, client, table)
	if err != nil {
		return err
	}
	var wrong []error
	for _, p := range properties {
		if !p.OK() {
			wrong = append(wrong, fmt.Errorf("table %s: %s: want %s, got %s", table, p.Name, p.Want, p.Got))
		}
	}
	if len(wrong) == 0 {
		l.rightUntil.Store(now.Add(layoutInterval).UnixNano())
	}
	return errors.Join(wrong...)
}
