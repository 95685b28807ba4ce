package postgres

import (
	"crypto/sha256"
	"errors"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A plan is what a group of batches becomes. It knows all that the batches mention, see load, and decides
// without asking again.
type plan struct {
	now time.Time
	ids *block

	senders  map[graph.Sender]graph.ID
	ghosts   map[ghost]graph.ID    // what was sent under ghosts and reserved ids
	reserved map[graph.ID]graph.ID // for whom
	concepts map[graph.ID]graph.Concept
	ends     map[graph.ID]graph.End // of every concept known to exist
	links    map[graph.ID]graph.Connection
	named    map[name]graph.Concept   // types and shared values
	types    map[string]graph.Concept // those asked for so far

	// What is to be written.
	newSenders     []graph.Sender
	newGhosts      []ghost
	newConcepts    []graph.Concept
	newConnections []graph.Connection
}

// A ghost is a local id inside its sender's circle, or a reserved id inside its user's. Local ids of
// concepts and connections have number spaces of their own.
type ghost struct {
	sender     graph.Sender
	connection bool
	id         graph.ID
}

func ghostOf(by graph.Sender, id graph.ID, connection bool) ghost {
	if id > 0 {
		by = graph.Sender{User: by.User}
	}
	return ghost{by, connection, id}
}

// A name is what tells types and shared values apart. Nobody can make two values of one hash, so equal
// hashes are equal values.
type name struct {
	hash                 [16]byte
	category, typ, scope graph.ID
}

func nameOf(c graph.Concept) name { return name{hash(c.Value), c.Category, c.Type, c.Scope()} }

func hash(value string) [16]byte {
	sum := sha256.Sum256([]byte(value))
	return [16]byte(sum[:16])
}

// listed says whether the directory lists a concept.
func listed(c graph.Concept) bool { return c.IsType() || !c.Composition && graph.Shared(c.Value) }

func newPlan(ids *block) *plan {
	p := &plan{
		now: now(), ids: ids,
		senders: map[graph.Sender]graph.ID{}, ghosts: map[ghost]graph.ID{}, reserved: map[graph.ID]graph.ID{},
		concepts: map[graph.ID]graph.Concept{}, ends: map[graph.ID]graph.End{}, links: map[graph.ID]graph.Connection{},
		named: map[name]graph.Concept{}, types: map[string]graph.Concept{},
	}
	for _, c := range graph.Fixed() {
		p.learn(c)
	}
	return p
}

// learn notes a concept that exists.
func (p *plan) learn(c graph.Concept) {
	p.concepts[c.ID] = c
	p.ends[c.ID] = graph.EndOf(c)
	if listed(c) {
		p.named[nameOf(c)] = c
	}
}

// write plans one batch, but for its removals. One that is refused leaves the plan as it was.
func (p *plan) write(w *write) error {
	w.touched, w.receipt = graph.Touched{}, graph.Receipt{}
	before := *p
	in := incoming{p, w.by, &w.touched}
	err := in.write(w)
	if err != nil {
		w.receipt = graph.Receipt{}
		p.backTo(before)
	}
	return err
}

// backTo forgets what was planned since.
func (p *plan) backTo(before plan) {
	for _, by := range p.newSenders[len(before.newSenders):] {
		delete(p.senders, by)
	}
	for _, g := range p.newGhosts[len(before.newGhosts):] {
		delete(p.ghosts, g)
	}
	for _, c := range p.newConcepts[len(before.newConcepts):] {
		delete(p.concepts, c.ID)
		delete(p.ends, c.ID)
		if listed(c) {
			delete(p.named, nameOf(c))
		}
	}
	for _, c := range p.newConnections[len(before.newConnections):] {
		delete(p.links, c.ID)
	}
	clear(p.types) // soon learned again
	p.newSenders, p.newGhosts = before.newSenders, before.newGhosts
	p.newConcepts, p.newConnections = before.newConcepts, before.newConnections
}

// An incoming is one batch on its way into the plan.
type incoming struct {
	*plan
	by      graph.Sender
	touched *graph.Touched
}

func (in incoming) write(w *write) error {
	for i, d := range w.batch.Concepts {
		c, err := in.concept(d)
		if err == nil {
			err = d.Fits(c, in.by)
		}
		if err != nil {
			return refused("concept", i, d.Name(), err)
		}
		w.receipt.Concepts = append(w.receipt.Concepts, c)
	}
	for i, d := range w.batch.Connections {
		c, err := in.connection(d)
		if err != nil {
			return refused("connection", i, d.Name(), err)
		}
		w.receipt.Connections = append(w.receipt.Connections, c)
	}
	return nil
}

// refused says which draft an error is about, if it is about a draft.
func refused(what string, i int, name graph.ID, err error) error {
	var e *graph.Error
	if !errors.As(err, &e) {
		return err
	}
	return graph.Errorf(e.Kind, "%s %d of the batch (ghost %d): %v", what, i, name, err)
}

func (in incoming) sent(name graph.ID, connection bool) (graph.ID, bool) {
	real, known := in.ghosts[ghostOf(in.by, name, connection)]
	return real, known
}

// remember keeps what a draft became under its name.
func (in incoming) remember(name graph.ID, connection bool, became graph.ID) error {
	if name == 0 {
		return nil
	}
	g := ghostOf(in.by, name, connection)
	in.ghosts[g] = became
	in.newGhosts = append(in.newGhosts, g)
	if _, known := in.senders[g.sender]; known || name > 0 {
		return nil
	}
	id, err := in.ids.take()
	in.senders[g.sender] = id
	in.newSenders = append(in.newSenders, g.sender)
	return err
}

// mayTake says whether a draft that was not sent before may have an id.
func (in incoming) mayTake(id graph.ID, connection bool) error {
	if id == 0 {
		return nil
	}
	if in.reserved[id] != in.by.User {
		return graph.Errorf(graph.Invalid, "id %d was not reserved for user %d", id, in.by.User)
	}
	if _, other := in.sent(id, !connection); other {
		return graph.Errorf(graph.Conflict, "id %d was sent before as another kind of record", id)
	}
	return nil
}

func (in incoming) concept(d graph.ConceptDraft) (graph.Concept, error) {
	if id, known := in.sent(d.Name(), false); known {
		return in.sentBefore(d, id)
	}
	if err := in.mayTake(d.ID, false); err != nil {
		return graph.Concept{}, err
	}
	c, err := in.findOrMake(d)
	if err != nil {
		return c, err
	}
	return c, in.remember(d.Name(), false, c.ID)
}

// sentBefore answers a draft whose name is known. If the concept was removed since, it stays removed.
func (in incoming) sentBefore(d graph.ConceptDraft, id graph.ID) (graph.Concept, error) {
	c, there := in.concepts[id]
	if !there {
		c = d.Concept(in.by, in.now)
		typ, _ := in.findType(d.TypeName)
		c.ID, c.Type = id, typ.ID
		return c, nil
	}
	if typ := in.concepts[c.Type]; !d.Became(c, typ.Value) {
		return c, graph.Errorf(graph.Conflict, "ghost %d is now %s, but was sent before as concept %d, %q of type %q",
			d.Name(), d, id, c.Value, typ.Value)
	}
	return c, nil
}

func (in incoming) findOrMake(d graph.ConceptDraft) (graph.Concept, error) {
	if d.Kind == graph.DraftType {
		return in.makeType(d.TypeName, d.ID)
	}
	c := d.Concept(in.by, in.now)
	typ, err := in.makeType(d.TypeName, 0)
	if err != nil {
		return c, err
	}
	c.ID, c.Type = d.ID, typ.ID
	if listed(c) {
		if found, there := in.named[nameOf(c)]; there {
			return found, nil
		}
	}
	return in.make(c)
}

// makeType finds or makes a type and all it is made of. A new type gets the reserved id, if there is one.
func (in incoming) makeType(name string, reserved graph.ID) (graph.Concept, error) {
	if typ, there := in.findType(name); there {
		return typ, nil
	}
	for _, link := range graph.TypeChain(name) {
		if _, there := in.findType(link); there {
			continue
		}
		c, _ := in.newType(link)
		if link == name {
			c.ID = reserved
		}
		if _, err := in.make(c); err != nil {
			return c, err
		}
	}
	typ, _ := in.findType(name)
	return typ, nil
}

// findType finds a type that exists or is planned.
func (p *plan) findType(name string) (graph.Concept, bool) {
	if typ, known := p.types[name]; known {
		return typ, true
	}
	if name == "the" {
		return p.concepts[graph.The], true
	}
	c, ok := p.newType(name)
	if !ok {
		return c, false
	}
	typ, there := p.named[nameOf(c)]
	if there {
		p.types[name] = typ
	}
	return typ, there
}

// newType is the type concept of a name, unless one of its parts is missing.
func (p *plan) newType(name string) (graph.Concept, bool) {
	c := graph.Concept{
		Value: name, Type: graph.Word, Category: graph.CategoryWord,
		Owner: graph.Anonymous, Access: graph.Private, Created: p.now,
	}
	prefix, last, ok := graph.SplitType(name)
	if !ok {
		return c, true
	}
	category, there := p.findType(prefix)
	word, both := p.findType(last)
	c.Category, c.Type = category.ID, word.ID
	return c, there && both
}

// make adds a concept.
func (in incoming) make(c graph.Concept) (graph.Concept, error) {
	if c.ID == 0 {
		var err error
		if c.ID, err = in.ids.take(); err != nil {
			return c, err
		}
	}
	in.learn(c)
	in.newConcepts = append(in.newConcepts, c)
	in.touched.Concept(c)
	return c, nil
}

func (in incoming) connection(d graph.ConnectionDraft) (graph.Connection, error) {
	from, err := in.end("source", d.From)
	if err != nil {
		return graph.Connection{}, err
	}
	to, err := in.end("target", d.To)
	if err != nil {
		return graph.Connection{}, err
	}
	c := d.Connection(in.by, in.now)
	c.From, c.To = from, to
	if id, known := in.sent(d.Name(), true); known {
		return in.connectionSentBefore(d, c, id)
	}
	if err := in.mayTake(d.ID, true); err != nil {
		return graph.Connection{}, err
	}
	if err := in.exist(from, to); err != nil {
		return graph.Connection{}, err
	}
	if from == to {
		return graph.Connection{}, in.remember(d.Name(), true, 0)
	}
	if c.Type, err = in.connectionType(d); err != nil {
		return graph.Connection{}, err
	}
	if c.ID = d.ID; c.ID == 0 {
		if c.ID, err = in.ids.take(); err != nil {
			return graph.Connection{}, err
		}
	}
	in.links[c.ID] = c
	in.newConnections = append(in.newConnections, c)
	in.touched.Connection(c, in.ends[from], in.ends[to])
	return c, in.remember(d.Name(), true, c.ID)
}

// connectionSentBefore answers a draft whose name is known; c is what it would be if it were new.
func (in incoming) connectionSentBefore(d graph.ConnectionDraft, c graph.Connection, id graph.ID) (graph.Connection, error) {
	if id == 0 && c.From == c.To {
		return graph.Connection{}, nil
	}
	c.ID, c.Type = id, in.findConnectionType(d)
	before, there := in.links[id]
	if !there && id != 0 {
		return c, nil
	}
	if before.From != c.From || before.To != c.To || before.Type != c.Type {
		return c, graph.Errorf(graph.Conflict, "ghost %d is now %d→%d of type %d, but was sent before as connection %d, %d→%d of type %d",
			d.Name(), c.From, c.To, c.Type, id, before.From, before.To, before.Type)
	}
	return before, nil
}

func (in incoming) connectionType(d graph.ConnectionDraft) (graph.ID, error) {
	if id := in.givenType(d); id != 0 {
		return id, in.exist(id)
	}
	if d.TypeName == "" {
		return 0, graph.Errorf(graph.Invalid, "type is ghost %d, which nobody sent", d.Type)
	}
	typ, err := in.makeType(d.TypeName, 0)
	return typ.ID, err
}

func (in incoming) findConnectionType(d graph.ConnectionDraft) graph.ID {
	if id := in.givenType(d); id != 0 || d.TypeName == "" {
		return id
	}
	typ, _ := in.findType(d.TypeName)
	return typ.ID
}

// givenType is the type a draft gives by id or known ghost, or 0.
func (in incoming) givenType(d graph.ConnectionDraft) graph.ID {
	if real, known := in.sent(d.Type, false); known {
		return real
	}
	return max(d.Type, 0)
}

// end is the real id of one end of a connection.
func (in incoming) end(which string, id graph.ID) (graph.ID, error) {
	if real, known := in.sent(id, false); known {
		return real, nil
	}
	if id > 0 {
		return id, nil
	}
	return 0, graph.Errorf(graph.Invalid, "%s is ghost %d, which nobody sent", which, id)
}

func (in incoming) exist(ids ...graph.ID) error {
	for _, id := range ids {
		if _, there := in.ends[id]; !there {
			return graph.Errorf(graph.Invalid, "there is no concept %d", id)
		}
	}
	return nil
}
