package schemas

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

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
	// usesStored means that the value of the part that was read last contains existing concepts, whose stored parts it may have.
	usesStored bool
}

// A node is a concept inside the composition of main.
type node struct{ main, concept graph.ID }

// A check examines one batch.
type check struct {
	store *Store
	rules *rules
	batch graph.Batch

	drafts   map[graph.ID]*graph.ConceptDraft  // keyed by the ids under which they are sent
	records  map[graph.ID]*record              // keyed by the id that the batch uses
	order    []*record                         // in the order of the batch
	children map[node][]*graph.ConnectionDraft // new connections inside records
	concepts map[graph.ID]graph.Concept        // existing concepts, by the id that the batch uses
	removals
	claims   []claim
	refusals []schema.Refusal
	doubts   doubts
	// areDraftsNew means that no draft of the batch was sent before.
	areDraftsNew bool
	values       int // number of values that were read from the batch
}

// collect finds the records of the schema that the batch creates or changes.
func (c *check) collect(ctx context.Context) error {
	c.records, c.children = map[graph.ID]*record{}, map[node][]*graph.ConnectionDraft{}
	c.addNewRecords()
	removed, err := c.readRemovals(ctx)
	if err != nil {
		return err
	}
	unknown := c.unknownIDs(removed)
	if err := c.loadConcepts(ctx, unknown); err != nil {
		return err
	}
	if slices.ContainsFunc(unknown, c.isLinkType) { // the ends of its connections were not known to be those of links
		if err := c.loadConcepts(ctx, c.unknownIDs(removed)); err != nil {
			return err
		}
	}
	for i := range c.batch.Connections {
		// A batch of several writes removes a connection of the first if another one replaces it: only the result is checked.
		if d := &c.batch.Connections[i]; !c.removes(d) {
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

// realOnly returns the real ids among ids.
func realOnly(ids []graph.ID) []graph.ID {
	return slices.DeleteFunc(slices.Clone(ids), func(id graph.ID) bool { return id <= 0 })
}

// unknownIDs returns the ids of the concepts that the batch does not draft but that determine the meaning of its connections:
// compositions, and the ends of links.
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
		_, isKnown := c.rules.names[d.Type]
		switch name := c.connectionType(d); {
		case c.rules.links[name] != nil:
			add(d.From, d.To, min(d.Type, 0))
		case c.drafts[d.Type] == nil && !isKnown:
			add(d.Type, d.From, d.To)
		case name == "" && c.records[d.Type] != nil:
			add(d.From, d.To)
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

// isLinkType reports whether an id that is not the real id of a type refers to the type of a link.
func (c *check) isLinkType(id graph.ID) bool {
	concept := c.concepts[id]
	return concept.ID != id && c.rules.links[c.rules.names[concept.ID]] != nil
}

// connectionType returns the name of the type of a connection if the schema has the type, and "" for a connection that may
// be inside a record.
func (c *check) connectionType(d *graph.ConnectionDraft) string {
	if draft := c.drafts[d.Type]; draft != nil {
		if draft.Kind == graph.DraftType {
			return draft.TypeName
		}
		return ""
	}
	if concept, exists := c.concepts[d.Type]; exists {
		return c.rules.names[concept.ID]
	}
	if d.Type <= 0 { // an unknown local id
		return d.TypeName
	}
	return c.rules.names[d.Type]
}

// loadConcepts reads existing concepts that were not read before. Local ids, and reserved ids under which no concept exists, are those
// of earlier batches of the sender.
func (c *check) loadConcepts(ctx context.Context, ids []graph.ID) error {
	var existing, local, aliases []graph.ID
	for _, id := range ids {
		switch {
		case c.concepts[id].ID != 0:
		case id > 0:
			existing = append(existing, id)
		default:
			local = append(local, id)
		}
	}
	if err := c.loadResolved(ctx, existing, local); err != nil {
		return err
	}
	for _, id := range existing {
		if c.concepts[id].ID == 0 {
			aliases = append(aliases, id)
		}
	}
	return c.loadResolved(ctx, nil, aliases)
}

// loadResolved reads the concepts with the real ids existing, and those that the sender of the batch created under the ids sent.
func (c *check) loadResolved(ctx context.Context, existing, sent []graph.ID) error {
	reals, err := c.resolve(ctx, sent)
	if err != nil || len(existing)+len(reals) == 0 {
		return err
	}
	found, err := c.store.Concepts(ctx, slices.AppendSeq(slices.Clip(existing), maps.Values(reals)))
	if c.concepts == nil {
		c.concepts = make(map[graph.ID]graph.Concept, len(existing)+2*len(reals))
	}
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

// resolve returns the real ids of concepts that the sender of the batch created under the given ids.
func (c *check) resolve(ctx context.Context, ids []graph.ID) (map[graph.ID]graph.ID, error) {
	if len(ids) == 0 {
		return nil, nil //nolint:nilnil // no ids have no real ids
	}
	return c.store.ResolveIDs(ctx, c.batch.Sender, ids)
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

// sameID returns one id for all ids of a concept: for the main concept the id of the record, and for another existing one its real id.
func (c *check) sameID(r *record, id graph.ID) graph.ID {
	real := id
	if concept, exists := c.concepts[id]; exists && c.drafts[id] == nil {
		real = concept.ID
	}
	if id == r.id || r.real != 0 && real == r.real {
		return r.id
	}
	return real
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
