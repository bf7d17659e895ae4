package account

import (
	"context"
	"errors"

	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
)

// DropClaim removes a claim that names a row which is not there, or has another address. It reports false, and removes nothing, when the
// claim or the row is another one by now. No account changes by it, so there is no event. One request, 4 WCU.
func (k *Kernel) DropClaim(ctx context.Context, claim table.Claim) (bool, error) {
	err := dynamo.Commit(ctx, k.Client,
		dynamo.Delete(k.Table, table.ClaimKey(claim.Email)).If(table.HeldBy(claim.UserID, claim.EmailID)),
		dynamo.Check(k.Table, table.EmailKey(claim.UserID, claim.EmailID)).If(table.HasNot(claim.Email)),
	)
	if errors.Is(err, dynamo.ErrStale) {
		return false, nil
	}
	return err == nil, err
}
