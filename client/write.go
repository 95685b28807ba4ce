package client

import (
	"context"
	"net/http"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// Write implements graph.Store. After an Unavailable error, writing the batch again is safe if its drafts have local
// ids. Write does not send the owners of drafts: records belong to the owner of the token or, without a token, to all
// users.
//
// The errors are those of graph.Store and of the client (see the package comment), and these: Unavailable for reserved ids,
// RequireOwner, Becomes, Unchanged and Absent, which the wire contract does not support in a batch; Unauthorized for a sender
// other than Anonymous without a token.
func (c *Client) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	if err := b.Check(); err != nil {
		return graph.Receipt{}, err
	}
	if err := checkSupported(b); err != nil {
		return graph.Receipt{}, err
	}
	sync := c.encodeBatch(b)
	result, err := c.postSync(ctx, b.Sender, sync)
	if err != nil {
		return graph.Receipt{}, err
	}
	concepts := map[wire.Int]graph.Concept{}
	for _, concept := range result.Concepts {
		concepts[concept.GhostID] = concept.Graph()
	}
	connections := map[wire.Int]graph.Connection{}
	for _, connection := range result.Connections {
		connections[connection.GhostID] = connection.Graph()
	}
	receipt := graph.Receipt{Seq: result.Seq}
	for _, sent := range sync.Concepts {
		receipt.Concepts = append(receipt.Concepts, concepts[sent.ID])
	}
	for _, sent := range sync.Connections {
		receipt.Connections = append(receipt.Connections, connections[sent.ID])
	}
	return receipt, nil
}

// A synced is the response to a wire.Sync.
type synced struct {
	Concepts    []wire.Concept    `json:"concepts"`
	Connections []wire.Connection `json:"connections"`
	Removed     []graph.ID        `json:"removeConnections"`
	Seq         graph.Seq         `json:"seq"`
}

// postSync sends a request of a sender.
func (c *Client) postSync(ctx context.Context, sender graph.Sender, sync wire.Sync) (result synced, err error) {
	header, err := c.senderHeader(sender)
	if err != nil {
		return result, err
	}
	err = c.send(ctx, request{http.MethodPost, "/api/v1/local-concepts", header, sync}, &result)
	return result, err
}

// encodeBatch converts a batch to a request.
func (c *Client) encodeBatch(b graph.Batch) wire.Sync {
	s := wire.Sync{
		Concepts: []wire.Concept{}, Connections: []wire.Connection{}, // not null, because an empty batch is valid
		RemoveConcepts: ints(b.RemoveConcepts), RemoveConnections: ints(b.RemoveConnections), Atomic: true,
	}
	for _, d := range b.Concepts {
		s.Concepts = append(s.Concepts, c.encodeConcept(d))
	}
	for _, d := range b.Connections {
		id := c.localID(d.LocalID)
		s.Connections = append(s.Connections, wire.Connection{
			ID: id, GhostID: id, OfTheConceptID: wire.Int(d.From), ToTheConceptID: wire.Int(d.To), TypeID: wire.Int(d.Type),
			TypeCharacter: wire.Text(d.TypeName), OrderID: wire.Int(d.Order), AccessID: wire.Int(d.Access), EntryTimeStamp: wire.Time(d.Created),
		})
	}
	return s
}

// encodeConcept converts a concept draft. The server derives the kind from the category and isComposition; see
// wire.Sync.Batch.
func (c *Client) encodeConcept(d graph.ConceptDraft) wire.Concept {
	id := c.localID(d.LocalID)
	out := wire.Concept{
		ID: id, GhostID: id, CategoryID: wire.Int(graph.CategoryInstance), TypeCharacter: wire.Text(d.TypeName),
		CharacterValue: wire.Text(d.Value), IsComposition: d.Kind == graph.DraftComposition, IsTemp: true,
		AccessID: wire.Int(d.Access), EntryTimeStamp: wire.Time(d.Created),
		X: wire.Coordinate(d.Position.X), Y: wire.Coordinate(d.Position.Y),
	}
	switch d.Kind {
	case graph.DraftType:
		out.CategoryID, out.CharacterValue = wire.Int(graph.CategoryWord), wire.Text(d.TypeName)
	case graph.DraftPrototype:
		out.CategoryID, out.IsComposition = wire.Int(graph.CategoryPrototype), true
	case graph.DraftValue, graph.DraftComposition:
	}
	return out
}

// localID returns the local id of a draft, or assigns one.
func (c *Client) localID(id graph.ID) wire.Int {
	if id == 0 {
		return wire.Int(c.lastLocalID.Add(-1))
	}
	return wire.Int(id)
}

// ints converts ids to numbers of a message. An empty list becomes nil.
func ints(ids []graph.ID) []wire.Int {
	var list []wire.Int
	for _, id := range ids {
		list = append(list, wire.Int(id))
	}
	return list
}

// checkSupported returns an error if the batch has members that the wire contract does not have.
func checkSupported(b graph.Batch) error {
	for _, d := range b.Concepts {
		if d.ID != 0 {
			return unsupported("use reserved ids in a batch")
		}
		if d.RequireOwner {
			return unsupported("require an owner")
		}
		if d.Becomes != 0 {
			return unsupported("make a draft an existing record")
		}
	}
	if b.Unchanged != nil || b.Absent != nil {
		return unsupported("write under a condition")
	}
	if slices.ContainsFunc(b.Connections, func(d graph.ConnectionDraft) bool { return d.ID != 0 }) {
		return unsupported("use reserved ids in a batch")
	}
	return nil
}

// Reserve implements graph.Store. It always returns an Unavailable error: a batch over the wire cannot use reserved
// ids.
func (c *Client) Reserve(context.Context, graph.ID, int) ([]graph.ID, error) {
	return nil, unsupported("use reserved ids in a batch")
}
