package plan

import (
	"errors"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A Database provides ids and directory entries while drafts are planned.
type Database interface {
	// NextID takes an unused id.
	NextID() (graph.ID, error)

	// Find returns the concept that the directory lists under key and reports whether there is one.
	Find(key DirectoryKey) (graph.Concept, bool, error)

	// FindOrEnter returns the concept that the directory lists under the key of c. If no such concept exists,
	// it enters c, under c.ID or, if that is 0, under the next unused id, and reports true. The plan then adds
	// c.
	FindOrEnter(key DirectoryKey, c graph.Concept) (_ graph.Concept, entered bool, _ error)
}

// A Plan holds the records to which the batches of a transaction refer, and collects those that they add. It is not safe
// for concurrent use.
type Plan struct {
	db  Database
	now time.Time

	// Existing records that were learned or planned.
	sent        map[graph.Sender]*sentIDs // keyed by the Sender of a Ref
	reserved    map[graph.ID]reservation
	concepts    map[graph.ID]graph.Concept
	ends        map[graph.ID]End
	connections map[graph.ID]graph.Connection
	directory   map[DirectoryKey]graph.Concept
	types       map[string]graph.Concept // keyed by name; a cache that may outlive the plan

	added Additions
}

// Additions holds the records that planned batches add, in the order in which they were planned.
type Additions struct {
	Concepts    []graph.Concept
	Connections []graph.Connection
	Refs        []Ref // local and reserved ids used for the first time; see Sent
}

func (a *Additions) grow(concepts, connections int) {
	a.Concepts = slices.Grow(a.Concepts, concepts)
	a.Connections = slices.Grow(a.Connections, connections)
	a.Refs = slices.Grow(a.Refs, concepts+connections)
}

// An End holds the properties of a concept that is the end or the type of a connection, as far as a plan needs them.
type End struct {
	graph.Endpoint
	Composition bool // the concept is a composition; connections that have it as their type are internal to it
}

// EndOf returns the End of a concept.
func EndOf(c graph.Concept) End { return End{graph.EndpointOf(c), c.Composition} }

// A reservation is a reserved id.
type reservation struct {
	user graph.ID
	used bool
}

// New returns an empty plan for records created now. types is a cache of types by name. The caller may pass it to
// the next plan while every type in it is known to exist.
func New(db Database, now time.Time, types map[string]graph.Concept) *Plan {
	return &Plan{
		db: db, now: now, types: types,
		sent: map[graph.Sender]*sentIDs{}, reserved: map[graph.ID]reservation{},
		concepts: map[graph.ID]graph.Concept{}, ends: map[graph.ID]End{}, connections: map[graph.ID]graph.Connection{},
		directory: map[DirectoryKey]graph.Concept{},
	}
}

// LearnConcept notes a concept that exists.
func (p *Plan) LearnConcept(c graph.Concept) {
	p.concepts[c.ID] = c
	p.ends[c.ID] = EndOf(c)
	if InDirectory(c) {
		p.directory[DirectoryKeyOf(c)] = c
	}
}

// LearnEnd notes that a concept exists.
func (p *Plan) LearnEnd(id graph.ID, end End) { p.ends[id] = end }

// LearnConnection notes a connection that exists.
func (p *Plan) LearnConnection(c graph.Connection) { p.connections[c.ID] = c }

// LearnSent notes the record that was sent under a local id.
func (p *Plan) LearnSent(ref Ref, became graph.ID) {
	p.sentBy(ref.Sender).of(ref.IsConnection)[ref.ID] = became
}

// LearnReserved notes that an id is reserved for a user.
func (p *Plan) LearnReserved(id, user graph.ID) { p.reserved[id] = reservation{user: user} }

// LearnUsed notes the record that was sent under a reserved id.
func (p *Plan) LearnUsed(id, user graph.ID, isConnection bool, became graph.ID) {
	p.reserved[id] = reservation{user: user, used: true}
	p.LearnSent(RefOf(graph.Sender{User: user}, id, isConnection), became)
}

// Now returns the time at which the plan's records are created.
func (p *Plan) Now() time.Time { return p.now }

// Sent returns the id of the record that was sent under a local or reserved id, and reports whether there is such
// a record.
func (p *Plan) Sent(ref Ref) (graph.ID, bool) {
	id, known := p.sentBy(ref.Sender).of(ref.IsConnection)[ref.ID]
	return id, known
}

// Concept returns a concept that was planned, or learned with all its properties.
func (p *Plan) Concept(id graph.ID) (graph.Concept, bool) {
	if c, known := p.concepts[id]; known {
		return c, true
	}
	c, fixed := fixedByID[id]
	return c, fixed
}

// IsInternal reports whether a connection is internal to the composition that is its type.
func (p *Plan) IsInternal(c graph.Connection) bool { return p.ends[c.Type].Composition }

// ScopeOf returns the scope of the users who may read a connection and both its ends, which the plan must know.
func (p *Plan) ScopeOf(c graph.Connection) graph.ID {
	source, _ := p.end(c.From)
	target, _ := p.end(c.To)
	return c.ScopeBetween(source.Endpoint, target.Endpoint)
}

// Added returns the records that the batches planned so far add.
func (p *Plan) Added() *Additions { return &p.added }

// end returns the End of an existing concept, if it is known.
func (p *Plan) end(id graph.ID) (End, bool) {
	if end, known := p.ends[id]; known {
		return end, true
	}
	c, fixed := fixedByID[id]
	return EndOf(c), fixed
}

// An Outcome is the result of planning one batch. The store sets the Seq of the receipt.
type Outcome struct {
	Receipt graph.Receipt
	Touched graph.ChangeBuilder
}

// Write plans the drafts of a batch. Its removals are planned by Remove, after the drafts were saved. If the batch is
// refused, the plan does not change and the error is a graph.Error. Any other error comes from the Database.
func (p *Plan) Write(b *graph.Batch) (*Outcome, error) {
	before := p.added
	w := p.batch(b, &Outcome{})
	w.firstConcept = len(before.Concepts)
	w.Receipt.Concepts = make([]graph.Concept, 0, len(b.Concepts))
	w.Receipt.Connections = make([]graph.Connection, 0, len(b.Connections))
	p.added.grow(len(b.Concepts), len(b.Connections))
	if err := w.drafts(b); err != nil {
		p.Undo(before)
		return nil, err
	}
	return w.Outcome, nil
}

// CheckUnchanged checks the condition of a batch after its drafts were planned. read returns up to limit changes after a
// number, and reports whether none of the changes after that number was deleted.
func (p *Plan) CheckUnchanged(b *graph.Batch, read func(after graph.Seq, limit int) (_ []graph.Change, isComplete bool, _ error)) error {
	if b.Unchanged == nil {
		return nil
	}
	since, isComplete, err := read(b.Unchanged.Since, graph.MaxUnchanged+1)
	if err != nil {
		return err
	}
	if !isComplete {
		return graph.Wrap(graph.Conflict, graph.ErrChanged, "there are no changes after %d", b.Unchanged.Since)
	}
	w := p.batch(b, nil)
	return b.Unchanged.Check(since, func(id graph.ID) graph.ID {
		if sent, known := w.sent(id, false); known {
			return sent
		}
		return id
	})
}

// Undo removes everything that was planned since a call of Added, whose result is before.
func (p *Plan) Undo(before Additions) {
	for _, ref := range p.added.Refs[len(before.Refs):] {
		delete(p.sentBy(ref.Sender).of(ref.IsConnection), ref.ID)
		if r, reserved := p.reserved[ref.ID]; reserved {
			r.used = false
			p.reserved[ref.ID] = r
		}
	}
	for _, c := range p.added.Concepts[len(before.Concepts):] {
		delete(p.concepts, c.ID)
		delete(p.ends, c.ID)
		if InDirectory(c) {
			delete(p.directory, DirectoryKeyOf(c))
		}
	}
	for _, c := range p.added.Connections[len(before.Connections):] {
		delete(p.connections, c.ID)
	}
	clear(p.types) // may hold types of the batch; the other types are found again
	p.added = before
}

// A batch is one batch while it is planned.
type batch struct {
	*Plan
	*Outcome
	by     graph.Sender
	local  *sentIDs // by this sender
	shared *sentIDs // reserved ids, by all senders of its user

	firstConcept int               // index of its first concept among those that the plan adds
	created      map[graph.ID]bool // concepts that the batch creates, or nil until creates is called
}

func (p *Plan) batch(b *graph.Batch, outcome *Outcome) *batch {
	by := b.Sender.Key()
	return &batch{Plan: p, Outcome: outcome, by: by, local: p.sentBy(by), shared: p.sentBy(graph.Sender{User: by.User})}
}

// sent returns the id of the record that the sender sent under an id, and reports whether a record was sent.
func (w *batch) sent(id graph.ID, isConnection bool) (graph.ID, bool) {
	ids := w.local
	if id > 0 {
		ids = w.shared
	}
	became, known := ids.of(isConnection)[id]
	return became, known
}

// creates reports whether the batch creates a concept. All concepts of the batch must have been planned.
func (w *batch) creates(id graph.ID) bool {
	if w.created == nil {
		w.created = map[graph.ID]bool{}
		for _, c := range w.added.Concepts[w.firstConcept:] {
			w.created[c.ID] = true
		}
	}
	return w.created[id]
}

func (w *batch) drafts(b *graph.Batch) error {
	for i, d := range b.Concepts {
		c, err := w.concept(d)
		if err == nil {
			err = d.CheckOwner(c, w.by)
		}
		if err != nil {
			return refusal("concept", i, d.SentID(), err)
		}
		w.Receipt.Concepts = append(w.Receipt.Concepts, c)
	}
	for i, d := range b.Connections {
		c, err := w.connection(d)
		if err != nil {
			return refusal("connection", i, d.SentID(), err)
		}
		w.Receipt.Connections = append(w.Receipt.Connections, c)
	}
	return nil
}

// refusal adds the draft to an error of the plan. It returns errors of the database unchanged.
func refusal(kind string, i int, name graph.ID, err error) error {
	var refused *graph.Error
	if !errors.As(err, &refused) {
		return err
	}
	return graph.Errorf(refused.Kind, "%s %d of the batch (ghost %d): %v", kind, i, name, err)
}

// checkReservedID returns an error if a draft may not use an id. The draft was not sent before.
func (w *batch) checkReservedID(id graph.ID, isConnection bool) error {
	if id == 0 {
		return nil
	}
	if _, other := w.sent(id, !isConnection); other {
		return graph.Errorf(graph.Conflict, "id %d was sent before as another kind of record", id)
	}
	if r := w.reserved[id]; r.used || r.user != w.by.User && r.user != graph.Anonymous {
		return graph.Errorf(graph.Invalid, "id %d was not reserved for user %d", id, w.by.User)
	}
	return nil
}

// remember stores the record that a draft became under its local or reserved id, if it has one.
func (w *batch) remember(name graph.ID, isConnection bool, became graph.ID) {
	if name == 0 {
		return
	}
	ref := RefOf(w.by, name, isConnection)
	w.LearnSent(ref, became)
	w.added.Refs = append(w.added.Refs, ref)
	if r, reserved := w.reserved[name]; reserved {
		r.used = true
		w.reserved[name] = r
	}
}
