package wire

import (
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A Sync is a batch in a request.
type Sync struct {
	Concepts    []Concept    `json:"concepts"`
	Connections []Connection `json:"connections"`
	// RemoveConcepts and RemoveConnections are applied last, in the same transaction.
	RemoveConcepts    []Int `json:"removeConcepts"`
	RemoveConnections []Int `json:"removeConnections"`
	// Store is the identity of the store that assigned the real ids of the request. If the server has another
	// store, it rejects the request. Older clients leave it out.
	Store string `json:"store"`
	// Atomic means that all records are written or none. Clients of the contract leave it out.
	Atomic Bool `json:"atomic"`
	// Increments and Upserts are the rules of the request, by which the server computes some of the records.
	Increments []Increment `json:"increments"`
	Upserts    []Upsert    `json:"upserts"`
}

// An Increment is a rule for a concept of the request that is the new value of a field. The server replaces its value
// with the current value of the field plus a number. The value in the request is the sum that the client expects.
type Increment struct {
	Concept Int  `json:"concept"` // ghost id of the value
	By      Text `json:"by"`      // a JSON number
}

// An Upsert is a rule for a composition of the request: if the store has a composition of the same type with the same
// value of a field, the composition of the request becomes that composition.
type Upsert struct {
	Concept Int  `json:"concept"` // ghost id of the composition
	By      Text `json:"by"`      // type of the field, such as the_email
}

// HasRules reports whether the server must compute some of the records.
func (s Sync) HasRules() bool { return len(s.Increments)+len(s.Upserts) > 0 }

// IsAtomic reports whether the request must be written completely or not at all, because it sets Atomic or has
// members that clients of the contract do not send. A request that is not atomic is written without its
// refused connections.
func (s Sync) IsAtomic() bool {
	return bool(s.Atomic) || s.HasRules() || s.Store != "" || len(s.RemoveConcepts)+len(s.RemoveConnections) > 0
}

// Batch converts the records to drafts. Most ids refer to records that are not in the request, so names take
// precedence over ids:
//
//	category 4       a value or composition of the type typeCharacter
//	category 5124    a prototype of the type typeCharacter if isComposition, otherwise a type
//	any other        the type characterValue; its other ids are ignored
//
// Records with positive ids already exist and are skipped; Existing returns them. If an instance or prototype has
// no typeCharacter, the name of its type comes from a record of the same request, or from the function name,
// which is called once per type. The errors are Invalid and those of name, with the position of the record.
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
		d, err := conceptDraft(c, name)
		if d.LocalID = localIDOf(c.ID, c.GhostID); d.LocalID == 0 && err == nil {
			err = graph.Errorf(graph.Invalid, "it needs a negative id or ghostId")
		}
		if err != nil {
			return graph.Batch{}, graph.Wrap(graph.KindOf(err), err, "concept %d of the request (id %d)", i, c.ID)
		}
		b.Concepts = append(b.Concepts, d)
	}
	for _, c := range s.Connections {
		if c.ID > 0 || c.isEmpty() {
			continue
		}
		b.Connections = append(b.Connections, connectionDraft(c))
	}
	return b, nil
}

// conceptDraft returns the draft of a record without its LocalID and ID.
func conceptDraft(c Concept, name func(graph.ID) (string, error)) (graph.ConceptDraft, error) {
	d := graph.ConceptDraft{Kind: draftKind(c), Access: access(c.AccessID), Created: created(c.EntryTimeStamp), Position: c.position()}
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

// draftKind returns the kind of a record. A type may have the category of prototypes, but is not a composition.
func draftKind(c Concept) graph.DraftKind {
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

// typeNames returns a function that looks up the name of a type in the records of the request, or with lookup if
// the request does not have it. It calls lookup once per type.
func (s Sync) typeNames(lookup func(graph.ID) (string, error)) func(graph.ID) (string, error) {
	var known map[graph.ID]string
	return func(typ graph.ID) (string, error) {
		if known == nil {
			known = s.values()
		}
		if name, ok := known[typ]; ok && typ != 0 {
			return name, nil
		}
		if !typ.IsReal() {
			return "", graph.Errorf(graph.Invalid, "it names no type: typeCharacter is empty and typeId is %d", typ)
		}
		name, err := lookup(typ)
		if err == nil {
			known[typ] = name
		}
		return name, err
	}
}

// values returns the values of the records by id and by ghost id. If several records have the same id, the first
// one counts.
func (s Sync) values() map[graph.ID]string {
	values := make(map[graph.ID]string, len(s.Concepts))
	for _, c := range slices.Backward(s.Concepts) {
		values[graph.ID(c.GhostID)] = string(c.CharacterValue)
		values[graph.ID(c.ID)] = string(c.CharacterValue)
	}
	return values
}

// connectionDraft returns the draft of a connection.
func connectionDraft(c Connection) graph.ConnectionDraft {
	return graph.ConnectionDraft{
		LocalID:  localIDOf(c.ID, c.GhostID),
		From:     graph.ID(c.OfTheConceptID),
		To:       graph.ID(c.ToTheConceptID),
		Type:     graph.ID(c.TypeID),
		TypeName: string(c.TypeCharacter),
		Order:    int(c.OrderID),
		Access:   access(c.AccessID),
		Created:  created(c.EntryTimeStamp),
	}
}

// isEmpty reports whether all ids are zero. Clients send such a connection in place of a connection from a concept
// to itself.
func (c Connection) isEmpty() bool {
	return c.ID == 0 && c.OfTheConceptID == 0 && c.ToTheConceptID == 0
}

// Existing returns the ids of the records that the store already has, according to the client.
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

// localIDOf returns the local id of a record: its ghostId if that is negative, otherwise its id if that is negative,
// otherwise 0.
func localIDOf(id, ghost Int) graph.ID {
	if ghost < 0 {
		return graph.ID(ghost)
	}
	return min(graph.ID(id), 0)
}

// access returns a valid level of access, or else 0. Clients also send 0 and 999, which have no meaning.
func access(n Int) graph.Access {
	if a := graph.Access(n); a >= graph.Admin && a <= graph.Public {
		return a
	}
	return 0
}

// created returns the time stamp of a client, or the zero time if it is before 1970 or more than a day in the
// future.
func created(t Time) time.Time {
	at := t.Time()
	if at.Year() < 1970 || at.After(time.Now().Add(24*time.Hour)) {
		return time.Time{}
	}
	return at
}

// ids converts numbers to ids. An empty list becomes nil.
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

// A SyncResult is the response to a Sync: the record that each draft became.
type SyncResult struct {
	Concepts    Concepts    `json:"concepts"`
	Connections Connections `json:"connections"`
	Seq         graph.Seq   `json:"seq"` // sequence number of the change; 0 if nothing changed
	// RemoveConnections lists the connections that rules removed. The member is absent if there are none.
	RemoveConnections []graph.ID `json:"removeConnections,omitempty"`
	// Refused lists the connections that were not written. The member is absent if there are none.
	Refused []RefusedConnection `json:"refused,omitempty"`
}

// A RefusedConnection is a connection of a request that was not written, and the reason.
type RefusedConnection struct {
	GhostID        Int             `json:"ghostId"`
	OfTheConceptID Int             `json:"ofTheConceptId"`
	ToTheConceptID Int             `json:"toTheConceptId"`
	Kind           graph.ErrorKind `json:"kind"`
	Message        string          `json:"message"`
}

// AppendJSON appends the response as JSON to b.
func (s SyncResult) AppendJSON(b []byte) []byte {
	b = s.Concepts.AppendJSON(append(b, `{"concepts":`...))
	b = s.Connections.AppendJSON(append(b, `,"connections":`...))
	for i, r := range s.Refused {
		if i == 0 {
			b = append(b, `,"refused":[`...)
		} else {
			b = append(b, ',')
		}
		b = appendInt(b, `{"ghostId":`, r.GhostID)
		b = appendInt(b, `,"ofTheConceptId":`, r.OfTheConceptID)
		b = appendInt(b, `,"toTheConceptId":`, r.ToTheConceptID)
		b = appendText(append(b, `,"kind":`...), string(r.Kind))
		b = appendText(append(b, `,"message":`...), r.Message)
		b = append(b, '}')
	}
	if len(s.Refused) > 0 {
		b = append(b, ']')
	}
	for i, id := range s.RemoveConnections {
		if i == 0 {
			b = appendInt(b, `,"removeConnections":[`, id)
		} else {
			b = appendInt(b, ",", id)
		}
	}
	if len(s.RemoveConnections) > 0 {
		b = append(b, ']')
	}
	return append(appendInt(b, `,"seq":`, s.Seq), '}')
}
