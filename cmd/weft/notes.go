package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

// note tells whoever asked what the records do not show: that there are more, that a name in the query
// names nothing, and that a filter does nothing.
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
	if err := noteTypes(ctx, out, r, q, len(a.Roots) == 0); err != nil {
		return err
	}
	return noteLogic(out, q)
}

// noteTypes tells which types nobody made and, if nothing was found, which are parts of the name that was meant:
// records show town for the_town.
func noteTypes(ctx context.Context, out io.Writer, r graph.Reader, q query.Query, nothing bool) error {
	names := namesIn(q)
	asked := slices.Clone(names)
	for _, name := range names {
		asked = append(asked, "the_"+name)
	}
	found, err := graph.TypesNamed(ctx, r, asked...)
	if err != nil {
		return err
	}
	for _, name := range names {
		_, made := found[name]
		_, whole := found["the_"+name]
		switch {
		case nothing && whole:
			fmt.Fprintf(out, "the query names %s; did you mean the_%[1]s?\n", graph.Clip(name))
		case !made:
			fmt.Fprintf(out, "the query names %s, a type nobody made\n", graph.Clip(name))
		}
	}
	return nil
}

// noteLogic tells which names in the logic are no filter's, and which filters it leaves out.
func noteLogic(out io.Writer, q query.Query) error {
	logic, _, err := query.ParseLogic(q.Logic)
	if err != nil {
		return err
	}
	mentioned := map[string]bool{}
	mention(logic, mentioned)
	filters := map[string]bool{}
	for _, f := range q.Filters {
		filters[f.Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(mentioned)) {
		if !filters[name] {
			fmt.Fprintf(out, "the logic names %q, which is no filter\n", graph.Clip(name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(filters)) {
		if !mentioned[name] {
			fmt.Fprintf(out, "filter %q does nothing: the logic does not name it\n", graph.Clip(name))
		}
	}
	return nil
}

// mention notes the names in a logic.
func mention(l query.Logic, names map[string]bool) {
	if l.Op == query.Leaf {
		names[l.Filter] = true
	}
	for _, side := range l.Of {
		mention(side, names)
	}
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
