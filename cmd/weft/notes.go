package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

// note tells whoever asked what the records do not show: that there are more, and that a name in the query
// names nothing.
func note(ctx context.Context, out io.Writer, r graph.Reader, q query.Query, a query.Answer) error {
	if n := len(a.Roots); n < a.Total || a.AtLeast {
		more := "inpage"
		if n == query.MaxPageSize {
			more = "page"
		}
		about := ""
		if a.AtLeast {
			about = "at least "
		}
		fmt.Fprintf(out, "%d of %s%d; ask for more with %s\n", n, about, a.Total, more)
	}
	names := namesIn(q)
	found, err := graph.TypesNamed(ctx, r, names...)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, made := found[name]; !made {
			fmt.Fprintf(out, "the query names %s, a type nobody made\n", graph.Clip(name))
		}
	}
	return nil
}

// namesIn are the types that a query names, each once.
func namesIn(q query.Query) []string {
	names := slices.Clone(q.Selectors)
	if len(q.ConceptIDs) == 0 {
		names = append(names, q.Type)
	}
	if !q.Legacy {
		names = append(names, q.Connection)
	}
	for _, hop := range q.Hops {
		names = append(names, namesIn(hop)...)
	}
	for _, f := range q.Filters {
		if name, ok := f.NamedType(); ok {
			names = append(names, name)
		} else if !f.Special() {
			names = append(names, f.Type)
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" || name == query.Self })
}
