// Package cognitojwt verifies the tokens of Amazon Cognito user pools. A Verifier is an httpapi.Authenticator, and serves any other
// Go service as well through Verify.
//
//	verifier, err := cognitojwt.New([]cognitojwt.Pool{{
//		UserPoolID: "eu-west-1_AbCdEf123",
//		ClientIDs:  []string{"3n4b5urk1ft4fl3mg5e62d9ado"},
//	}}, cognitojwt.Config{})
//	if err != nil {
//		return err
//	}
//	go verifier.Run(ctx) // optional: reads the keys now and then every hour
//	claims, err := verifier.Verify(ctx, token)
//
// # What is guaranteed
//
// A token is accepted only if all of this holds; Verify lists the order of the checks, and each has its own error.
//
//   - It is at most 8192 bytes in three parts of strict base64url, with JSON objects for header and payload.
//   - Its header says RS256, and a key of the pool that its iss names has its kid and made its signature. Keys come from the
//     configured pools only: jku, jwk, x5u and the like in a header are ignored, and a header with crit is refused.
//   - iss is exactly a configured issuer, token_use the configured use, client_id (access token) or aud (id token) a client of
//     that pool, sub not empty, and the required scopes and groups are there.
//   - exp is present and, give or take the leeway, not reached; nbf, where present, is. An iat in the future is no reason to refuse,
//     and typ is not looked at.
//
// Claim names are compared byte by byte: a custom claim "SUB" or "Exp" is another claim. No error of a verification
// and no log record holds a token, a part of one, or a claim.
//
// # Keys
//
// A pool's key set is read when a token names a key that is not known, and by Run. A known key costs a look-up without a lock. Requests
// that need a fetch share the one in flight; it has its own deadline (Config.FetchTimeout), so a caller that gives up takes nothing
// from the others. For Config.Cooldown after a fetch has ended, its outcome answers at once: a flood of junk kids causes one request
// per cooldown and no waiting, and a new key is found at most one cooldown after it was published. While the key set cannot be read,
// the known keys serve on, and an unknown kid is an *httpapi.UnavailableError (503 with Retry-After) rather than a refusal. A set
// replaces the old one as a whole, and only if it has a usable key.
//
// A service that must verify without a request at start, such as a Lambda function, hands in Pool.Keys. One that signs its own tokens
// publishes a JWKS made with NewJWK.
//
// # Cost
//
// With a known key no request is made, and a verification takes about 1.15 times as long as the RSA operation in it, 1.2 times when the
// token then enters the cache. A token that was verified before takes one to two microseconds: verified tokens are remembered by their
// SHA-256 hash for Config.CacheTTL, but not beyond their expiry (the leeway is then judged anew), nor when their key has left the set.
// Config.CacheSize bounds the memory, about 2 KB for each token of Cognito's usual size, and switches the cache off.
//
// # Limits
//
// A verified token may belong to an account that was suspended, or to a user who was signed out, since it was issued: that is for the
// account's status and tokensValidAfter to say (httpapi.Identity.IssuedAt). A key that a pool withdraws is accepted until the
// next fetch: run Run, or count on the next unknown kid. Identity.UserID is the sub alone, so of several pools all must hand out ids
// that are unique among them, as Cognito's UUIDs are. Encrypted tokens and algorithms other than RS256 are not supported; Cognito uses
// neither.
package cognitojwt
