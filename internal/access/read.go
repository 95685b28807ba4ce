package access

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Concepts implements graph.Reader.
func (v *view) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	l, err := v.visibility(ctx)
	if err != nil {
		return nil, err
	}
	found, err := v.store.Concepts(ctx, ids)
	return l.readable(found), err
}

// ConceptsByValue implements graph.Reader.
func (v *view) ConceptsByValue(ctx context.Context, keys []graph.ValueKey) ([]graph.Concept, error) {
	l, err := v.visibility(ctx)
	if err != nil {
		return nil, err
	}
	if !v.caller.Admin {
		keys = slices.Clone(keys)
		for i := range keys {
			keys[i].Viewer = v.caller.User
		}
	}
	found, err := v.store.ConceptsByValue(ctx, keys)
	return l.readable(found), err
}

// HasValue implements graph.ValueChecker. It is the only method that reveals something about records that the caller
// may not read: that the value exists. Callers of HasValue limit how often a user may ask; see docs/decisions/0031.
func (v *view) HasValue(ctx context.Context, typ graph.ID, value string) (bool, error) {
	l, err := v.visibility(ctx)
	if err != nil || !l.includesType(typ) {
		return false, err
	}
	if checker, ok := graph.As[graph.ValueChecker](v.store); ok {
		return checker.HasValue(ctx, typ, value)
	}
	found, err := v.store.ConceptsByValue(ctx, []graph.ValueKey{{Value: value, Type: typ, Category: graph.CategoryInstance}})
	return len(found) > 0, err
}

// readable removes the concepts that the caller may not read, in place.
func (l visibility) readable(concepts []graph.Concept) []graph.Concept {
	return slices.DeleteFunc(concepts, func(c graph.Concept) bool { return !l.canRead(c) })
}

// ConceptsByType implements graph.Reader.
func (v *view) ConceptsByType(ctx context.Context, typ graph.ID, page graph.Page) ([]graph.Concept, error) {
	l, err := v.visibility(ctx)
	if err != nil || !l.includesType(typ) {
		return []graph.Concept{}, err
	}
	list := paging[graph.Concept]{
		fetch: func(page graph.Page) ([]graph.Concept, error) { return v.storeInstances(ctx, typ, page) },
		keep:  func(found []graph.Concept) ([]graph.Concept, error) { return l.readable(found), nil },
		id:    func(c graph.Concept) graph.ID { return c.ID },
	}
	return list.page(page)
}

// Connections implements graph.Reader.
func (v *view) Connections(ctx context.Context, ids []graph.ID) ([]graph.Connection, error) {
	found, err := v.store.Connections(ctx, ids)
	if err != nil {
		return nil, err
	}
	return v.readableLinks(ctx, found)
}

// Links implements graph.Reader.
func (v *view) Links(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	if links.Page.Skip > 0 {
		return v.linksOneByOne(ctx, links)
	}
	found, err := v.storeLinks(ctx, links)
	if err != nil {
		return nil, err
	}
	before := len(found)
	readable, err := v.readableLinks(ctx, found)
	if err != nil || len(readable) == before || links.Page.Limit == 0 {
		return readable, err
	}
	return v.linksOneByOne(ctx, links)
}

// PairLinks implements graph.PairReader. The viewer is always the caller.
func (v *view) PairLinks(ctx context.Context, p graph.LinkPairs) ([]graph.Connection, error) {
	p.Viewer = v.viewer()
	found, err := v.sets.PairLinks(ctx, p)
	if err != nil {
		return nil, err
	}
	return v.readableLinks(ctx, found)
}

// linksOneByOne fills the page of each concept separately. It is needed when a hidden connection is on the page, or may
// precede the page.
func (v *view) linksOneByOne(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	all, done := []graph.Connection{}, map[graph.ID]bool{}
	for _, of := range links.Of {
		if done[of] {
			continue
		}
		done[of] = true
		list := paging[graph.Connection]{
			fetch: func(page graph.Page) ([]graph.Connection, error) {
				return v.storeLinks(ctx, graph.Links{Of: []graph.ID{of}, Direction: links.Direction, Types: links.Types, Page: page})
			},
			keep: func(found []graph.Connection) ([]graph.Connection, error) { return v.readableLinks(ctx, found) },
			id:   func(c graph.Connection) graph.ID { return c.ID },
		}
		found, err := list.page(links.Page)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func endpoint(c graph.Connection, direction graph.Direction) graph.ID {
	if direction == graph.In {
		return c.To
	}
	return c.From
}

// ResolveIDs implements graph.Reader. The sender is always the caller.
func (v *view) ResolveIDs(ctx context.Context, sender graph.Sender, localIDs []graph.ID) (map[graph.ID]graph.ID, error) {
	sender.User = v.caller.User
	reals, err := v.store.ResolveIDs(ctx, sender, localIDs)
	if err != nil || !v.isLimitedToTypes() {
		return reals, err
	}
	readable, err := v.Concepts(ctx, slices.Collect(maps.Values(reals)))
	keepOnly(reals, readable, func(c graph.Concept) graph.ID { return c.ID })
	return reals, err
}

// ResolveConnections implements graph.Reader. The sender is always the caller.
func (v *view) ResolveConnections(ctx context.Context, sender graph.Sender, localIDs []graph.ID) (map[graph.ID]graph.ID, error) {
	sender.User = v.caller.User
	reals, err := v.store.ResolveConnections(ctx, sender, localIDs)
	if err != nil || !v.isLimitedToTypes() {
		return reals, err
	}
	return reals, v.dropHiddenConnections(ctx, reals)
}

// dropHiddenConnections removes the connections that the caller may not read from a map of real ids by local id.
func (v *view) dropHiddenConnections(ctx context.Context, reals map[graph.ID]graph.ID) error {
	readable, err := v.Connections(ctx, slices.Collect(maps.Values(reals)))
	keepOnly(reals, readable, func(c graph.Connection) graph.ID { return c.ID })
	return err
}

// keepOnly removes the ids of reals that no record of found has.
func keepOnly[T any](reals map[graph.ID]graph.ID, found []T, idOf func(T) graph.ID) {
	kept := make(map[graph.ID]bool, len(found))
	for _, record := range found {
		kept[idOf(record)] = true
	}
	maps.DeleteFunc(reals, func(_, id graph.ID) bool { return !kept[id] })
}

// Identity implements graph.Reader.
func (v *view) Identity(ctx context.Context) (string, error) { return v.store.Identity(ctx) }

// LastSeq implements graph.Reader.
func (v *view) LastSeq(ctx context.Context) (graph.Seq, error) { return v.store.LastSeq(ctx) }
