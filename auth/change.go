package auth

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Changes implements graph.Reader. A change is told without what it touched in scopes that the caller may
// not read, and without the ids of what is hidden for another reason; so it may be empty.
//
// An id that names nothing any more is passed on to those who could read in its scope: watchers wait for it.
func (v *view) Changes(ctx context.Context, after graph.Seq, limit int) ([]graph.Change, error) {
	changes, err := v.store.Changes(ctx, after, limit)
	if err != nil {
		return nil, err
	}
	return v.Told(ctx, changes)
}

// Told is what Changes would tell of changes that somebody has read. It writes into the list.
func (v *view) Told(ctx context.Context, changes []graph.Change) ([]graph.Change, error) {
	for i, c := range changes {
		var err error
		if changes[i], err = v.told(ctx, c); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

func (v *view) told(ctx context.Context, c graph.Change) (graph.Change, error) {
	parts := slices.DeleteFunc(slices.Clone(c.Parts), func(p graph.Part) bool { return !v.in(p.Scope) })
	c.Wide = c.Wide && len(parts) > 0
	c = c.Of(parts)
	c.Parts = nil
	if len(parts) == 0 {
		return c, nil
	}
	l, err := v.lens(ctx)
	if err != nil {
		return c, err
	}
	return l.hide(ctx, c)
}

// hide takes out what is there and may not be read. A key for some types hears of what is gone only when
// something of its types was touched.
func (l lens) hide(ctx context.Context, c graph.Change) (graph.Change, error) {
	concepts, err := l.store.Concepts(ctx, slices.Concat(c.Concepts, c.Types))
	if err != nil {
		return c, err
	}
	connections, err := l.store.Connections(ctx, c.Connections)
	if err != nil {
		return c, err
	}
	seen, kinds := map[graph.ID]bool{}, map[graph.ID]bool{}
	for _, concept := range concepts {
		if seen[concept.ID] = l.reads(concept); seen[concept.ID] {
			kinds[concept.Type] = true
		}
	}
	for _, connection := range connections {
		seen[connection.ID] = false
	}
	visible, err := l.visible(ctx, connections)
	for _, connection := range visible {
		seen[connection.ID] = true
		kinds[connection.Type] = true
	}
	gone := slices.ContainsFunc(c.Types, l.instances)
	told := func(id graph.ID) bool {
		yes, there := seen[id]
		return yes || !there && gone
	}
	c.Wide = c.Wide && gone
	c.Concepts = kept(c.Concepts, told)
	c.Connections = kept(c.Connections, told)
	c.Types = kept(c.Types, func(id graph.ID) bool { return told(id) && (l.instances(id) || kinds[id]) })
	return c, err
}

func kept(ids []graph.ID, keep func(graph.ID) bool) []graph.ID {
	return slices.DeleteFunc(slices.Clone(ids), func(id graph.ID) bool { return !keep(id) })
}
