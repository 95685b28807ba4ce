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

// A question is a query in JSON for Weft with the handwritten SQL statements that answer the same question. Its variants
// are used in turn, so that no result is measured twice in succession.
type question struct {
	name     string
	variants []variant
}

type variant struct {
	value      string
	body       []byte // request body, with records in the response
	query      query.Query
	statements func(h *handwritten) []statement
}

// newQuestion returns a question with a variant for each value.
func newQuestion(name string, values []string, body func(value string) string, statements func(h *handwritten, value string) []statement) question {
	q := question{name: name}
	for _, value := range values {
		v := variant{value: value, body: []byte(body(value)), statements: func(h *handwritten) []statement { return statements(h, value) }}
		var decoded wire.Query
		if err := json.Unmarshal(v.body, &decoded); err != nil {
			panic(fmt.Sprintf("%s: %v in %s", name, err, v.body))
		}
		v.query = decoded.Graph()
		q.variants = append(q.variants, v)
	}
	return q
}

// newSingleQuestion returns a question with one variant.
func newSingleQuestion(name, body string, statements func(h *handwritten) []statement) question {
	return newQuestion(name, []string{""}, func(string) string { return body }, func(h *handwritten, _ string) []statement { return statements(h) })
}

// compare runs the query and the statements. It returns the answer, and an error if the results differ.
func (v variant) compare(ctx context.Context, r graph.Reader, h *handwritten) (query.Answer, error) {
	answer, err := query.Run(ctx, r, v.query)
	if err != nil {
		return answer, err
	}
	statements := v.statements(h)
	found, err := h.runAll(ctx, v.query.ConceptIDs, statements)
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
					return answer, fmt.Errorf("the query counts %d roots; the statements count %d", answer.Total, row[0])
				}
			}
		}
	}
	delete(linkIDs, 0)
	delete(counted, graph.LinkCount{})
	switch {
	case !slices.Equal(answer.Roots, rootIDs):
		return answer, fmt.Errorf("the query finds the roots %v; the statements find %v", firstTen(answer.Roots), firstTen(rootIDs))
	case !slices.Equal(answer.Links, slices.Sorted(maps.Keys(linkIDs))):
		return answer, fmt.Errorf("the query finds %d connections; the statements find %d", len(answer.Links), len(linkIDs))
	case len(counted) != len(answer.Counts):
		return answer, fmt.Errorf("the query returns %d counts; the statements return %d", len(answer.Counts), len(counted))
	}
	for _, c := range answer.Counts {
		if !counted[c] {
			return answer, fmt.Errorf("the query returns the count %v; the statements return no such count", c)
		}
	}
	return answer, nil
}

// firstTen shortens a list of ids for an error message.
func firstTen(ids []graph.ID) []graph.ID { return ids[:min(len(ids), 10)] }
