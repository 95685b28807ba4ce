package server

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-graph/weft/feed"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// Interests are what the reader of a stream asked for.
type interests struct {
	all          bool // it named nothing in particular
	ids, types   map[graph.ID]bool
	names        []string // of types that nobody made yet
	changes      bool
	compositions bool
}

// The kinds of event one can ask for.
const (
	changeKind      = "change"
	compositionKind = "compositionUpdate"
)

// What one stream may name.
const (
	mostWatched = 1_000 // ids
	mostKinds   = 100   // types by name
)

// interests reads the lists "concepts", "types" and "kinds" of a stream's address. Types stand there by name
// or id. Without a list nothing is left out, but for the kind compositionUpdate.
func (q *request) interests() (*interests, error) {
	query := q.URL.Query()
	i := &interests{ids: map[graph.ID]bool{}, types: map[graph.ID]bool{}}
	for _, text := range listIn(query.Get("concepts")) {
		id, err := graph.ParseID(text)
		if err != nil {
			return nil, err
		}
		i.ids[id] = true
	}
	for _, text := range listIn(query.Get("types")) {
		if id, err := graph.ParseID(text); err == nil {
			i.types[id] = true
			continue
		}
		if err := graph.CheckTypeName(text); err != nil {
			return nil, err
		}
		i.names = append(i.names, text)
	}
	if n := len(i.ids) + len(i.types); n > mostWatched || len(i.names) > mostKinds {
		return nil, graph.Errorf(graph.TooLarge, "%d ids and %d names of types; the most is %d and %d", n, len(i.names), mostWatched, mostKinds)
	}
	i.all = len(i.ids)+len(i.types)+len(i.names) == 0
	kinds := listIn(query.Get("kinds"))
	i.changes = len(kinds) == 0
	for _, kind := range kinds {
		switch kind {
		case changeKind:
			i.changes = true
		case compositionKind:
			i.compositions = true
		default:
			return nil, graph.Errorf(graph.Invalid, "there is no kind of event %q", graph.Clip(kind))
		}
	}
	return i, i.meet(q)
}

func listIn(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

// meet learns the ids of types that were made since.
func (i *interests) meet(q *request) error {
	if len(i.names) == 0 {
		return nil
	}
	found, err := graph.TypesNamed(q.Context(), q.graph, i.names...)
	for _, c := range found {
		i.types[c.ID] = true
	}
	i.names = slices.DeleteFunc(i.names, func(name string) bool { return found[name].ID != 0 })
	return err
}

// text is an event as this reader hears it, nothing for one of no concern.
func (i *interests) text(q *request, e feed.Event, store string) ([]byte, error) {
	switch e.Kind {
	case feed.Ready:
		return named("ready", e.Seq, wire.Ready{Seq: e.Seq, Store: store}), nil
	case feed.Reset:
		return named("reset", e.Seq, wire.Ready{Seq: e.Seq, Store: store}), nil
	case feed.Dropped:
		return named("dropped", e.Seq, wire.Ready{Seq: e.Seq, Store: store}), nil
	case feed.Beat:
		return fmt.Appendf(nil, ": still here\nid: %d\n\n", e.Seq), nil
	case feed.Change:
		return i.told(q, e)
	}
	return nil, graph.Errorf(graph.Internal, "an event of kind %d", e.Kind)
}

// told is a change, and what it updated. The last line of several has the number of the change: a reader that
// was cut off in between is told all of it again.
func (i *interests) told(q *request, e feed.Event) ([]byte, error) {
	if err := i.meet(q); err != nil || !i.concerns(e.Change) {
		return nil, err
	}
	updated, err := i.updated(q, e.Change)
	if err != nil {
		return nil, err
	}
	var text []byte
	for n, id := range updated {
		at := e.Seq
		if i.changes || n < len(updated)-1 {
			at-- // this change is not told yet
		}
		text = append(text, named(compositionKind, at, wire.CompositionUpdate{ID: id})...)
	}
	if i.changes {
		text = append(text, named(changeKind, e.Seq, wire.Change{
			Seq:         e.Seq,
			Concepts:    list0(e.Change.Concepts),
			Connections: list0(e.Change.Connections),
			Types:       list0(e.Change.Types),
			Wide:        e.Change.Wide,
		})...)
	}
	return text, nil
}

// concerns says whether a change touches what was asked for. A wide one does not name what it touched.
func (i *interests) concerns(c graph.Change) bool {
	watched := func(id graph.ID) bool { return i.ids[id] }
	return i.all || c.Wide && len(i.ids) > 0 ||
		slices.ContainsFunc(c.Concepts, watched) || slices.ContainsFunc(c.Connections, watched) ||
		slices.ContainsFunc(c.Types, func(id graph.ID) bool { return i.types[id] })
}

// updated lists the compositions that got or lost an internal connection, or went themselves: then they are
// both what was touched and the type of something that was, and name nothing any more.
func (i *interests) updated(q *request, c graph.Change) ([]graph.ID, error) {
	if !i.compositions {
		return nil, nil
	}
	found, err := q.graph.Concepts(q.Context(), c.Types)
	there := make(map[graph.ID]graph.Concept, len(found))
	for _, concept := range found {
		there[concept.ID] = concept
	}
	var updated []graph.ID
	for _, id := range c.Types {
		concept, exists := there[id]
		if concept.Composition || !exists && slices.Contains(c.Concepts, id) {
			updated = append(updated, id)
		}
	}
	return updated, err
}
