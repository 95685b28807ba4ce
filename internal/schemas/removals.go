package schemas

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
)

// maxRemovedUses is the maximum number of uses of removed values whose records are checked.
const maxRemovedUses = 1_000

// removals are the records that a batch removes. A batch may name a record by its real id, by a local or reserved id of an earlier batch
// of the sender, or by the id of one of its own drafts.
type removals struct {
	gone            map[graph.ID]bool // real ids of existing concepts and connections
	goneDrafts      map[graph.ID]bool // ids of drafts of concepts
	goneConnections map[graph.ID]bool // ids of connections, as the batch names them
}

// A scopedValue is the part of a shared value by which a store recognises it.
type scopedValue struct {
	typeName, value string
	scope           graph.ID
}

// readRemovals returns the existing connections that the batch removes, directly or together with a value inside a record.
func (c *check) readRemovals(ctx context.Context) ([]graph.Connection, error) {
	if len(c.batch.RemoveConnections)+len(c.batch.RemoveConcepts) == 0 {
		return nil, nil
	}
	c.removals = removals{
		gone:            make(map[graph.ID]bool, len(c.batch.RemoveConnections)),
		goneConnections: make(map[graph.ID]bool, len(c.batch.RemoveConnections)),
	}
	removed, err := c.removedConnections(ctx)
	if err != nil {
		return nil, err
	}
	links, err := c.removedValues(ctx)
	if err != nil {
		return nil, err
	}
	removed = append(removed, links...)
	for _, connection := range removed {
		c.gone[connection.ID] = true
	}
	return removed, nil
}

func (c *check) removedConnections(ctx context.Context) ([]graph.Connection, error) {
	for _, id := range c.batch.RemoveConnections {
		c.goneConnections[id] = true
	}
	ids := c.batch.RemoveConnections
	if slices.ContainsFunc(ids, graph.ID.IsLocal) {
		local := slices.DeleteFunc(slices.Clone(ids), graph.ID.IsReal)
		reals, err := c.store.ResolveConnections(ctx, c.batch.Sender, local)
		if err != nil {
			return nil, err
		}
		ids = slices.AppendSeq(realOnly(ids), maps.Values(reals))
	}
	if removed, wasRead := graph.ReadBefore(ctx, ids); wasRead {
		return removed, nil
	}
	return c.store.Connections(ctx, ids)
}

// removedValues returns the connections to the existing values that the batch removes.
func (c *check) removedValues(ctx context.Context) ([]graph.Connection, error) {
	removed, err := c.removedConcepts(ctx)
	if err != nil || len(removed) == 0 {
		return nil, err
	}
	var values []graph.ID
	for _, concept := range removed {
		c.gone[concept.ID] = true
		if c.rules.parts[c.rules.names[concept.Type]] {
			values = append(values, concept.ID)
		}
	}
	if len(values) == 0 {
		return nil, nil
	}
	return c.store.Links(ctx, graph.Links{Of: values, Direction: graph.In, Page: graph.Page{Limit: maxRemovedUses}})
}

// removedConcepts returns the existing concepts that the batch removes, and marks the drafts that it removes.
func (c *check) removedConcepts(ctx context.Context) ([]graph.Concept, error) {
	if len(c.batch.RemoveConcepts) == 0 {
		return nil, nil
	}
	c.goneDrafts = map[graph.ID]bool{}
	if err := c.loadConcepts(ctx, c.batch.RemoveConcepts); err != nil {
		return nil, err
	}
	var removed []graph.Concept
	var keys []graph.ValueKey
	values := map[scopedValue]bool{}
	for _, id := range c.batch.RemoveConcepts {
		if concept, exists := c.concepts[id]; exists {
			removed = append(removed, concept)
			values[scopedValue{c.rules.names[concept.Type], concept.Value, concept.Scope()}] = true
		} else if d := c.drafts[id]; d != nil {
			c.goneDrafts[id] = true
			if v, isShared := c.sharedValue(d); isShared {
				values[v] = true
				keys = append(keys, graph.ValueKey{Value: v.value, Type: c.rules.ids[v.typeName], Category: graph.CategoryInstance})
			}
		}
	}
	for id, d := range c.drafts { // a draft of a removed value becomes that value
		if v, isShared := c.sharedValue(d); isShared && values[v] {
			c.goneDrafts[id] = true
		}
	}
	if len(keys) == 0 {
		return removed, nil
	}
	found, err := c.store.ConceptsByValue(ctx, keys)
	for _, concept := range found {
		if values[scopedValue{c.rules.names[concept.Type], concept.Value, concept.Scope()}] {
			removed = append(removed, concept)
		}
	}
	return removed, err
}

// sharedValue returns the value that a draft becomes, and reports whether an existing one may be reused for it inside a record.
func (c *check) sharedValue(d *graph.ConceptDraft) (scopedValue, bool) {
	if d.Kind != graph.DraftValue || !graph.IsShared(d.Value) || c.rules.ids[d.TypeName] == 0 || !c.rules.parts[d.TypeName] {
		return scopedValue{}, false
	}
	return scopedValue{d.TypeName, d.Value, d.Concept(c.batch.Sender, time.Time{}).Scope()}, true
}

// removes reports whether the batch removes a connection that it drafts, directly or together with a concept.
func (c *check) removes(d *graph.ConnectionDraft) bool {
	if c.gone == nil {
		return false
	}
	isGone := func(id graph.ID) bool { return c.goneDrafts[id] || c.gone[c.concepts[id].ID] }
	return d.SentID() != 0 && c.goneConnections[d.SentID()] || isGone(d.From) || isGone(d.To) || isGone(d.Type)
}

// removesRecord reports whether the batch removes a record.
func (c *check) removesRecord(r *record) bool {
	return c.goneDrafts[r.id] || r.real != 0 && c.gone[r.real]
}
