package wire

import "github.com/weft-graph/weft/graph"

// An Error is the body of every answer that is not 2xx.
type Error struct {
	Message   string          `json:"message"`
	Kind      graph.ErrorKind `json:"kind"`
	RequestID string          `json:"requestId"`
	// StatusText repeats Message; older clients show it to people.
	StatusText string `json:"statusText"`
}
