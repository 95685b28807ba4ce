package server

import (
	"context"
	"time"

	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

// queryTime is the longest a query may take.
const queryTime = time.Minute

func (s *Server) query(q *request) (wire.Answer, error) {
	var asked wire.Query
	if err := wire.Decode(q.body, &asked); err != nil {
		return wire.Answer{}, err
	}
	ctx, cancel := context.WithTimeout(q.Context(), queryTime)
	defer cancel()
	found, err := query.Run(ctx, q.graph, asked.Graph())
	return wire.AnswerOf(found), err
}
