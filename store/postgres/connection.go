package postgres

import "github.com/weft-graph/weft/graph"

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
