package auth

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Concepts implements graph.Reader.
func (v *view) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	found, err := v.store.Concepts(ctx, ids)
	return v.readable(found), err
}

// ConceptsByValue implements graph.Reader.
func (v *view) ConceptsByValue(ctx context.Context, keys []graph.ValueKey) ([]graph.Concept, error) {
	keys = slices.Clone(keys)
	for i := range keys {
		keys[i].Viewer = v.caller.User
	}
	found, err := v.store.ConceptsByValue(ctx, keys)
	return v.readable(found), err
}

func (v *view) readable(concepts []graph.Concept) []graph.Concept {
	return slices.DeleteFunc(concepts, func(c graph.Concept) bool { return !v.in(circleOf(c)) })
}

// ConceptsByType implements graph.Reader.
func (v *view) ConceptsByType(ctx context.Context, typ graph.ID, page graph.Page) ([]graph.Concept, error) {
	list := paging[graph.Concept]{
		fetch: func(page graph.Page) ([]graph.Concept, error) { return v.store.ConceptsByType(ctx, typ, page) },
		keep:  func(found []graph.Concept) ([]graph.Concept, error) { return v.readable(found), nil },
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
	return v.store.Ghosts(ctx, sender, ghosts)
}

// Identity implements graph.Reader.
func (v *view) Identity(ctx context.Context) (string, error) { return v.store.Identity(ctx) }

// LastSeq implements graph.Reader.
func (v *view) LastSeq(ctx context.Context) (graph.Seq, error) { return v.store.LastSeq(ctx) }

// Changes implements graph.Reader. Ids of what the caller may not read are left out; so a change may be
// empty. An id that names nothing any more is passed on: watchers wait for it, and it tells nothing.
func (v *view) Changes(ctx context.Context, after graph.Seq, limit int) ([]graph.Change, error) {
	changes, err := v.store.Changes(ctx, after, limit)
	if err != nil {
		return nil, err
	}
	for i := range changes {
		if err := v.hide(ctx, &changes[i]); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

func (v *view) hide(ctx context.Context, change *graph.Change) error {
	concepts, err := v.store.Concepts(ctx, slices.Concat(change.Concepts, change.Types))
	if err != nil {
		return err
	}
	connections, err := v.store.Connections(ctx, change.Connections)
	if err != nil {
		return err
	}
	hidden := map[graph.ID]bool{}
	for _, c := range concepts {
		hidden[c.ID] = !v.in(circleOf(c))
	}
	for _, c := range connections {
		hidden[c.ID] = !v.in(graph.ScopeOf(c.Owner, c.Access)) || hidden[c.From] || hidden[c.To]
	}
	for _, ids := range []*[]graph.ID{&change.Concepts, &change.Connections, &change.Types} {
		*ids = slices.DeleteFunc(slices.Clone(*ids), func(id graph.ID) bool { return hidden[id] })
	}
	return nil
}
