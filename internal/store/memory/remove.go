package memory

import (
	"slices"

	"github.com/weft-graph/weft/graph"
)

func (w *write) remove(b graph.Batch) error {
	for _, id := range b.RemoveConnections {
		real, err := w.removable("connection", id)
		if err != nil {
			return err
		}
		w.removeConnection(real)
	}
	for _, id := range b.RemoveConcepts {
		real, err := w.removable("concept", id)
		if err != nil {
			return err
		}
		if err := w.removeConcept(real); err != nil {
			return err
		}
	}
	return nil
}

// removable returns the real id of a record to remove. A local id that was never sent is an Invalid error.
func (w *write) removable(what string, id graph.ID) (graph.ID, error) {
	if real, known := w.lookUpSent(id, what == "connection"); known {
		return real, nil
	}
	if id > 0 {
		return id, nil
	}
	return 0, graph.Errorf(graph.Invalid, "cannot remove %s ghost %d, which was never sent", what, id)
}

// removeConcept removes a concept and every connection that starts or ends at it, or is internal to it.
func (w *write) removeConcept(id graph.ID) error {
	c, exists := w.concepts[id]
	if !exists {
		return nil
	}
	if id < graph.FirstFree {
		return graph.Errorf(graph.Forbidden, "concept %d, %q, is fixed and cannot be removed", id, c.Value)
	}
	if c.IsType() && (w.naming[id] > 0 || len(w.typed[id]) > 0) {
		return graph.Errorf(graph.Forbidden, "type %q (%d) is in use and cannot be removed", c.Value, id)
	}
	for _, connection := range slices.Concat(w.out[end{id, 0}], w.in[end{id, 0}], w.typed[id]) {
		w.removeConnection(connection)
	}
	w.dropConcept(c)
	w.touched.AddConcept(c)
	w.undo = append(w.undo, func() { w.addConcept(c) })
	return nil
}

func (w *write) removeConnection(id graph.ID) {
	c, exists := w.connections[id]
	if !exists {
		return
	}
	w.touched.AddConnection(c, graph.EndpointOf(w.concepts[c.From]), graph.EndpointOf(w.concepts[c.To]))
	w.dropConnection(c)
	w.undo = append(w.undo, func() { w.addConnection(c) })
}
