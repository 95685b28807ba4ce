package plan

import "github.com/weft-graph/weft/graph"

// connection returns the connection that a draft becomes, or the zero Connection if the draft is skipped.
func (w *batch) connection(d graph.ConnectionDraft) (graph.Connection, error) {
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
	if id, known := w.sent(d.SentID(), true); known {
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
	if c.ID = d.ID; c.ID == 0 {
		if c.ID, err = w.db.NextID(); err != nil {
			return graph.Connection{}, err
		}
	}
	w.connections[c.ID] = c
	w.added.Connections = append(w.added.Connections, c)
	source, _ := w.end(from)
	target, _ := w.end(to)
	w.Touched.AddConnection(c, source.Endpoint, target.Endpoint)
	w.remember(d.SentID(), true, c.ID)
	return c, nil
}

// connectionSentBefore returns the connection that the draft became when it was sent before, even if the connection
// was removed in the meantime. c is the connection that a new draft would become, without its id and type.
func (w *batch) connectionSentBefore(d graph.ConnectionDraft, c graph.Connection, id graph.ID) (graph.Connection, error) {
	if id == 0 && c.From == c.To {
		return graph.Connection{}, nil
	}
	var err error
	if c.Type, err = w.findConnectionType(d); err != nil {
		return c, err
	}
	c.ID = id
	before, exists := w.connections[id]
	if !exists && id != 0 {
		if w.creates(c.From) || w.creates(c.To) || w.creates(c.Type) {
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

// connectionType returns the type of a new connection, and creates the type if the draft gives it by a new name.
func (w *batch) connectionType(d graph.ConnectionDraft) (graph.ID, error) {
	if id := w.givenType(d); id != 0 {
		return id, w.checkExist(id)
	}
	if d.TypeName == "" {
		return 0, graph.Errorf(graph.Invalid, "type is ghost %d, which was never sent", d.Type)
	}
	typ, err := w.makeType(d.TypeName, 0)
	return typ.ID, err
}

// findConnectionType returns the type of a connection that was sent before, or 0 if that type does not exist.
func (w *batch) findConnectionType(d graph.ConnectionDraft) (graph.ID, error) {
	if id := w.givenType(d); id != 0 || d.TypeName == "" {
		return id, nil
	}
	typ, exists, err := w.findType(d.TypeName)
	if !exists {
		return 0, err
	}
	return typ.ID, err
}

// givenType returns the type that a draft specifies by its id or a known local id, or 0.
func (w *batch) givenType(d graph.ConnectionDraft) graph.ID {
	if id, known := w.sent(d.Type, false); known {
		return id
	}
	return max(d.Type, 0)
}

// realEnd returns the real id of one end of a connection.
func (w *batch) realEnd(end string, id graph.ID) (graph.ID, error) {
	if sent, known := w.sent(id, false); known {
		return sent, nil
	}
	if id > 0 {
		return id, nil
	}
	return 0, graph.Errorf(graph.Invalid, "%s is ghost %d, which was never sent", end, id)
}

func (w *batch) checkExist(ids ...graph.ID) error {
	for _, id := range ids {
		if _, exists := w.end(id); !exists {
			return graph.Errorf(graph.Invalid, "concept %d does not exist", id)
		}
	}
	return nil
}
