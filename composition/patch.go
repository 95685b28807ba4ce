package composition

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// Patch appends to a batch what it takes to replace fields of a composition, or of the record of inside
// it (0 means the main concept). Only the fields named change; a nested record or list replaces the whole
// of what stood there, and connections that can no longer be reached from the main concept go with it.
// A field that already has that text is left alone.
//
// Errors: NotFound when of is not a record of the composition, Invalid as from Build, TooLarge as from
// Read. The batch is then as it was.
func Patch(ctx context.Context, r graph.Reader, b *graph.Batch, main, of graph.ID, changes Value, ghosts *Ghosts) error {
	if changes.Kind != Record {
		return graph.Errorf(graph.Invalid, "a patch is a record of fields, not %s", clip(changes.String()))
	}
	if of == 0 {
		of = main
	}
	l, err := load(ctx, r, []graph.ID{main})
	if err != nil {
		return err
	}
	depth, before := l.reach(main, nil)
	if record, exists := l.concepts[of]; depth[of] == 0 || !exists || record.Value != "" {
		return graph.Errorf(graph.NotFound, "concept %d is not a record of composition %d", of, main)
	}
	gone := map[graph.ID]bool{}
	todo := RecordValue()
	for _, m := range changes.Members {
		old := l.at(Place{of, main}, graph.WithoutPrefix(m.Key))
		if len(old) == 1 && l.holds(old[0].To, m.Value) {
			continue
		}
		for _, c := range old {
			gone[c.ID] = true
		}
		todo.Members = append(todo.Members, m)
	}
	draft := graph.Batch{}
	build := builder{
		batch: &draft, ghosts: ghosts, main: main, leaves: map[leafKey]graph.ID{}, path: []string{l.keys[l.concepts[of].Type]},
	}
	if err := build.fields(of, todo, depth[of]); err != nil {
		return err
	}
	_, after := l.reach(main, gone)
	b.Concepts = append(b.Concepts, draft.Concepts...)
	b.Connections = append(b.Connections, draft.Connections...)
	kept := make(map[graph.ID]bool, len(after))
	for _, id := range after {
		kept[id] = true
	}
	for _, id := range before {
		if !kept[id] {
			b.RemoveConnections = append(b.RemoveConnections, id)
		}
	}
	return nil
}

// reach lists the connections of a composition that can be reached without those gone, level by level,
// and the depth of every record in it.
func (l *loaded) reach(main graph.ID, gone map[graph.ID]bool) (depth map[graph.ID]int, links []graph.ID) {
	depth = map[graph.ID]int{main: 1}
	queue := []graph.ID{main}
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		for _, c := range l.links[Place{id, main}] {
			if gone[c.ID] {
				continue
			}
			links = append(links, c.ID)
			if depth[c.To] == 0 {
				depth[c.To] = depth[id] + 1
				queue = append(queue, c.To)
			}
		}
	}
	return depth, links
}

// at lists the connections to the values of a key.
func (l *loaded) at(p Place, key string) []graph.Connection {
	var found []graph.Connection
	for _, c := range l.links[p] {
		child, exists := l.concepts[c.To]
		if name, typed := l.keys[child.Type]; exists && typed && graph.WithoutPrefix(name) == key {
			found = append(found, c)
		}
	}
	return found
}

// holds says whether a concept is a value with the text of a scalar.
func (l *loaded) holds(id graph.ID, v Value) bool {
	c := l.concepts[id]
	return !v.Nested() && !c.Composition && c.Value == v.text()
}
