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
	surreal             bool
	into                string
	report              *report
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
	flag.BoolVar(&o.surreal, "surreal", false, "ask SurrealDB too, which npm installs")
	flag.StringVar(&o.into, "into", "", "put the tables under their heading in this file, in place of what is there; \"\" prints them")
	flag.StringVar(&o.profile, "profile", "", "write a profile of the processor to this file")
	flag.Parse()
	var err error
	if o.only, err = regexp.Compile(*only); err == nil {
		o.report = &report{}
		o.report.WriteString(heading)
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

// on asks everything on one kind of store and reports.
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
	o.report.table(store, small, large, words)
	return o.report.show(o.into)
}

func (o options) shop(ctx context.Context, at func(name string) (place, error), name string, scale float64) (results []result, err error) {
	size := shop.Size{Customers: int(100_000 * scale), Orders: int(1_000_000 * scale), Products: 5_000}
	err = o.in(ctx, at, name, func(ctx context.Context, store graph.Store) error {
		return shop.Generate(ctx, store, size, nil)
	}, func(v *view, s *service) error {
		f, err := learn(ctx, v.hand, v.system)
		if err == nil {
			results = o.ask(ctx, v, s, shopQuestions(f))
		}
		if err == nil && o.surreal && name == "tenth" && v.url == "" {
			err = o.besideSurreal(ctx, v, s, f)
		}
		return err
	})
	return results, err
}

func (o options) wordnetIn(ctx context.Context, at func(name string) (place, error)) (results []result, err error) {
	if _, err := os.Stat(filepath.Join(o.wordnet, "data.noun")); err != nil {
		note("WordNet is left out: %v", err)
		return nil, nil
	}
	err = o.in(ctx, at, "wordnet", func(ctx context.Context, store graph.Store) error {
		_, err := wordnet.Import(ctx, store, os.DirFS(o.wordnet), nil)
		return err
	}, func(v *view, s *service) error {
		questions, err := wordnetQuestions(ctx, v.hand)
		results = o.ask(ctx, v, s, questions)
		return err
	})
	return results, err
}

// in fills a place, if need be, serves it and does something there.
func (o options) in(
	ctx context.Context, at func(name string) (place, error), name string, fill filling, do func(v *view, s *service) error,
) error {
	p, err := at(name)
	if err != nil {
		return err
	}
	if err := p.filled(ctx, fill); err != nil {
		return fmt.Errorf("filling %s: %w", p.name, err)
	}
	s, err := p.serve(ctx, o.weft)
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	v, err := p.view(ctx)
	if err == nil {
		err = errors.Join(do(v, s), v.close())
	}
	return errors.Join(err, s.process.Stop())
}

func (o options) ask(ctx context.Context, v *view, s *service, questions []question) (results []result) {
	for _, q := range questions {
		if o.only.MatchString(q.name) {
			note("%s: %s", v.name, q.name)
			results = append(results, v.measure(ctx, q, s, o))
		}
	}
	return results
}
