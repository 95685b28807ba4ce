package memory

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Select implements graph.Selector in the obvious way: every set is found whole, but for what only narrows another.
func (s *Store) Select(ctx context.Context, selection graph.Selection) ([]graph.ID, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := eyes{s, ctx, selection.Viewer}.members(selection.Set)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	page := selection.Page
	if selection.Unordered {
		page = graph.Page{Limit: page.Limit}
	}
	return cut(slices.Sorted(maps.Keys(found)), page), nil
}

// Sizes implements graph.Sizer.
func (s *Store) Sizes(ctx context.Context, types []graph.ID) ([]graph.Size, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	sizes := make([]graph.Size, len(types))
	for i, typ := range types {
		sizes[i] = graph.Size{Instances: len(s.instances[typ]), Links: len(s.typed[typ])}
	}
	return sizes, ctx.Err()
}

// Eyes are those of a viewer, who soon looks away once the context ends.
type eyes struct {
	*Store
	ctx    context.Context
	viewer graph.ID
}

func (e eyes) in(scope graph.ID) bool { return e.viewer == 0 || scope == 0 || scope == e.viewer }

func (e eyes) see(id graph.ID) bool {
	c, there := e.concepts[id]
	return there && (c.IsType() || e.in(c.Scope()))
}

func (e eyes) follow(c graph.Connection) bool {
	return e.in(graph.ScopeOf(c.Owner, c.Access)) && e.see(c.From) && e.see(c.To)
}

type set map[graph.ID]bool

func (e eyes) members(of graph.Set) set {
	found := set{}
	if e.ctx.Err() != nil {
		return found
	}
	switch of := of.(type) {
	case nil:
		return e.members(graph.Instances{})
	case graph.These:
		for _, id := range of {
			if e.see(id) {
				found[id] = true
			}
		}
	case graph.Instances:
		e.instancesOf(of, found)
	case graph.Linked:
		e.linked(of, found)
	case graph.Holders:
		e.holders(of, found)
	case graph.Either:
		for _, one := range of {
			maps.Copy(found, e.members(one))
		}
	case graph.Both:
		found = e.members(of[0])
		others := e.testEach(of[1:], false)
		maps.DeleteFunc(found, func(id graph.ID, _ bool) bool { return !others(id) })
	}
	return found
}

func (e eyes) instancesOf(i graph.Instances, found set) {
	among := slices.Values(e.instances[i.Type])
	if i.Type == 0 {
		among = maps.Keys(e.concepts)
	}
	for id := range among {
		if e.see(id) && (i.Where == nil || i.Where.Holds(e.concepts[id])) {
			found[id] = true
		}
	}
}

// linked walks back from the far end.
func (e eyes) linked(l graph.Linked, found set) {
	index, nearOf := e.Store.in, func(c graph.Connection) graph.ID { return c.From }
	if l.Direction == graph.In {
		index, nearOf = e.out, func(c graph.Connection) graph.ID { return c.To }
	}
	types, far := set{}, e.members(l.Far)
	for _, typ := range l.Types {
		types[typ] = true
	}
	for range max(l.Depth, 1) {
		next := set{}
		for id := range far {
			for _, link := range index[end{id, 0}] {
				c := e.connections[link]
				if near := nearOf(c); types[c.Type] && !found[near] && e.follow(c) {
					found[near], next[near] = true, true
				}
			}
		}
		far = next
	}
}

func (e eyes) holders(h graph.Holders, found set) {
	for id := range e.members(h.Of) {
		for _, link := range e.Store.in[end{id, 0}] {
			c := e.connections[link]
			if e.concepts[c.Type].Composition && e.see(c.Type) && e.follow(c) {
				found[c.Type] = true
			}
		}
	}
}
