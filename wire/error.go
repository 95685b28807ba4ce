package wire

import (
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

// An Error is the body of every response with a status other than 2xx.
type Error struct {
	Message   string          `json:"message"`
	Kind      graph.ErrorKind `json:"kind"`
	RequestID string          `json:"requestId"`
	// StatusText repeats Message for older clients, which display it.
	StatusText string `json:"statusText"`
	// Record, Field and Rule describe the first refusal, if the request was refused because a record violates the
	// schema.
	Record graph.ID `json:"record,omitempty"`
	Field  string   `json:"field,omitempty"`
	Rule   string   `json:"rule,omitempty"`
	// Refusals lists the violations of the request. The server reports at most 100.
	Refusals []schema.Refusal `json:"refusals,omitempty"`
}
