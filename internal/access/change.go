package access

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/budget"
)

// Changes implements graph.Reader. Changes are returned without the parts in scopes that the caller may not read, and
// without the ids of records that are hidden for another reason; a change may be empty.
//
// The id of a removed record is returned to callers who could read its scope, because subscribers need the removal.
func (v *view) Changes(ctx context.Context, after graph.Seq, limit int) ([]graph.Change, error) {
	changes, err := v.store.Changes(ctx, after, limit)
	if err != nil {
		return nil, err
	}
	for i, c := range changes {
		if changes[i], err = v.RedactChange(ctx, c, v.store); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

// RedactChange redacts a change that another caller has read, as Changes does. It reads the records of the change from
// records, which may return concepts without values.
func (v *view) RedactChange(ctx context.Context, c graph.Change, records graph.RecordReader) (graph.Change, error) {
	parts := slices.DeleteFunc(slices.Clone(c.Parts), func(p graph.ChangePart) bool { return !v.seesScope(p.Scope) })
	c.Wide = c.Wide && len(parts) > 0
	c = c.WithParts(parts)
	c.Parts = nil
	if len(parts) == 0 {
		return c, nil
	}
	l, err := v.visibility(ctx)
	if err != nil {
		return c, err
	}
	return l.redactIDs(ctx, c, records)
}

// redactIDs removes the ids of existing records that the caller may not read. An API key that is limited to types
// receives the ids of removed records only if the change affects one of these types.
func (l visibility) redactIDs(ctx context.Context, c graph.Change, records graph.RecordReader) (graph.Change, error) {
	concepts, err := budget.ConceptsWithoutTexts(ctx, records, slices.Concat(c.Concepts, c.Types))
	if err != nil {
		return c, err
	}
	connections, err := records.Connections(ctx, c.Connections)
	if err != nil {
		return c, err
	}
	readable, affectedTypes := map[graph.ID]bool{}, map[graph.ID]bool{}
	for _, concept := range concepts {
		if readable[concept.ID] = l.canRead(concept); readable[concept.ID] {
			affectedTypes[concept.Type] = true
		}
	}
	for _, connection := range connections {
		readable[connection.ID] = false
	}
	visible, err := l.readableAmong(ctx, records, connections)
	for _, connection := range visible {
		readable[connection.ID] = true
		affectedTypes[connection.Type] = true
	}
	includesRemoved := slices.ContainsFunc(c.Types, l.includesType)
	isIncluded := func(id graph.ID) bool {
		canRead, exists := readable[id]
		return canRead || !exists && includesRemoved
	}
	c.Wide = c.Wide && includesRemoved
	c.Concepts = filter(c.Concepts, isIncluded)
	c.Connections = filter(c.Connections, isIncluded)
	c.Types = filter(c.Types, func(id graph.ID) bool { return isIncluded(id) && (l.includesType(id) || affectedTypes[id]) })
	return c, err
}

func filter(ids []graph.ID, keep func(graph.ID) bool) []graph.ID {
	return slices.DeleteFunc(slices.Clone(ids), func(id graph.ID) bool { return !keep(id) })
}
