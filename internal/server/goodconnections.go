package server

import (
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// Clients of the contract drop all records of a refused batch. A batch may contain unrelated records, so one bad
// connection must not prevent the other records from being written; see docs/decisions/0029.

const (
	// maxPartialBatch is the maximum number of records of a batch that is written without its bad connections. Clients
	// of the contract do not send larger batches.
	maxPartialBatch = 2_000
	// maxPartialWrites is the maximum number of writes for finding bad connections. Connections that are not
	// written by then are refused.
	maxPartialWrites = 200
)

// concernsOneConnection reports whether the refusal of a batch may be due to one of its connections.
func concernsOneConnection(b graph.Batch, refusal error) bool {
	if len(b.Connections) == 0 || len(b.Concepts)+len(b.Connections) > maxPartialBatch {
		return false
	}
	switch graph.KindOf(refusal) {
	case graph.Invalid, graph.NotFound, graph.Forbidden, graph.Conflict:
		return true
	default:
		return false
	}
}

// goodConnections writes a batch that was refused, without the connections that are bad. It first writes the concepts
// and then each half of the connections. If a half is refused, it is divided again.
type goodConnections struct {
	request  *request
	concepts graph.Batch // the batch; write removes its connections
	refused  []wire.RefusedConnection

	written graph.Batch
	receipt graph.Receipt
	writes  int
}

// write returns the written records and their receipt. If the concepts are refused, or nothing is written, it returns
// the refusal of the batch.
func (g *goodConnections) write(refusal error) (graph.Batch, graph.Receipt, error) {
	connections := g.concepts.Connections
	g.concepts.Connections = nil
	g.written = g.concepts
	if len(g.concepts.Concepts) > 0 {
		receipt, err := g.request.graph.Write(g.request.Context(), g.concepts)
		if err != nil {
			return graph.Batch{}, graph.Receipt{}, refusal
		}
		g.receipt = receipt
	}
	// The whole batch was refused, so its only connection is bad.
	if err := g.splitConnections(connections, refusal); err != nil {
		return graph.Batch{}, graph.Receipt{}, err
	}
	if len(g.written.Concepts)+len(g.written.Connections) == 0 {
		return graph.Batch{}, graph.Receipt{}, refusal
	}
	return g.written, g.receipt, nil
}

// splitConnections writes the good connections among connections that were refused together.
func (g *goodConnections) splitConnections(connections []graph.ConnectionDraft, refusal error) error {
	if len(connections) == 1 || g.writes >= maxPartialWrites {
		for _, d := range connections {
			g.refuse(d, refusal)
		}
		return nil
	}
	half := len(connections) / 2
	if err := g.writeConnections(connections[:half]); err != nil {
		return err
	}
	return g.writeConnections(connections[half:])
}

// writeConnections writes connections or, if they are refused, the good ones among them.
func (g *goodConnections) writeConnections(connections []graph.ConnectionDraft) error {
	g.writes++
	batch := g.concepts
	batch.Concepts, batch.Connections = nil, connections
	receipt, err := g.request.graph.Write(g.request.Context(), batch)
	if err == nil {
		g.written.Connections = append(g.written.Connections, connections...)
		g.receipt.Connections = append(g.receipt.Connections, receipt.Connections...)
		g.receipt.Seq = max(g.receipt.Seq, receipt.Seq)
		return nil
	}
	if err = g.request.notFoundIfMissing(batch, err); !concernsOneConnection(batch, err) {
		return err
	}
	return g.splitConnections(connections, err)
}

// refuse records that a connection was not written, and the reason.
func (g *goodConnections) refuse(d graph.ConnectionDraft, refusal error) {
	g.refused = append(g.refused, wire.RefusedConnection{
		GhostID: wire.Int(d.SentID()), OfTheConceptID: wire.Int(d.From), ToTheConceptID: wire.Int(d.To),
		Kind: graph.KindOf(refusal), Message: messageOf(refusal),
	})
}
