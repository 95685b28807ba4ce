package server

import (
	"github.com/weft-graph/weft/graph"
)

// removed answers a removal. A record of somebody else is no error of HTTP but success: false.
type removed struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
}

func (s *Server) removeConcept(q *request) (removed, error) {
	id, err := q.id("id")
	if err != nil {
		return removed{}, err
	}
	return remove(q, graph.Batch{RemoveConcepts: []graph.ID{id}})
}

func (s *Server) removeConnection(q *request) (removed, error) {
	id, err := q.id("id")
	if err != nil {
		return removed{}, err
	}
	return remove(q, graph.Batch{RemoveConnections: []graph.ID{id}})
}

func (s *Server) removeConnections(q *request) (removed, error) {
	ids, err := q.ids()
	if err != nil {
		return removed{}, err
	}
	return remove(q, graph.Batch{RemoveConnections: ids})
}

func remove(q *request, b graph.Batch) (removed, error) {
	b.Sender = q.sender()
	_, err := q.graph.Write(q.Context(), b)
	if graph.KindOf(err) == graph.Forbidden {
		return removed{Message: sentence(err)}, nil
	}
	return removed{Success: err == nil, Message: "Deleted"}, err
}
