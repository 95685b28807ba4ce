package server

import (
	"cmp"
	"slices"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
)

// maxKeyLinks is the maximum number of connections to a value that an upsert follows to find a record.
const maxKeyLinks = 1_000

// keyDraft returns the draft of the value by which an upsert finds its record, and reports whether there is one.
func (r *rules) keyDraft(main graph.ID, by string) (graph.ConceptDraft, bool) {
	for _, c := range r.batch.Connections {
		if d := r.draft(c.To); c.From == main && c.Type == main && d != nil && d.Kind == graph.DraftValue && d.TypeName == by {
			return *d, true
		}
	}
	return graph.ConceptDraft{}, false
}

// upsert makes the draft of a record become an existing record with the same value. It removes the fields of the
// existing record that the draft also has.
func (r *rules) upsert(main graph.ID, by string) error {
	d := r.draft(main)
	if d == nil || d.Kind != graph.DraftComposition {
		return graph.Errorf(graph.Invalid, "the upsert of concept %d, which is not a record of the request", main)
	}
	key, ok := r.keyDraft(main, by)
	if !ok || !graph.IsShared(key.Value) {
		return graph.Errorf(graph.Invalid, "an upsert by %s needs a value of this field with at most 255 characters", graph.Clip(graph.WithoutPrefix(by)))
	}
	if r.known[main] != 0 {
		return nil
	}
	r.guard.Concepts = append(r.guard.Concepts, key.LocalID)
	existing, err := r.findRecord(d.TypeName, key)
	if err != nil || existing == 0 {
		return err
	}
	d.Becomes = existing
	r.guard.Concepts = append(r.guard.Concepts, existing)
	return r.replaceFields(main, existing)
}

// findRecord returns the oldest record of a type that the caller may change and in which the current value of the
// key's field is the key, or 0 if there is none.
func (r *rules) findRecord(typeName string, key graph.ConceptDraft) (graph.ID, error) {
	types, err := graph.TypesNamed(r.Context(), r.graph, typeName, key.TypeName)
	if err != nil || types[typeName].ID == 0 || types[key.TypeName].ID == 0 {
		return 0, err
	}
	values, err := r.graph.ConceptsByValue(r.Context(), []graph.ValueKey{{
		Value: key.Value, Type: types[key.TypeName].ID, Category: graph.CategoryInstance, Viewer: r.caller.User,
	}})
	if err != nil || len(values) == 0 {
		return 0, err
	}
	var ids []graph.ID
	for _, c := range values {
		ids = append(ids, c.ID)
	}
	links, err := r.graph.Links(r.Context(), graph.Links{Of: ids, Direction: graph.In, Page: graph.Page{Limit: maxKeyLinks + 1}})
	if err != nil {
		return 0, err
	}
	if len(links) > maxKeyLinks {
		return 0, graph.Errorf(graph.Invalid, "more than %d records have this value of %s: it cannot identify one", maxKeyLinks, graph.Clip(key.TypeName))
	}
	var mains []graph.ID
	for _, c := range links {
		if c.From == c.Type {
			mains = append(mains, c.From)
		}
	}
	found, err := r.graph.Concepts(r.Context(), mains)
	if err != nil {
		return 0, err
	}
	slices.SortFunc(found, func(a, b graph.Concept) int { return cmp.Compare(a.ID, b.ID) })
	for _, c := range found {
		mayChange := c.Owner == r.caller.User || c.Owner == graph.Anonymous || r.caller.Admin
		if !c.Composition || c.Type != types[typeName].ID || !mayChange {
			continue
		}
		if v, err := r.currentValue(field{c.ID, c.ID, key.TypeName}); err != nil || v.text == key.Value {
			return c.ID, err
		}
	}
	return 0, nil
}

// replaceFields removes the fields of an existing record that the draft of a record replaces. As in an update, the new
// values get the access of the values that they replace.
func (r *rules) replaceFields(main, existing graph.ID) error {
	var fields []composition.Member
	for _, c := range r.batch.Connections {
		if d := r.draft(c.To); c.From == main && c.Type == main && d != nil {
			fields = append(fields, composition.Member{Key: d.TypeName, Value: composition.RecordValue()})
		}
	}
	var patched graph.Batch
	patch := composition.Patch{Main: existing, Fields: composition.RecordValue(fields...)}
	if err := patch.AppendTo(r.Context(), &patched, r.graph, &composition.LocalIDs{}); err != nil {
		return err
	}
	r.removeConnections(patched.RemoveConnections...)
	access := map[string]graph.Access{}
	for _, d := range patched.Concepts {
		access[d.TypeName] = d.Access
	}
	for i, c := range r.batch.Connections {
		if d := r.draft(c.To); c.From == main && c.Type == main && d != nil {
			r.batch.Connections[i].Access = access[d.TypeName]
			r.setAccess(main, c.To, access[d.TypeName])
		}
	}
	return nil
}

// setAccess sets the access of a drafted value, and of all drafts inside it.
func (r *rules) setAccess(main, id graph.ID, access graph.Access) {
	if d := r.draft(id); d != nil {
		d.Access = access
	}
	for i, c := range r.batch.Connections {
		if c.From == id && c.Type == main {
			r.batch.Connections[i].Access = access
			r.setAccess(main, c.To, access)
		}
	}
}
