package sqlite

import "github.com/weft-graph/weft/graph"

func (in *incoming) connection(d graph.ConnectionDraft) (graph.Connection, error) {
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
	if id, known := in.connections[d.Name()]; known {
		return in.connectionSentBefore(d, c, id)
	}
	if err := in.mayTake(d.ID, in.concepts); err != nil {
		return graph.Connection{}, err
	}
	if err := in.exist(from, to); err != nil {
		return graph.Connection{}, err
	}
	if from == to {
		return graph.Connection{}, in.rememberConnection(d.Name(), graph.Connection{})
	}
	if c.Type, err = in.connectionType(d); err != nil {
		return graph.Connection{}, err
	}
	if c.ID = d.ID; c.ID == 0 {
		if c.ID, err = in.take(); err != nil {
			return graph.Connection{}, err
		}
	}
	if err := in.rememberConnection(d.Name(), c); err != nil {
		return graph.Connection{}, err
	}
	in.touched.Connection(c, in.ends[from].End, in.ends[to].End)
	in.sizeLinks(c.Type, 1)
	_, err = in.do.addConnection.Exec(c.From, c.Type, c.ID, c.To, c.Order, c.Owner, c.Access, c.Created.UnixMilli())
	return c, err
}

// sizeLinks counts n more connections of a type, unless they are internal. A type that was given by name is no composition, and
// may not be among the ends.
func (in *incoming) sizeLinks(typ graph.ID, n int) {
	if !in.ends[typ].composition {
		in.sizes.links(typ, n)
	}
}

func (in *incoming) rememberConnection(name graph.ID, c graph.Connection) error {
	if name == 0 {
		return nil
	}
	in.connections[name] = c.ID
	in.links[c.ID] = c
	return in.remember(name, 1, c.ID)
}

// connectionSentBefore answers a draft whose ghost is known; c is what it would be if it were new.
func (in *incoming) connectionSentBefore(d graph.ConnectionDraft, c graph.Connection, id graph.ID) (graph.Connection, error) {
	if id == 0 && c.From == c.To {
		return graph.Connection{}, nil
	}
	var err error
	if c.Type, err = in.findConnectionType(d); err != nil {
		return c, err
	}
	c.ID = id
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

func (in *incoming) connectionType(d graph.ConnectionDraft) (graph.ID, error) {
	if id := in.givenType(d); id != 0 {
		return id, in.exist(id)
	}
	if d.TypeName == "" {
		return 0, graph.Errorf(graph.Invalid, "type is ghost %d, which nobody sent", d.Type)
	}
	typ, err := in.makeType(d.TypeName, 0)
	return typ.ID, err
}

func (in *incoming) findConnectionType(d graph.ConnectionDraft) (graph.ID, error) {
	if id := in.givenType(d); id != 0 || d.TypeName == "" {
		return id, nil
	}
	return in.findType(d.TypeName)
}

// givenType is the type a draft gives by id or known ghost, or 0.
func (in *incoming) givenType(d graph.ConnectionDraft) graph.ID {
	if real, known := in.concepts[d.Type]; known {
		return real
	}
	return max(d.Type, 0)
}

// end is the real id of one end of a connection.
func (in *incoming) end(which string, id graph.ID) (graph.ID, error) {
	if real, known := in.concepts[id]; known {
		return real, nil
	}
	if id > 0 {
		return id, nil
	}
	return 0, graph.Errorf(graph.Invalid, "%s is ghost %d, which nobody sent", which, id)
}

func (in *incoming) exist(ids ...graph.ID) error {
	for _, id := range ids {
		if _, there := in.ends[id]; !there {
			return graph.Errorf(graph.Invalid, "there is no concept %d", id)
		}
	}
	return nil
}
