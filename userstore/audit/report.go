package audit

import (
	"cmp"
	"slices"
	"sync"
)

// Report is the result of an audit.
type Report struct {
	// Users, Emails and Claims count what was found: accounts of any status, address rows, claims.
	Users  int `json:"users"`
	Emails int `json:"emails"`
	Claims int `json:"claims"`
	// Violations are what is wrong, at most Config.MaxFindings of them; empty, not nil, when the table is clean.
	Violations []Violation `json:"violations"`
	// Kinds counts all violations, also those that are not in Violations.
	Kinds map[Kind]int `json:"kinds,omitempty"`
	// Repaired counts the violations that are repaired.
	Repaired int `json:"repaired,omitempty"`
}

// Found is how many violations there were.
func (r Report) Found() int {
	n := 0
	for _, count := range r.Kinds {
		n += count
	}
	return n
}

// Violation is one invariant that does not hold.
type Violation struct {
	// Invariant is as in Defect.
	Invariant string `json:"invariant"`
	Kind      Kind   `json:"kind"`
	UserID    string `json:"userId,omitempty"`
	EmailID   string `json:"emailId,omitempty"`
	// Detail says it to a person, and Remedy what a repair does; empty when a person has to decide.
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitempty"`
	// Repaired says that it holds no longer.
	Repaired bool `json:"repaired,omitempty"`
}

// counts is what was found in the table.
type counts struct{ users, emails, claims int }

// results gathers what the segments find.
type results struct {
	cfg Config

	mu    sync.Mutex
	items int64
	done  Report
	seen  map[Violation]bool // those in the report: a partition that a scan shows in two places is judged twice
}

func newResults(cfg Config) *results {
	return &results{cfg: cfg, done: Report{Violations: []Violation{}}, seen: map[Violation]bool{}}
}

func (r *results) count(c counts) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done.Users += c.users
	r.done.Emails += c.emails
	r.done.Claims += c.claims
}

func (r *results) add(found ...Violation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range found {
		if r.seen[v] {
			continue
		}
		if r.done.Kinds == nil {
			r.done.Kinds = map[Kind]int{}
		}
		r.done.Kinds[v.Kind]++
		if v.Repaired {
			r.done.Repaired++
		}
		if len(r.done.Violations) < r.cfg.MaxFindings {
			r.seen[v] = true
			r.done.Violations = append(r.done.Violations, v)
		}
	}
}

func (r *results) progress(items int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.items += int64(items)
	if r.cfg.Progress != nil {
		r.cfg.Progress(r.items)
	}
}

// report is what was found so far, in the order of accounts.
func (r *results) report() Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.SortFunc(r.done.Violations, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.UserID, b.UserID), cmp.Compare(a.EmailID, b.EmailID), cmp.Compare(a.Kind, b.Kind))
	})
	return r.done
}
