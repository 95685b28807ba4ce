package memory

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Select implements graph.Selector. It finds every set completely, except that it tests the later sets of an
// intersection on the members of the first set.
func (s *Store) Select(ctx context.Context, selection graph.Selection) ([]graph.ID, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := view{s, ctx, selection.Viewer}.members(selection.Set)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	page := selection.Page
	if selection.Unordered {
		page = graph.Page{Limit: page.Limit}
	}
	return pageOf(slices.Sorted(maps.Keys(found)), page), nil
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

// UsedTypes implements graph.TypeLister.
func (s *Store) UsedTypes(ctx context.Context, limit int) ([]graph.ID, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	types := []graph.ID{}
	for typ, instances := range s.instances {
		if len(instances) > 0 {
			types = append(types, typ)
		}
	}
	slices.Sort(types)
	return types[:min(limit, len(types))], ctx.Err()
}

// A view reads the store as one viewer sees it. It stops early when ctx ends.
type view struct {
	*Store
	ctx    context.Context
	viewer graph.ID
}

func (v view) inScope(scope graph.ID) bool { return v.viewer == 0 || scope == 0 || scope == v.viewer }

func (v view) sees(id graph.ID) bool {
	c, exists := v.concepts[id]
	return exists && (c.IsType() || v.inScope(c.Scope()))
}

func (v view) seesLink(c graph.Connection) bool {
	return v.inScope(graph.ScopeOf(c.Owner, c.Access)) && v.sees(c.From) && v.sees(c.To)
}

type set map[graph.ID]bool

func (v view) members(of graph.Set) set {
	found := set{}
	if v.ctx.Err() != nil {
		return found
	}
	switch of := of.(type) {
	case nil:
		return v.members(graph.Instances{})
	case graph.IDs:
		for _, id := range of {
			if v.sees(id) {
				found[id] = true
			}
		}
	case graph.Instances:
		v.instancesOf(of, found)
	case graph.Linked:
		v.linked(of, found)
	case graph.Holders:
		v.holders(of, found)
	case graph.Union:
		for _, member := range of {
			maps.Copy(found, v.members(member))
		}
	case graph.Intersection:
		found = v.members(of[0])
		others := v.testEach(of[1:], false)
		maps.DeleteFunc(found, func(id graph.ID, _ bool) bool { return !others(id) })
	}
	return found
}

func (v view) instancesOf(i graph.Instances, found set) {
	all := v.instances[i.Type]
	if i.Type == 0 && v.viewer == 0 {
		all = slices.Collect(maps.Keys(v.concepts))
	}
	for id := range v.each(all, v.scoped.instances, end{0, i.Type}) {
		if v.sees(id) && (i.Where == nil || i.Where.Holds(v.concepts[id])) {
			found[id] = true
		}
	}
}

// linked walks from the far concepts to the near concepts.
func (v view) linked(l graph.Linked, found set) {
	index, visible, nearOf := v.in, v.scoped.in, func(c graph.Connection) graph.ID { return c.From }
	if l.Direction == graph.In {
		index, visible, nearOf = v.out, v.scoped.out, func(c graph.Connection) graph.ID { return c.To }
	}
	types := distinct(l.Types)
	wanted := make(set, len(types))
	for _, typ := range types {
		wanted[typ] = true
	}
	far := v.members(l.Far)
	for range max(l.Depth, 1) {
		next := set{}
		for id := range far {
			keys := types
			if len(index[end{id, 0}]) < len(types) {
				keys = ids{0} // all connections of the concept, which has few
			}
			for _, key := range keys {
				at := end{id, key}
				for link := range v.each(index[at], visible, at) {
					c := v.connections[link]
					if near := nearOf(c); wanted[c.Type] && (key == 0 || c.Type == key) && !found[near] && v.seesLink(c) {
						found[near], next[near] = true, true
					}
				}
			}
		}
		far = next
	}
}

func (v view) holders(h graph.Holders, found set) {
	for id := range v.members(h.Of) {
		at := end{id, 0}
		for link := range v.each(v.in[at], v.scoped.in, at) {
			c := v.connections[link]
			if v.concepts[c.Type].Composition && (!h.Direct || c.From == c.Type) && v.sees(c.Type) && v.seesLink(c) {
				found[c.Type] = true
			}
		}
	}
}
