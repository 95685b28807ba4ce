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
	if err != nil {
		return wire.Answer{}, err
	}
	answer := wire.AnswerOf(found)
	if format := query.Format(asked.OutputFormat); format.Shapes() {
		records, err := query.Shape(q.Context(), q.graph, found, format)
		if err != nil {
			return wire.Answer{}, err
		}
		answer.Data = records.AppendJSON(nil)
	}
	return answer, nil
}
