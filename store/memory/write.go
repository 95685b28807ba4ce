package memory

import (
	"context"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
)

// Write implements graph.Store.
func (s *Store) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return graph.Receipt{}, err
	}
	if err := b.Check(); err != nil {
		return graph.Receipt{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &write{Store: s, by: b.Sender.Key(), now: time.Now().UTC().Truncate(time.Millisecond)}
	receipt, err := w.write(b)
	if err != nil {
		w.takeBack()
		return graph.Receipt{}, err
	}
	return receipt, nil
}

// A write is one batch on its way in. It changes the store as it goes and can take everything back.
type write struct {
	*Store
	by      graph.Sender
	now     time.Time
	touched graph.Touched
	undo    []func()
}

func (w *write) write(b graph.Batch) (graph.Receipt, error) {
	var receipt graph.Receipt
	for i, d := range b.Concepts {
		c, err := w.concept(d)
		if err == nil {
			err = d.Fits(c, w.by)
		}
		if err != nil {
			return receipt, graph.Errorf(graph.KindOf(err), "concept %d of the batch (ghost %d): %v", i, d.Name(), err)
		}
		receipt.Concepts = append(receipt.Concepts, c)
	}
	for i, d := range b.Connections {
		c, err := w.connection(d)
		if err != nil {
			return receipt, graph.Errorf(graph.KindOf(err), "connection %d of the batch (ghost %d): %v", i, d.Name(), err)
		}
		receipt.Connections = append(receipt.Connections, c)
	}
	if err := w.remove(b); err != nil {
		return receipt, err
	}
	receipt.Seq = w.change()
	return receipt, nil
}

func (w *write) change() graph.Seq {
	if w.touched.Nothing() {
		return 0
	}
	w.forget(w.now.Add(-graph.KeepChanges))
	w.seq++
	w.changes = append(w.changes, w.touched.Change(w.seq, w.now))
	return w.seq
}

func (w *write) concept(d graph.ConceptDraft) (graph.Concept, error) {
	if id, known := w.known(d.Name(), false); known {
		return w.sentBefore(d, id)
	}
	if err := w.mayTake(d.ID, false); err != nil {
		return graph.Concept{}, err
	}
	c := w.findOrMake(d)
	w.remember(d.Name(), false, c.ID)
	return c, nil
}

// sentBefore answers a draft whose ghost is known. If the concept was removed since, it stays removed.
func (w *write) sentBefore(d graph.ConceptDraft, id graph.ID) (graph.Concept, error) {
	c, there := w.concepts[id]
	if !there {
		c = d.Concept(w.by, w.now)
		c.ID, c.Type = id, w.findType(d.TypeName)
		return c, nil
	}
	if typ := w.concepts[c.Type].Value; !d.Became(c, typ) {
		return c, graph.Errorf(graph.Conflict, "ghost %d is now %s, but was sent before as concept %d, %q of type %q",
			d.Name(), d, id, c.Value, typ)
	}
	return c, nil
}

func (w *write) findOrMake(d graph.ConceptDraft) graph.Concept {
	if d.Kind == graph.DraftType {
		return w.concepts[w.makeType(d.TypeName, d.ID)]
	}
	c := d.Concept(w.by, w.now)
	c.ID, c.Type = d.ID, w.makeType(d.TypeName, 0)
	if d.Kind == graph.DraftValue && graph.Shared(d.Value) {
		for _, id := range w.values[d.Value] {
			if e := w.concepts[id]; !e.IsType() && e.Type == c.Type && e.Scope() == c.Scope() {
				return e
			}
		}
	}
	return w.make(c)
}

// makeType finds or makes a type and all it is made of. A new type gets the reserved id, if there is one.
func (w *write) makeType(name string, reserved graph.ID) graph.ID {
	id := graph.The
	for _, link := range graph.TypeChain(name) {
		if id = w.findType(link); id != 0 {
			continue
		}
		c := w.newType(link)
		if link == name {
			c.ID = reserved
		}
		id = w.make(c).ID
	}
	return id
}

// newType is the type concept of a name whose parts exist.
func (w *write) newType(name string) graph.Concept {
	c := graph.Concept{
		Value: name, Type: graph.Word, Category: graph.CategoryWord,
		Owner: graph.Anonymous, Access: graph.Private, Created: w.now,
	}
	if category, word, ok := graph.SplitType(name); ok {
		c.Category, c.Type = w.findType(category), w.findType(word)
	}
	return c
}

// findType is 0 for a type nobody made.
func (w *write) findType(name string) graph.ID {
	if name == "the" {
		return graph.The
	}
	category := graph.CategoryWord
	if prefix, _, ok := graph.SplitType(name); ok {
		category = w.findType(prefix)
	}
	for _, id := range w.values[name] {
		if w.concepts[id].Category == category {
			return id
		}
	}
	return 0
}

func (w *write) make(c graph.Concept) graph.Concept {
	c.ID = w.take(c.ID)
	w.addConcept(c)
	w.touched.Concept(c)
	w.undo = append(w.undo, func() { w.dropConcept(c) })
	return c
}

// take gives the next id away, unless one was reserved.
func (w *write) take(reserved graph.ID) graph.ID {
	if reserved != 0 {
		return reserved
	}
	w.next++
	return w.next - 1
}

func (w *write) connection(d graph.ConnectionDraft) (graph.Connection, error) {
	from, err := w.end("source", d.From)
	if err != nil {
		return graph.Connection{}, err
	}
	to, err := w.end("target", d.To)
	if err != nil {
		return graph.Connection{}, err
	}
	c := d.Connection(w.by, w.now)
	c.From, c.To = from, to
	if id, known := w.known(d.Name(), true); known {
		return w.connectionSentBefore(d, c, id)
	}
	if err := w.mayTake(d.ID, true); err != nil {
		return graph.Connection{}, err
	}
	if err := w.exist(from, to); err != nil {
		return graph.Connection{}, err
	}
	if from == to {
		w.remember(d.Name(), true, 0)
		return graph.Connection{}, nil
	}
	if c.Type, err = w.connectionType(d); err != nil {
		return graph.Connection{}, err
	}
	c.ID = w.take(d.ID)
	w.addConnection(c)
	w.remember(d.Name(), true, c.ID)
	w.touched.Connection(c, graph.EndOf(w.concepts[from]), graph.EndOf(w.concepts[to]))
	w.undo = append(w.undo, func() { w.dropConnection(c) })
	return c, nil
}

// connectionSentBefore answers a draft whose ghost is known; c is what it would be if it were new.
func (w *write) connectionSentBefore(d graph.ConnectionDraft, c graph.Connection, id graph.ID) (graph.Connection, error) {
	if id == 0 && c.From == c.To {
		return graph.Connection{}, nil
	}
	c.ID, c.Type = id, w.findConnectionType(d)
	before, there := w.connections[id]
	if !there && id != 0 {
		return c, nil
	}
	if before.From != c.From || before.To != c.To || before.Type != c.Type {
		return c, graph.Errorf(graph.Conflict, "ghost %d is now %d→%d of type %d, but was sent before as connection %d, %d→%d of type %d",
			d.Name(), c.From, c.To, c.Type, id, before.From, before.To, before.Type)
	}
	return before, nil
}

func (w *write) connectionType(d graph.ConnectionDraft) (graph.ID, error) {
	if id := w.findConnectionType(d); id != 0 {
		return id, w.exist(id)
	}
	if d.TypeName == "" {
		return 0, graph.Errorf(graph.Invalid, "type is ghost %d, which nobody sent", d.Type)
	}
	return w.makeType(d.TypeName, 0), nil
}

func (w *write) findConnectionType(d graph.ConnectionDraft) graph.ID {
	if id, known := w.known(d.Type, false); known {
		return id
	}
	if d.Type > 0 {
		return d.Type
	}
	if d.TypeName == "" {
		return 0
	}
	return w.findType(d.TypeName)
}

// end is the real id of one end of a connection.
func (w *write) end(which string, id graph.ID) (graph.ID, error) {
	if real, known := w.known(id, false); known {
		return real, nil
	}
	if id > 0 {
		return id, nil
	}
	return 0, graph.Errorf(graph.Invalid, "%s is ghost %d, which nobody sent", which, id)
}

func (w *write) exist(of ...graph.ID) error {
	for _, id := range of {
		if _, there := w.concepts[id]; !there {
			return graph.Errorf(graph.Invalid, "there is no concept %d", id)
		}
	}
	return nil
}

func (w *write) known(id graph.ID, connection bool) (graph.ID, bool) {
	real, known := w.ghosts[ghostOf(w.by, id, connection)]
	return real, known
}

func (w *write) remember(id graph.ID, connection bool, real graph.ID) {
	if id == 0 {
		return
	}
	g := ghostOf(w.by, id, connection)
	w.ghosts[g] = real
	w.undo = append(w.undo, func() { delete(w.ghosts, g) })
	if id > 0 {
		w.use(id)
	}
}

func (w *write) takeBack() {
	for _, undo := range slices.Backward(w.undo) {
		undo()
	}
}
