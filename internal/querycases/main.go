// Command querycases generates random graphs and queries and writes them as JSON lines, with the answers of the
// reference evaluator, in the format of the cases in spec/query:
//
//	{"graph": {…}, "cases": [{"query": {…}, "want": {…}}, …]}
//
// The same seed generates the same lines. Tests of query engines in other languages read them.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/weft-graph/weft/internal/querytest"
	"github.com/weft-graph/weft/internal/spec"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/query"
)

func main() {
	n := flag.Int("n", 100, "number of graphs")
	seed := flag.Int("seed", 1, "seed of the random generator")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *n, *seed); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run writes n lines for consecutive seeds, starting at seed.
func run(ctx context.Context, w io.Writer, n, seed int) error {
	out := bufio.NewWriter(w)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for i := range n {
		l, err := generate(ctx, seed+i)
		if err != nil {
			return fmt.Errorf("seed %d: %w", seed+i, err)
		}
		if err := lines.Encode(l); err != nil {
			return err
		}
	}
	return out.Flush()
}

// A line is one graph and its queries.
type line struct {
	Graph spec.Graph  `json:"graph"`
	Cases []queryCase `json:"cases"`
}

type queryCase struct {
	Query query.Query      `json:"query"`
	Want  querytest.Answer `json:"want"`
}

const queriesPerGraph = 4

// generate returns the line of a seed.
func generate(ctx context.Context, seed int) (line, error) {
	l := line{Graph: querytest.Graphs().Example(seed)}
	store, err := spec.Write(ctx, memory.New(), l.Graph)
	if err != nil {
		return l, err
	}
	for i := range queriesPerGraph {
		q := querytest.Queries(l.Graph).Example(seed*queriesPerGraph + i)
		a, err := querytest.Reference(ctx, store, querytest.WithRealIDs(store, q))
		if err != nil {
			return l, err
		}
		want, err := querytest.CaseAnswer(ctx, store, a)
		if err != nil {
			return l, err
		}
		l.Cases = append(l.Cases, queryCase{q, want})
	}
	return l, nil
}
