package proof

// sameMutants are the mutants that do nothing else than the original, with the reason: no test can catch them.
func sameMutants() map[string]string {
	return map[string]string{
		"emails.decideConfirm: 0 → 1": "a wait is a whole number of milliseconds, never a nanosecond",
	}
}
