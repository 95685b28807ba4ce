package server

import (
	"maps"
	"slices"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// A field is a field of a record: From and Main are real ids, or local ids of drafts.
type field struct {
	from, main graph.ID
	typeName   string
}

// increment replaces the values of the given drafts. The connections of the batch are visited in order, so
// that two increments of a field add up, and an increment that follows a new value of the field is added to
// the new value.
func (r *rules) increment(list []wire.Increment) error {
	by, fields := map[graph.ID]string{}, map[field]bool{}
	for _, i := range list {
		d := r.draft(graph.ID(i.Concept))
		if d == nil || d.Kind != graph.DraftValue {
			return graph.Errorf(graph.Invalid, "the increment of concept %d, which is not a value of the request", i.Concept)
		}
		by[d.LocalID] = string(i.By)
	}
	for _, c := range r.batch.Connections {
		if _, ok := by[c.To]; ok && r.known[c.To] == 0 {
			fields[r.fieldOf(c)] = true
		}
	}
	if err := r.useStoredValues(by); err != nil {
		return err
	}
	sentRemovals := maps.Clone(r.removed) // without those that increments add
	current := map[field]value{}
	for f := range fields {
		v, err := r.currentValue(f)
		if err != nil {
			return err
		}
		v.isKept = slices.ContainsFunc(v.connections, func(id graph.ID) bool { return !sentRemovals[id] })
		current[f] = v
		r.guard.Concepts = append(r.guard.Concepts, f.from)
	}
	for _, c := range r.batch.Connections {
		d, f := r.draft(c.To), r.fieldOf(c)
		before, changes := current[f]
		if !changes || d == nil || r.known[c.To] != 0 {
			continue
		}
		if n, ok := by[c.To]; ok {
			text, err := composition.Increment(incremented(before, d.Value, n), n)
			if err != nil {
				return graph.Wrap(graph.Invalid, err, "%s cannot be incremented", graph.WithoutPrefix(f.typeName))
			}
			d.Value = text
			r.removeConnections(before.connections...)
			before.connections = nil // each connection is removed once, however many increments follow
		}
		current[f] = value{d.Value, append(before.connections, c.LocalID), true, before.isKept || !sentRemovals[c.LocalID]}
	}
	return nil
}

// incremented returns the text to which an increment is added: the current text of the field, or none if the sender removed the value
// before the increment. A request does not distinguish that removal from the replacement by the increment itself, but the draft has the sum
// that the sender computed.
func incremented(before value, sent, by string) string {
	if !before.exists || before.isKept {
		return before.text
	}
	if sum, err := composition.Increment("", by); err == nil && sum == sent {
		return ""
	}
	return before.text
}

// fieldOf returns the field to which a connection of the batch adds a value.
func (r *rules) fieldOf(c graph.ConnectionDraft) field {
	f := field{from: r.real(c.From), main: r.real(c.Type)}
	if d := r.draft(c.To); d != nil {
		f.typeName = d.TypeName
	}
	return f
}

// If increments were sent before, useStoredValues sets their drafts to the values that were stored then.
func (r *rules) useStoredValues(by map[graph.ID]string) error {
	var ids []graph.ID
	for id := range by {
		if real := r.known[id]; real != 0 {
			ids = append(ids, real)
		}
	}
	found, err := r.graph.Concepts(r.Context(), ids)
	stored := make(map[graph.ID]string, len(found))
	for _, c := range found {
		stored[c.ID] = c.Value
	}
	for id := range by {
		if text, exists := stored[r.known[id]]; exists {
			r.draft(id).Value = text
		}
	}
	return err
}

// A value is the text of a field.
type value struct {
	text        string
	connections []graph.ID // of the field, without those that an increment has removed
	exists      bool       // whether the field has or had connections
	isKept      bool       // whether the sender did not remove all of them
}

// currentValue returns the stored value of a field. If there are several, it returns the newest.
func (r *rules) currentValue(f field) (v value, err error) {
	if !f.from.IsReal() || !f.main.IsReal() {
		return v, nil
	}
	types, err := graph.TypesNamed(r.Context(), r.graph, f.typeName)
	if err != nil || len(types) == 0 {
		return v, err
	}
	links, err := r.graph.Links(r.Context(), graph.Links{Of: []graph.ID{f.from}, Types: []graph.ID{f.main}})
	if err != nil {
		return v, err
	}
	targets := make([]graph.ID, len(links))
	for i, c := range links {
		targets[i] = c.To
	}
	found, err := r.graph.Concepts(r.Context(), targets)
	texts := map[graph.ID]string{}
	for _, c := range found {
		if c.Type == types[f.typeName].ID && !c.Composition {
			texts[c.ID] = c.Value
		}
	}
	for _, c := range links { // ascending
		if text, ok := texts[c.To]; ok {
			v = value{text: text, connections: append(v.connections, c.ID), exists: true}
		}
	}
	return v, err
}
