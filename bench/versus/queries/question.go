package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

// A question is asked of Weft in the words of the wire, and of the database in statements. It has several variants, which
// are asked in turn, so that no answer is measured that was just given.
type question struct {
	name     string
	variants []variant
}

type variant struct {
	value string
	body  []byte // with the records wanted too
	query query.Query
	hand  func(h *hand) []statement
}

// asking is a question with a variant for each value.
func asking(name string, values []string, body func(value string) string, written func(h *hand, value string) []statement) question {
	q := question{name: name}
	for _, value := range values {
		v := variant{value: value, body: []byte(body(value)), hand: func(h *hand) []statement { return written(h, value) }}
		var decoded wire.Query
		if err := json.Unmarshal(v.body, &decoded); err != nil {
			panic(fmt.Sprintf("%s: %v in %s", name, err, v.body))
		}
		v.query = decoded.Graph()
		q.variants = append(q.variants, v)
	}
	return q
}

// once is a question with one variant.
func once(name, body string, written func(h *hand) []statement) question {
	return asking(name, []string{""}, func(string) string { return body }, func(h *hand, _ string) []statement { return written(h) })
}

// same runs both and says how they differ.
func (v variant) same(ctx context.Context, r graph.Reader, h *hand) (query.Answer, error) {
	answer, err := query.Run(ctx, r, v.query)
	if err != nil {
		return answer, err
	}
	statements := v.hand(h)
	found, err := h.do(ctx, v.query.ConceptIDs, statements)
	if err != nil {
		return answer, err
	}
	rootIDs := slices.Clone(v.query.ConceptIDs)
	linkIDs, counted := map[graph.ID]bool{}, map[graph.LinkCount]bool{}
	for i, s := range statements {
		for _, row := range found[i] {
			switch s.kind {
			case roots:
				rootIDs = append(rootIDs, row[0])
			case links:
				for _, id := range row {
					linkIDs[id] = true
				}
			case counts:
				counted[graph.LinkCount{Of: row[0], Type: row[1], N: int(row[2])}] = true
			case total:
				if int(row[0]) != answer.Total && !answer.AtLeast {
					return answer, fmt.Errorf("%d roots in all; by hand %d", answer.Total, row[0])
				}
			}
		}
	}
	delete(linkIDs, 0)
	delete(counted, graph.LinkCount{})
	switch {
	case !slices.Equal(answer.Roots, rootIDs):
		return answer, fmt.Errorf("roots %v; by hand %v", some(answer.Roots), some(rootIDs))
	case !slices.Equal(answer.Links, slices.Sorted(maps.Keys(linkIDs))):
		return answer, fmt.Errorf("%d connections; by hand %d", len(answer.Links), len(linkIDs))
	case len(counted) != len(answer.Counts):
		return answer, fmt.Errorf("%d counts; by hand %d", len(answer.Counts), len(counted))
	}
	for _, c := range answer.Counts {
		if !counted[c] {
			return answer, fmt.Errorf("count %v; by hand another", c)
		}
	}
	return answer, nil
}

func some(ids []graph.ID) []graph.ID { return ids[:min(len(ids), 10)] }
