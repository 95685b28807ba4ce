// Command versus measures Weft and comparable servers with the same requests in one run, and prints a table in
// Markdown:
//
//	go run . -weft ../../bin/weft -concepts 1000000
//
// It starts each of these servers as a separate process on this machine and loads all of them with the same dataset:
//
//	contestants     Weft on SQLite, Weft on PostgreSQL, PocketBase; they check access
//	"by hand"       for each Weft, a bare server that runs hand-written statements on the same database (handwritten.go)
//	"bare HTTP"     the same server without statements: the limit of HTTP alone
//
// The servers are measured alternately, -rounds times for -turn each, so that other load on the machine affects all of
// them. The table shows medians. Most of the time is needed to fill the stores and, at the end, to grow the SQLite store to -grow
// rows.
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
	"github.com/weft-graph/weft/internal/store/postgres"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

func main() {
	var o options
	flag.IntVar(&o.concepts, "concepts", 1_000_000, "number of concepts; there are three times as many connections")
	flag.StringVar(&o.weft, "weft", "../../bin/weft", "path of the program to measure")
	postgres := flag.Bool("postgres", true, "also measure on a temporary PostgreSQL server")
	flag.BoolVar(&o.pocketbase, "pocketbase", true, "also measure PocketBase")
	flag.IntVar(&o.rounds, "rounds", 5, "number of turns of each server")
	flag.DurationVar(&o.turn, "turn", 2*time.Second, "duration of a turn")
	flag.IntVar(&o.grow, "grow", 10_000_000, "number of rows to which the SQLite store grows at the end; 0 skips this step")
	dir := flag.String("serve-pocketbase", "", "internal: run as the server PocketBase on this directory")
	file := flag.String("serve-hand", "", "internal: run as the server \"by hand\" on this database")
	flag.Parse()
	err := error(nil)
	switch {
	case *dir != "":
		err = servePocketBase(dataset{o.concepts}, *dir)
	case *file != "":
		err = serveHandwritten(context.Background(), *file)
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
		server, err := pgtest.Open(dir + "-postgres") // a separate directory, because PostgreSQL may run as another user
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir + "-postgres") }()
		defer server.Stop()
		if o.postgres, err = server.EnsureDatabase("versus"); err != nil {
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
		logf("filling %s", w.name)
		c, err := w.start(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		all = append(all, c)
	}
	if o.pocketbase {
		logf("filling PocketBase")
		c, err := pocketBase(ctx, dataset{o.concepts}, filepath.Join(dir, "pocketbase"))
		if err != nil {
			return fmt.Errorf("PocketBase: %w", err)
		}
		all = append(all, c)
	}
	if err := o.measureAll(ctx, all, wefts); err != nil {
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

func logf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

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
