// Package httpapi is the HTTP interface of the user service: the current user and the user's e-mail addresses, as handlers on net/http over
// a userstore.Store and an emails.Store.
//
//	users, err := userstore.New(client, storeConfig)
//	…
//	addresses, err := emails.New(client, sender, secrets, emails.Config{Store: storeConfig})
//	…
//	handler, err := httpapi.New(users, addresses, verifier, httpapi.Config{Logger: logger})
//	…
//	server := &http.Server{Addr: ":8080", Handler: handler, ReadTimeout: 20 * time.Second}
//
// # Routes
//
// Paths are below Config.Prefix, "/v1" by default. Requests are those to DynamoDB, of the usual case; with StatusCheck EveryRequest the
// routes marked + cost one more (a read, 1 RCU). What each costs in capacity units is in the tables of packages userstore and emails.
//
//	GET    /users/me                                the user, with ETag                       1
//	PUT    /users/me                                changes names and phone; If-Match         2
//	DELETE /users/me                                marks the account as deleted              2, again 1
//	GET    /users/me/emails                         the addresses, oldest first               1
//	POST   /users/me/emails                         adds an address and sends a code          2, and 1 for the headers
//	GET    /users/me/emails/{emailId}               one address                               1
//	DELETE /users/me/emails/{emailId}               removes an address                        2 +
//	POST   /users/me/emails/{emailId}/verify        sends a code                              2, and 1 for the headers +
//	POST   /users/me/emails/{emailId}/verify/confirm  verifies the address                    3, wrong code 2 +
//	PUT    /users/me/emails/{emailId}/primary       makes a verified address the primary one  2 +
//	GET    /openapi.json                            the OpenAPI 3.1 document, not below the prefix, no token  0
//
// A GET route answers HEAD, with the headers of GET. Every path answers OPTIONS without a token: 204 with Allow. A path is compared as it
// was sent; it is never decoded, cleaned or redirected. What matches no route is 404, and a known path with another method 405. Unknown
// ids, ids of other users and what cannot be an id have the same 404.
//
// # Answers
//
// Bodies are compact JSON without a line break at the end, in the order of the fields of the OpenAPI document. Times are UTC in whole
// seconds. What is not set is absent: phone, email while no address is verified, verifiedAt while an address is unverified. Every answer
// has X-Request-Id, Cache-Control: no-store and X-Content-Type-Options: nosniff. An X-Request-Id of 1 to 64 characters of [A-Za-z0-9._-] in
// the request is taken over, else one is made; it is also in errors, in log records and in the events of a change.
//
// Every answer of 400 and above, to a panic too, has one form:
//
//	{"statusCode":400,"error":"Bad Request","message":"…","details":[{"field":"email","message":"…"}],"retryAfter":60,"requestId":"…"}
//
// details is there when fields of the body were refused, and lists all of them (of fields that are not known, the first 20). retryAfter is
// there when waiting helps, in seconds, and equals Retry-After. What went wrong inside is logged and not told. Handler.WriteError gives
// handlers that stand beside the Handler the same form.
//
//	400  the body or If-Match is not valid, the code is wrong or expired, the address is verified, unverified, primary or the last
//	401  no token, or one that is not valid or was revoked
//	403  the account is not active
//	404  no such user, address or path
//	409  the user has another version than expected; the address is not available, whoever has it
//	413, 415  the body is too large, or not application/json in UTF-8
//	429  a limit is reached; without Retry-After the account has as many addresses as it may have
//	500  a fault
//	503  in the time of the request it could not be done: contention, no answer, no keys to judge tokens with, a mail that failed
//
// After a 503 a change may have been made all the same, and every request may be repeated. A mail that fails does not fail the adding of
// an address: the code can be asked for again.
//
// Request bodies are read strictly: names are exact and not there twice, unknown fields are refused, null is not the same as missing (it
// clears the phone, and nothing else), and text must be valid Unicode without NUL.
//
// # Concurrency
//
// PUT takes the ETags that the client has seen in If-Match; any other version is 409, not 412, as the API design has it. A weak tag never
// matches, and * takes any version. Without If-Match the version that the request itself reads is expected, so of two updates at the same
// time one is refused.
//
// # Limits
//
// Adding an address and sending a code tell in X-RateLimit-Limit, -Remaining and -Reset (seconds since 1970) how many codes may still be
// sent to the address; 429 tells it of the limit that was reached. A wrong code tells how often the code may still be tried; a right one is
// spent, and tells nothing. Config.Limiter is a limit on all requests of a user with a token; its headers are on the other answers. When
// the limiter cannot decide and does not let requests through then, the answer is 503.
//
// # Who may do what
//
// The account is the one of the token, never one of a path or a body. With StatusCheck Writes each change checks in its own transaction
// that the account is active. A suspended user may read, and delete the account; a deleted one may only repeat the deletion, which answers
// as it did. EveryRequest refuses also tokens from before the account was suspended or deleted and from before Config.TokensValidAfter.
// Handler.SetStatusCheck switches between the two while the server runs, in this process.
//
// # What must stand in front
//
// TLS, and an http.Server with timeouts for reading (ReadHeaderTimeout, ReadTimeout): Config.Timeout bounds the work, not a slow client.
// Do not put the Handler behind an http.ServeMux for all paths: a ServeMux redirects paths that are not clean before the Handler sees
// them. The Handler does not trust headers of proxies, apart from X-Request-Id.
package httpapi
