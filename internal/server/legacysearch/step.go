package legacysearch

import (
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

// StartIDs returns the distinct ids of the compositions at which a search starts. Only the first query specifies them.
func StartIDs(queries []wire.SearchQuery) []graph.ID {
	if len(queries) == 0 {
		return nil
	}
	var ids []graph.ID
	seen := map[wire.Int]bool{0: true} // 0 specifies no composition
	for _, id := range append([]wire.Int{queries[0].Composition}, queries[0].OfCompositions...) {
		if !seen[id] {
			seen[id], ids = true, append(ids, graph.ID(id))
		}
	}
	return ids
}

// Steps returns one step for each query of a search. The error is Invalid for a query with filters, selectors or an unknown
// logic. The logic is validated but has no effect, because it combines filters, and filters are refused.
func Steps(queries []wire.SearchQuery) ([]Step, error) {
	steps := make([]Step, len(queries))
	for i, q := range queries {
		if bool(q.DoFilter) && len(q.FilterSearches) > 0 {
			return nil, graph.Errorf(graph.Invalid, "filterSearches is not supported in a search; use a schema query with filters")
		}
		if len(q.Selectors) > 0 {
			return nil, graph.Errorf(graph.Invalid, "selectors is not supported in a search; use a schema query with selectors")
		}
		if logic := string(q.Logic); logic != "" && !strings.EqualFold(logic, "or") && !strings.EqualFold(logic, "and") {
			return nil, graph.Errorf(graph.Invalid, `the logic of a search is %q; want "or" or "and"`, graph.Clip(logic))
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

func texts(values []wire.Text) []string {
	var converted []string
	for _, value := range values {
		converted = append(converted, string(value))
	}
	return converted
}
