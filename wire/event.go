package wire

import "github.com/weft-graph/weft/graph"

// A Ready is the first event of a change stream. The server also sends it, as a reset event, if the store has
// deleted changes that the reader has not received. The reader must then read all watched data again.
type Ready struct {
	Seq   graph.Seq `json:"seq"`   // number of the newest change
	Store string    `json:"store"` // graph.Reader.Identity of the store
}

// A Change is the event of one committed batch (see graph.Change).
type Change struct {
	Seq         graph.Seq  `json:"seq"`
	Concepts    []graph.ID `json:"concepts"`
	Connections []graph.ID `json:"connections"`
	Types       []graph.ID `json:"types"`
	Wide        bool       `json:"wide"`
}

// A CompositionUpdate is the event of a composition that was created, changed or removed.
type CompositionUpdate struct {
	ID graph.ID `json:"id"`
}
