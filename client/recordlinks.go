package client

import (
	"cmp"
	"context"
	"slices"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

// SetLink replaces all targets of a link with the record to. If to is 0, it removes the link. The error is a RefusedError if to
// is 0 and the link is required, and if to is the record itself.
func (r *Records[T]) SetLink(ctx context.Context, id graph.ID, link string, to graph.ID) error {
	f, err := r.linkField(link)
	if err != nil {
		return err
	}
	id, to = r.source.RealID(id), r.source.RealID(to)
	var targets []graph.ID
	switch {
	case to != 0:
		targets = []graph.ID{to}
	case f.Required:
		return refused(id, f.Check(composition.Value{}))
	}
	var s Submission
	ids := r.source.LocalIDs()
	if err := r.replaceLinks(ctx, &s.Batch, &ids, id, f, targets); err != nil {
		return err
	}
	return r.submitChanges(ctx, s)
}

// AddLink adds a target to a link. It has no effect if the link already has this target. The error is a RefusedError if the target is
// the record itself.
func (r *Records[T]) AddLink(ctx context.Context, id graph.ID, link string, to graph.ID) error {
	f, err := r.linkField(link)
	if err != nil {
		return err
	}
	if id, to = r.source.RealID(id), r.source.RealID(to); id == to {
		return refusedSelf(id, f)
	}
	found, err := r.linksOf(ctx, id, f)
	if err != nil || slices.ContainsFunc(found, func(c graph.Connection) bool { return farEnd(c, f) == r.source.RealID(to) }) {
		return err
	}
	ids := r.source.LocalIDs()
	_, err = r.source.Submit(ctx, Submission{Batch: graph.Batch{Connections: []graph.ConnectionDraft{r.linkDraft(&ids, f, id, to)}}})
	return err
}

// RemoveLink removes a target from a link. It has no effect if the link does not have this target.
func (r *Records[T]) RemoveLink(ctx context.Context, id graph.ID, link string, to graph.ID) error {
	f, err := r.linkField(link)
	if err != nil {
		return err
	}
	found, err := r.linksOf(ctx, id, f)
	if err != nil {
		return err
	}
	var s Submission
	for _, c := range found {
		if farEnd(c, f) == r.source.RealID(to) {
			s.Batch.RemoveConnections = append(s.Batch.RemoveConnections, c.ID)
		}
	}
	return r.submitChanges(ctx, s)
}

// linkField returns the definition of a link. The error is Invalid if the type has no link with this name.
func (r *Records[T]) linkField(name string) (*schema.Field, error) {
	if r.model.err != nil {
		return nil, r.model.err
	}
	f := r.model.typ.Fields[name]
	if f == nil || !f.Kind.IsLink() {
		return nil, graph.Errorf(graph.Invalid, "%s has no link %q", r.model.typ.Name, graph.Clip(name))
	}
	return f, nil
}

// replaceLinks adds changes to b. After them, each given target is linked exactly once and no other record is
// linked.
func (r *Records[T]) replaceLinks(ctx context.Context, b *graph.Batch, ids *composition.LocalIDs, id graph.ID, link *schema.Field, targets []graph.ID) error {
	found, err := r.linksOf(ctx, id, link)
	if err != nil {
		return err
	}
	isTarget := func(to graph.ID) bool {
		return slices.ContainsFunc(targets, func(id graph.ID) bool { return r.source.RealID(id) == to })
	}
	linked := map[graph.ID]bool{}
	for _, c := range found {
		end := farEnd(c, link)
		if linked[end] || !isTarget(end) {
			b.RemoveConnections = append(b.RemoveConnections, c.ID)
		}
		linked[end] = true
	}
	for _, to := range targets {
		to = r.source.RealID(to)
		if to == id {
			return refusedSelf(id, link)
		}
		if !linked[to] {
			b.Connections = append(b.Connections, r.linkDraft(ids, link, id, to))
			linked[to] = true
		}
	}
	return nil
}

// refusedSelf returns the error for a link from a record to itself, which a store skips.
func refusedSelf(id graph.ID, link *schema.Field) error {
	return refused(id, []schema.Refusal{schema.NewRefusal(id, link, "self")})
}

// linksOf returns the connections that store a link of a record.
func (r *Records[T]) linksOf(ctx context.Context, id graph.ID, link *schema.Field) (found []graph.Connection, err error) {
	name := r.model.schema.ConnectionName(r.model.typ.Name, link)
	typ, err := r.source.TypeID(ctx, name)
	if err != nil || typ == 0 {
		return nil, err
	}
	direction := graph.Out
	if link.Inverse != "" {
		direction = graph.In
	}
	err = r.readStable(ctx, func() (err error) {
		links := graph.Links{Of: []graph.ID{r.source.RealID(id)}, Direction: direction, Types: []graph.ID{typ}}
		found, err = r.source.Links(ctx, links)
		return err
	})
	return found, err
}

// farEnd returns the target of a link, given one of its connections. The connections of an inverse link start at its targets.
func farEnd(c graph.Connection, link *schema.Field) graph.ID {
	if link.Inverse != "" {
		return c.From
	}
	return c.To
}

// A Removal can restore a record that Remove has removed.
type Removal struct {
	source Source
	drafts graph.Batch
	main   graph.ID // the local id of the record in drafts
}

// Remove removes a record with its fields and links. The error is NotFound if the caller can read no record of this type with
// this id.
func (r *Records[T]) Remove(ctx context.Context, id graph.ID) (*Removal, error) {
	if _, err := r.read(ctx, id); err != nil {
		return nil, err
	}
	var removal *Removal
	err := r.readStable(ctx, func() error {
		id = r.source.RealID(id)
		removal = &Removal{source: r.source}
		return removal.load(ctx, id)
	})
	if err != nil {
		return nil, err
	}
	_, err = r.source.Submit(ctx, Submission{Batch: graph.Batch{RemoveConcepts: []graph.ID{id}}})
	return removal, err
}

// Undo creates the record again with the fields, links and access that it had when Remove read it. The caller becomes its owner. Undo
// returns the id of the new record, which differs from the old id, because ids are never reused. Calling Undo again has no further
// effect.
func (r *Removal) Undo(ctx context.Context) (graph.ID, error) {
	realIDs, err := r.source.Submit(ctx, Submission{Batch: r.drafts})
	if id, known := realIDs[r.main]; known {
		return id, err
	}
	return r.main, err
}

// load reads a record and its connections, and drafts a copy of them.
func (r *Removal) load(ctx context.Context, id graph.ID) error {
	links, err := composition.Connections(ctx, r.source, []graph.ID{id})
	if err != nil {
		return err
	}
	parts := []graph.ID{id}
	for _, c := range links {
		parts = append(parts, c.To)
	}
	for _, direction := range []graph.Direction{graph.Out, graph.In} {
		found, err := r.source.Links(ctx, graph.Links{Of: []graph.ID{id}, Direction: direction})
		if err != nil {
			return err
		}
		links = append(links, slices.DeleteFunc(found, func(c graph.Connection) bool { return c.Type == id })...)
	}
	return r.draft(ctx, id, parts, links)
}

// draft drafts copies of the concepts of a record and of the connections. main is the id of the record.
func (r *Removal) draft(ctx context.Context, main graph.ID, concepts []graph.ID, connections []graph.Connection) error {
	ids := r.source.LocalIDs()
	localIDs, err := r.draftConcepts(ctx, concepts, &ids)
	if err != nil {
		return err
	}
	r.main = localIDs[main]
	newID := func(old graph.ID) graph.ID { return cmp.Or(localIDs[old], old) }
	for _, c := range connections {
		ids.Connection--
		r.drafts.Connections = append(r.drafts.Connections, graph.ConnectionDraft{
			LocalID: ids.Connection, From: newID(c.From), To: newID(c.To), Type: newID(c.Type), Order: c.Order, Access: c.Access,
		})
	}
	return nil
}

// draftConcepts drafts copies of concepts and returns their local ids, keyed by the ids of the originals.
func (r *Removal) draftConcepts(ctx context.Context, wanted []graph.ID, ids *composition.LocalIDs) (map[graph.ID]graph.ID, error) {
	slices.Sort(wanted)
	concepts, err := r.source.Concepts(ctx, slices.Compact(wanted))
	if err != nil {
		return nil, err
	}
	typeIDs := make([]graph.ID, len(concepts))
	for i, c := range concepts {
		typeIDs[i] = c.Type
	}
	types, err := r.source.Concepts(ctx, typeIDs)
	if err != nil {
		return nil, err
	}
	typeNames := map[graph.ID]string{}
	for _, c := range types {
		typeNames[c.ID] = c.Value
	}
	localIDs := map[graph.ID]graph.ID{}
	for _, c := range concepts {
		ids.Concept--
		localIDs[c.ID] = ids.Concept
		d := graph.ConceptDraft{LocalID: ids.Concept, TypeName: typeNames[c.Type], Value: c.Value, Access: c.Access}
		if c.Composition {
			d.Kind = graph.DraftComposition
		}
		r.drafts.Concepts = append(r.drafts.Concepts, d)
	}
	return localIDs, nil
}
