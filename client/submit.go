package client

import (
	"context"
	"time"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// maxLocalIDs is the number of local ids that LocalIDs reserves for one submission.
const maxLocalIDs = 1 << 20

// LocalIDs implements Source. No two calls return the same ids, and no two clients of one user do.
func (c *Client) LocalIDs() composition.LocalIDs {
	last := graph.ID(c.lastLocalID.Add(-maxLocalIDs) + maxLocalIDs)
	// Concepts and connections share one range of ids on the wire, so each uses one half of it.
	return composition.LocalIDs{Concept: last, Connection: last - maxLocalIDs/2}
}

// maxSubmitTries is the maximum number of times that Submit sends a submission.
const maxSubmitTries = 4

// firstRetryDelay is the delay before the first retry; it doubles with each further retry.
const firstRetryDelay = 100 * time.Millisecond

// Submit implements Source: it sends the submission immediately, in one atomic request. If the server cannot be reached or its response is
// lost, Submit sends the same request again, which has no further effect. After maxSubmitTries attempts it returns an Unavailable error;
// the server may have written the submission nevertheless.
func (c *Client) Submit(ctx context.Context, s Submission) (map[graph.ID]graph.ID, error) {
	s.Batch.Sender = c.sender
	if err := s.Batch.Check(); err != nil {
		return nil, err
	}
	sync := c.Encode(s)
	for delay := firstRetryDelay; ; delay *= 2 {
		sent, err := c.SendSync(ctx, s.Batch.Sender, sync)
		if graph.KindOf(err) != graph.Unavailable || delay >= firstRetryDelay<<(maxSubmitTries-1) {
			return sent.RealIDs, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(delay):
		}
	}
}

// Encode returns the request that Submit sends for a submission.
func (c *Client) Encode(s Submission) wire.Sync {
	sync := c.encodeBatch(s.Batch)
	sync.Increments, sync.Upserts = s.Increments, s.Upserts
	return sync
}

// A Sent is the result of SendSync: the records as the server stored them.
type Sent struct {
	// RealIDs holds the real ids of concepts and connections by their local ids.
	RealIDs     map[graph.ID]graph.ID
	Concepts    []wire.Concept
	Connections []graph.Connection
	// Removed lists connections that the rules of the request removed.
	Removed []graph.ID
}

// SendSync sends a request on behalf of a sender. The token determines the user; sender.User is ignored. Sending the same request
// again on behalf of the same sender has no further effect.
func (c *Client) SendSync(ctx context.Context, sender graph.Sender, sync wire.Sync) (Sent, error) {
	sender.User = graph.Anonymous
	result, err := c.postSync(ctx, sender, sync)
	if err != nil {
		return Sent{}, err
	}
	sent := Sent{RealIDs: map[graph.ID]graph.ID{}, Concepts: result.Concepts, Removed: result.Removed}
	for _, concept := range result.Concepts {
		sent.RealIDs[graph.ID(concept.GhostID)] = graph.ID(concept.ID)
	}
	for _, connection := range result.Connections {
		sent.RealIDs[graph.ID(connection.GhostID)] = graph.ID(connection.ID)
		sent.Connections = append(sent.Connections, connection.Graph())
	}
	return sent, nil
}

// RealID implements Source. It returns the id itself, because a Client sends writes immediately; for ids of a transaction see
// Tx.RealID.
func (c *Client) RealID(id graph.ID) graph.ID { return id }

// TypeID implements Source.
func (c *Client) TypeID(ctx context.Context, name string) (graph.ID, error) {
	types, err := graph.TypesNamed(ctx, c, name)
	return types[name].ID, err
}
