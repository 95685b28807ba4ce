package schemas

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// An overlay reads a record in its state after a batch. It implements the reads that composition.Read needs: concepts by
// id and the connections inside the record.
type overlay struct {
	graph.Reader
	check  *check
	record *record
	types  []string // names of the types of drafts
}

// firstTypeID is the first id that the overlay assigns to the type of a draft; it assigns further ids in descending
// order. These ids are outside the range of local ids.
const firstTypeID graph.ID = -1 << 60

// Concepts implements graph.Reader.
func (o *overlay) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	var drafted []graph.Concept
	var existing []graph.ID
	for _, id := range ids {
		switch d := o.check.drafts[id]; {
		case id <= firstTypeID:
			drafted = append(drafted, graph.Concept{ID: id, Value: o.types[firstTypeID-id], Type: graph.Word, Category: graph.CategoryWord})
		case d != nil:
			drafted = append(drafted, graph.Concept{
				ID: id, Type: o.typeID(d.TypeName), Value: d.Value, Composition: d.Kind == graph.DraftComposition,
			})
		default:
			existing = append(existing, id)
		}
	}
	if len(existing) == 0 {
		return drafted, nil
	}
	found, err := o.Reader.Concepts(ctx, existing)
	return append(found, drafted...), err
}

// typeID returns an id for the type of a draft.
func (o *overlay) typeID(name string) graph.ID {
	i := slices.Index(o.types, name)
	if i < 0 {
		i = len(o.types)
		o.types = append(o.types, name)
	}
	return firstTypeID - graph.ID(i)
}

// Links implements graph.Reader for the connections inside the record.
func (o *overlay) Links(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	stored := links
	var found []graph.Connection
	if stored.Of = realOnly(links.Of); len(stored.Of) > 0 {
		var err error
		if found, err = o.Reader.Links(ctx, stored); err != nil {
			return nil, err
		}
	}
	found = slices.DeleteFunc(found, func(c graph.Connection) bool { return o.check.gone[c.ID] || o.check.gone[c.To] })
	for _, id := range links.Of {
		at := node{o.record.id, o.check.sameID(o.record, id)}
		for _, d := range o.check.children[at] {
			to := o.check.sameID(o.record, d.To)
			if to == o.record.id {
				to = o.record.real
			}
			found = append(found, graph.Connection{ID: d.SentID(), From: id, To: to, Type: o.record.real})
		}
	}
	return found, nil
}
