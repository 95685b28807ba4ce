package server

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/feed"
	"github.com/weft-graph/weft/wire"
)

// An eventFilter selects the changes that the reader of a stream requested, and encodes them.
type eventFilter struct {
	all              bool // the reader named neither ids nor types
	ids, types       map[graph.ID]bool
	missingTypes     []string // names of types that do not exist yet
	wantChanges      bool
	wantCompositions bool
}

// The kinds of event that a reader can request.
const (
	changeKind      = "change"
	compositionKind = "compositionUpdate"
)

// The limits of one stream.
const (
	maxWatchedIDs       = 1_000
	maxWatchedTypeNames = 100
)

// newEventFilter reads the lists "concepts", "types" and "kinds" in the URL of a stream. Types are names or ids.
// If ids and types are missing, the filter selects every change. If kinds are missing, it selects only events of
// the kind change.
func newEventFilter(req *request) (*eventFilter, error) {
	query := req.URL.Query()
	f := &eventFilter{ids: map[graph.ID]bool{}, types: map[graph.ID]bool{}}
	if err := f.parseIDs(query.Get("concepts"), query.Get("types")); err != nil {
		return nil, err
	}
	kinds := splitList(query.Get("kinds"))
	f.wantChanges = len(kinds) == 0
	for _, kind := range kinds {
		switch kind {
		case changeKind:
			f.wantChanges = true
		case compositionKind:
			f.wantCompositions = true
		default:
			return nil, graph.Errorf(graph.Invalid, "unknown kind of event %q", graph.Clip(kind))
		}
	}
	return f, f.resolveTypes(req)
}

func (f *eventFilter) parseIDs(concepts, types string) error {
	for _, text := range splitList(concepts) {
		id, err := graph.ParseID(text)
		if err != nil {
			return err
		}
		f.ids[id] = true
	}
	for _, text := range splitList(types) {
		if id, err := graph.ParseID(text); err == nil {
			f.types[id] = true
			continue
		}
		if err := graph.CheckTypeName(text); err != nil {
			return err
		}
		f.missingTypes = append(f.missingTypes, text)
	}
	if n := len(f.ids) + len(f.types); n > maxWatchedIDs || len(f.missingTypes) > maxWatchedTypeNames {
		return graph.Errorf(graph.TooLarge, "%d ids and %d names of types; the limits are %d and %d",
			n, len(f.missingTypes), maxWatchedIDs, maxWatchedTypeNames)
	}
	f.all = len(f.ids)+len(f.types)+len(f.missingTypes) == 0
	return nil
}

func splitList(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

// resolveTypes looks up the ids of types that were created since the last call.
func (f *eventFilter) resolveTypes(req *request) error {
	if len(f.missingTypes) == 0 {
		return nil
	}
	found, err := graph.TypesNamed(req.Context(), req.graph, f.missingTypes...)
	for _, c := range found {
		f.types[c.ID] = true
	}
	f.missingTypes = slices.DeleteFunc(f.missingTypes, func(name string) bool { return found[name].ID != 0 })
	return err
}

// encode returns the text of an event for this reader, or nil for a change that the filter does not select.
func (f *eventFilter) encode(req *request, e feed.Event, storeID string) ([]byte, error) {
	switch e.Kind {
	case feed.Ready:
		return encodeEvent("ready", e.Seq, wire.Ready{Seq: e.Seq, Store: storeID}), nil
	case feed.Reset:
		return encodeEvent("reset", e.Seq, wire.Ready{Seq: e.Seq, Store: storeID}), nil
	case feed.Dropped:
		return encodeEvent("dropped", e.Seq, wire.Ready{Seq: e.Seq, Store: storeID}), nil
	case feed.Heartbeat:
		return fmt.Appendf(nil, ": still here\nid: %d\n\n", e.Seq), nil
	case feed.Change:
		return f.encodeChange(req, e)
	}
	return nil, graph.Errorf(graph.Internal, "unknown kind of event %d", e.Kind)
}

// encodeChange returns the events of a change. Only the last event has the number of the change as its id: a reader
// that is disconnected before the last event then receives all events of the change again.
func (f *eventFilter) encodeChange(req *request, e feed.Event) ([]byte, error) {
	if err := f.resolveTypes(req); err != nil || !f.selects(e.Change) {
		return nil, err
	}
	updated, err := f.updatedCompositions(req, e.Change)
	if err != nil {
		return nil, err
	}
	var text []byte
	for n, id := range updated {
		seq := e.Seq
		if f.wantChanges || n < len(updated)-1 {
			seq--
		}
		text = append(text, encodeEvent(compositionKind, seq, wire.CompositionUpdate{ID: id})...)
	}
	if f.wantChanges {
		text = append(text, encodeEvent(changeKind, e.Seq, wire.Change{
			Seq:         e.Seq,
			Concepts:    nonNil(e.Change.Concepts),
			Connections: nonNil(e.Change.Connections),
			Types:       nonNil(e.Change.Types),
			Wide:        e.Change.Wide,
		})...)
	}
	return text, nil
}

// selects reports whether a change may touch a concept or type that the reader requested. A wide change does not list
// everything that it touched.
func (f *eventFilter) selects(c graph.Change) bool {
	watched := func(id graph.ID) bool { return f.ids[id] }
	return f.all || c.Wide && len(f.ids) > 0 ||
		slices.ContainsFunc(c.Concepts, watched) || slices.ContainsFunc(c.Connections, watched) ||
		slices.ContainsFunc(c.Types, func(id graph.ID) bool { return f.types[id] })
}

// updatedCompositions returns the compositions that gained or lost an internal connection, and those that were removed.
// A composition was removed if it is among the touched concepts and among the touched types, and no longer exists.
func (f *eventFilter) updatedCompositions(req *request, c graph.Change) ([]graph.ID, error) {
	if !f.wantCompositions {
		return nil, nil
	}
	found, err := req.graph.Concepts(req.Context(), c.Types)
	byID := make(map[graph.ID]graph.Concept, len(found))
	for _, concept := range found {
		byID[concept.ID] = concept
	}
	var updated []graph.ID
	for _, id := range c.Types {
		concept, exists := byID[id]
		if concept.Composition || !exists && slices.Contains(c.Concepts, id) {
			updated = append(updated, id)
		}
	}
	return updated, err
}
