package shop

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// A batch is what is written next: concepts first and then, when their ids are known, the connections between
// them. So nothing is sent under ghosts, which a store would remember for good. Until then a concept is called by its
// place, as a local id.
type batch struct {
	concepts []graph.ConceptDraft
	values   map[typedValue]graph.ID
	links    []graph.ConnectionDraft
	owner    graph.ID // of what is private; 0: what follows is everybody's
}

type typedValue struct{ typ, value string }

func (b *batch) record(typ string) graph.ID {
	owner, access := b.keeping()
	return b.add(graph.ConceptDraft{Kind: graph.DraftComposition, TypeName: typ, Owner: owner, Access: access})
}

// value is everybody's, whoever's the record is that leads to it.
func (b *batch) value(typ, value string) graph.ID {
	key := typedValue{typ, value}
	id, there := b.values[key]
	if !there {
		id = b.add(graph.ConceptDraft{TypeName: typ, Value: value, Access: graph.Public})
		b.values[key] = id
	}
	return id
}

func (b *batch) add(d graph.ConceptDraft) graph.ID {
	b.concepts = append(b.concepts, d)
	return -graph.ID(len(b.concepts))
}

func (b *batch) link(from graph.ID, typ string, to graph.ID) {
	owner, access := b.keeping()
	b.links = append(b.links, graph.ConnectionDraft{From: from, To: to, TypeName: typ, Order: graph.OrderLink, Owner: owner, Access: access})
}

func (b *batch) keeping() (graph.ID, graph.Access) {
	if b.owner != 0 {
		return b.owner, graph.Private
	}
	return graph.System, graph.Public
}

// write returns what tells the id of a concept of the batch.
func (b *batch) write(ctx context.Context, store graph.Store) (real func(graph.ID) graph.ID, err error) {
	sender := graph.Sender{User: graph.System}
	receipt, err := store.Write(ctx, graph.Batch{Sender: sender, Concepts: b.concepts})
	if err != nil {
		return nil, err
	}
	real = func(id graph.ID) graph.ID {
		if id.Local() {
			return receipt.Concepts[-id-1].ID
		}
		return id
	}
	for i := range b.links {
		d := &b.links[i]
		d.From, d.To = real(d.From), real(d.To)
	}
	_, err = store.Write(ctx, graph.Batch{Sender: sender, Connections: b.links})
	return real, err
}
