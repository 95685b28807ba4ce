package wire

import "github.com/weft-graph/weft/graph"

// A Ready says where a store stands. It is the first event of a stream; sent as reset, it says that changes were forgotten before the
// reader came for them: it must look again at whatever it watches.
type Ready struct {
	Seq   graph.Seq `json:"seq"`
	Store string    `json:"store"` // identity of the store that Seq counts the changes of
}

// A Change is one committed batch as the stream tells it.
type Change struct {
	Seq         graph.Seq  `json:"seq"`
	Concepts    []graph.ID `json:"concepts"`
	Connections []graph.ID `json:"connections"`
	Types       []graph.ID `json:"types"`
	Wide        bool       `json:"wide"`
}

// A CompositionUpdate says that a composition was made, changed inside or removed.
type CompositionUpdate struct {
	ID graph.ID `json:"id"`
}
