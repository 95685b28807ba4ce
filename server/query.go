package server

import (
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

func (s *Server) query(q *request) (wire.Answer, error) {
	var asked wire.Query
	if err := wire.Decode(q.body, &asked); err != nil {
		return wire.Answer{}, err
	}
	found, err := query.Run(q.Context(), q.graph, asked.Graph())
	return wire.AnswerOf(found), err
}
