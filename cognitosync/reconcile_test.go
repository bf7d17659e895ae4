package cognitosync_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/cognitosync"
	"github.com/usercore-go/usercore/cognitosync/cognitotest"
	"github.com/usercore-go/usercore/userstore"
)

func (w *world) reconciler(t testing.TB, cfg cognitosync.ReconcileConfig) *cognitosync.Reconciler {
	t.Helper()
	cfg.UserPoolID, cfg.Logger = cognitotest.PoolID, w.log.logger()
	r, err := cognitosync.NewReconciler(w.pool.Client(), w.users, cfg)
	require.NoError(t, err)
	return r
}

func everything() []cognitosync.Class {
	return []cognitosync.Class{
		cognitosync.PoolOnly, cognitosync.TableOnly, cognitosync.AddressDiffers, cognitosync.StillEnabled, cognitosync.StillDisabled,
	}
}

// meter records the calls to the pool and which users were written to.
type meter struct {
	mu      sync.Mutex
	starts  []time.Time
	written map[string]bool
	ops     map[string]int
	die     func() // called with the dieAt-th call
	dieAt   int
}

func newMeter() *meter { return &meter{written: map[string]bool{}, ops: map[string]int{}} }

func (m *meter) intercept(c cognitotest.Call) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.starts = append(m.starts, c.At)
	m.ops[c.Op]++
	switch c.Op {
	case "ListUsers", "AdminGetUser":
	default:
		m.written[c.Username] = true
	}
	if len(m.starts) == m.dieAt {
		m.die()
	}
	return ""
}

// mostInASecond is the largest number of calls that began within any second.
func (m *meter) mostInASecond() int {
	most, from := 0, 0
	for to, at := range m.starts {
		for at.Sub(m.starts[from]) >= time.Second {
			from++
		}
		most = max(most, to-from+1)
	}
	return most
}

// planted is which ids have which drift.
type planted map[cognitosync.Class][]string

// kinds is the order in which drifts are planted; "" is a healthy user, "deleted" one of an account that is gone for good reasons.
var kinds = [...]cognitosync.Class{
	cognitosync.PoolOnly, cognitosync.TableOnly, cognitosync.AddressDiffers, cognitosync.StillEnabled, cognitosync.StillDisabled, cognitosync.Duplicate,
}

// plant fills pool and table with size users, and ofEach drifts of each class spread evenly among them.
func (w *world) plant(t testing.TB, size, ofEach int) planted {
	t.Helper()
	found := planted{}
	id := func(i int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", uint32(i)*2654435761, i) }
	step := size / (ofEach * len(kinds))
	kind := func(i int) cognitosync.Class {
		if n := i / step; i%step == step/2 && n < ofEach*len(kinds) {
			return kinds[n%len(kinds)]
		}
		return ""
	}
	var accounts []userstore.NewUser
	for i := range size {
		u := cognitotest.User{Sub: id(i), Email: fmt.Sprintf("u%d@example.com", i), EmailVerified: true}
		account := userstore.NewUser{UserID: u.Sub, Username: u.Sub, Email: u.Email, EmailVerified: true}
		class := kind(i)
		found[class] = append(found[class], u.Sub)
		switch class {
		case cognitosync.AddressDiffers:
			u.Email = "old-" + u.Email
		case cognitosync.StillDisabled:
			u.Disabled = true
		case cognitosync.Duplicate:
			u.Email, u.EmailVerified, u.Username, u.Status = fmt.Sprintf("u%d@example.com", 0), false, fmt.Sprint("Google_", i), cognitotest.External
		}
		if class != cognitosync.TableOnly {
			w.pool.Put(u)
		}
		if class != cognitosync.PoolOnly && class != cognitosync.Duplicate {
			accounts = append(accounts, account)
		}
	}
	w.fill(t, len(accounts), func(i int) userstore.NewUser { return accounts[i] })
	for _, sub := range found[cognitosync.StillEnabled] {
		_, err := w.users.Suspend(t.Context(), sub, "")
		require.NoError(t, err)
	}
	delete(found, "")
	return found
}

// requireFound holds the counts against what was planted.
func requireFound(t testing.TB, want planted, report *cognitosync.Report, outcome cognitosync.Outcome) {
	t.Helper()
	counts := map[cognitosync.Class]map[cognitosync.Outcome]int64{}
	for class, ids := range want {
		as := outcome
		if class == cognitosync.Duplicate {
			as = cognitosync.Reported
		}
		counts[class] = map[cognitosync.Outcome]int64{as: int64(len(ids))}
	}
	require.Equal(t, counts, report.Drifts)
}

// TestReconcileLargePool: a run that repairs is killed half-way and resumed. Every drift is found and repaired, nobody healthy is written to,
// the rate holds, and memory does not grow with the pool. It is not parallel: the heap is the whole process's, and others would be measured too.
func TestReconcileLargePool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeter()
		w := newWorld(t, cognitotest.Options{Ragged: true, Lag: time.Minute, Intercept: m.intercept})
		want := w.plant(t, poolSize, plantedOfEach)
		<-time.After(time.Hour)
		before := heapInUse()

		ctx, kill := context.WithCancel(t.Context())
		m.die, m.dieAt = kill, poolSize/60/2
		var last cognitosync.Progress
		grown := int64(0)
		cfg := cognitosync.ReconcileConfig{Repair: everything(), MaxFindings: 50, Segments: 4, Progress: func(p cognitosync.Progress) {
			if last = p; p.Accounts > 0 && grown == 0 { // the whole pool is remembered now
				grown = heapInUse() - before
			}
		}}
		_, err := w.reconciler(t, cfg).Run(ctx, "")
		require.ErrorIs(t, err, context.Canceled)
		require.NotEmpty(t, last.Token)
		<-time.After(time.Minute)
		report, err := w.reconciler(t, cfg).Run(t.Context(), last.Token)
		require.NoError(t, err)
		require.True(t, report.Complete)

		require.Less(t, grown, int64(4<<20), "bytes, with 16 for each user of the pool")
		require.LessOrEqual(t, m.mostInASecond(), 5)
		require.Less(t, m.ops["ListUsers"], 3*poolSize/60, "resumed, not started again: a listing for each direction, and the ragged pages")
		require.Less(t, m.ops["AdminGetUser"], 8*plantedOfEach, "the healthy are not asked for: that would cost money")
		w.requireRepaired(t, want)
		require.Equal(t, want.in(cognitosync.AddressDiffers, cognitosync.StillEnabled, cognitosync.StillDisabled), m.written,
			"those with a drift in the pool are written to, and nobody else")
		for class, ids := range want { // but for the page during which it was killed
			require.InDelta(t, len(ids), report.Found(class), 2, class)
		}
		require.Len(t, report.Findings, 50)
		require.Positive(t, report.Omitted)
	})
}

// TestReconcileDryRun finds every drift and touches nobody.
func TestReconcileDryRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMeter()
		w := newWorld(t, cognitotest.Options{Ragged: true, Lag: time.Minute, Intercept: m.intercept})
		want := w.plant(t, 1_800, 25)
		<-time.After(time.Hour)
		report, err := w.reconciler(t, cognitosync.ReconcileConfig{}).Run(t.Context(), "")
		require.NoError(t, err)
		require.True(t, report.Complete && report.DryRun)
		require.Equal(t, 1, report.ExitCode())
		requireFound(t, want, report, cognitosync.Reported)
		require.Empty(t, m.written)
		require.Less(t, m.ops["ListUsers"], 2*1_800/60, "the pool is listed once for both directions")
		for _, sub := range want[cognitosync.PoolOnly] {
			_, err := w.users.Get(t.Context(), sub)
			require.ErrorIs(t, err, userstore.ErrNotFound)
		}
	})
}

// in is the set of those with one of the classes.
func (p planted) in(classes ...cognitosync.Class) map[string]bool {
	set := map[string]bool{}
	for _, class := range classes {
		for _, sub := range p[class] {
			set[sub] = true
		}
	}
	return set
}

// requireRepaired looks at every planted drift on both sides.
func (w *world) requireRepaired(t testing.TB, want planted) {
	t.Helper()
	for class, ids := range want {
		for _, sub := range ids {
			user, inPool := w.pool.Get(sub)
			account, err := w.users.Get(t.Context(), sub)
			switch class {
			case cognitosync.Duplicate:
				require.ErrorIs(t, err, userstore.ErrNotFound)
				continue
			case cognitosync.TableOnly:
				require.False(t, inPool)
				require.Equal(t, userstore.Suspended, account.Status)
			case cognitosync.StillEnabled:
				require.True(t, user.Disabled)
				require.Positive(t, user.SignedOut)
			case cognitosync.StillDisabled:
				require.False(t, user.Disabled)
			case cognitosync.AddressDiffers, cognitosync.PoolOnly:
				require.True(t, user.EmailVerified)
				require.Equal(t, account.Email, user.Email)
			}
			require.NoError(t, err)
		}
	}
}

func heapInUse() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// TestReconcileInWindows has a pool of several times what may be remembered, and dies after every few calls.
func TestReconcileInWindows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMeter()
		w := newWorld(t, cognitotest.Options{Ragged: true, Intercept: m.intercept})
		want := w.plant(t, 1_800, 5)
		<-time.After(time.Hour)
		var token string
		cfg := cognitosync.ReconcileConfig{
			Repair: everything(), MaxTracked: 1_000, Segments: 4, CallsPerSecond: 100,
			Progress: func(p cognitosync.Progress) { token = p.Token },
		}
		var (
			report *cognitosync.Report
			err    error
		)
		for lives := 0; report == nil || !report.Complete; lives++ {
			require.Less(t, lives, 50, "it goes on")
			ctx, kill := context.WithCancel(t.Context())
			m.die, m.dieAt = kill, len(m.starts)+70
			report, err = w.reconciler(t, cfg).Run(ctx, token)
			kill()
			require.True(t, err == nil || errors.Is(err, context.Canceled), "%v", err)
		}
		w.requireRepaired(t, want)
		report, err = w.reconciler(t, cognitosync.ReconcileConfig{MaxTracked: 1_000, CallsPerSecond: 100}).Run(t.Context(), "")
		require.NoError(t, err)
		require.EqualValues(t, 5, report.Found(cognitosync.Duplicate))
		require.Len(t, report.Drifts, 1, "%v", report.Drifts)
		require.EqualValues(t, w.accounts(t), report.Accounts, "every account was in one window")
	})
}

func TestReconcileLeavesAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMeter()
		w := newWorld(t, cognitotest.Options{Lag: time.Minute, Intercept: m.intercept})
		w.pool.Put(cognitotest.User{Sub: "unconfirmed", Email: "a@example.com", Status: cognitotest.Unconfirmed})
		w.pool.Put(cognitotest.User{Sub: "disabled-orphan", Email: "b@example.com", EmailVerified: true, Disabled: true})
		w.signedUp(t, "deleted")
		_, err := w.syncer(t, w.users, cognitosync.Config{}).Delete(t.Context(), "deleted")
		require.NoError(t, err)
		w.signedUp(t, "spelled")
		w.pool.Put(cognitotest.User{Sub: "spelled", Email: " Spelled@Example.COM", EmailVerified: true})
		w.signedUp(t, "changed-back")
		<-time.After(time.Hour)
		w.signedUp(t, "deleted-here")
		w.pool.Put(cognitotest.User{Sub: "young-orphan", Email: "c@example.com", EmailVerified: true})
		_, err = w.users.Create(t.Context(), userstore.NewUser{UserID: "young-account", Email: "d@example.com", EmailVerified: true})
		require.NoError(t, err)
		_, err = w.users.Suspend(t.Context(), "changed-back", "") // its event is on its way
		require.NoError(t, err)
		m.written = map[string]bool{}
		<-time.After(5 * time.Minute)

		report, err := w.reconciler(t, cognitosync.ReconcileConfig{Repair: everything()}).Run(t.Context(), "")
		require.NoError(t, err)
		require.Empty(t, report.Findings)
		require.EqualValues(t, 3, report.Young)
		require.Zero(t, report.ExitCode())
		require.Empty(t, m.written)
		_, err = w.users.Get(t.Context(), "unconfirmed")
		require.ErrorIs(t, err, userstore.ErrNotFound)
	})
}

// TestReconcileChecksTwice: what the list says is old, and what is true is another thing.
func TestReconcileChecksTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, cognitotest.Options{Lag: 2 * time.Hour})
		w.signedUp(t, "enabled-again")
		w.signedUp(t, "gone")
		<-time.After(3 * time.Hour)
		users := w.pool.Client()
		user := w.user(t, "enabled-again")
		user.Disabled, user.Created, user.Modified = true, time.Time{}, time.Time{}
		w.pool.Put(user)
		<-time.After(3 * time.Hour)
		// The list shows the disabled state for two hours more.
		syncer, err := cognitosync.New(users, w.users, cognitosync.Config{UserPoolID: cognitotest.PoolID})
		require.NoError(t, err)
		_, err = syncer.Suspend(t.Context(), "enabled-again", "")
		require.NoError(t, err)
		_, err = syncer.Reactivate(t.Context(), "enabled-again")
		require.NoError(t, err)
		w.pool.Delete("gone")
		_, err = w.users.Delete(t.Context(), "gone")
		require.NoError(t, err)
		<-time.After(time.Hour)
		report, err := w.reconciler(t, cognitosync.ReconcileConfig{Repair: everything()}).Run(t.Context(), "")
		require.NoError(t, err)
		require.Empty(t, report.Findings)
	})
}

func TestReconcileOutcomes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, cognitotest.Options{Intercept: func(c cognitotest.Call) string {
			if c.Op == "AdminDisableUser" {
				return "NotAuthorizedException"
			}
			return ""
		}})
		w.signedUp(t, "conflict")
		w.pool.Put(cognitotest.User{Sub: "conflict", Email: "old@example.com", EmailVerified: true})
		w.pool.Put(cognitotest.User{Sub: "holder", Email: "conflict@example.com", EmailVerified: true})
		w.signedUp(t, "refused")
		_, err := w.users.Suspend(t.Context(), "refused", "")
		require.NoError(t, err)
		w.pool.Put(cognitotest.User{Sub: "no-address"})
		w.pool.Put(cognitotest.User{Sub: "orphan", Email: "orphan@example.com", EmailVerified: true})
		w.pool.Put(cognitotest.User{Sub: "federated", Username: "Google_1", Status: cognitotest.External, Email: "elsewhere@example.com"})
		_, err = w.users.Create(t.Context(), userstore.NewUser{UserID: "federated", Username: "Google_1", Email: "here@example.com", EmailVerified: true})
		require.NoError(t, err)
		<-time.After(time.Hour)
		report, err := w.reconciler(t, cognitosync.ReconcileConfig{Repair: everything()}).Run(t.Context(), "")
		require.NoError(t, err)
		text, err := json.MarshalIndent(report, "", "  ")
		require.NoError(t, err)
		golden(t, "report.json", append(text, '\n'))
		require.Equal(t, 1, report.ExitCode())
		require.NotContains(t, w.log.text(), "example.com")
	})
}

func TestReconcileUnderThrottling(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var throttled atomic.Int64
		m := newMeter()
		w := newWorld(t, cognitotest.Options{Intercept: func(c cognitotest.Call) string {
			m.intercept(c)
			if throttled.Add(1)%3 == 0 {
				return "TooManyRequestsException"
			}
			return ""
		}})
		want := w.plant(t, 600, 2)
		<-time.After(time.Hour)
		report, err := w.reconciler(t, cognitosync.ReconcileConfig{}).Run(t.Context(), "")
		require.NoError(t, err)
		requireFound(t, want, report, cognitosync.Reported)
		require.EqualValues(t, len(m.starts), report.Calls, "what was throttled counts too")
	})
}

func TestReconcileWhileCognitoIsDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var down atomic.Bool
		w := newWorld(t, cognitotest.Options{Intercept: func(cognitotest.Call) string {
			if down.Load() {
				return "ServiceUnavailable"
			}
			return ""
		}})
		want := w.plant(t, 600, 2)
		<-time.After(time.Hour)
		pages := 0
		cfg := cognitosync.ReconcileConfig{Progress: func(cognitosync.Progress) {
			if pages++; pages == 4 {
				down.Store(true)
			}
		}}
		report, err := w.reconciler(t, cfg).Run(t.Context(), "")
		require.Error(t, err)
		require.False(t, report.Complete)
		require.Equal(t, 2, report.ExitCode())
		down.Store(false)
		report, err = w.reconciler(t, cfg).Run(t.Context(), report.Token)
		require.NoError(t, err)
		requireFound(t, want, report, cognitosync.Reported)
	})
}

func TestReconcileTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cognitotest.Options{})
	w.plant(t, 100, 1)
	var tokens []string
	_, err := w.reconciler(t, cognitosync.ReconcileConfig{CallsPerSecond: 100, Progress: func(p cognitosync.Progress) {
		tokens = append(tokens, p.Token)
	}}).Run(t.Context(), "")
	require.NoError(t, err)
	require.NotEmpty(t, tokens)
	for name, token := range map[string]string{"damaged": tokens[0][1:], "no_token": "?", "page_of_another_time": expired()} {
		_, err := w.reconciler(t, cognitosync.ReconcileConfig{}).Run(t.Context(), token)
		require.ErrorIs(t, err, cognitosync.ErrToken, name)
	}
	for name, position := range map[string]string{
		"more_segments_than_there_can_be": `"segment":0,"segments":1000001`,
		"no_segments":                     `"segment":0`,
		"behind_the_last":                 `"segment":6,"segments":5`,
		"before_the_first":                `"segment":-1,"segments":5`,
		"window_upside_down":              `"window":{"low":2,"high":1},"segments":5`,
	} {
		token := base64.RawURLEncoding.EncodeToString([]byte(`{"pool":"` + cognitotest.PoolID + `","phase":"table",` + position + `}`))
		_, err := w.reconciler(t, cognitosync.ReconcileConfig{}).Run(t.Context(), token)
		require.ErrorIs(t, err, cognitosync.ErrToken, name)
	}
	other, err := cognitosync.NewReconciler(w.pool.Client(), w.users, cognitosync.ReconcileConfig{UserPoolID: "eu-west-1_other"})
	require.NoError(t, err)
	_, err = other.Run(t.Context(), tokens[0])
	require.ErrorIs(t, err, cognitosync.ErrToken)
}

func TestNewReconcilerRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cognitotest.Options{})
	good := cognitosync.ReconcileConfig{UserPoolID: cognitotest.PoolID}
	for field, spoil := range map[string]func(*cognitosync.ReconcileConfig){
		"UserPoolID":     func(c *cognitosync.ReconcileConfig) { c.UserPoolID = "" },
		"CallsPerSecond": func(c *cognitosync.ReconcileConfig) { c.CallsPerSecond = 1000 },
		"MinAge":         func(c *cognitosync.ReconcileConfig) { c.MinAge = time.Second },
		"Segments":       func(c *cognitosync.ReconcileConfig) { c.Segments = -1 },
		"MaxTracked":     func(c *cognitosync.ReconcileConfig) { c.MaxTracked = 10 },
		"MaxFindings":    func(c *cognitosync.ReconcileConfig) { c.MaxFindings = -1 },
		"Repair":         func(c *cognitosync.ReconcileConfig) { c.Repair = []cognitosync.Class{cognitosync.Duplicate} },
	} {
		cfg := good
		spoil(&cfg)
		_, err := cognitosync.NewReconciler(w.pool.Client(), w.users, cfg)
		require.ErrorContains(t, err, "ReconcileConfig."+field)
	}
	require.ElementsMatch(t, cognitosync.Classes(), kinds, "every class is planted")
}

// expired is a token whose page Cognito does not know.
func expired() string {
	return base64.RawURLEncoding.EncodeToString([]byte(`{"pool":"` + cognitotest.PoolID + `","phase":"pool","page":"of-yesterday"}`))
}
