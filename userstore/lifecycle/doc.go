// Package lifecycle removes what has come to the end of its life in a table of accounts: deleted accounts after their retention, and addresses
// that nobody has verified.
//
//	janitor, err := lifecycle.New(client, lifecycle.Config{Store: cfg})
//	report, err := janitor.Run(ctx, "")
//
// A due account is purged by [userstore.Store.Purge]. An unverified address goes once its lease has been over for Config.UnverifiedLife: its
// row, its claim and its code, in one transaction with the event email.removed (reason "lapsed"), as when another account takes it over. An
// account may be left without an address by that; its status does not matter. Codes, attempt counts and limits expire by DynamoDB's time to live.
//
// Run it once a day. Any number may run at once, and at any time: each removal is conditional on what makes it due. A run that ends early is no
// loss: the next one finds what is left, or goes on from Report.Token, which repeats at most a 128th of the table. The token is two numbers and
// says nothing of the items.
//
// # Cost
//
// One scan, eventually consistent: 0.5 RCU for 4 KB of the table, a request for each thousand items, at Config.Rate. A purge costs what
// [userstore.Store.Purge] says, a lapsed address 1 RCU and 11 WCU (2 for each of PROFILE, row, claim, code and event, 1 for GSI1), in
// two requests.
//
// IAM: dynamodb:Scan, Query, UpdateItem and DeleteItem on the table; PutItem on the table of the outbox.
package lifecycle
