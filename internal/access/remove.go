package access

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// checkRemovals checks the removals of the batch. It returns the batch without removals of records that do not exist or
// that the caller may not read: such removals are ignored.
func (w *writeCheck) checkRemovals(ctx context.Context) (graph.Batch, error) {
	b := w.batch
	if len(b.RemoveConcepts)+len(b.RemoveConnections) == 0 {
		return b, nil
	}
	b.RemoveConcepts = slices.DeleteFunc(slices.Clone(b.RemoveConcepts), func(id graph.ID) bool {
		c, ok := w.concepts[id]
		return ok && !w.canRead(c) || w.removed[id] || id.IsReal() && w.isUnknown(id)
	})
	if err := w.checkConceptRemovals(ctx, b.RemoveConcepts); err != nil {
		return b, err
	}
	return w.checkConnectionRemovals(ctx, b)
}

func (w *writeCheck) checkConceptRemovals(ctx context.Context, ids []graph.ID) error {
	removing := map[graph.ID]graph.Concept{}
	for _, id := range ids {
		c, ok := w.concepts[id]
		switch {
		case w.isUnknown(id):
			return graph.Errorf(graph.Invalid, "cannot remove concept %d: unknown local id", id)
		case !ok:
			continue
		case isConnectionType(c) && !w.caller.Admin:
			return graph.Errorf(graph.Forbidden, "concept %d is the type %q; types cannot be removed", id, c.Value)
		case !w.mayRemoveOf(c.Owner):
			return graph.Errorf(graph.Forbidden, "concept %d belongs to another user", id)
		}
		removing[c.ID] = c
	}
	if err := w.checkDraftedTypes(ids); err != nil || len(removing) == 0 {
		return err
	}
	for _, direction := range []graph.Direction{graph.Out, graph.In} {
		if err := w.checkAttachedLinks(ctx, removing, direction); err != nil {
			return err
		}
	}
	return nil
}

// checkAttachedLinks checks the connections that are removed together with their concepts. A record may be removed
// even if other users have connected it, because they must not be able to prevent its removal. A value that other
// users have connected may not be removed, and neither may a record that the operator has connected.
func (w *writeCheck) checkAttachedLinks(ctx context.Context, removing map[graph.ID]graph.Concept, direction graph.Direction) error {
	links := graph.Links{Of: slices.Sorted(maps.Keys(removing)), Direction: direction}
	counts, err := w.store.CountLinks(ctx, links)
	if err != nil {
		return err
	}
	return w.forEachChunk(ctx, links, counts, func(found []graph.Connection) error {
		for _, c := range found {
			end := removing[endpoint(c, direction)]
			if !w.mayRemoveOf(c.Owner) && (!end.Composition || c.Owner == graph.System) {
				return graph.Errorf(graph.Forbidden, "concept %d is in use: another user connected it", end.ID)
			}
		}
		return nil
	})
}

// checkDraftedTypes checks removals of types that the batch itself drafts, because such a type may have existed
// before.
func (w *writeCheck) checkDraftedTypes(remove []graph.ID) error {
	removing := make(map[graph.ID]bool, len(remove))
	for _, id := range remove {
		removing[id] = true
	}
	for _, d := range w.batch.Concepts {
		if d.Kind == graph.DraftType && removing[d.SentID()] && !w.caller.Admin {
			return graph.Errorf(graph.Forbidden, "draft %d is the type %q; types cannot be removed", d.SentID(), d.TypeName)
		}
	}
	return nil
}

func (w *writeCheck) checkConnectionRemovals(ctx context.Context, b graph.Batch) (graph.Batch, error) {
	if err := w.dropHiddenLocalIDs(ctx, &b); err != nil {
		return b, err
	}
	var real []graph.ID
	for _, id := range b.RemoveConnections {
		if id.IsReal() {
			real = append(real, id)
		}
	}
	if len(real) == 0 {
		return b, nil // connections with local ids belong to the sender
	}
	found, err := w.Connections(ctx, real)
	if err != nil {
		return b, err
	}
	w.removedConnections = found
	exists := map[graph.ID]bool{}
	var others []graph.Connection
	for _, c := range found {
		exists[c.ID] = true
		if !w.mayRemoveOf(c.Owner) {
			others = append(others, c)
		}
	}
	b.RemoveConnections = slices.DeleteFunc(slices.Clone(b.RemoveConnections), func(id graph.ID) bool {
		return id.IsReal() && !exists[id]
	})
	return b, w.checkInnerConnections(ctx, others)
}

// dropHiddenLocalIDs removes from the removals the local ids of connections that the caller's key may not read, because they are
// of other types. Without such a key the caller may read and remove everything that it sent.
func (w *writeCheck) dropHiddenLocalIDs(ctx context.Context, b *graph.Batch) error {
	if !w.isLimitedToTypes() || !slices.ContainsFunc(b.RemoveConnections, graph.ID.IsLocal) {
		return nil
	}
	local := slices.DeleteFunc(slices.Clone(b.RemoveConnections), graph.ID.IsReal)
	sent, err := w.store.ResolveConnections(ctx, b.Sender, local)
	if err != nil {
		return err
	}
	readable := maps.Clone(sent)
	if err := w.dropHiddenConnections(ctx, readable); err != nil {
		return err
	}
	b.RemoveConnections = slices.DeleteFunc(slices.Clone(b.RemoveConnections), func(id graph.ID) bool {
		return sent[id] != 0 && readable[id] == 0
	})
	return nil
}

// checkInnerConnections checks connections of other users: the caller may remove them if they are inside a composition
// that the caller may remove.
func (w *writeCheck) checkInnerConnections(ctx context.Context, others []graph.Connection) error {
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
	mayRemoveWhole := map[graph.ID]bool{}
	for _, c := range found {
		mayRemoveWhole[c.ID] = !isConnectionType(c) && w.mayRemoveOf(c.Owner)
	}
	for _, c := range others {
		if !mayRemoveWhole[c.Type] {
			return graph.Errorf(graph.Forbidden, "connection %d belongs to another user", c.ID)
		}
	}
	return nil
}

// mayRemoveOf reports whether the caller may remove records of an owner. Guests have the user id Anonymous, so they may
// remove records of Anonymous if the operator permits guests to write.
func (w *writeCheck) mayRemoveOf(owner graph.ID) bool {
	return owner == w.caller.User || w.caller.Admin
}

// Check implements graph.Store. It reads all records, so only System may call it.
func (v *view) Check(context.Context) error {
	return graph.Errorf(graph.Forbidden, "only the operator may check a store")
}
