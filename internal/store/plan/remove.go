package plan

import (
	"cmp"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// A Remover reads and deletes records, after the drafts of the batch were saved. Lists passed to its methods have no
// duplicates.
type Remover interface {
	// Concepts and Connections return the records with the given ids, in any order. Unknown ids are left out.
	Concepts(ids []graph.ID) ([]graph.Concept, error)
	Connections(ids []graph.ID) ([]graph.Connection, error)

	// ConnectionsOf returns the connections that start or end at one of the concepts, or are internal to it.
	ConnectionsOf(concepts []graph.ID) ([]graph.Connection, error)

	// IsTypeInUse reports whether a concept or connection has the type, or a type has it as its category.
	IsTypeInUse(typ graph.ID) (bool, error)

	// RemoveConnections makes the plan learn the missing ends, and then deletes the connections, which exist.
	RemoveConnections(connections []graph.Connection, missingEnds []graph.ID) error

	// RemoveConcepts deletes existing concepts, none of which has a connection.
	RemoveConcepts(concepts []graph.Concept) error
}

// Remove applies the removals of a batch after its drafts, and adds them to the outcome. Concepts are
// removed in sets, but types one by one, because a type may be unused only after the concepts before it are removed.
// A batch that is refused with a graph.Error may have been removed in part; the caller must undo this.
func (p *Plan) Remove(b *graph.Batch, outcome *Outcome, db Remover) error {
	w := p.batch(b, outcome)
	ids, refused := w.removable("connection", b.RemoveConnections)
	if len(ids) > 0 {
		connections, err := db.Connections(ids)
		if err == nil {
			err = w.removeConnections(connections, db)
		}
		if err != nil {
			return err
		}
	}
	if refused != nil {
		return refused
	}
	ids, refused = w.removable("concept", b.RemoveConcepts)
	if len(ids) > 0 {
		if err := w.removeConcepts(ids, db); err != nil {
			return err
		}
	}
	return refused
}

// removable returns the real ids of records to remove, each once. If a local id was never sent, it returns an
// error and the ids before that local id.
func (w *batch) removable(kind string, names []graph.ID) ([]graph.ID, error) {
	var ids []graph.ID
	seen := make(map[graph.ID]bool, len(names))
	for _, id := range names {
		sent, known := w.sent(id, kind == "connection")
		switch {
		case known:
			id = sent
		case id < 0:
			return ids, graph.Errorf(graph.Invalid, "cannot remove %s ghost %d, which was never sent", kind, id)
		}
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (w *batch) removeConcepts(ids []graph.ID, db Remover) error {
	found, err := db.Concepts(ids)
	if err != nil {
		return err
	}
	position := make(map[graph.ID]int, len(ids))
	for i, id := range ids {
		position[id] = i
	}
	slices.SortFunc(found, func(a, b graph.Concept) int { return cmp.Compare(position[a.ID], position[b.ID]) })
	for len(found) > 0 {
		n := slices.IndexFunc(found, isRemovedAlone)
		if n < 0 {
			n = len(found)
		}
		n = max(n, 1)
		if err := w.removeSet(found[:n], db); err != nil {
			return err
		}
		found = found[n:]
	}
	return nil
}

func isRemovedAlone(c graph.Concept) bool { return c.IsType() || isFixed(c) }

func isFixed(c graph.Concept) bool { return c.ID < graph.FirstFree }

// removeSet removes concepts with their connections. If one of the concepts is a type or a fixed concept, it is
// the only one.
func (w *batch) removeSet(concepts []graph.Concept, db Remover) error {
	if err := checkRemovable(concepts[0], db); err != nil {
		return err
	}
	ids := make([]graph.ID, len(concepts))
	for i, c := range concepts {
		ids[i] = c.ID
	}
	connections, err := db.ConnectionsOf(ids)
	if err != nil {
		return err
	}
	if err := w.removeConnections(connections, db); err != nil {
		return err
	}
	for _, c := range concepts {
		w.Touched.AddConcept(c)
		if c.IsType() {
			delete(w.types, c.Value)
		}
	}
	return db.RemoveConcepts(concepts)
}

// checkRemovable returns a Forbidden error for a concept that cannot be removed.
func checkRemovable(c graph.Concept, db Remover) error {
	if isFixed(c) {
		return graph.Errorf(graph.Forbidden, "concept %d, %q, is fixed and cannot be removed", c.ID, c.Value)
	}
	if !c.IsType() {
		return nil
	}
	used, err := db.IsTypeInUse(c.ID)
	if err == nil && used {
		return graph.Errorf(graph.Forbidden, "type %q (%d) is in use and cannot be removed", c.Value, c.ID)
	}
	return err
}

func (w *batch) removeConnections(connections []graph.Connection, db Remover) error {
	if len(connections) == 0 {
		return nil
	}
	var missing []graph.ID
	for _, c := range connections {
		for _, id := range [...]graph.ID{c.From, c.To, c.Type} {
			if _, known := w.end(id); !known {
				missing = append(missing, id)
			}
		}
	}
	slices.Sort(missing)
	if err := db.RemoveConnections(connections, slices.Compact(missing)); err != nil {
		return err
	}
	for _, c := range connections {
		source, _ := w.end(c.From)
		target, _ := w.end(c.To)
		w.Touched.AddConnection(c, source.Endpoint, target.Endpoint)
	}
	return nil
}
