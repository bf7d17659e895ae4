package cognitosync

import "time"

// Outcome is what became of a drift.
type Outcome string

// The outcomes.
const (
	// Reported is a drift that was left: in a dry run, of a class that is not to be repaired, or of one that never is.
	Reported Outcome = "reported"
	// Repaired is a drift that is gone.
	Repaired Outcome = "repaired"
	// Conflict is a drift that a person has to decide: another user has the address.
	Conflict Outcome = "conflict"
	// Failed is a drift whose repair was refused; Finding.Detail says why.
	Failed Outcome = "failed"
)

// Finding is one drift. It names nobody but by id.
type Finding struct {
	Class   Class   `json:"class"`
	UserID  string  `json:"userId"`
	Outcome Outcome `json:"outcome"`
	Detail  string  `json:"detail,omitempty"`
}

// Counts is how far a run is, with what was counted before it was resumed.
type Counts struct {
	// PoolUsers and Accounts are how many were looked at. A page that repeats a user counts it twice.
	PoolUsers int64 `json:"poolUsers"`
	Accounts  int64 `json:"accounts"`
	// Calls is the number of requests to Cognito.
	Calls int64 `json:"calls"`
	// Young is how many drifts were let pass because they were younger than MinAge.
	Young int64 `json:"young"`
	// Drifts counts by class and outcome.
	Drifts map[Class]map[Outcome]int64 `json:"drifts"`
}

// Progress is what a run tells while it goes on.
type Progress struct {
	// Token resumes the run from here.
	Token string
	Counts
}

// Report is the result of a run; it is written as JSON.
type Report struct {
	UserPoolID string    `json:"userPoolId"`
	DryRun     bool      `json:"dryRun"`
	Started    time.Time `json:"started"`
	Finished   time.Time `json:"finished"`
	// Complete is false when the run ended early; Token then resumes it.
	Complete bool   `json:"complete"`
	Token    string `json:"token,omitempty"`
	Counts
	// Findings are the drifts that were found since the run was started or resumed, at most ReconcileConfig.MaxFindings; Omitted counts
	// the others.
	Findings []Finding `json:"findings"`
	Omitted  int64     `json:"omitted"`
}

// ExitCode is for a command: 0 when table and pool agree now, 1 when drifts are left, 2 when the run is not complete.
func (r *Report) ExitCode() int {
	if !r.Complete {
		return 2
	}
	for _, outcomes := range r.Drifts {
		if outcomes[Reported]+outcomes[Conflict]+outcomes[Failed] > 0 {
			return 1
		}
	}
	return 0
}

// Found is how many drifts of a class there were, whatever became of them.
func (c Counts) Found(class Class) int64 {
	var n int64
	for _, count := range c.Drifts[class] {
		n += count
	}
	return n
}

func (c *Counts) add(f Finding) {
	if c.Drifts == nil {
		c.Drifts = map[Class]map[Outcome]int64{}
	}
	if c.Drifts[f.Class] == nil {
		c.Drifts[f.Class] = map[Outcome]int64{}
	}
	c.Drifts[f.Class][f.Outcome]++
}

// clone is a copy that does not move any more.
func (c Counts) clone() Counts {
	drifts := make(map[Class]map[Outcome]int64, len(c.Drifts))
	for class, outcomes := range c.Drifts {
		drifts[class] = make(map[Outcome]int64, len(outcomes))
		for outcome, n := range outcomes {
			drifts[class][outcome] = n
		}
	}
	c.Drifts = drifts
	return c
}
