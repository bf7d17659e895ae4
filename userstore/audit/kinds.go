package audit

// Kind is a stable word for a defect, as in "claim_missing".
type Kind string

// Defect is what a Kind means.
type Defect struct {
	Kind Kind
	// Invariant is the number that the project's design gives it: I1 to I5, I8, I9, I10; "shape" for an item that is not as the layout says.
	Invariant string
	// Detail says it to a person.
	Detail string
	// Remedy is what a repair does; empty when a person has to decide.
	Remedy string
}

// Defects are all kinds that an audit can find.
func Defects() []Defect {
	return []Defect{
		{addressShared, "I1", "another account holds the address of the row", "an unverified row goes, with its code; a verified one is for a person"},

		{profileMissing, "I2", "there are address rows and no profile", ""},
		{rowMisplaced, "I2", "the row names another account than its key", "the row gets the account of its key, if that account has the claim"},
		{claimMissing, "I2", "nobody holds the address of the row", "the account gets the claim, with a lease if the row is unverified, unless another has a verified row of the address"},
		{claimOfOtherRow, "I2", "the claim names another row of the account", "the claim gets this row, if the other is not there"},
		{claimWithoutRow, "I2", "a claim names a row that is not there", "the claim goes"},
		{verifiedWithLease, "I2", "a verified address can be taken over", "the claim loses its lease"},
		{unverifiedWithoutLease, "I2", "an unverified address is held for good", "the row becomes verified if it says when it was, else the claim gets a lease"},

		{primaryMissing, "I3", "the profile names a primary address that has no row", "the verified row that is marked, or the oldest, becomes primary"},
		{primaryUnverified, "I3", "the primary address is not verified", "the row becomes verified if it says when it was, and its claim has no lease"},
		{primaryNotMarked, "I3", "the row of the primary address does not say so", "the row is marked"},
		{primaryDiffers, "I3", "profile and row of the primary address differ", "the profile gets the address of the row"},
		{secondPrimary, "I3", "a row says that it is primary, the profile names another", "the row loses the mark"},
		{noPrimary, "I3", "there is a verified address and no primary one", "the verified row that is marked, or the oldest, becomes primary"},

		{countWrong, "I4", "the profile counts another number of addresses than there are", "the profile gets the number"},
		{tooManyAddresses, "I4", "there are more addresses than an account may have", ""},
		{noAddress, "I4", "an account that had a verified address has none", ""},

		{attemptsExceeded, "I5", "a code was tried more often than it may be", "the code goes"},
		{codeWithoutRow, "I8", "a code belongs to no address", "the code goes"},
		{codeOfVerified, "I8", "a verified address has a code", "the code goes"},
		{retentionMissing, "I9", "a deleted account does not say when it was deleted", ""},

		{eventAhead, "I10", "an event waits whose number the account has not reached", ""},
		{eventRepeated, "I10", "two events that wait have one number", ""},

		{indexWrong, "shape", "GSI1 shows the row under another address or account", "the row gets the right keys of GSI1"},
		{profileMisplaced, "shape", "the profile names another account than its key", ""},
		{statusUnknown, "shape", "the profile has no status of an account", ""},
		{countersWrong, "shape", "version or seq of the profile is not positive", ""},
		{unreadable, "shape", "an attribute has the wrong type", ""},
	}
}

// The kinds, as they are in a report.
const (
	addressShared          Kind = "address_shared"
	profileMissing         Kind = "profile_missing"
	rowMisplaced           Kind = "row_misplaced"
	claimMissing           Kind = "claim_missing"
	claimOfOtherRow        Kind = "claim_of_other_row"
	claimWithoutRow        Kind = "claim_without_row"
	verifiedWithLease      Kind = "verified_with_lease"
	unverifiedWithoutLease Kind = "unverified_without_lease"
	primaryMissing         Kind = "primary_missing"
	primaryUnverified      Kind = "primary_unverified"
	primaryNotMarked       Kind = "primary_not_marked"
	primaryDiffers         Kind = "primary_differs"
	secondPrimary          Kind = "second_primary"
	noPrimary              Kind = "no_primary"
	countWrong             Kind = "count_wrong"
	tooManyAddresses       Kind = "too_many_addresses"
	noAddress              Kind = "no_address"
	attemptsExceeded       Kind = "attempts_exceeded"
	codeWithoutRow         Kind = "code_without_row"
	codeOfVerified         Kind = "code_of_verified"
	retentionMissing       Kind = "retention_missing"
	eventAhead             Kind = "event_ahead"
	eventRepeated          Kind = "event_repeated"
	indexWrong             Kind = "index_wrong"
	profileMisplaced       Kind = "profile_misplaced"
	statusUnknown          Kind = "status_unknown"
	countersWrong          Kind = "counters_wrong"
	unreadable             Kind = "unreadable"
)

// violation is a finding of a kind.
func violation(kind Kind, userID, emailID string) Violation {
	for _, d := range Defects() {
		if d.Kind == kind {
			return Violation{Invariant: d.Invariant, Kind: kind, UserID: userID, EmailID: emailID, Detail: d.Detail, Remedy: d.Remedy}
		}
	}
	return Violation{Kind: kind, UserID: userID, EmailID: emailID}
}
