package page

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A recordReader reads records and their links, each once, and caches them for the stages of the pipeline.
type recordReader struct {
	graph.Reader
	Policy
	publicOnly bool // ignore private concepts and links
	withNotes  bool // also read the notes of builders
	typeIDs    map[string]graph.ID
	typeNames  map[graph.ID]string
	records    map[graph.ID]*record
}

// A record holds a concept and its links, as far as they were read.
type record struct {
	concept    graph.Concept // zero if the concept does not exist or the caller may not read it
	links      relations
	newestLink time.Time // when the newest accepted link was created
	// restricted is true if the record has a part that is relevant to its code and not public.
	restricted bool
	// isDependency is set when a change of the record may change the result.
	isDependency bool
}

// newRecordReader returns a reader with the ids of all types that pages use.
func newRecordReader(ctx context.Context, reader graph.Reader, policy Policy) (*recordReader, error) {
	r := &recordReader{
		Reader: reader, Policy: policy,
		typeIDs: map[string]graph.ID{}, typeNames: map[graph.ID]string{}, records: map[graph.ID]*record{},
	}
	found, err := graph.TypesNamed(ctx, reader, slices.Concat(headTypes, allRelations)...)
	for name, c := range found {
		r.typeIDs[name], r.typeNames[c.ID] = c.ID, name
	}
	return r, err
}

// newPublicReader returns a recordReader that ignores everything that is not public.
func newPublicReader(ctx context.Context, reader graph.Reader, policy Policy) (*recordReader, error) {
	r, err := newRecordReader(ctx, reader, policy)
	r.publicOnly = true
	return r, err
}

// record returns the record with an id, or a zero record if the concept was not read yet.
func (r *recordReader) record(id graph.ID) record {
	if known := r.records[id]; known != nil {
		return *known
	}
	return record{}
}

func (r *recordReader) concept(id graph.ID) graph.Concept { return r.record(id).concept }

func (r *recordReader) links(id graph.ID) relations { return r.record(id).links }

// dependencies returns the records whose change may change the result.
func (r *recordReader) dependencies() map[graph.ID]bool {
	ids := map[graph.ID]bool{}
	for id, known := range r.records {
		if known.isDependency {
			ids[id] = true
		}
	}
	return ids
}

// readConcepts reads the concepts that were not read before.
func (r *recordReader) readConcepts(ctx context.Context, ids []graph.ID) error {
	var missing []graph.ID
	for _, id := range ids {
		if r.records[id] == nil {
			r.records[id] = &record{links: relations{}}
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	found, err := r.Concepts(ctx, missing)
	for _, c := range found {
		r.keepConcept(c)
	}
	return err
}

// forget drops the records of text values that were not read, so that they can be read again.
func (r *recordReader) forget(texts []graph.ID) {
	for _, id := range texts {
		if r.concept(id).ID == 0 && len(r.links(id)) == 0 {
			delete(r.records, id)
		}
	}
}

func (r *recordReader) keepConcept(c graph.Concept) {
	if !r.publicOnly || c.Scope() == 0 {
		r.records[c.ID].concept = c
	}
}

// maxLinks is the maximum number of links of a record that are read, newest first.
const maxLinks = 10_000

// readLinks reads records, and their links of the types with the given names. It keeps the links for which accept
// returns true for the owner of the link and the owner of the record.
func (r *recordReader) readLinks(ctx context.Context, ids []graph.ID, names []string, accept func(linkOwner, recordOwner graph.ID) bool) error {
	if err := r.readConcepts(ctx, ids); err != nil {
		return err
	}
	for _, id := range ids {
		r.records[id].isDependency = true
	}
	types := r.knownTypes(names)
	if len(ids) == 0 || len(types) == 0 {
		return nil
	}
	found, err := r.Links(ctx, graph.Links{Of: ids, Types: types, Page: graph.Page{Descending: true, Limit: maxLinks}})
	if err != nil {
		return err
	}
	slices.SortFunc(found, func(a, b graph.Connection) int { return cmp.Compare(a.ID, b.ID) })
	for _, link := range found {
		from := r.records[link.From]
		isPrivate := graph.ScopeOf(link.Owner, link.Access) != 0
		if from.concept.ID == 0 || !accept(link.Owner, from.concept.Owner) || isPrivate && r.publicOnly {
			continue
		}
		from.addLink(r.typeNames[link.Type], link, isPrivate)
	}
	return nil
}

func (r *record) addLink(name string, link graph.Connection, isPrivate bool) {
	r.links[name] = append(r.links[name], link.To)
	r.newestLink = later(r.newestLink, link.Created)
	if !slices.Contains(inertRelations, name) && (isPrivate || r.concept.Scope() != 0) {
		r.restricted = true
	}
}

// knownTypes returns the ids of those types that exist in the store.
func (r *recordReader) knownTypes(names []string) []graph.ID {
	known := []graph.ID{}
	for _, name := range names {
		if id := r.typeIDs[name]; id != 0 {
			known = append(known, id)
		}
	}
	return known
}

// hasType reports whether a concept that was read is the head of a record of a type.
func (r *recordReader) hasType(id graph.ID, typ string) bool {
	c := r.concept(id)
	return c.ID != 0 && c.Type == r.typeIDs[typ] && !c.IsType()
}

// text returns the value of a text field, or "" for a long value whose owner may not extend the record. Short
// values are shared, so their owners do not matter.
func (r *recordReader) text(id graph.ID, relation string) string {
	c := r.concept(r.links(id).newest(relation))
	if !graph.IsShared(c.Value) && !r.mayExtend(c.Owner, r.concept(id).Owner) {
		return ""
	}
	if c.Scope() != 0 {
		r.restrict(id)
	}
	return normalizeText(c.Value)
}

// note is like text for a field that is not rendered, so that a private value does not restrict the record.
func (r *recordReader) note(id graph.ID, relation string) string {
	c := r.concept(r.links(id).newest(relation))
	if !graph.IsShared(c.Value) && !r.mayExtend(c.Owner, r.concept(id).Owner) {
		return ""
	}
	return normalizeText(c.Value)
}

// restrict marks a record that has a non-public part.
func (r *recordReader) restrict(id graph.ID) {
	if known := r.records[id]; known != nil {
		known.restricted = true
	}
}

// parts returns the records of a type that a record contains, oldest first.
func (r *recordReader) parts(id graph.ID, relation, typ string) []graph.ID {
	var parts []graph.ID
	for _, part := range r.links(id)[relation] {
		if r.hasType(part, typ) && r.mayExtend(r.concept(part).Owner, r.concept(id).Owner) && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return parts
}

// normalizeText returns stored text, or "" for text that JavaScript prints for a missing value, such as "undefined".
// Site builders store such text.
func normalizeText(text string) string {
	switch text {
	case "undefined", "null", "NaN":
		return ""
	}
	return text
}

// relations holds the targets of a record's links by the name of the link's type, oldest first.
type relations map[string][]graph.ID

// newest returns the target of the newest link with a name, or 0 if there is none.
func (r relations) newest(name string) graph.ID {
	if targets := r[name]; len(targets) > 0 {
		return targets[len(targets)-1]
	}
	return 0
}

// newestOf returns the targets of the newest link of each name.
func (r relations) newestOf(names []string) []graph.ID {
	var targets []graph.ID
	for _, name := range names {
		if id := r.newest(name); id != 0 {
			targets = append(targets, id)
		}
	}
	return targets
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// unique returns the ids without duplicates.
func unique(ids []graph.ID) []graph.ID {
	var result []graph.ID
	seen := map[graph.ID]bool{}
	for _, id := range ids {
		if !seen[id] {
			result = append(result, id)
		}
		seen[id] = true
	}
	return result
}
