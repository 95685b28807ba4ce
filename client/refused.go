package client

import (
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

// A RefusedError is the error of a write that violates the schema. Use errors.AsType or errors.As to find it in
// the error of a method:
//
//	if refused, ok := errors.AsType[*client.RefusedError](err); ok {
//		fmt.Println(refused.Field, refused.Rule, refused.Message)
//	}
//
// The kind of a RefusedError (see graph.KindOf) is graph.Invalid, or graph.Conflict for a unique value that another
// record has.
type RefusedError struct {
	schema.Refusal                  // the first refusal
	Refusals       []schema.Refusal // all refusals; the server reports at most 100
	cause          error
}

// Error returns the sentences of all refusals.
func (e *RefusedError) Error() string { return e.cause.Error() }

// Unwrap returns the graph.Error with the kind.
func (e *RefusedError) Unwrap() error { return e.cause }

// refused returns the error for a record that was refused before it was sent.
func refused(record graph.ID, refusals []schema.Refusal) error {
	sentences := make([]string, len(refusals))
	for i := range refusals {
		refusals[i].Record = record
		sentences[i] = refusals[i].Message
	}
	return NewRefusedError(graph.Errorf(graph.Invalid, "%s", strings.Join(sentences, " ")), refusals)
}

// NewRefusedError returns a RefusedError. The cause provides its kind and text; there must be at least one refusal.
func NewRefusedError(cause error, refusals []schema.Refusal) error {
	return &RefusedError{Refusal: refusals[0], Refusals: refusals, cause: cause}
}
