package graph

import (
	"slices"
	"time"
)

// A Seq numbers the changes of a store, from 1, without gaps in what a reader sees.
type Seq int64

// A Change is what one committed batch touched. Its ids ascend and stand there once.
type Change struct {
	Seq Seq
	At  time.Time // whole milliseconds, UTC
	// Concepts made or removed, and both ends of every connection made or removed.
	Concepts []ID
	// Connections made or removed.
	Connections []ID
	// Types of those concepts and connections. For an internal connection that is the composition.
	Types []ID
	// Wide says that more than MaxChangeIDs were touched and that Concepts and Connections are left out:
	// whoever watches one of Types must look again.
	Wide bool
}

// MaxChangeIDs is how many ids a change lists before it becomes Wide.
const MaxChangeIDs = 2_000

// KeepChanges is how long stores remember changes.
const KeepChanges = 7 * 24 * time.Hour

// Touched gathers what a batch touches while it is being written.
type Touched struct {
	concepts, connections, types []ID
}

// Concept notes a concept made or removed.
func (t *Touched) Concept(c Concept) { t.end(c.ID, c.Type) }

// Connection notes a connection made or removed, whose ends have these types.
func (t *Touched) Connection(c Connection, fromType, toType ID) {
	t.connections = append(t.connections, c.ID)
	t.types = append(t.types, c.Type)
	t.end(c.From, fromType)
	t.end(c.To, toType)
}

func (t *Touched) end(id, typ ID) {
	t.concepts = append(t.concepts, id)
	t.types = append(t.types, typ)
}

// Nothing says that the batch changed nothing: it takes no number.
func (t *Touched) Nothing() bool { return len(t.concepts) == 0 }

// Change is what was touched, under its number.
func (t *Touched) Change(seq Seq, at time.Time) Change {
	c := Change{
		Seq: seq, At: at,
		Concepts: sorted(t.concepts), Connections: sorted(t.connections), Types: sorted(t.types),
	}
	if len(c.Concepts)+len(c.Connections) > MaxChangeIDs {
		c.Wide, c.Concepts, c.Connections = true, nil, nil
	}
	return c
}

func sorted(ids []ID) []ID {
	if len(ids) == 0 {
		return nil
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}
