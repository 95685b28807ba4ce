package schemas

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

// maxRemovedUses is the maximum number of uses of removed values whose records are checked.
const maxRemovedUses = 1_000

// A record is a record of the schema that a batch creates or changes.
type record struct {
	typ  *schema.Type
	id   graph.ID // the id by which the batch refers to it
	real graph.ID // 0 if the batch creates it
	// partsFollow means that the record was sent without its parts, under a reserved id.
	partsFollow  bool
	parts        []*graph.ConnectionDraft // new connections inside the record
	removed      []graph.Connection       // removed connections inside the record
	links        []*graph.ConnectionDraft // new connections of its links
	removedLinks []graph.Connection       // removed connections of its links
}

// A node is a concept inside the composition of main.
type node struct{ main, concept graph.ID }

// A check examines one batch.
type check struct {
	store *Store
	rules *rules
	batch graph.Batch

	drafts   map[graph.ID]*graph.ConceptDraft  // by the ids under which they are sent
	records  map[graph.ID]*record              // by the id that the batch uses
	order    []*record                         // in the order of the batch
	children map[node][]*graph.ConnectionDraft // new connections inside records
	concepts map[graph.ID]graph.Concept        // existing concepts, by the id that the batch uses
	gone     map[graph.ID]bool                 // real ids of removed concepts and connections
	claims   []claim
	refusals []schema.Refusal
}

// collect finds the records of the schema that the batch creates or changes.
func (c *check) collect(ctx context.Context) error {
	c.records = map[graph.ID]*record{}
	c.addNewRecords()
	removed, err := c.removedConnections(ctx)
	if err != nil {
		return err
	}
	unknown := c.unknownIDs(removed)
	if err := c.loadConcepts(ctx, unknown); err != nil {
		return err
	}
	c.children = map[node][]*graph.ConnectionDraft{}
	isRemoved := make(map[graph.ID]bool, len(c.batch.RemoveConnections))
	for _, id := range c.batch.RemoveConnections {
		isRemoved[id] = true
	}
	for i := range c.batch.Connections {
		// A batch of several writes removes a connection of the first if another one replaces it: only the result is checked.
		if d := &c.batch.Connections[i]; d.LocalID == 0 || !isRemoved[d.LocalID] {
			c.addConnection(d)
		}
	}
	for _, connection := range removed {
		c.addRemoved(connection)
	}
	return nil
}

// addNewRecords adds the records that the batch drafts.
func (c *check) addNewRecords() {
	c.drafts = make(map[graph.ID]*graph.ConceptDraft, len(c.batch.Concepts))
	for i := range c.batch.Concepts {
		d := &c.batch.Concepts[i]
		if d.SentID() != 0 {
			c.drafts[d.SentID()] = d
		}
		t := c.rules.types[d.TypeName]
		isRecord := d.Kind == graph.DraftComposition || d.Kind == graph.DraftValue
		if t == nil || !isRecord || c.records[d.SentID()] != nil {
			continue
		}
		r := &record{typ: t, id: d.SentID(), real: d.Becomes, partsFollow: d.ID != 0}
		c.order = append(c.order, r)
		if r.id != 0 {
			c.records[r.id] = r
		}
		if r.real != 0 {
			c.records[r.real] = r
		}
	}
}

// removedConnections returns the connections that the batch removes, directly or together with a value inside a record.
func (c *check) removedConnections(ctx context.Context) ([]graph.Connection, error) {
	if len(c.batch.RemoveConnections)+len(c.batch.RemoveConcepts) == 0 {
		return nil, nil
	}
	ids := realOnly(c.batch.RemoveConnections)
	removed, wasRead := graph.ReadBefore(ctx, ids)
	if !wasRead {
		var err error
		if removed, err = c.store.Connections(ctx, ids); err != nil {
			return nil, err
		}
	}
	c.gone = map[graph.ID]bool{}
	if err := c.loadConcepts(ctx, c.batch.RemoveConcepts); err != nil {
		return nil, err
	}
	var values []graph.ID
	for _, id := range c.batch.RemoveConcepts {
		concept, exists := c.concepts[id]
		if !exists {
			continue
		}
		c.gone[concept.ID] = true
		if c.rules.parts[c.rules.names[concept.Type]] {
			values = append(values, concept.ID)
		}
	}
	if len(values) > 0 {
		links, err := c.store.Links(ctx, graph.Links{Of: values, Direction: graph.In, Page: graph.Page{Limit: maxRemovedUses}})
		if err != nil {
			return nil, err
		}
		removed = append(removed, links...)
	}
	for _, connection := range removed {
		c.gone[connection.ID] = true
	}
	return removed, nil
}

// realOnly returns the real ids among ids.
func realOnly(ids []graph.ID) []graph.ID {
	return slices.DeleteFunc(slices.Clone(ids), func(id graph.ID) bool { return id <= 0 })
}

// unknownIDs returns the ids of existing concepts that determine the meaning of the connections of the batch: compositions, and the
// ends of links.
func (c *check) unknownIDs(removed []graph.Connection) []graph.ID {
	unknown := map[graph.ID]bool{}
	add := func(ids ...graph.ID) {
		for _, id := range ids {
			if id != 0 && c.drafts[id] == nil {
				unknown[id] = true
			}
		}
	}
	for i := range c.batch.Connections {
		d := &c.batch.Connections[i]
		switch name := c.connectionType(d); {
		case c.rules.links[name] != nil:
			add(d.From, d.To)
		case name == "" && c.drafts[d.Type] == nil:
			add(d.Type, d.To)
		case name == "" && c.records[d.Type] != nil:
			add(d.To)
		}
	}
	for _, connection := range removed {
		if c.rules.links[c.rules.names[connection.Type]] != nil {
			add(connection.From)
		} else {
			add(connection.Type, connection.To)
		}
	}
	return slices.Collect(maps.Keys(unknown))
}

// connectionType returns the name of the type of a connection if the schema has the type, and "" for a connection that may
// be inside a record.
func (c *check) connectionType(d *graph.ConnectionDraft) string {
	if draft := c.drafts[d.Type]; draft != nil && draft.Kind == graph.DraftType {
		return draft.TypeName
	}
	if d.Type == 0 || d.Type.IsLocal() && c.drafts[d.Type] == nil && d.TypeName != "" {
		return d.TypeName
	}
	return c.rules.names[d.Type]
}

// loadConcepts reads existing concepts. Local ids are those of earlier batches of the sender.
func (c *check) loadConcepts(ctx context.Context, ids []graph.ID) error {
	if len(ids) == 0 {
		return nil
	}
	if c.concepts == nil {
		c.concepts = map[graph.ID]graph.Concept{}
	}
	local := slices.DeleteFunc(slices.Clone(ids), func(id graph.ID) bool { return !id.IsLocal() })
	reals := map[graph.ID]graph.ID{}
	if len(local) > 0 {
		var err error
		if reals, err = c.store.ResolveIDs(ctx, c.batch.Sender, local); err != nil {
			return err
		}
	}
	found, err := c.store.Concepts(ctx, slices.AppendSeq(realOnly(ids), maps.Values(reals)))
	for _, concept := range found {
		c.concepts[concept.ID] = concept
	}
	for id, real := range reals {
		if concept, exists := c.concepts[real]; exists {
			c.concepts[id] = concept
		}
	}
	return err
}

// recordOf returns the record for an id that the batch uses, or nil if it is not a record of the schema.
func (c *check) recordOf(id graph.ID) *record {
	if r := c.records[id]; r != nil {
		return r
	}
	concept, exists := c.concepts[id]
	t := c.rules.types[c.rules.names[concept.Type]]
	if !exists || t == nil || concept.Category != graph.CategoryInstance || c.drafts[id] != nil {
		return nil
	}
	r := c.records[concept.ID]
	if r == nil {
		r = &record{typ: t, id: id, real: concept.ID}
		c.order = append(c.order, r)
		c.records[concept.ID] = r
	}
	c.records[id] = r
	return r
}

// addConnection adds a new connection to the record of which it is a part or a link.
func (c *check) addConnection(d *graph.ConnectionDraft) {
	switch name := c.connectionType(d); {
	case c.rules.links[name] != nil:
		if r := c.recordOf(d.From); r != nil {
			r.links = append(r.links, d)
		}
	case name == "":
		if r := c.recordOf(d.Type); r != nil {
			r.parts = append(r.parts, d)
			r.partsFollow = false
			at := node{r.id, c.sameID(r, d.From)}
			c.children[at] = append(c.children[at], d)
		}
	}
}

// sameID maps every id of the main concept to the id of the record, and returns other ids unchanged.
func (c *check) sameID(r *record, id graph.ID) graph.ID {
	if id == r.id || r.real != 0 && (id == r.real || c.concepts[id].ID == r.real) {
		return r.id
	}
	return id
}

// addRemoved adds a removed connection to the record of which it was a part or a link.
func (c *check) addRemoved(connection graph.Connection) {
	if c.rules.links[c.rules.names[connection.Type]] != nil {
		if r := c.recordOf(connection.From); r != nil {
			r.removedLinks = append(r.removedLinks, connection)
		}
		return
	}
	if r := c.recordOf(connection.Type); r != nil {
		r.removed = append(r.removed, connection)
	}
}
