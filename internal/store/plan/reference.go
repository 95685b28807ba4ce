package plan

import (
	"iter"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// A Ref is an id under which a sender sends a record: a local id, which has a meaning only for that sender, or a
// reserved id, which has the same meaning for all senders of one user. Concepts and connections have separate local
// ids.
type Ref struct {
	Sender       graph.Sender // for a reserved id, only the User is set
	IsConnection bool
	ID           graph.ID // negative: local; positive: reserved
}

// RefOf returns the Ref for an id that a sender uses.
func RefOf(by graph.Sender, id graph.ID, isConnection bool) Ref {
	if id > 0 {
		by = graph.Sender{User: by.User}
	}
	return Ref{by, isConnection, id}
}

// sentIDs maps the local ids of a sender, or the reserved ids of a user, to the records that were sent under them.
type sentIDs struct{ concepts, connections map[graph.ID]graph.ID }

func (s *sentIDs) of(isConnection bool) map[graph.ID]graph.ID {
	if isConnection {
		return s.connections
	}
	return s.concepts
}

func (p *Plan) sentBy(by graph.Sender) *sentIDs {
	s := p.sent[by]
	if s == nil {
		s = &sentIDs{map[graph.ID]graph.ID{}, map[graph.ID]graph.ID{}}
		p.sent[by] = s
	}
	return s
}

// ConceptRefs yields the ids by which a batch refers to concepts: local, reserved, existing, or 0.
func ConceptRefs(b *graph.Batch) iter.Seq[graph.ID] {
	return func(yield func(graph.ID) bool) {
		for _, d := range b.Concepts {
			if !yield(d.SentID()) {
				return
			}
		}
		for _, d := range b.Connections {
			if !yield(d.From) || !yield(d.To) || !yield(d.Type) {
				return
			}
		}
		for _, id := range b.RemoveConcepts {
			if !yield(id) {
				return
			}
		}
	}
}

// ConnectionRefs yields the ids by which a batch refers to connections: local, reserved, existing, or 0.
func ConnectionRefs(b *graph.Batch) iter.Seq[graph.ID] {
	return func(yield func(graph.ID) bool) {
		for _, d := range b.Connections {
			if !yield(d.SentID()) {
				return
			}
		}
		for _, id := range b.RemoveConnections {
			if !yield(id) {
				return
			}
		}
	}
}

// TypeNames yields the names of types that a batch mentions. A name may occur several times.
func TypeNames(b *graph.Batch) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, d := range b.Concepts {
			if !yield(d.TypeName) {
				return
			}
		}
		for _, d := range b.Connections {
			if d.TypeName != "" && !yield(d.TypeName) {
				return
			}
		}
	}
}

// SentRecords returns the ids of the records that the drafts of a batch became, if they were sent before, or will become, if
// they name an existing record. The store loads them, and the types of the concepts, before the batch is planned. Ids may
// repeat.
func (p *Plan) SentRecords(b *graph.Batch) (concepts, connections []graph.ID) {
	w := p.batch(b, nil)
	for _, d := range b.Concepts {
		if id, known := w.sent(d.SentID(), false); known {
			concepts = append(concepts, id)
		} else if d.Becomes != 0 {
			concepts = append(concepts, d.Becomes)
		}
	}
	for _, d := range b.Connections {
		if id, known := w.sent(d.SentID(), true); known {
			connections = append(connections, id)
		}
	}
	return concepts, connections
}

// MissingEnds returns the ids of the concepts to which the connections and removals of a batch refer, except those
// that were learned or are drafts of the batch. The store loads them before the batch is planned. The ids ascend.
func (p *Plan) MissingEnds(b *graph.Batch) []graph.ID {
	w, drafted := p.batch(b, nil), map[graph.ID]bool{}
	for _, d := range b.Concepts {
		if d.ID != 0 {
			drafted[d.ID] = true
		}
	}
	var missing []graph.ID
	note := func(id graph.ID) {
		if sent, known := w.sent(id, false); known {
			id = sent
		} else if drafted[id] {
			return
		}
		if _, known := p.end(id); id > 0 && !known {
			missing = append(missing, id)
		}
	}
	for _, d := range b.Connections {
		note(d.From)
		note(d.To)
		note(d.Type)
	}
	for _, id := range b.RemoveConcepts {
		note(id)
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

// MissingKeys returns the keys of the shared values that a batch drafts, unless they were sent before or learned. A value
// whose type is not known does not exist and has no key. A key may occur several times. If the Database of a store does
// not look up keys, the store loads them before the batch is planned, but after the types.
func (p *Plan) MissingKeys(b *graph.Batch) ([]DirectoryKey, error) {
	w := p.batch(b, nil)
	var keys []DirectoryKey
	for _, d := range b.Concepts {
		if d.Kind != graph.DraftValue || !graph.IsShared(d.Value) {
			continue
		}
		if _, sent := w.sent(d.SentID(), false); sent {
			continue
		}
		typ, exists, err := p.findType(d.TypeName)
		if err != nil {
			return nil, err
		}
		if !exists {
			continue
		}
		c := d.Concept(w.by, p.now)
		c.Type = typ.ID
		key := DirectoryKeyOf(c)
		if _, known := p.directory[key]; !known {
			keys = append(keys, key)
		}
	}
	return keys, nil
}
