package client

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// Write implements graph.Store. Sending a batch again after an Unavailable error is safe as long as its
// drafts have ghosts. Owners are not sent: what is written belongs to whoever is signed in, or to everybody.
// Reserved ids are refused, for over the wire they go in requests that are not a batch, and so are drafts that
// insist on being somebody's Own.
func (c *Client) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	if err := b.Check(); err != nil {
		return graph.Receipt{}, err
	}
	if err := sayable(b); err != nil {
		return graph.Receipt{}, err
	}
	header, err := c.from(b.Sender)
	if err != nil {
		return graph.Receipt{}, err
	}
	sync := c.sync(b)
	var answer struct {
		Concepts    []wire.Concept    `json:"concepts"`
		Connections []wire.Connection `json:"connections"`
		Seq         graph.Seq         `json:"seq"`
	}
	if err := c.post(ctx, "/api/v1/local-concepts", header, sync, &answer); err != nil {
		return graph.Receipt{}, err
	}
	concepts := map[wire.Int]graph.Concept{}
	for _, one := range answer.Concepts {
		concepts[one.GhostID] = one.Graph()
	}
	connections := map[wire.Int]graph.Connection{}
	for _, one := range answer.Connections {
		connections[one.GhostID] = one.Graph()
	}
	receipt := graph.Receipt{Seq: answer.Seq}
	for _, sent := range sync.Concepts {
		receipt.Concepts = append(receipt.Concepts, concepts[sent.ID])
	}
	for _, sent := range sync.Connections {
		receipt.Connections = append(receipt.Connections, connections[sent.ID])
	}
	return receipt, nil
}

func (c *Client) sync(b graph.Batch) wire.Sync {
	s := wire.Sync{
		Concepts: []wire.Concept{}, Connections: []wire.Connection{}, // an empty batch is no mistake
		RemoveConcepts: ints(b.RemoveConcepts), RemoveConnections: ints(b.RemoveConnections),
	}
	for _, d := range b.Concepts {
		s.Concepts = append(s.Concepts, c.concept(d))
	}
	for _, d := range b.Connections {
		ghost := c.local(d.Ghost)
		s.Connections = append(s.Connections, wire.Connection{
			ID: ghost, GhostID: ghost, OfTheConceptID: wire.Int(d.From), ToTheConceptID: wire.Int(d.To), TypeID: wire.Int(d.Type),
			TypeCharacter: wire.Text(d.TypeName), OrderID: wire.Int(d.Order), AccessID: wire.Int(d.Access), EntryTimeStamp: wire.Time(d.Created),
		})
	}
	return s
}

func (c *Client) concept(d graph.ConceptDraft) wire.Concept {
	ghost := c.local(d.Ghost)
	out := wire.Concept{
		ID: ghost, GhostID: ghost, CategoryID: wire.Int(graph.CategoryInstance), TypeCharacter: wire.Text(d.TypeName),
		CharacterValue: wire.Text(d.Value), IsComposition: d.Kind == graph.DraftComposition, IsTemp: true,
		AccessID: wire.Int(d.Access), EntryTimeStamp: wire.Time(d.Created),
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

func (c *Client) local(ghost graph.ID) wire.Int {
	if ghost == 0 {
		return wire.Int(c.ghost.Add(-1))
	}
	return wire.Int(ghost)
}

func ints(ids []graph.ID) []wire.Int {
	var list []wire.Int
	for _, id := range ids {
		list = append(list, wire.Int(id))
	}
	return list
}

// sayable refuses what would be lost on the way.
func sayable(b graph.Batch) error {
	for _, d := range b.Concepts {
		if d.ID != 0 {
			return unsupported("use reserved ids in a batch")
		}
		if d.Own {
			return unsupported("insist on an owner")
		}
	}
	if slices.ContainsFunc(b.Connections, func(d graph.ConnectionDraft) bool { return d.ID != 0 }) {
		return unsupported("use reserved ids in a batch")
	}
	return nil
}

// Reserve implements graph.Store by refusing: there is no batch that could use the ids.
func (c *Client) Reserve(context.Context, graph.ID, int) ([]graph.ID, error) {
	return nil, unsupported("use reserved ids in a batch")
}
