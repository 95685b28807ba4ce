// Command versus asks Weft and its peers the same questions in one run and prints a table in Markdown:
//
//	go run . -weft ../../bin/weft -concepts 1000000
//
// Everybody runs as a process of its own on this machine, holds the same records, checks access, and is
// asked by turns, so that whatever else the machine does falls on all.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/store/postgres"
	"github.com/weft-graph/weft/store/sqlite"
)

func main() {
	var o options
	flag.IntVar(&o.concepts, "concepts", 1_000_000, "concepts; there are three times as many connections")
	flag.StringVar(&o.weft, "weft", "../../bin/weft", "the program to measure")
	postgres := flag.Bool("postgres", true, "measure on PostgreSQL too, on a server of its own")
	flag.BoolVar(&o.pocketbase, "pocketbase", true, "measure PocketBase")
	flag.IntVar(&o.rounds, "rounds", 5, "how often everybody is asked")
	flag.DurationVar(&o.turn, "turn", 2*time.Second, "how long a turn lasts")
	flag.IntVar(&o.grow, "grow", 10_000_000, "rows to grow the SQLite store to at the end; 0 for none")
	dir := flag.String("serve-pocketbase", "", "")
	file := flag.String("serve-hand", "", "")
	flag.Parse()
	err := error(nil)
	switch {
	case *dir != "":
		err = servePocketBase(dataset{o.concepts}, *dir)
	case *file != "":
		err = serveHand(context.Background(), *file)
	default:
		err = o.run(context.Background(), *postgres)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "versus:", err)
		os.Exit(1)
	}
}

type options struct {
	concepts   int
	weft       string
	postgres   string
	pocketbase bool
	rounds     int
	turn       time.Duration
	grow       int
}

func (o options) run(ctx context.Context, onPostgres bool) (err error) {
	dir, err := os.MkdirTemp("", "versus")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if onPostgres {
		server, err := pgtest.Open(dir + "-postgres") // beside, for PostgreSQL may run as a user of its own
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir + "-postgres") }()
		defer server.Stop()
		if o.postgres, err = server.Named("versus"); err != nil {
			return err
		}
	}
	wefts := o.wefts(dir)
	var all []*contestant
	defer func() {
		for _, c := range all {
			err = errors.Join(err, c.process.Stop())
		}
	}()
	for _, w := range wefts {
		note("filling %s", w.name)
		c, err := w.contest(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		all = append(all, c)
	}
	if o.pocketbase {
		note("filling PocketBase")
		c, err := pocketBase(ctx, dataset{o.concepts}, filepath.Join(dir, "pocketbase"))
		if err != nil {
			return fmt.Errorf("PocketBase: %w", err)
		}
		all = append(all, c)
	}
	if err := o.contest(ctx, all, wefts); err != nil {
		return err
	}
	if o.grow > 0 {
		first := all[0]
		all = all[1:]
		if err := errors.Join(first.process.Stop(), wefts[0].grow(ctx, o.grow)); err != nil {
			return err
		}
	}
	printBatches(wefts)
	return nil
}

func note(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

func (o options) wefts(dir string) []*weft {
	d := dataset{o.concepts}
	data := filepath.Join(dir, "sqlite")
	all := []*weft{{
		dataset: d, name: "Weft, SQLite", program: o.weft, dir: data,
		open: func(ctx context.Context) (graph.Store, error) { return sqlite.Open(ctx, data) },
	}}
	if o.postgres != "" {
		all = append(all, &weft{
			dataset: d, name: "Weft, PostgreSQL", program: o.weft, dir: filepath.Join(dir, "postgres"),
			args: []string{"--store", o.postgres}, url: o.postgres,
			open: func(ctx context.Context) (graph.Store, error) { return postgres.Open(ctx, o.postgres) },
		})
	}
	return all
}
