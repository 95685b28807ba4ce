// Command queries asks Weft and its database the same and prints a table in Markdown:
//
//	go run ./queries -weft ../../bin/weft -data /where/it/stays
//
// The data is a shop of two sizes and WordNet, kept in SQLite and in PostgreSQL. Every question is asked of Weft and, in
// statements written by hand, of the database it uses, in one process and by turns; both must find the same. Last it is asked
// over HTTP, of the real program.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/shop"
	"github.com/weft-graph/weft/wordnet"
)

type options struct {
	weft, data, wordnet string
	postgres, explain   bool
	scale               float64
	rounds              int
	most                time.Duration
	only                *regexp.Regexp
	profile             string
}

func main() {
	var o options
	flag.StringVar(&o.weft, "weft", "../../bin/weft", "the program to measure")
	flag.StringVar(&o.data, "data", "", "a directory that the data is made in, unless it is there, and stays in; \"\" for none")
	flag.StringVar(&o.wordnet, "wordnet", "/usr/share/wordnet", "the files of WordNet, if they are there")
	flag.BoolVar(&o.postgres, "postgres", true, "measure on PostgreSQL too, on a server of its own")
	flag.Float64Var(&o.scale, "scale", 1, "of the larger shop; 1 is a million orders")
	flag.IntVar(&o.rounds, "rounds", 25, "how often every way is asked")
	flag.DurationVar(&o.most, "most", 20*time.Second, "how long one question may take, in all ways and rounds")
	only := flag.String("only", "", "ask only questions whose name this expression is found in")
	flag.BoolVar(&o.explain, "explain", false, "print how answers were found to standard error")
	flag.StringVar(&o.profile, "profile", "", "write a profile of the processor to this file")
	flag.Parse()
	var err error
	if o.only, err = regexp.Compile(*only); err == nil {
		err = o.run(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "queries:", err)
		os.Exit(1)
	}
}

func note(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

func (o options) run(ctx context.Context) (err error) {
	if o.data == "" {
		if o.data, err = os.MkdirTemp("", "queries"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(o.data)) }()
	}
	if err := os.MkdirAll(o.data, 0o755); err != nil { // PostgreSQL may run as a user of its own
		return err
	}
	if o.profile != "" {
		f, err := os.Create(o.profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	if err := o.on(ctx, "SQLite", func(name string) (place, error) {
		return place{name: name + " in SQLite", dir: filepath.Join(o.data, name)}, nil
	}); err != nil || !o.postgres {
		return err
	}
	server, err := pgtest.Open(filepath.Join(o.data, "postgres"),
		"-c", "shared_buffers=1GB", "-c", "max_wal_size=4GB", "-c", "work_mem=32MB", "-c", "maintenance_work_mem=512MB")
	if err != nil {
		return err
	}
	defer server.Stop()
	return o.on(ctx, "PostgreSQL", func(name string) (place, error) {
		url, err := server.Named(name)
		return place{name: name + " in PostgreSQL", dir: filepath.Join(o.data, name+"-postgres"), url: url}, err
	})
}

// on asks everything on one kind of store and prints a table.
func (o options) on(ctx context.Context, store string, at func(name string) (place, error)) error {
	small, err := o.shop(ctx, at, "tenth", o.scale/10)
	if err != nil {
		return err
	}
	large, err := o.shop(ctx, at, "whole", o.scale)
	if err != nil {
		return err
	}
	words, err := o.wordnetIn(ctx, at)
	if err != nil {
		return err
	}
	print(store, small, large, words)
	return nil
}

func (o options) shop(ctx context.Context, at func(name string) (place, error), name string, scale float64) ([]result, error) {
	size := shop.Size{Customers: int(100_000 * scale), Orders: int(1_000_000 * scale), Products: 5_000}
	return o.ask(ctx, at, name, func(ctx context.Context, store graph.Store) error {
		return shop.Generate(ctx, store, size, nil)
	}, func(ctx context.Context, v *view) ([]question, error) {
		f, err := learn(ctx, v.hand, v.system)
		return shopQuestions(f), err
	})
}

func (o options) wordnetIn(ctx context.Context, at func(name string) (place, error)) ([]result, error) {
	if _, err := os.Stat(filepath.Join(o.wordnet, "data.noun")); err != nil {
		note("WordNet is left out: %v", err)
		return nil, nil
	}
	return o.ask(ctx, at, "wordnet", func(ctx context.Context, store graph.Store) error {
		_, err := wordnet.Import(ctx, store, os.DirFS(o.wordnet), nil)
		return err
	}, func(ctx context.Context, v *view) ([]question, error) { return wordnetQuestions(ctx, v.hand) })
}

// ask fills a place, if need be, and asks questions in it.
func (o options) ask(
	ctx context.Context, at func(name string) (place, error), name string, fill filling, questions func(context.Context, *view) ([]question, error),
) ([]result, error) {
	p, err := at(name)
	if err != nil {
		return nil, err
	}
	if err := p.filled(ctx, fill); err != nil {
		return nil, fmt.Errorf("filling %s: %w", p.name, err)
	}
	s, err := p.serve(ctx, o.weft)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	defer s.process.Stop() //nolint:errcheck // it has nothing to lose
	v, err := p.view(ctx)
	if err != nil {
		return nil, err
	}
	asked, err := questions(ctx, v)
	var results []result
	for _, q := range asked {
		if o.only.MatchString(q.name) {
			note("%s: %s", p.name, q.name)
			results = append(results, v.measure(ctx, q, s, o))
		}
	}
	return results, errors.Join(err, v.close())
}
