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
	w := &write{Store: s, by: b.Sender.Key(), now: time.Now().UTC().Truncate(time.Millisecond), created: map[graph.ID]bool{}}
	receipt, err := w.write(b)
	if err != nil {
		w.undoAll()
		return graph.Receipt{}, err
	}
	return receipt, nil
}

// A write is one batch being written. It changes the store step by step and can undo every step.
type write struct {
	*Store
	by      graph.Sender
	now     time.Time
	touched graph.ChangeBuilder
	created map[graph.ID]bool // concepts of this batch
	undo    []func()
}

func (w *write) write(b graph.Batch) (graph.Receipt, error) {
	var receipt graph.Receipt
	before := w.usage[w.by.User]
	if err := b.Absent.Check(w.hasValue); err != nil {
		return receipt, err
	}
	for i, d := range b.Concepts {
		c, err := w.concept(d)
		if err == nil {
			err = d.CheckOwner(c, w.by)
		}
		if err != nil {
			return receipt, graph.Errorf(graph.KindOf(err), "concept %d of the batch (ghost %d): %v", i, d.SentID(), err)
		}
		receipt.Concepts = append(receipt.Concepts, c)
	}
	for i, d := range b.Connections {
		c, err := w.connection(d)
		if err != nil {
			return receipt, graph.Errorf(graph.KindOf(err), "connection %d of the batch (ghost %d): %v", i, d.SentID(), err)
		}
		receipt.Connections = append(receipt.Connections, c)
	}
	if err := w.checkUnchanged(b.Unchanged); err != nil {
		return receipt, err
	}
	if err := w.remove(b); err != nil {
		return receipt, err
	}
	if err := w.requireQuota(before); err != nil {
		return receipt, err
	}
	receipt.Seq = w.change()
	return receipt, nil
}

func (w *write) checkUnchanged(u *graph.Unchanged) error {
	if u == nil {
		return nil
	}
	oldest := w.seq - graph.Seq(len(w.changes)) // changes up to this number are deleted
	if u.Since < oldest || u.Since > w.seq {
		return graph.Wrap(graph.Conflict, graph.ErrChanged, "there are no changes after %d", u.Since)
	}
	return u.Check(w.changes[u.Since-oldest:], func(id graph.ID) graph.ID {
		if real, known := w.lookUpSent(id, false); known {
			return real
		}
		return id
	})
}

func (w *write) change() graph.Seq {
	if w.touched.IsEmpty() {
		return 0
	}
	w.deleteChanges(w.now.Add(-graph.ChangeRetention))
	w.seq++
	w.changes = append(w.changes, w.touched.Build(w.seq, w.now))
	return w.seq
}

func (w *write) concept(d graph.ConceptDraft) (graph.Concept, error) {
	if id, known := w.lookUpSent(d.SentID(), false); known {
		return w.conceptSentBefore(d, id)
	}
	if err := w.checkReservedID(d.ID, false); err != nil {
		return graph.Concept{}, err
	}
	if c := w.concepts[d.Becomes]; d.Becomes != 0 {
		if c.ID == 0 || !d.Matches(c, w.concepts[c.Type].Value) {
			return c, graph.Errorf(graph.Invalid, "concept %d is not a record of type %q", d.Becomes, graph.Clip(d.TypeName))
		}
		w.remember(d.SentID(), false, c.ID)
		return c, nil
	}
	c := w.findOrMake(d)
	w.remember(d.SentID(), false, c.ID)
	return c, nil
}

// conceptSentBefore returns the concept that the draft became when it was sent before, even if the concept was removed in the
// meantime.
func (w *write) conceptSentBefore(d graph.ConceptDraft, id graph.ID) (graph.Concept, error) {
	c, exists := w.concepts[id]
	if !exists {
		c = d.Concept(w.by, w.now)
		c.ID, c.Type = id, w.findType(d.TypeName)
		return c, nil
	}
	if typ := w.concepts[c.Type].Value; !d.Matches(c, typ) {
		return c, graph.Errorf(graph.Conflict, "ghost %d is now %s, but was sent before as concept %d, %q of type %q",
			d.SentID(), d, id, c.Value, typ)
	}
	return c, nil
}

func (w *write) findOrMake(d graph.ConceptDraft) graph.Concept {
	if d.Kind == graph.DraftType {
		return w.concepts[w.makeType(d.TypeName, d.ID)]
	}
	c := d.Concept(w.by, w.now)
	c.ID, c.Type = d.ID, w.makeType(d.TypeName, 0)
	if d.Kind == graph.DraftValue && graph.IsShared(d.Value) {
		for _, id := range w.valuesIn[scopedValue{d.Value, c.Scope()}] {
			if e := w.concepts[id]; !e.IsType() && e.Type == c.Type {
				return e
			}
		}
	}
	return w.make(c)
}

// makeType finds or creates a type and the types of its name's parts. A new type has the reserved id, unless that is 0.
func (w *write) makeType(name string, reserved graph.ID) graph.ID {
	id := graph.The
	for _, part := range graph.TypeChain(name) {
		if id = w.findType(part); id != 0 {
			continue
		}
		c := w.newType(part)
		if part == name {
			c.ID = reserved
		}
		id = w.make(c).ID
	}
	return id
}

// newType returns the type concept of a name whose parts exist.
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

// findType returns the id of a type, or 0 if it does not exist.
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
	c.ID = w.takeID(c.ID)
	w.created[c.ID] = true
	w.addConcept(c)
	w.touched.AddConcept(c)
	w.undo = append(w.undo, func() { w.dropConcept(c) })
	return c
}

// takeID returns the reserved id or, if it is 0, the next unused id.
func (w *write) takeID(reserved graph.ID) graph.ID {
	if reserved != 0 {
		return reserved
	}
	w.next++
	return w.next - 1
}

func (w *write) connection(d graph.ConnectionDraft) (graph.Connection, error) {
	from, err := w.realEnd("source", d.From)
	if err != nil {
		return graph.Connection{}, err
	}
	to, err := w.realEnd("target", d.To)
	if err != nil {
		return graph.Connection{}, err
	}
	c := d.Connection(w.by, w.now)
	c.From, c.To = from, to
	if id, known := w.lookUpSent(d.SentID(), true); known {
		return w.connectionSentBefore(d, c, id)
	}
	if err := w.checkReservedID(d.ID, true); err != nil {
		return graph.Connection{}, err
	}
	if err := w.checkExist(from, to); err != nil {
		return graph.Connection{}, err
	}
	if from == to {
		w.remember(d.SentID(), true, 0)
		return graph.Connection{}, nil
	}
	if c.Type, err = w.connectionType(d); err != nil {
		return graph.Connection{}, err
	}
	c.ID = w.takeID(d.ID)
	w.addConnection(c)
	w.remember(d.SentID(), true, c.ID)
	w.touched.AddConnection(c, graph.EndpointOf(w.concepts[from]), graph.EndpointOf(w.concepts[to]))
	w.undo = append(w.undo, func() { w.dropConnection(c) })
	return c, nil
}

// connectionSentBefore returns the connection that the draft became when it was sent before, even if the connection was
// removed in the meantime. c is the connection that a new draft would become, without its id and type.
func (w *write) connectionSentBefore(d graph.ConnectionDraft, c graph.Connection, id graph.ID) (graph.Connection, error) {
	if id == 0 && c.From == c.To {
		return graph.Connection{}, nil
	}
	c.ID, c.Type = id, w.findConnectionType(d)
	before, exists := w.connections[id]
	if !exists && id != 0 {
		if w.created[c.From] || w.created[c.To] || w.created[c.Type] {
			return c, graph.Errorf(graph.Conflict, "ghost %d was sent before as connection %d, which does not have the new concepts of this batch", d.SentID(), id)
		}
		return c, nil
	}
	if before.From != c.From || before.To != c.To || before.Type != c.Type {
		return c, graph.Errorf(graph.Conflict, "ghost %d is now %d→%d of type %d, but was sent before as connection %d, %d→%d of type %d",
			d.SentID(), c.From, c.To, c.Type, id, before.From, before.To, before.Type)
	}
	return before, nil
}

func (w *write) connectionType(d graph.ConnectionDraft) (graph.ID, error) {
	if id := w.findConnectionType(d); id != 0 {
		return id, w.checkExist(id)
	}
	if d.TypeName == "" {
		return 0, graph.Errorf(graph.Invalid, "type is ghost %d, which was never sent", d.Type)
	}
	return w.makeType(d.TypeName, 0), nil
}

func (w *write) findConnectionType(d graph.ConnectionDraft) graph.ID {
	if id, known := w.lookUpSent(d.Type, false); known {
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

// realEnd returns the real id of one end of a connection.
func (w *write) realEnd(which string, id graph.ID) (graph.ID, error) {
	if sent, known := w.lookUpSent(id, false); known {
		return sent, nil
	}
	if id > 0 {
		return id, nil
	}
	return 0, graph.Errorf(graph.Invalid, "%s is ghost %d, which was never sent", which, id)
}

func (w *write) checkExist(of ...graph.ID) error {
	for _, id := range of {
		if _, exists := w.concepts[id]; !exists {
			return graph.Errorf(graph.Invalid, "concept %d does not exist", id)
		}
	}
	return nil
}

func (w *write) lookUpSent(id graph.ID, isConnection bool) (graph.ID, bool) {
	real, known := w.sent[refOf(w.by, id, isConnection)]
	return real, known
}

func (w *write) remember(id graph.ID, isConnection bool, real graph.ID) {
	if id == 0 {
		return
	}
	r := refOf(w.by, id, isConnection)
	w.sent[r] = real
	w.undo = append(w.undo, func() { delete(w.sent, r) })
	if id > 0 {
		w.useReserved(id)
	}
}

func (w *write) undoAll() {
	for _, undo := range slices.Backward(w.undo) {
		undo()
	}
}
