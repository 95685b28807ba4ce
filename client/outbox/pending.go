package outbox

import (
	"cmp"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// A pendingGraph holds the concepts and connections of writes that the server does not have yet, under their local ids. The
// ids of its types are valid only in the outbox.
type pendingGraph struct {
	concepts map[graph.ID]graph.Concept
	links    []graph.Connection // in the order of the writes
	removed  map[graph.ID]bool  // ids of removed concepts and connections
	types    *typeTable
	realIDs  map[graph.ID]graph.ID
}

// A typeTable assigns ids to names of types. It outlives a pendingGraph, so that an id keeps its meaning.
type typeTable struct {
	ids   map[string]graph.ID
	names map[graph.ID]string
}

// firstTypeID is the first id of a type in a pendingGraph. It is below all local ids that a client assigns.
const firstTypeID graph.ID = -(1<<53 - 1)

func newPendingGraph(writes []*write, realIDs map[graph.ID]graph.ID, types *typeTable) *pendingGraph {
	g := &pendingGraph{concepts: map[graph.ID]graph.Concept{}, removed: map[graph.ID]bool{}, types: types, realIDs: realIDs}
	for _, w := range writes {
		g.add(w)
	}
	return g
}

// real returns the real id for the local id of a record that was sent, and any other id unchanged.
func (g *pendingGraph) real(id graph.ID) graph.ID { return cmp.Or(g.realIDs[id], id) }

// id returns the id of the type with the given name, and assigns an id to a new name.
func (t *typeTable) id(name string) graph.ID {
	id, known := t.ids[name]
	if !known {
		id = firstTypeID + graph.ID(len(t.ids))
		t.ids[name], t.names[id] = id, name
	}
	return id
}

// add adds the records of a write.
func (g *pendingGraph) add(w *write) {
	for _, c := range w.request.Concepts {
		concept := c.Graph()
		concept.Type = g.types.id(string(c.TypeCharacter))
		g.concepts[concept.ID] = concept
	}
	for _, c := range w.request.Connections {
		l := c.Graph()
		l.From, l.To, l.Type = g.real(l.From), g.real(l.To), g.real(l.Type)
		if l.Type == 0 {
			l.Type = g.types.id(string(c.TypeCharacter))
		}
		g.links = append(g.links, l)
	}
	for _, list := range [][]wire.Int{w.request.RemoveConcepts, w.request.RemoveConnections} {
		for _, id := range list {
			g.removed[g.real(graph.ID(id))] = true
		}
	}
}

// concept returns a pending concept or type.
func (g *pendingGraph) concept(id graph.ID) (graph.Concept, bool) {
	if name, isType := g.types.names[id]; isType {
		return graph.Concept{ID: id, Category: graph.CategoryWord, Value: name}, true
	}
	c, ok := g.concepts[id]
	return c, ok && !g.removed[id]
}

// linksAt returns the pending connections at a concept, in the order in which they were written. Pending connections have type names,
// so names holds the names of the ids in types; nil types mean all types.
func (g *pendingGraph) linksAt(of graph.ID, direction graph.Direction, types []graph.ID, names map[graph.ID]string) (found []graph.Connection) {
	for _, l := range g.links {
		near := l.From
		if direction == graph.In {
			near = l.To
		}
		isOfType := types == nil || slices.ContainsFunc(types, func(typ graph.ID) bool {
			return typ == l.Type || names[typ] != "" && names[typ] == g.types.names[l.Type]
		})
		if near == of && isOfType && !g.removed[l.ID] {
			found = append(found, l)
		}
	}
	return found
}
