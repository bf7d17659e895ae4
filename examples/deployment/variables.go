package deployment

// FirstSet is the name of a variable of this package that is set; empty if there is none. A program that also works without AWS asks it
// which of the two it is meant to do.
func FirstSet(lookup func(name string) string) string {
	for _, name := range variables() {
		if lookup(name) != "" {
			return name
		}
	}
	return ""
}

// variables are all names of doc.go, the most telling ones first.
func variables() []string {
	return []string{
		"USERCORE_TABLE", "USERCORE_OUTBOX_TABLE", "USERCORE_RATELIMIT_TABLE", "USERCORE_EVENT_BUS",
		"USERCORE_USER_POOL_ID", "USERCORE_CLIENT_ID", "USERCORE_CODE_SECRET", "USERCORE_MAIL_FROM",
		"USERCORE_NO_OUTBOX", "USERCORE_OUTBOX_PREFIX", "USERCORE_OUTBOX_SHARDS", "USERCORE_ENVIRONMENT", "USERCORE_MAX_EMAILS",
		"USERCORE_RETENTION", "USERCORE_GMAIL_RULES", "USERCORE_SOURCE", "USERCORE_ISSUER", "USERCORE_JWKS_URL", "USERCORE_AUTH",
		"USERCORE_STATUS_CHECK", "USERCORE_CORS_ORIGINS",
	}
}
