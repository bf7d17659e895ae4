// Package ratelimit is a set of rate limits whose state is in DynamoDB: exact under any number of processes, on a table that may be anyone's.
//
//	limiter, err := ratelimit.NewTokenBucket(client, ratelimit.BucketConfig{
//		Table: ratelimit.Table{Name: "limits"},
//		Rate:  10, Per: time.Second, Burst: 50,
//	})
//	…
//	d, err := limiter.Allow(ctx, ratelimit.Key("api", userID))
//	if err != nil {
//		return err // ctx has ended
//	}
//	d.SetHeaders(w.Header(), time.Now())
//	if !d.Allowed {
//		http.Error(w, "too many requests", http.StatusTooManyRequests)
//		return nil
//	}
//
// # Algorithms
//
//   - [TokenBucket] admits a burst and then a steady rate. One number per key, for rates of any size. The generic cell rate algorithm.
//   - [SlidingWindow] admits at most Limit units in any span of its length. It remembers each admission, so it is for small limits, up to 64.
//   - [FixedWindow] counts in windows that begin at fixed times: the simplest item to read for others, and twice the limit around a boundary.
//
// All three decide with one conditional write, which either uses the units or fails and returns the state that says why. Nothing is read
// first, so no number of concurrent callers and processes gets more than the limit. Denied requests use nothing. A window or bucket is
// counted per key; [Key] makes keys from parts without collisions.
//
// # Exactness and clocks
//
// Times are the callers' clocks, in nanoseconds (fixed windows: seconds). With one clock, decisions are exactly the algorithm's: waiting
// RetryAfter is enough, and a nanosecond less is not. With clocks that differ by up to skew, at most this is admitted in a real span t:
//
//	TokenBucket    Burst + Rate·(t + skew)/Per units
//	SlidingWindow  Limit units if t < Window − skew
//	FixedWindow    Limit units in each window, and so Limit·(⌈(t + skew)/Window⌉ + 1)
//
// The time of a request is when its process begins to decide; what it takes to reach the table does not count. Skew counts once, it does
// not add up. A clock that steps back gives nothing: state never falls, and requests are judged by the earlier time until the clock has
// caught up. A clock ahead uses the future up for everyone, at most by its error. All this holds for clocks within 24 hours of each other;
// for a fixed window on a table with TTL, within the 60 seconds that its items outlive their window.
//
// Items are never trusted further than that. State from more than 24 hours after what a limit can make, an attribute of another type, a
// missing attribute or a negative count is damage: it counts as an unused key, and the next admission replaces it. Whether DynamoDB's TTL
// has already deleted an item makes no difference, because by then it says what a missing one says.
//
// # Table
//
// Any table with a partition key and optionally a sort key, both strings; names, TTL attribute and key prefix are in [Table]. By default
//
//	PK               SK              attributes
//	RATELIMIT#{key}  BUCKET          tat, nonce, ttl
//	RATELIMIT#{key}  SLIDING         t1 … tN, nonce, ttl
//	RATELIMIT#{key}  WINDOW#{start}  count, nonce, ttl
//
// and, without a sort key, PK is RATELIMIT#{key}#{SK}. Keys that make more than 512 bytes with their prefix, or are not UTF-8, are stored
// as SHA-256. The actions needed are dynamodb:UpdateItem, GetItem (Peek) and DeleteItem (Reset).
//
// # Cost
//
//	admission                                1 request, 1 WCU
//	denial that is not known yet             1 request, 1 WCU
//	denial that is known                     0
//	bucket in use, not known to the process  1 request, 1 WCU more, once
//	TransactItem                             an action of 2 WCU in the caller's transaction
//	Peek                                     1 request, 1 RCU
//	Reset                                    1 request, 1 WCU
//
// A process remembers the last state of its recent keys. As state only rises, a denial that follows from it is exact, and needs no request
// until a unit becomes free. Only a Reset by another process is noticed late. On a hot key one write per process is in flight: callers that
// come meanwhile share the next one, so requests per decision fall as load rises. DynamoDB itself takes about 1,000 writes a second for one
// key.
//
// # Permissions
//
// On the table dynamodb:UpdateItem, for actions in transactions too; GetItem for Peek, and DeleteItem for Reset.
//
// # Measured
//
// One key of which 50 units are admitted, 4 limiters (as 4 processes have them) with 64 callers each, 2 ms for a request, 20,000 decisions of which
// most are denials, all in one run on two shared cores:
//
//	                       decisions/s   requests per decision   admitted of 50
//	read, then write       17,000        1.3                     6,342
//	increment, then read   10,000        2.0                     25
//	TokenBucket            2,700,000     0.0004                  50
//	SlidingWindow          1,300,000     0.0007                  50
//	FixedWindow            2,900,000     0.0004                  50
//
// On keys that are asked for once each, it is one request per decision. The ratios are what to look at:
//
//	go test -run '^$' -bench HotKey -benchtime 20000x ./internal/bench
//
// # Failures
//
// A failed request ends in the [FailurePolicy], after the client's own retries and at most after Tuning.Timeout. Closed denies and gives up
// availability; Open allows and gives up the limit for as long as the failure lasts. [Decision].Degraded and Cause say so; no error is
// returned, so that the policy is not lost on the way. Writes carry a nonce: when a reply is lost, the retry recognises its own write,
// unless another has followed it, in which case the unit is charged twice. A lost reply therefore never admits more than the limit, unless
// it outlasts the retries and Open decides.
//
// Errors are for what no policy can decide: the end of the context (errors.Is with context.Canceled or DeadlineExceeded), a number of units
// that can never be admitted ([ErrUnits]), and a Wait that would be too long ([ErrLimited]).
package ratelimit
