package search

import (
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

// Start is where searches of the contract start.
func Start(queries []wire.SearchQuery) []graph.ID {
	if len(queries) == 0 {
		return nil
	}
	var ids []graph.ID
	seen := map[wire.Int]bool{0: true}
	for _, id := range append([]wire.Int{queries[0].Composition}, queries[0].OfCompositions...) {
		if !seen[id] {
			seen[id], ids = true, append(ids, graph.ID(id))
		}
	}
	return ids
}

// Steps are the queries of a search of the contract, one for each step. Filters are refused with Invalid.
func Steps(queries []wire.SearchQuery) ([]Step, error) {
	steps := make([]Step, len(queries))
	for i, q := range queries {
		if bool(q.DoFilter) && len(q.FilterSearches) > 0 {
			return nil, graph.Errorf(graph.Invalid, "a search has no filterSearches; a schema query has filters")
		}
		steps[i] = Step{
			Names: texts(q.FullLinkers), Suffixes: texts(q.ListLinkers), Reverse: bool(q.Reverse),
			Page: int(q.Page), PageSize: min(int(q.Inpage), query.MaxPageSize), Text: string(q.TextSearch),
		}
		if q.Linker != "" {
			steps[i].Suffixes = append(steps[i].Suffixes, string(q.Linker))
		}
	}
	return steps, nil
}

func texts(list []wire.Text) []string {
	var out []string
	for _, text := range list {
		out = append(out, string(text))
	}
	return out
}
