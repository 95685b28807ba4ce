package auth

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// mayRemove returns the batch without the removals of what is not there, and of what the caller may not even
// see: both are passed over.
func (w *writing) mayRemove(ctx context.Context) (graph.Batch, error) {
	b := w.batch
	if len(b.RemoveConcepts)+len(b.RemoveConnections) == 0 {
		return b, nil
	}
	b.RemoveConcepts = slices.DeleteFunc(slices.Clone(b.RemoveConcepts), func(id graph.ID) bool {
		c, ok := w.named[id]
		return ok && !w.reads(c) || w.gone[id] || id.Real() && w.nothing(id)
	})
	if err := w.mayRemoveConcepts(ctx, b.RemoveConcepts); err != nil {
		return b, err
	}
	return w.mayRemoveConnections(ctx, b)
}

func (w *writing) mayRemoveConcepts(ctx context.Context, ids []graph.ID) error {
	going := map[graph.ID]graph.Concept{}
	for _, id := range ids {
		c, ok := w.named[id]
		switch {
		case w.nothing(id):
			return graph.Errorf(graph.Invalid, "cannot remove concept ghost %d, which nobody sent", id)
		case !ok:
			continue
		case kind(c) && !w.caller.Admin:
			return graph.Errorf(graph.Forbidden, "concept %d is the type %q, and types stay", id, c.Value)
		case !w.mayRemoveFrom(c.Owner):
			return graph.Errorf(graph.Forbidden, "concept %d belongs to somebody else", id)
		}
		going[c.ID] = c
	}
	if err := w.noDraftedTypes(ids); err != nil || len(going) == 0 {
		return err
	}
	for _, direction := range []graph.Direction{graph.Out, graph.In} {
		if err := w.mayRemoveLinks(ctx, going, direction); err != nil {
			return err
		}
	}
	return nil
}

// mayRemoveLinks sees to the connections that go with the concepts they are at. A record goes with whatever
// others connected to it, or anybody could keep it from going; but a value that others use stays, and so
// does what the operator connected.
func (w *writing) mayRemoveLinks(ctx context.Context, going map[graph.ID]graph.Concept, direction graph.Direction) error {
	links := graph.Links{Of: slices.Sorted(maps.Keys(going)), Direction: direction}
	counts, err := w.store.CountLinks(ctx, links)
	if err != nil {
		return err
	}
	return w.inChunks(ctx, links, counts, func(found []graph.Connection) error {
		for _, c := range found {
			end := going[endOf(c, direction)]
			if !w.mayRemoveFrom(c.Owner) && (!end.Composition || c.Owner == graph.System) {
				return graph.Errorf(graph.Forbidden, "concept %d is in use: somebody else connected it", end.ID)
			}
		}
		return nil
	})
}

// noDraftedTypes sees to the types that the batch itself names, which may have been there before.
func (w *writing) noDraftedTypes(remove []graph.ID) error {
	going := make(map[graph.ID]bool, len(remove))
	for _, id := range remove {
		going[id] = true
	}
	for _, d := range w.batch.Concepts {
		if d.Kind == graph.DraftType && going[d.Name()] && !w.caller.Admin {
			return graph.Errorf(graph.Forbidden, "draft %d is the type %q, and types stay", d.Name(), d.TypeName)
		}
	}
	return nil
}

func (w *writing) mayRemoveConnections(ctx context.Context, b graph.Batch) (graph.Batch, error) {
	var real []graph.ID
	for _, id := range b.RemoveConnections {
		if id.Real() {
			real = append(real, id)
		}
	}
	if len(real) == 0 {
		return b, nil // ghosts of connections are always the sender's own
	}
	found, err := w.Connections(ctx, real)
	if err != nil {
		return b, err
	}
	there := map[graph.ID]bool{}
	var others []graph.Connection
	for _, c := range found {
		there[c.ID] = true
		if !w.mayRemoveFrom(c.Owner) {
			others = append(others, c)
		}
	}
	b.RemoveConnections = slices.DeleteFunc(slices.Clone(b.RemoveConnections), func(id graph.ID) bool {
		return id.Real() && !there[id]
	})
	return b, w.mayRemoveInside(ctx, others)
}

// mayRemoveInside sees to connections of others: they may go if they are inside what the caller may remove
// whole.
func (w *writing) mayRemoveInside(ctx context.Context, others []graph.Connection) error {
	if len(others) == 0 {
		return nil
	}
	var types []graph.ID
	for _, c := range others {
		types = append(types, c.Type)
	}
	found, err := w.store.Concepts(ctx, types)
	if err != nil {
		return err
	}
	whole := map[graph.ID]bool{}
	for _, c := range found {
		whole[c.ID] = !kind(c) && w.mayRemoveFrom(c.Owner)
	}
	for _, c := range others {
		if !whole[c.Type] {
			return graph.Errorf(graph.Forbidden, "connection %d belongs to somebody else", c.ID)
		}
	}
	return nil
}

// mayRemoveFrom says whether the caller may remove records of this owner. What everybody shares goes the
// way it came: by those who are not signed in, where the operator lets them write.
func (w *writing) mayRemoveFrom(owner graph.ID) bool {
	return owner == w.caller.User || w.caller.Admin
}

// Check implements graph.Store. It reads everything, so only System may ask.
func (v *view) Check(context.Context) error {
	return graph.Errorf(graph.Forbidden, "only the operator may check a store")
}
