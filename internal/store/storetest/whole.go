package storetest

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// A Whole is the content of a store, or the part of it that a viewer sees. Its Select searches through every record. Tests
// compare the selections of stores with it.
type Whole struct {
	Concepts    map[graph.ID]graph.Concept
	Connections []graph.Connection
}

// Select returns the ids that a selection must find. It ignores the viewer of the selection.
func (w Whole) Select(s graph.Selection) []graph.ID {
	return pageOf(slices.Sorted(maps.Keys(w.members(s.Set))), s.Page)
}

func (w Whole) members(of graph.Set) map[graph.ID]bool {
	found, in := map[graph.ID]bool{}, w.in(of)
	for id, c := range w.Concepts {
		if in(c) {
			found[id] = true
		}
	}
	return found
}

// in returns a function that reports whether a concept is in a set.
func (w Whole) in(of graph.Set) func(graph.Concept) bool {
	switch of := of.(type) {
	case graph.IDs:
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
			return c.Composition && slices.ContainsFunc(w.Connections, func(link graph.Connection) bool {
				return link.Type == c.ID && inside[link.To] && (!of.Direct || link.From == c.ID)
			})
		}
	case graph.Intersection:
		first, rest := w.in(of[0]), func(graph.Concept) bool { return true }
		if len(of) > 1 {
			rest = w.in(of[1:])
		}
		return func(c graph.Concept) bool { return first(c) && rest(c) }
	case graph.Union:
		first, rest := w.in(of[0]), func(graph.Concept) bool { return false }
		if len(of) > 1 {
			rest = w.in(of[1:])
		}
		return func(c graph.Concept) bool { return first(c) || rest(c) }
	case graph.Complement:
		in := w.in(of.Of)
		return func(c graph.Concept) bool { return !in(c) }
	default:
		return func(graph.Concept) bool { return true }
	}
}

// near returns the concepts from which at most Depth connections lead to the far set.
func (w Whole) near(l graph.Linked) map[graph.ID]bool {
	near, far := map[graph.ID]bool{}, w.members(l.Far)
	for range max(1, l.Depth) {
		next := map[graph.ID]bool{}
		for _, c := range w.Connections {
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

// wholeOf reads the content of a store whose changes are all kept.
func wholeOf(ctx context.Context, r graph.Reader) (w Whole, err error) {
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
	w.Concepts = map[graph.ID]graph.Concept{}
	for _, c := range found {
		w.Concepts[c.ID] = c
	}
	w.Connections, err = r.Connections(ctx, connections)
	return w, err
}

// visibleTo returns the part that a viewer sees, see graph.Selection.
func (w Whole) visibleTo(viewer graph.ID) Whole {
	if viewer == 0 {
		return w
	}
	in := func(scope graph.ID) bool { return scope == 0 || scope == viewer }
	visible := Whole{Concepts: map[graph.ID]graph.Concept{}}
	for id, c := range w.Concepts {
		if c.IsType() || in(c.Scope()) {
			visible.Concepts[id] = c
		}
	}
	for _, c := range w.Connections {
		_, from := visible.Concepts[c.From]
		_, to := visible.Concepts[c.To]
		if in(graph.ScopeOf(c.Owner, c.Access)) && from && to {
			visible.Connections = append(visible.Connections, c)
		}
	}
	return visible
}

// Sizes returns the sizes of types.
func (w Whole) Sizes(types []graph.ID) []graph.Size {
	sizes := make([]graph.Size, len(types))
	for i, typ := range types {
		for _, c := range w.Concepts {
			if c.Type == typ && c.Category == graph.CategoryInstance {
				sizes[i].Instances++
			}
		}
		for _, c := range w.Connections {
			if c.Type == typ {
				sizes[i].Links++
			}
		}
	}
	return sizes
}

// types returns the ids of all types, in order.
func (w Whole) types() []graph.ID {
	var ids []graph.ID
	for id, c := range w.Concepts {
		if c.IsType() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
