package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/userstore"
)

// TestConcurrentUpdates: of parallel updates from one version one wins, and the others are told.
func TestConcurrentUpdates(t *testing.T) {
	t.Parallel()
	const writers = 16
	f := newFixture(t)
	f.user("john", "john@example.com")
	for round := range 8 {
		version := fmt.Sprintf(`"%d"`, round+1)
		statuses := f.parallel(writers, func(i int) reply {
			body := fmt.Sprintf(`{"phone":"+1%02d%02d"}`, round+10, i+10)
			return f.serve(newRequest("john", "PUT", "/v1/users/me", body, "If-Match", version))
		})
		require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusConflict: writers - 1}, statuses)
	}
	user, err := f.store.Get(t.Context(), "john")
	require.NoError(t, err)
	require.Equal(t, int64(9), user.Version)
}

// together are Users whose readers wait for each other, so all of them have read before one of them writes.
type together struct {
	httpapi.Users
	readers *sync.WaitGroup
}

func (u together) Get(ctx context.Context, userID string) (*userstore.User, error) {
	user, err := u.Users.Get(ctx, userID)
	u.readers.Done()
	u.readers.Wait()
	return user, err
}

// TestConcurrentUpdatesWithoutIfMatch: the version that a request has read is the expected one, so no update is lost in silence.
func TestConcurrentUpdatesWithoutIfMatch(t *testing.T) {
	t.Parallel()
	const writers = 8
	f := newFixture(t)
	f.user("john", "john@example.com")
	var readers sync.WaitGroup
	readers.Add(writers)
	f.users = together{f.users, &readers}
	f.rebuild(nil)
	statuses := f.parallel(writers, func(i int) reply {
		return f.serve(newRequest("john", "PUT", "/v1/users/me", fmt.Sprintf(`{"phone":"+1%02d"}`, i+10)))
	})
	require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusConflict: writers - 1}, statuses)
}

// TestConcurrentAdds: one address goes to one of many accounts.
func TestConcurrentAdds(t *testing.T) {
	t.Parallel()
	const users = 12
	f := newFixture(t)
	for i := range users {
		f.user(fmt.Sprint("user", i), fmt.Sprintf("user%d@example.com", i))
	}
	statuses := f.parallel(users, func(i int) reply {
		return f.serve(newRequest(fmt.Sprint("user", i), "POST", "/v1/users/me/emails", `{"email":"wanted@example.com"}`))
	})
	require.Equal(t, map[int]int{http.StatusCreated: 1, http.StatusConflict: users - 1}, statuses)
}

// parallel runs requests at once and counts the statuses.
func (f *fixture) parallel(n int, send func(i int) reply) map[int]int {
	var (
		wait   sync.WaitGroup
		counts [600]atomic.Int64
		start  = make(chan struct{})
	)
	for i := range n {
		wait.Go(func() {
			<-start
			counts[send(i).status].Add(1)
		})
	}
	close(start)
	wait.Wait()
	statuses := map[int]int{}
	for status := range counts {
		if count := counts[status].Load(); count > 0 {
			statuses[status] = int(count)
		}
	}
	return statuses
}
