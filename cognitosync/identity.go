package cognitosync

// Identity is what the identity provider knows of a user.
type Identity struct {
	// UserID is the sub.
	UserID string
	// Username is Cognito's name for the user: the sub in a pool with addresses as names, Provider_id for a federated user.
	Username string
	// Email is the address as the provider has it, EmailVerified whether it vouches for it.
	Email         string
	EmailVerified bool
	// FirstName and LastName may be empty.
	FirstName string
	LastName  string
}

func newIdentity(username string, attributes map[string]string) Identity {
	return Identity{
		UserID: attributes["sub"], Username: username,
		Email: attributes["email"], EmailVerified: attributes["email_verified"] == "true",
		FirstName: attributes["given_name"], LastName: attributes["family_name"],
	}
}
