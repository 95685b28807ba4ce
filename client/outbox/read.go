package outbox

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// withPending calls read with the graph of pending writes, and first rebuilds the graph if a write was sent or discarded. It holds o.mu
// during the call, so read must not send requests.
func (o *Outbox) withPending(read func(g *pendingGraph)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.graph == nil {
		o.graph = newPendingGraph(o.pending, o.realIDs, o.types)
	}
	read(o.graph)
}

// Concepts implements graph.Reader. It returns pending concepts, and reads the other concepts with storedConcepts. It omits concepts that
// a pending write removes.
func (o *Outbox) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	found := map[graph.ID]graph.Concept{}
	removed := map[graph.ID]bool{}
	var others []graph.ID
	o.withPending(func(g *pendingGraph) {
		for _, id := range ids {
			switch c, ok := g.concept(id); {
			case ok:
				found[id] = c
			case g.removed[id]:
				removed[id] = true
			case id.IsReal():
				others = append(others, id)
			}
		}
	})
	stored, err := o.storedConcepts(ctx, others)
	if err != nil {
		return nil, err
	}
	for _, c := range stored {
		found[c.ID] = c
	}
	all := []graph.Concept{}
	for _, id := range ids {
		if c, ok := found[id]; ok && !removed[id] {
			all = append(all, c)
			delete(found, id)
		}
	}
	return all, nil
}

// storedConcepts reads concepts from the server and caches them. If the server cannot be reached, it reads them from the cache, and returns
// the Unavailable error of the request if a concept is not cached.
func (o *Outbox) storedConcepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := o.Client.Concepts(ctx, ids)
	switch {
	case err == nil:
		return found, o.file.cache(ctx, fragment{concepts: found})
	case graph.KindOf(err) != graph.Unavailable || ctx.Err() != nil:
		return nil, err
	}
	cached, cacheErr := o.file.concepts(ctx, ids)
	if cacheErr != nil {
		return nil, cacheErr
	}
	isCached := map[graph.ID]bool{}
	for _, c := range cached {
		isCached[c.ID] = true
	}
	if slices.ContainsFunc(ids, func(id graph.ID) bool { return !isCached[id] }) {
		return nil, err
	}
	return cached, nil
}

// Links implements graph.Reader. For each concept it returns the connections of the server, as storedLinks does, and then all pending
// connections; the page applies only to the connections of the server. It omits connections that a pending write removes.
func (o *Outbox) Links(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	names, err := o.typeNames(ctx, links.Types) // pending connections have only the names of their types
	if err != nil {
		return nil, err
	}
	pending, removed := map[graph.ID][]graph.Connection{}, map[graph.ID]bool{}
	o.withPending(func(g *pendingGraph) {
		for _, id := range links.Of {
			pending[id] = g.linksAt(id, links.Direction, links.Types, names)
		}
		for id := range g.removed {
			removed[id] = true
		}
	})
	stored, err := o.storedLinksByConcept(ctx, links)
	if err != nil {
		return nil, err
	}
	all := []graph.Connection{}
	for _, id := range links.Of {
		all = append(append(all, stored[id]...), pending[id]...)
		delete(stored, id)
		delete(pending, id)
	}
	return slices.DeleteFunc(all, func(c graph.Connection) bool { return removed[c.ID] || removed[c.From] || removed[c.To] }), nil
}

// typeNames returns the names of types by their ids. The name is empty unless TypeID has looked up the type.
func (o *Outbox) typeNames(ctx context.Context, types []graph.ID) (map[graph.ID]string, error) {
	names := map[graph.ID]string{}
	for _, typ := range types {
		name, err := o.file.typeName(ctx, typ)
		if err != nil {
			return nil, err
		}
		names[typ] = name
	}
	return names, nil
}

// storedLinksByConcept returns the results of storedLinks by the concepts in links.Of. It requests only the connections of
// concepts with real ids.
func (o *Outbox) storedLinksByConcept(ctx context.Context, links graph.Links) (map[graph.ID][]graph.Connection, error) {
	byConcept := map[graph.ID][]graph.Connection{}
	isPending := func(id graph.ID) bool { return !id.IsReal() }
	isOfAnyType := links.Types == nil
	links.Of = slices.DeleteFunc(slices.Clone(links.Of), isPending)
	links.Types = slices.DeleteFunc(slices.Clone(links.Types), isPending)
	if len(links.Of) == 0 || !isOfAnyType && len(links.Types) == 0 {
		return byConcept, nil
	}
	found, err := o.storedLinks(ctx, links)
	for _, c := range found {
		id := c.From
		if links.Direction == graph.In {
			id = c.To
		}
		byConcept[id] = append(byConcept[id], c)
	}
	return byConcept, err
}

// storedLinks reads connections from the server and caches complete lists of them. If the server cannot be reached, it reads the lists from
// the cache, and returns the Unavailable error of the request if a list is not cached.
func (o *Outbox) storedLinks(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	found, err := o.Client.Links(ctx, links)
	if err == nil {
		loaded := fragment{connections: found}
		if links.Page == (graph.Page{}) {
			for _, of := range links.Of {
				for _, typ := range links.Types {
					loaded.lists = append(loaded.lists, listKey{of, links.Direction, typ})
				}
			}
		}
		return found, o.file.cache(ctx, loaded)
	}
	if graph.KindOf(err) != graph.Unavailable || ctx.Err() != nil || links.Types == nil || links.Page != (graph.Page{}) {
		return nil, err
	}
	found = nil
	for _, of := range links.Of {
		for _, typ := range links.Types {
			cached, known, cacheErr := o.file.links(ctx, listKey{of, links.Direction, typ})
			switch {
			case cacheErr != nil:
				return nil, cacheErr
			case !known:
				return nil, err
			}
			found = append(found, cached...)
		}
	}
	return found, nil
}

// TypeID implements client.Source. If the server does not have the type, or cannot be reached, TypeID returns an id that is valid
// only in reads of pending connections.
func (o *Outbox) TypeID(ctx context.Context, name string) (id graph.ID, err error) {
	if id, err = o.file.typeID(ctx, name); err != nil || id != 0 {
		return id, err
	}
	id, err = o.Client.TypeID(ctx, name)
	switch {
	case err == nil && id != 0:
		return id, o.file.cache(ctx, fragment{types: map[string]graph.ID{name: id}})
	case err != nil && graph.KindOf(err) != graph.Unavailable:
		return 0, err
	}
	o.withPending(func(g *pendingGraph) { id = g.types.id(name) })
	return id, nil
}
