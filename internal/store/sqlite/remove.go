package sqlite

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/plan"
)

// Concepts implements plan.Remover.
func (t *batchWrite) Concepts(ids []graph.ID) ([]graph.Concept, error) {
	return queryConcepts(context.Background(), t.do.conceptsByID, array(distinct(slices.Clone(ids))))
}

// Connections implements plan.Remover.
func (t *batchWrite) Connections(ids []graph.ID) ([]graph.Connection, error) {
	return queryConnections(context.Background(), t.do.connectionsByID, array(distinct(slices.Clone(ids))))
}

// ConnectionsOf implements plan.Remover, with one statement for each concept.
func (t *batchWrite) ConnectionsOf(concepts []graph.ID) ([]graph.Connection, error) {
	var all []graph.Connection
	seen := map[graph.ID]bool{}
	for _, id := range concepts {
		found, err := queryConnections(context.Background(), t.do.connectionsOf, id)
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			if !seen[c.ID] {
				seen[c.ID] = true
				all = append(all, c)
			}
		}
	}
	return all, nil
}

// IsTypeInUse implements plan.Remover.
func (t *batchWrite) IsTypeInUse(typ graph.ID) (used bool, err error) {
	err = t.do.inUse.QueryRow(typ).Scan(&used)
	return used, err
}

// RemoveConnections implements plan.Remover.
func (t *batchWrite) RemoveConnections(connections []graph.Connection, missingEnds []graph.ID) error {
	if err := t.learnEnds(missingEnds); err != nil {
		return err
	}
	for _, c := range connections {
		t.countLink(c, -1)
		t.sizes.ownedRecord(c.Owner, "", -1)
		if _, err := t.do.removeConnection.Exec(c.From, c.Type, c.ID); err != nil {
			return err
		}
	}
	return nil
}

// RemoveConcepts implements plan.Remover.
func (t *batchWrite) RemoveConcepts(concepts []graph.Concept) error {
	for _, c := range concepts {
		if err := t.removeConcept(c); err != nil {
			return err
		}
	}
	return nil
}

func (t *batchWrite) removeConcept(c graph.Concept) error {
	if _, err := t.do.removeConcept.Exec(c.ID); err != nil {
		return err
	}
	t.sizes.concept(c, -1)
	if err := t.valueRemoved(c); err != nil {
		return err
	}
	if isLong(c) {
		_, err := t.do.removeText.Exec(c.ID)
		return err
	}
	if !plan.InDirectory(c) {
		return nil
	}
	key := plan.DirectoryKeyOf(c)
	_, err := t.do.removeName.Exec(key.Hash[:], key.Category, key.Type, key.Scope, c.ID)
	return err
}
