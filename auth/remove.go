package auth

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// mayRemove returns the batch without the removals of what the caller may not even see: like anything
// that is not there, it is passed over.
func (w *writing) mayRemove(ctx context.Context) (graph.Batch, error) {
	b := w.batch
	if len(b.RemoveConcepts)+len(b.RemoveConnections) == 0 {
		return b, nil
	}
	b.RemoveConcepts = slices.DeleteFunc(slices.Clone(b.RemoveConcepts), func(id graph.ID) bool {
		c, ok := w.named[id]
		return ok && !w.in(circleOf(c))
	})
	if err := w.mayRemoveConcepts(ctx, b.RemoveConcepts); err != nil {
		return b, err
	}
	return w.mayRemoveConnections(ctx, b)
}

func (w *writing) mayRemoveConcepts(ctx context.Context, ids []graph.ID) error {
	var there []graph.ID
	for _, id := range ids {
		c, ok := w.named[id]
		switch {
		case !ok:
			continue
		case c.IsType():
			return graph.Errorf(graph.Forbidden, "concept %d is the type %q, and types stay", c.ID, c.Value)
		case !w.mayRemoveFrom(c.Owner):
			return graph.Errorf(graph.Forbidden, "concept %d belongs to somebody else", c.ID)
		}
		there = append(there, c.ID)
	}
	if err := w.noDraftedTypes(ids); err != nil || len(there) == 0 {
		return err
	}
	for _, direction := range []graph.Direction{graph.Out, graph.In} {
		if err := w.mayRemoveLinks(ctx, graph.Links{Of: there, Direction: direction}); err != nil {
			return err
		}
	}
	return nil
}

// mayRemoveLinks sees to the connections that go with the concepts they are at.
func (w *writing) mayRemoveLinks(ctx context.Context, links graph.Links) error {
	counts, err := w.store.CountLinks(ctx, links)
	if err != nil {
		return err
	}
	return w.inChunks(ctx, links, counts, func(found []graph.Connection) error {
		for _, c := range found {
			if !w.mayRemoveFrom(c.Owner) {
				return graph.Errorf(graph.Forbidden, "concept %d is in use: somebody else's connection %d touches it",
					endOf(c, links.Direction), c.ID)
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
		if d.Kind == graph.DraftType && going[d.Ghost] {
			return graph.Errorf(graph.Forbidden, "ghost %d is the type %q, and types stay", d.Ghost, d.TypeName)
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
	for _, c := range found {
		if !w.mayRemoveFrom(c.Owner) {
			return b, graph.Errorf(graph.Forbidden, "connection %d belongs to somebody else", c.ID)
		}
		there[c.ID] = true
	}
	b.RemoveConnections = slices.DeleteFunc(slices.Clone(b.RemoveConnections), func(id graph.ID) bool {
		return id.Real() && !there[id]
	})
	return b, nil
}

// mayRemoveFrom says whether the caller may remove records of this owner. What everybody shares goes
// the way it came: by anonymous writes, where the operator allows them.
func (w *writing) mayRemoveFrom(owner graph.ID) bool {
	return owner == w.caller.User && owner != graph.Anonymous ||
		owner == graph.Anonymous && w.rules.AnonymousWrites
}

// Check implements graph.Store. It reads everything, so only System may ask.
func (v *view) Check(context.Context) error {
	return graph.Errorf(graph.Forbidden, "only the operator may check a store")
}
