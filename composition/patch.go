package composition

import (
	"cmp"
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// A Patch replaces and removes fields of a composition. All other fields stay unchanged.
type Patch struct {
	Main   graph.ID // the main concept of the composition
	Record graph.ID // the record inside it whose fields change; 0 means the main concept
	Fields Value    // a Record; a nested record or list replaces the old value completely
	// Removed lists the names of fields to remove. A name that Fields also contains is replaced, not removed.
	Removed []string
	// Access is the access of the new values. If it is zero, a value that replaces another gets the more restricted of
	// two levels: the level of the old value (for a nested record, the most restricted level inside it) and the level
	// of the record. The value of a new field then gets the access of the record.
	Access graph.Access
}

// AppendTo appends the drafts and removals of the patch to a batch. It removes every connection that can no
// longer be reached from the main concept, and skips fields that already have the given text and access.
//
// Errors: NotFound if Record is not a record of the composition, Invalid as from Build, TooLarge as from Read.
// The batch is unchanged after an error.
func (p Patch) AppendTo(ctx context.Context, b *graph.Batch, r graph.Reader, localIDs *LocalIDs) error {
	if p.Fields.Kind != Record {
		return graph.Errorf(graph.Invalid, "a patch is a record of fields, not %s", clip(p.Fields.String()))
	}
	if p.Record == 0 {
		p.Record = p.Main
	}
	l, err := load(ctx, r, []graph.ID{p.Main})
	if err != nil {
		return err
	}
	depth, before := l.reachable(p.Main, nil)
	record, exists := l.concepts[p.Record]
	if depth[p.Record] == 0 || !exists || record.Value != "" {
		return graph.Errorf(graph.NotFound, "concept %d is not a record of composition %d", p.Record, p.Main)
	}
	changed, replaced := p.changedFields(l)
	drafts := graph.Batch{}
	for _, group := range changed {
		build := builder{
			batch: &drafts, localIDs: localIDs, main: p.Main, access: group.access,
			leaves: map[leafKey]graph.ID{}, path: []string{l.keys[record.Type]},
		}
		if err := build.addFields(p.Record, group.fields, depth[p.Record]); err != nil {
			return err
		}
	}
	b.Concepts = append(b.Concepts, drafts.Concepts...)
	b.Connections = append(b.Connections, drafts.Connections...)
	_, after := l.reachable(p.Main, replaced)
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

// fieldsOfAccess holds new values that have the same access.
type fieldsOfAccess struct {
	access graph.Access
	fields Value
}

// changedFields returns the fields whose values or access differ from the stored ones, grouped by their access,
// and the connections to the values that they replace.
func (p Patch) changedFields(l *loaded) (changed []fieldsOfAccess, replaced map[graph.ID]bool) {
	replaced = map[graph.ID]bool{}
	for _, name := range p.Removed {
		for _, c := range l.linksOfKey(Node{p.Record, p.Main}, graph.WithoutPrefix(name)) {
			replaced[c.ID] = true
		}
	}
	ofRecord := min(l.access(p.Main), l.access(p.Record))
	for _, m := range p.Fields.Members {
		old := l.linksOfKey(Node{p.Record, p.Main}, graph.WithoutPrefix(m.Key))
		before := l.accessOfLinks(p.Main, old)
		if len(old) == 1 && l.hasText(old[0].To, m.Value) && cmp.Or(p.Access, before) == before {
			delete(replaced, old[0].ID)
			continue
		}
		for _, c := range old {
			replaced[c.ID] = true
		}
		access := cmp.Or(p.Access, min(ofRecord, before))
		group := slices.IndexFunc(changed, func(g fieldsOfAccess) bool { return g.access == access })
		if group < 0 {
			group = len(changed)
			changed = append(changed, fieldsOfAccess{access, RecordValue()})
		}
		fields := &changed[group].fields
		fields.Members = append(fields.Members, m)
	}
	return changed, replaced
}

// accessOfLinks returns the most restricted access of connections inside a composition and of all concepts and
// connections below them.
func (l *loaded) accessOfLinks(main graph.ID, links []graph.Connection) graph.Access {
	access := graph.Public
	seen := map[graph.ID]bool{}
	for queue := slices.Clone(links); len(queue) > 0; queue = queue[1:] {
		c := queue[0]
		access = min(access, effectiveAccess(c.Owner, c.Access), l.access(c.To))
		if !seen[c.To] {
			seen[c.To] = true
			queue = append(queue, l.links[Node{c.To, main}]...)
		}
	}
	return access
}

// access returns the access of a concept, and Public if the concept is not loaded.
func (l *loaded) access(id graph.ID) graph.Access {
	c, exists := l.concepts[id]
	if !exists {
		return graph.Public
	}
	return effectiveAccess(c.Owner, c.Access)
}

// effectiveAccess returns the access of a record. Records of Anonymous are public.
func effectiveAccess(owner graph.ID, access graph.Access) graph.Access {
	if owner == graph.Anonymous {
		return graph.Public
	}
	return access
}

// reachable returns the connections that can be reached from the main concept of a composition without following
// the connections in removed, level by level, and the depth of every record that was reached.
func (l *loaded) reachable(main graph.ID, removed map[graph.ID]bool) (depth map[graph.ID]int, links []graph.ID) {
	depth = map[graph.ID]int{main: 1}
	queue := []graph.ID{main}
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		for _, c := range l.links[Node{id, main}] {
			if removed[c.ID] {
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

// linksOfKey returns the connections from a node to the values of a key.
func (l *loaded) linksOfKey(parent Node, key string) []graph.Connection {
	var found []graph.Connection
	for _, c := range l.links[parent] {
		child, exists := l.concepts[c.To]
		if name, typed := l.keys[child.Type]; exists && typed && graph.WithoutPrefix(name) == key {
			found = append(found, c)
		}
	}
	return found
}

// hasText reports whether a concept is a value with the text of a scalar.
func (l *loaded) hasText(id graph.ID, v Value) bool {
	c := l.concepts[id]
	return !v.IsNested() && !c.Composition && c.Value == v.text()
}
