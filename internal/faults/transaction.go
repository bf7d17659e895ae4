package faults

import (
	"net/http"
	"strings"
)

// Conflict refuses a write because a transaction holds an item: TransactionConflictException for PutItem, UpdateItem and DeleteItem,
// TransactionCanceledException with TransactionConflict as every reason for TransactWriteItems and TransactGetItems. The SDK does not
// repeat it.
type Conflict struct{}

// Kind returns "Conflict".
func (Conflict) Kind() string { return "Conflict" }

func (Conflict) applies(r *request) bool {
	return isSingleWrite(r.op) || r.actions() > 0
}

func (Conflict) inject(r *request, _ func([]byte) (*http.Response, error)) (*http.Response, error) {
	if isSingleWrite(r.op) {
		return r.refuse(http.StatusBadRequest, "TransactionConflictException", conflictReason().Message)
	}
	reasons := make([]cancellationReason, r.actions())
	for i := range reasons {
		reasons[i] = conflictReason()
	}
	return r.cancel(reasons)
}

// PartConflict cancels TransactWriteItems or TransactGetItems because another transaction holds the item of one action: its reason is
// TransactionConflict, the others are None. The SDK does not repeat it.
type PartConflict struct {
	// Index is the action that conflicts, from 0. The fault can happen to requests with more actions than that.
	Index int
}

// Kind returns "PartConflict".
func (PartConflict) Kind() string { return "PartConflict" }

func (f PartConflict) applies(r *request) bool { return r.hasAction(f.Index) }

func (f PartConflict) inject(r *request, _ func([]byte) (*http.Response, error)) (*http.Response, error) {
	return r.cancelAt(f.Index, conflictReason())
}

// PartThrottle cancels TransactWriteItems or TransactGetItems because the item of one action is throttled: its reason is
// ThrottlingError, the others are None. The SDK does not repeat it.
type PartThrottle struct {
	// Index is the action that is throttled, from 0. The fault can happen to requests with more actions than that.
	Index int
}

// Kind returns "PartThrottle".
func (PartThrottle) Kind() string { return "PartThrottle" }

func (f PartThrottle) applies(r *request) bool { return r.hasAction(f.Index) }

func (f PartThrottle) inject(r *request, _ func([]byte) (*http.Response, error)) (*http.Response, error) {
	return r.cancelAt(f.Index, cancellationReason{
		Code:    "ThrottlingError",
		Message: "Throughput exceeds the current capacity of your table or index.",
	})
}

// cancellationReason is one entry of CancellationReasons in the protocol.
type cancellationReason struct {
	Code    string
	Message string `json:",omitempty"`
}

func conflictReason() cancellationReason {
	return cancellationReason{Code: "TransactionConflict", Message: "Transaction is ongoing for the item"}
}

func isSingleWrite(op string) bool {
	return op == "PutItem" || op == "UpdateItem" || op == "DeleteItem"
}

func (r *request) hasAction(index int) bool {
	return 0 <= index && index < r.actions()
}

// cancelAt answers a transaction that one action cancelled.
func (r *request) cancelAt(index int, reason cancellationReason) (*http.Response, error) {
	reasons := make([]cancellationReason, r.actions())
	for i := range reasons {
		reasons[i].Code = "None"
	}
	reasons[index] = reason
	return r.cancel(reasons)
}

// cancel answers a transaction with one reason for each of its actions.
func (r *request) cancel(reasons []cancellationReason) (*http.Response, error) {
	codes := make([]string, len(reasons))
	for i, reason := range reasons {
		codes[i] = reason.Code
	}
	return r.answer(http.StatusBadRequest, struct {
		Type    string               `json:"__type"`
		Message string               // this error has the capital, unlike the others
		Reasons []cancellationReason `json:"CancellationReasons"`
	}{
		Type:    errorSpace + "TransactionCanceledException",
		Message: "Transaction cancelled, please refer cancellation reasons for specific reasons [" + strings.Join(codes, ", ") + "]",
		Reasons: reasons,
	})
}
