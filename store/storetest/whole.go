package storetest

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// A whole is all that is in a store, or all that somebody sees of it, to be looked at one by one. It is how sets
// are understood.
type whole struct {
	concepts    map[graph.ID]graph.Concept
	connections []graph.Connection
}

// wholeOf reads a store that has forgotten no change.
func wholeOf(ctx context.Context, r graph.Reader) (w whole, err error) {
	changes, err := r.Changes(ctx, 0, 0)
	if err != nil {
		return w, err
	}
	concepts, connections := idsOf(graph.Fixed()), []graph.ID{}
	for _, c := range changes {
		concepts = append(concepts, c.Concepts...)
		connections = append(connections, c.Connections...)
	}
	found, err := r.Concepts(ctx, concepts)
	if err != nil {
		return w, err
	}
	w.concepts = map[graph.ID]graph.Concept{}
	for _, c := range found {
		w.concepts[c.ID] = c
	}
	w.connections, err = r.Connections(ctx, connections)
	return w, err
}

// seenBy is what is left for a viewer, as graph.Selection says.
func (w whole) seenBy(viewer graph.ID) whole {
	if viewer == 0 {
		return w
	}
	in := func(scope graph.ID) bool { return scope == 0 || scope == viewer }
	seen := whole{concepts: map[graph.ID]graph.Concept{}}
	for id, c := range w.concepts {
		if c.IsType() || in(c.Scope()) {
			seen.concepts[id] = c
		}
	}
	for _, c := range w.connections {
		_, from := seen.concepts[c.From]
		_, to := seen.concepts[c.To]
		if in(graph.ScopeOf(c.Owner, c.Access)) && from && to {
			seen.connections = append(seen.connections, c)
		}
	}
	return seen
}

// selected is what a selection must find.
func (w whole) selected(s graph.Selection) []graph.ID {
	w = w.seenBy(s.Viewer)
	return cut(slices.Sorted(maps.Keys(w.members(s.Set))), s.Page)
}

func (w whole) members(of graph.Set) map[graph.ID]bool {
	found, in := map[graph.ID]bool{}, w.in(of)
	for id, c := range w.concepts {
		if in(c) {
			found[id] = true
		}
	}
	return found
}

// in tells whether a concept is in a set.
func (w whole) in(of graph.Set) func(graph.Concept) bool {
	switch of := of.(type) {
	case graph.These:
		return func(c graph.Concept) bool { return slices.Contains(of, c.ID) }
	case graph.Instances:
		return func(c graph.Concept) bool {
			typed := of.Type == 0 || c.Type == of.Type && c.Category == graph.CategoryInstance
			return typed && (of.Where == nil || of.Where.Holds(c))
		}
	case graph.Linked:
		near := w.near(of)
		return func(c graph.Concept) bool { return near[c.ID] }
	case graph.Holders:
		inside := w.members(of.Of)
		return func(c graph.Concept) bool {
			return c.Composition && slices.ContainsFunc(w.connections, func(link graph.Connection) bool {
				return link.Type == c.ID && inside[link.To]
			})
		}
	case graph.Both:
		first, rest := w.in(of[0]), func(graph.Concept) bool { return true }
		if len(of) > 1 {
			rest = w.in(of[1:])
		}
		return func(c graph.Concept) bool { return first(c) && rest(c) }
	case graph.Either:
		first, rest := w.in(of[0]), func(graph.Concept) bool { return false }
		if len(of) > 1 {
			rest = w.in(of[1:])
		}
		return func(c graph.Concept) bool { return first(c) || rest(c) }
	case graph.Except:
		in := w.in(of.Of)
		return func(c graph.Concept) bool { return !in(c) }
	default:
		return func(graph.Concept) bool { return true }
	}
}

// near are the concepts from which so many connections or fewer lead to the far end.
func (w whole) near(l graph.Linked) map[graph.ID]bool {
	near, far := map[graph.ID]bool{}, w.members(l.Far)
	for range max(1, l.Depth) {
		next := map[graph.ID]bool{}
		for _, c := range w.connections {
			from, to := c.From, c.To
			if l.Direction == graph.In {
				from, to = to, from
			}
			if slices.Contains(l.Types, c.Type) && far[to] {
				near[from], next[from] = true, true
			}
		}
		far = next
	}
	return near
}

// sizes are how large types are.
func (w whole) sizes(types []graph.ID) []graph.Size {
	sizes := make([]graph.Size, len(types))
	for i, typ := range types {
		for _, c := range w.concepts {
			if c.Type == typ && c.Category == graph.CategoryInstance {
				sizes[i].Instances++
			}
		}
		for _, c := range w.connections {
			if c.Type == typ {
				sizes[i].Links++
			}
		}
	}
	return sizes
}

// types are the ids of the types, in order.
func (w whole) types() []graph.ID {
	var ids []graph.ID
	for id, c := range w.concepts {
		if c.IsType() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
