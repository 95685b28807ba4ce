package client

import (
	"context"
	"time"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// maxLocalIDs is the number of local ids that LocalIDs sets aside for one submission.
const maxLocalIDs = 1 << 20

// LocalIDs implements Source. No two calls return the same ids, and clients of one user have different ones.
func (c *Client) LocalIDs() composition.LocalIDs {
	last := graph.ID(c.lastLocalID.Add(-maxLocalIDs) + maxLocalIDs)
	// Concepts and connections have ids in common on the wire, so each gets a half of them.
	return composition.LocalIDs{Concept: last, Connection: last - maxLocalIDs/2}
}

// maxSubmitTries is how often Submit sends a submission that may not have arrived.
const maxSubmitTries = 4

// firstRetryDelay is the delay before the first repetition; it doubles with each.
const firstRetryDelay = 100 * time.Millisecond

// Submit implements Source: it sends the submission at once, in one request, as all or nothing. If the server cannot be reached
// or its response is lost, Submit sends the same request again, which has no further effect; after a few tries it returns an Unavailable error, and
// the submission may have been written.
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
	// RealIDs are the real ids of concepts and connections by their local ids.
	RealIDs     map[graph.ID]graph.ID
	Concepts    []wire.Concept
	Connections []graph.Connection
	// Removed are connections that the rules of the request removed.
	Removed []graph.ID
}

// SendSync sends a request of a sender. The user is that of the token; sender.User is ignored. Sending the same request of the same
// sender again has no further effect.
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

// RealID implements Source. It returns the id itself, because a Client sends writes at once; see Tx.RealID for those of a transaction.
func (c *Client) RealID(id graph.ID) graph.ID { return id }

// TypeID implements Source.
func (c *Client) TypeID(ctx context.Context, name string) (graph.ID, error) {
	types, err := graph.TypesNamed(ctx, c, name)
	return types[name].ID, err
}
