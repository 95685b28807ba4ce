// Command querycases rolls graphs and queries and writes them with what the slow and obvious evaluator answers, as
// JSON lines in the shape of the cases under vectors/query:
//
//	{"graph": {…}, "cases": [{"query": {…}, "want": {…}}, …]}
//
// The same seed gives the same lines. Tests of engines in other languages read them.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/weft-graph/weft/internal/vectors"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/query/querytest"
	"github.com/weft-graph/weft/store/memory"
)

func main() {
	n := flag.Int("n", 100, "how many graphs")
	seed := flag.Int("seed", 1, "where the dice start")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *n, *seed); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, n, seed int) error {
	out := bufio.NewWriter(w)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for i := range n {
		l, err := roll(ctx, seed+i)
		if err != nil {
			return fmt.Errorf("seed %d: %w", seed+i, err)
		}
		if err := lines.Encode(l); err != nil {
			return err
		}
	}
	return out.Flush()
}

type line struct {
	Graph vectors.Graph `json:"graph"`
	Cases []queried     `json:"cases"`
}

type queried struct {
	Query query.Query      `json:"query"`
	Want  querytest.Answer `json:"want"`
}

const queriesOfEach = 4

func roll(ctx context.Context, seed int) (line, error) {
	l := line{Graph: querytest.Graphs().Example(seed)}
	store, err := vectors.Write(ctx, memory.New(), l.Graph)
	if err != nil {
		return l, err
	}
	for i := range queriesOfEach {
		q := querytest.Queries(l.Graph).Example(seed*queriesOfEach + i)
		a, err := querytest.Obvious(ctx, store, querytest.Real(store, q))
		if err != nil {
			return l, err
		}
		want, err := querytest.Told(ctx, store, a)
		if err != nil {
			return l, err
		}
		l.Cases = append(l.Cases, queried{q, want})
	}
	return l, nil
}
