package shop

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// A batch collects records and writes them with two store batches: the concepts and then, with their real ids, the
// connections. Until the concepts are written, the id of a concept is its negative position in the batch, from -1. These ids
// are not sent to the store as local ids, because a store keeps local ids permanently.
type batch struct {
	concepts     []graph.ConceptDraft
	values       map[typedValue]graph.ID
	links        []graph.ConnectionDraft
	privateOwner graph.ID // owner of the records that are added next, which are then private; 0 means public records of the system
}

type typedValue struct{ typ, value string }

// addRecord adds a composition and returns its id.
func (b *batch) addRecord(typ string) graph.ID {
	owner, access := b.access()
	return b.addConcept(graph.ConceptDraft{Kind: graph.DraftComposition, TypeName: typ, Owner: owner, Access: access})
}

// addValue adds a value unless the batch has it, and returns its id. Values are always public.
func (b *batch) addValue(typ, value string) graph.ID {
	key := typedValue{typ, value}
	id, found := b.values[key]
	if !found {
		id = b.addConcept(graph.ConceptDraft{TypeName: typ, Value: value, Access: graph.Public})
		b.values[key] = id
	}
	return id
}

func (b *batch) addConcept(d graph.ConceptDraft) graph.ID {
	b.concepts = append(b.concepts, d)
	return -graph.ID(len(b.concepts))
}

func (b *batch) addLink(from graph.ID, typ string, to graph.ID) {
	owner, access := b.access()
	b.links = append(b.links, graph.ConnectionDraft{From: from, To: to, TypeName: typ, Order: graph.OrderLink, Owner: owner, Access: access})
}

// access returns the owner and access of the records added next.
func (b *batch) access() (graph.ID, graph.Access) {
	if b.privateOwner != 0 {
		return b.privateOwner, graph.Private
	}
	return graph.System, graph.Public
}

// write writes the batch. It returns a function that maps an id of the batch to the real id.
func (b *batch) write(ctx context.Context, store graph.Store) (realID func(graph.ID) graph.ID, err error) {
	sender := graph.Sender{User: graph.System}
	receipt, err := store.Write(ctx, graph.Batch{Sender: sender, Concepts: b.concepts})
	if err != nil {
		return nil, err
	}
	realID = func(id graph.ID) graph.ID {
		if id.IsLocal() {
			return receipt.Concepts[-id-1].ID
		}
		return id
	}
	for i := range b.links {
		d := &b.links[i]
		d.From, d.To = realID(d.From), realID(d.To)
	}
	_, err = store.Write(ctx, graph.Batch{Sender: sender, Connections: b.links})
	return realID, err
}
