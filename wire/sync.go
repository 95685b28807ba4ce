package wire

import (
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A Sync is a batch as clients send it.
type Sync struct {
	Concepts    []Concept    `json:"concepts"`
	Connections []Connection `json:"connections"`
	// RemoveConcepts and RemoveConnections are applied last, together with the rest or not at all.
	RemoveConcepts    []Int `json:"removeConcepts"`
	RemoveConnections []Int `json:"removeConnections"`
	// Store is the identity of the store that the real ids of the request are from. When it is another than
	// the one that would be written, nothing is. Clients that do not know it leave it out.
	Store string `json:"store"`
}

// Batch classifies the records. Clients leave out most of what a record refers to, so a name always
// wins over an id:
//
//	category 4       a value or composition of the type named typeCharacter
//	category 5124    a prototype of that type
//	any other        the type named characterValue, whatever its ids say
//
// Records with positive ids exist already and are no drafts; Existing lists them. An instance or prototype
// whose typeCharacter is empty has its type named by a record of the same request, or by name.
func (s Sync) Batch(sender graph.Sender, name func(graph.ID) (string, error)) (graph.Batch, error) {
	if s.Concepts == nil && s.Connections == nil && s.RemoveConcepts == nil && s.RemoveConnections == nil {
		return graph.Batch{}, graph.Errorf(graph.Invalid, "the request has neither concepts nor connections, and removes none")
	}
	b := graph.Batch{
		Sender:            sender,
		Concepts:          make([]graph.ConceptDraft, 0, len(s.Concepts)),
		Connections:       make([]graph.ConnectionDraft, 0, len(s.Connections)),
		RemoveConcepts:    ids(s.RemoveConcepts),
		RemoveConnections: ids(s.RemoveConnections),
	}
	name = s.typeNames(name)
	for i, c := range s.Concepts {
		if c.ID > 0 {
			continue
		}
		d, err := concept(c, name)
		if d.Ghost = ghostOf(c.ID, c.GhostID); d.Ghost == 0 && err == nil {
			err = graph.Errorf(graph.Invalid, "it needs a negative id or ghostId")
		}
		if err != nil {
			return graph.Batch{}, graph.Wrap(graph.KindOf(err), err, "concept %d of the request (id %d)", i, c.ID)
		}
		b.Concepts = append(b.Concepts, d)
	}
	for _, c := range s.Connections {
		if c.ID > 0 || c.none() {
			continue
		}
		b.Connections = append(b.Connections, connection(c))
	}
	return b, nil
}

// concept is the draft of a record, whose ids are left to the caller.
func concept(c Concept, name func(graph.ID) (string, error)) (graph.ConceptDraft, error) {
	d := graph.ConceptDraft{Kind: kind(c), Access: access(c.AccessID), Created: created(c.EntryTimeStamp)}
	if c.CategoryID == 0 {
		return d, graph.Errorf(graph.Invalid, "it needs a categoryId: %d for an instance, %d for a type",
			graph.CategoryInstance, graph.CategoryWord)
	}
	if d.Kind == graph.DraftType {
		d.TypeName = string(c.CharacterValue)
		return d, nil
	}
	if d.TypeName, d.Value = string(c.TypeCharacter), string(c.CharacterValue); d.TypeName != "" {
		return d, nil
	}
	var err error
	d.TypeName, err = name(graph.ID(c.TypeID))
	return d, err
}

// kind says what a record is. Types may stand in the category of prototypes, but are no compositions.
func kind(c Concept) graph.DraftKind {
	switch category := graph.ID(c.CategoryID); {
	case category == graph.CategoryPrototype && bool(c.IsComposition):
		return graph.DraftPrototype
	case category != graph.CategoryInstance:
		return graph.DraftType
	case bool(c.IsComposition) && c.CharacterValue == "":
		return graph.DraftComposition
	default:
		return graph.DraftValue
	}
}

// typeNames names the types that records themselves leave out: after a record of the same request, or else
// by asking, once for each.
func (s Sync) typeNames(ask func(graph.ID) (string, error)) func(graph.ID) (string, error) {
	var known map[graph.ID]string
	return func(typ graph.ID) (string, error) {
		if known == nil {
			known = s.values()
		}
		if name, ok := known[typ]; ok && typ != 0 {
			return name, nil
		}
		if !typ.Real() {
			return "", graph.Errorf(graph.Invalid, "it names no type: typeCharacter is empty and typeId is %d", typ)
		}
		name, err := ask(typ)
		if err == nil {
			known[typ] = name
		}
		return name, err
	}
}

// values are those of the records, by id and by ghost; the first record of several wins.
func (s Sync) values() map[graph.ID]string {
	values := make(map[graph.ID]string, len(s.Concepts))
	for _, c := range slices.Backward(s.Concepts) {
		values[graph.ID(c.GhostID)] = string(c.CharacterValue)
		values[graph.ID(c.ID)] = string(c.CharacterValue)
	}
	return values
}

func connection(c Connection) graph.ConnectionDraft {
	return graph.ConnectionDraft{
		Ghost:    ghostOf(c.ID, c.GhostID),
		From:     graph.ID(c.OfTheConceptID),
		To:       graph.ID(c.ToTheConceptID),
		Type:     graph.ID(c.TypeID),
		TypeName: string(c.TypeCharacter),
		Order:    int(c.OrderID),
		Access:   access(c.AccessID),
		Created:  created(c.EntryTimeStamp),
	}
}

// none says whether this is the all-zero connection that clients make instead of one from a concept
// to itself.
func (c Connection) none() bool {
	return c.ID == 0 && c.OfTheConceptID == 0 && c.ToTheConceptID == 0
}

// Existing lists the records of the request that claim to be stored already.
func (s Sync) Existing() (concepts, connections []graph.ID) {
	for _, c := range s.Concepts {
		if c.ID > 0 {
			concepts = append(concepts, graph.ID(c.ID))
		}
	}
	for _, c := range s.Connections {
		if c.ID > 0 {
			connections = append(connections, graph.ID(c.ID))
		}
	}
	return concepts, connections
}

func ghostOf(id, ghost Int) graph.ID {
	if ghost < 0 {
		return graph.ID(ghost)
	}
	return min(graph.ID(id), 0)
}

// access lets pass what is a level; clients also send 0 and 999, which mean nothing.
func access(n Int) graph.Access {
	if a := graph.Access(n); a >= graph.Admin && a <= graph.Public {
		return a
	}
	return 0
}

// created takes a client's stamp unless its clock is plainly wrong; zero means now.
func created(t Time) time.Time {
	at := t.Time()
	if at.Year() < 1970 || at.After(time.Now().Add(24*time.Hour)) {
		return time.Time{}
	}
	return at
}

func ids(list []Int) []graph.ID {
	if len(list) == 0 {
		return nil
	}
	out := make([]graph.ID, len(list))
	for i, n := range list {
		out[i] = graph.ID(n)
	}
	return out
}

// A Synced answers a Sync: what each record became.
type Synced struct {
	Concepts    Concepts    `json:"concepts"`
	Connections Connections `json:"connections"`
	Seq         graph.Seq   `json:"seq"` // of the change, 0 when there was none
}

// AppendJSON appends the answer.
func (s Synced) AppendJSON(b []byte) []byte {
	b = s.Concepts.AppendJSON(append(b, `{"concepts":`...))
	b = s.Connections.AppendJSON(append(b, `,"connections":`...))
	return append(appendInt(b, `,"seq":`, s.Seq), '}')
}
