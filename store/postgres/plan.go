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
	used     map[graph.ID]bool     // of the reserved ids
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

	tallies map[tally]int64 // by how much
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
		senders: map[graph.Sender]graph.ID{}, ghosts: map[ghost]graph.ID{}, reserved: map[graph.ID]graph.ID{}, used: map[graph.ID]bool{},
		concepts: map[graph.ID]graph.Concept{}, ends: map[graph.ID]graph.End{}, links: map[graph.ID]graph.Connection{},
		named: map[name]graph.Concept{}, types: map[string]graph.Concept{}, tallies: map[tally]int64{},
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
		delete(p.used, g.id)
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
	if name > 0 {
		in.used[name] = true
		return nil
	}
	if _, known := in.senders[g.sender]; known {
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
	if _, other := in.sent(id, !connection); other {
		return graph.Errorf(graph.Conflict, "id %d was sent before as another kind of record", id)
	}
	if user := in.reserved[id]; user != in.by.User && user != graph.Anonymous || in.used[id] {
		return graph.Errorf(graph.Invalid, "id %d was not reserved for user %d", id, in.by.User)
	}
	return nil
}
