package auth

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Concepts implements graph.Reader.
func (v *view) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	l, err := v.lens(ctx)
	if err != nil {
		return nil, err
	}
	found, err := v.store.Concepts(ctx, ids)
	return l.readable(found), err
}

// ConceptsByValue implements graph.Reader.
func (v *view) ConceptsByValue(ctx context.Context, keys []graph.ValueKey) ([]graph.Concept, error) {
	l, err := v.lens(ctx)
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

// readable keeps the concepts that the caller may read, in place.
func (l lens) readable(concepts []graph.Concept) []graph.Concept {
	return slices.DeleteFunc(concepts, func(c graph.Concept) bool { return !l.reads(c) })
}

// ConceptsByType implements graph.Reader.
func (v *view) ConceptsByType(ctx context.Context, typ graph.ID, page graph.Page) ([]graph.Concept, error) {
	l, err := v.lens(ctx)
	if err != nil || !l.instances(typ) {
		return []graph.Concept{}, err
	}
	list := paging[graph.Concept]{
		fetch: func(page graph.Page) ([]graph.Concept, error) { return v.store.ConceptsByType(ctx, typ, page) },
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
	return v.visible(ctx, found)
}

// Links implements graph.Reader.
func (v *view) Links(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	if links.Page.Skip > 0 {
		return v.linksOneByOne(ctx, links)
	}
	found, err := v.store.Links(ctx, links)
	if err != nil {
		return nil, err
	}
	before := len(found)
	kept, err := v.visible(ctx, found)
	if err != nil || len(kept) == before || links.Page.Limit == 0 {
		return kept, err
	}
	return v.linksOneByOne(ctx, links)
}

// linksOneByOne fills the page of each concept on its own, for the cases in which something hidden may
// stand in it or before it.
func (v *view) linksOneByOne(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	all, done := []graph.Connection{}, map[graph.ID]bool{}
	for _, of := range links.Of {
		if done[of] {
			continue
		}
		done[of] = true
		list := paging[graph.Connection]{
			fetch: func(page graph.Page) ([]graph.Connection, error) {
				return v.store.Links(ctx, graph.Links{Of: []graph.ID{of}, Direction: links.Direction, Types: links.Types, Page: page})
			},
			keep: func(found []graph.Connection) ([]graph.Connection, error) { return v.visible(ctx, found) },
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

func endOf(c graph.Connection, direction graph.Direction) graph.ID {
	if direction == graph.In {
		return c.To
	}
	return c.From
}

// Ghosts implements graph.Reader. A sender is always the caller.
func (v *view) Ghosts(ctx context.Context, sender graph.Sender, ghosts []graph.ID) (map[graph.ID]graph.ID, error) {
	sender.User = v.caller.User
	reals, err := v.store.Ghosts(ctx, sender, ghosts)
	if err != nil || !v.narrowed() {
		return reals, err
	}
	seen, err := v.Concepts(ctx, slices.Collect(maps.Values(reals)))
	maps.DeleteFunc(reals, func(_, id graph.ID) bool {
		return !slices.ContainsFunc(seen, func(c graph.Concept) bool { return c.ID == id })
	})
	return reals, err
}

// Identity implements graph.Reader.
func (v *view) Identity(ctx context.Context) (string, error) { return v.store.Identity(ctx) }

// LastSeq implements graph.Reader.
func (v *view) LastSeq(ctx context.Context) (graph.Seq, error) { return v.store.LastSeq(ctx) }
