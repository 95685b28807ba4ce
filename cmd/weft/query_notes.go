package main

import (
	"context"
	"fmt"
	"io"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

// printNotes prints facts that the records do not show: that there are more records, that the query names unknown types, and
// that a filter has no effect.
func printNotes(ctx context.Context, out io.Writer, r graph.Reader, q query.Query, a query.Answer) error {
	if n := len(a.Roots); n < a.Total || a.AtLeast {
		member := "inpage"
		if n == query.MaxPageSize {
			member = "page"
		}
		qualifier := ""
		if a.AtLeast {
			qualifier = "at least "
		}
		fmt.Fprintf(out, "%d of %s%d; ask for more with %s\n", n, qualifier, a.Total, member)
	}
	if a.Next != "" {
		fmt.Fprintf(out, "for the next page add \"after\": %q\n", a.Next)
	}
	warnings, err := query.Warnings(ctx, r, q, len(a.Roots) == 0)
	for _, warning := range warnings {
		fmt.Fprintln(out, warning)
	}
	return err
}
