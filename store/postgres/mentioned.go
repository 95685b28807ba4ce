package postgres

import (
	"iter"

	"github.com/weft-graph/weft/graph"
)

// mentioned is what batches name without saying what it is.
type mentioned struct {
	senders  map[graph.Sender]bool
	ghosts   map[ghost]bool
	reserved map[graph.ID]bool // perhaps: every real id is one that may be reserved
	types    map[string]bool
}

func (t *transaction) mentioned() mentioned {
	m := mentioned{map[graph.Sender]bool{}, map[ghost]bool{}, map[graph.ID]bool{}, map[string]bool{}}
	for _, r := range t.group {
		for id := range concepts(r.work.batch) {
			m.note(r.work.by, id, false)
		}
		for id := range connections(r.work.batch) {
			m.note(r.work.by, id, true)
		}
		for name := range typeNames(r.work.batch) {
			for _, link := range graph.TypeChain(name) {
				m.types[link] = true
			}
		}
	}
	return m
}

func (m mentioned) note(by graph.Sender, id graph.ID, connection bool) {
	switch {
	case id < 0:
		m.senders[by] = true
		m.ghosts[ghost{by, connection, id}] = true
	case id >= graph.FirstFree:
		m.reserved[id] = true
	}
}

// concepts yields what a batch calls concepts.
func concepts(b *graph.Batch) iter.Seq[graph.ID] {
	return func(yield func(graph.ID) bool) {
		for _, d := range b.Concepts {
			if !yield(d.Name()) {
				return
			}
		}
		for _, d := range b.Connections {
			if !yield(d.From) || !yield(d.To) || !yield(d.Type) {
				return
			}
		}
		for _, id := range b.RemoveConcepts {
			if !yield(id) {
				return
			}
		}
	}
}

// connections yields what a batch calls connections.
func connections(b *graph.Batch) iter.Seq[graph.ID] {
	return func(yield func(graph.ID) bool) {
		for _, d := range b.Connections {
			if !yield(d.Name()) {
				return
			}
		}
		for _, id := range b.RemoveConnections {
			if !yield(id) {
				return
			}
		}
	}
}

func typeNames(b *graph.Batch) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, d := range b.Concepts {
			if !yield(d.TypeName) {
				return
			}
		}
		for _, d := range b.Connections {
			if d.TypeName != "" && !yield(d.TypeName) {
				return
			}
		}
	}
}
