package sqlite

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

func (in *incoming) remove() error {
	if err := in.removeConnections(); err != nil {
		return err
	}
	for _, id := range in.batch.RemoveConcepts {
		id, err := removable("concept", id, in.concepts)
		if err != nil {
			return err
		}
		if err := in.removeConcept(id); err != nil {
			return err
		}
	}
	return nil
}

func removable(what string, id graph.ID, ghosts map[graph.ID]graph.ID) (graph.ID, error) {
	if real, known := ghosts[id]; known {
		return real, nil
	}
	if id > 0 {
		return id, nil
	}
	return 0, graph.Errorf(graph.Invalid, "cannot remove %s ghost %d, which nobody sent", what, id)
}

func (in *incoming) removeConnections() error {
	var ids []graph.ID
	for _, id := range in.batch.RemoveConnections {
		id, err := removable("connection", id, in.connections)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := queryConnections(context.Background(), in.do.connectionsByID, array(distinct(ids)))
	if err != nil {
		return err
	}
	return in.drop(found)
}

// removeConcept takes along every connection that starts or ends at the concept, or is internal to it.
func (in *incoming) removeConcept(id graph.ID) error {
	found, err := queryConcepts(context.Background(), in.do.conceptsByID, array([]graph.ID{id}))
	if err != nil || len(found) == 0 {
		return err
	}
	c := found[0]
	if err := in.mayRemove(c); err != nil {
		return err
	}
	connections, err := queryConnections(context.Background(), in.do.connectionsOf, id)
	if err != nil {
		return err
	}
	if err := in.drop(connections); err != nil {
		return err
	}
	in.touched.Concept(c)
	return in.dropConcept(c)
}

func (in *incoming) mayRemove(c graph.Concept) error {
	if c.ID < graph.FirstFree {
		return graph.Errorf(graph.Forbidden, "concept %d, %q, is fixed and cannot be removed", c.ID, c.Value)
	}
	if !c.IsType() {
		return nil
	}
	var used bool
	if err := in.do.inUse.QueryRow(c.ID).Scan(&used); err != nil {
		return err
	}
	if used {
		return graph.Errorf(graph.Forbidden, "type %q (%d) is in use and cannot be removed", c.Value, c.ID)
	}
	return nil
}

func (in *incoming) dropConcept(c graph.Concept) error {
	if _, err := in.do.removeConcept.Exec(c.ID); err != nil {
		return err
	}
	in.sizes.concept(c, -1)
	if err := in.valueRemoved(c); err != nil {
		return err
	}
	if c.IsType() {
		delete(in.types, c.Value)
	}
	if long(c) {
		_, err := in.do.removeText.Exec(c.ID)
		return err
	}
	_, err := in.do.removeName.Exec(hash(c.Value), c.Category, c.Type, c.Scope(), c.ID)
	return err
}

// drop removes connections that are there.
func (in *incoming) drop(connections []graph.Connection) error {
	var ends []graph.ID
	for _, c := range connections {
		ends = append(ends, c.From, c.To, c.Type)
	}
	if err := in.lookUpConcepts(ends); err != nil {
		return err
	}
	for _, c := range connections {
		in.touched.Connection(c, in.ends[c.From].End, in.ends[c.To].End)
		in.sizeLinks(c.Type, -1)
		if _, err := in.do.removeConnection.Exec(c.From, c.Type, c.ID); err != nil {
			return err
		}
	}
	return nil
}
