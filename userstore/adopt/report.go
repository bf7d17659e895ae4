package adopt

// Kind is what a person has to decide, as a stable word.
type Kind string

// The kinds of problems.
const (
	// DuplicateAddress: another account holds the address, or has verified it too. Neither gets it from a run; remove it from one.
	DuplicateAddress Kind = "duplicate_address"
	// NotCanonical: the address is not in the form under which the library looks it up, so it would not be found. Rewrite it.
	NotCanonical Kind = "not_canonical"
	// NotAccepted: the library takes no such address. Remove or replace it.
	NotAccepted Kind = "not_accepted"
	// NoPrimary: there are verified addresses, none is marked as primary, and the profile names none of them.
	NoPrimary Kind = "no_primary"
	// SeveralPrimaries: more than one address is marked as primary, and the profile names none of them.
	SeveralPrimaries Kind = "several_primaries"
	// PrimaryUnverified: the address that is marked as primary is not verified.
	PrimaryUnverified Kind = "primary_unverified"
	// TooManyAddresses: there are more than Config.Store.MaxEmails. The account is adopted; nothing can be added to it. With more than 32
	// addresses it may need more than the 100 actions of a transaction to be purged or erased (userstore.ErrTooManyActions): remove some.
	TooManyAddresses Kind = "too_many_addresses"
	// AddressTwice: two rows of the account have one address. Remove one.
	AddressTwice Kind = "address_twice"
	// StatusUnknown: the status is none of active, suspended and deleted.
	StatusUnknown Kind = "status_unknown"
	// SeqLost: an old program has written the profile of an adopted account anew, without its seq. Numbers of events are never used twice, so set seq
	// to one that no event of the account has reached.
	SeqLost Kind = "seq_lost"
	// UserIDRefused: the library takes no such user id, so it could not open the account.
	UserIDRefused Kind = "user_id_refused"
	// ProfileMissing: there are address rows and no profile.
	ProfileMissing Kind = "profile_missing"
	// Unreadable: an attribute has a type or form that the layout does not know.
	Unreadable Kind = "unreadable"
)

// Problem is an account with something that a person has to decide. It names no address.
type Problem struct {
	UserID string `json:"userId"`
	Kind   Kind   `json:"kind"`
}

// Report is what a run found and did.
type Report struct {
	// Accounts is how many were read.
	Accounts int64 `json:"accounts"`
	// Adopted is how many were changed, or would be by a run with Apply.
	Adopted int64 `json:"adopted"`
	// Moved is how many changed while they were looked at, three times over. The next run takes them.
	Moved int64 `json:"moved,omitempty"`
	// StaleClaims is how many claims were removed, or would be, whose address row an old program has removed.
	StaleClaims int64 `json:"staleClaims,omitempty"`
	// Problems are what a person has to decide, at most Config.MaxProblems of them; Kinds counts all.
	Problems []Problem      `json:"problems"`
	Kinds    map[Kind]int64 `json:"kinds,omitempty"`
	// Complete says that the run came to the end of the table.
	Complete bool `json:"complete"`
}

// Settled says that nothing is left: the whole table was read, and every account is as the library needs it.
func (r Report) Settled() bool {
	return r.Complete && r.Adopted+r.Moved+r.StaleClaims == 0 && len(r.Kinds) == 0
}

func (r *Report) problem(userID string, kind Kind, most int) {
	if r.Kinds == nil {
		r.Kinds = map[Kind]int64{}
	}
	r.Kinds[kind]++
	if len(r.Problems) < most {
		r.Problems = append(r.Problems, Problem{UserID: userID, Kind: kind})
	}
}
