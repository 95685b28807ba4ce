// Command queries compares queries of Weft with hand-written SQL, and prints a table in Markdown:
//
//	go run ./queries -weft ../../bin/weft -data DIRECTORY
//
// A question is a query of Weft together with SQL statements that have the same result. The datasets are a shop in two
// sizes and WordNet, in SQLite and in PostgreSQL. Each question is answered by Weft and by the statements on the same
// database, alternately and in one process; the results must be equal. Each question is also sent over HTTP to the
// real program.
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
	"github.com/weft-graph/weft/internal/dataset/shop"
	"github.com/weft-graph/weft/internal/dataset/wordnet"
	"github.com/weft-graph/weft/internal/pgtest"
)

type options struct {
	weft, data, wordnet string
	postgres, explain   bool
	scale               float64
	rounds              int
	maxDuration         time.Duration
	only                *regexp.Regexp
	profile             string
	surreal             bool
	into                string
	report              *report
}

func main() {
	var o options
	flag.StringVar(&o.weft, "weft", "../../bin/weft", "path of the program to measure")
	flag.StringVar(&o.data, "data", "", "directory that keeps the generated data for further runs; \"\" uses a temporary directory")
	flag.StringVar(&o.wordnet, "wordnet", "/usr/share/wordnet", "directory with the files of WordNet; skipped if they are missing")
	flag.BoolVar(&o.postgres, "postgres", true, "also measure on a temporary PostgreSQL server")
	flag.Float64Var(&o.scale, "scale", 1, "scale of the larger shop; 1 is a million orders")
	flag.IntVar(&o.rounds, "rounds", 25, "maximum number of measurements for each question and each way of answering it")
	flag.DurationVar(&o.maxDuration, "most", 20*time.Second, "maximum duration of the measurements of one question; each way of answering it is measured at least twice")
	only := flag.String("only", "", "regular expression; measure only questions whose names match it")
	flag.BoolVar(&o.explain, "explain", false, "print query plans to standard error")
	flag.BoolVar(&o.surreal, "surreal", false, "also measure SurrealDB, installed with npm")
	flag.StringVar(&o.into, "into", "", "file whose section with the same heading is replaced by the tables; \"\" prints them")
	flag.StringVar(&o.profile, "profile", "", "file for a CPU profile")
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

func logf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

func (o options) run(ctx context.Context) (err error) {
	if o.data == "" {
		if o.data, err = os.MkdirTemp("", "queries"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(o.data)) }()
	}
	if err := os.MkdirAll(o.data, 0o755); err != nil { // PostgreSQL may run as another user
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
	if err := o.measureStore(ctx, "SQLite", func(name string) (dataset, error) {
		return dataset{name: name + " in SQLite", dir: filepath.Join(o.data, name)}, nil
	}); err != nil || !o.postgres {
		return err
	}
	server, err := pgtest.Open(filepath.Join(o.data, "postgres"),
		"-c", "shared_buffers=1GB", "-c", "max_wal_size=4GB", "-c", "work_mem=32MB", "-c", "maintenance_work_mem=512MB")
	if err != nil {
		return err
	}
	defer server.Stop()
	return o.measureStore(ctx, "PostgreSQL", func(name string) (dataset, error) {
		url, err := server.EnsureDatabase(name)
		return dataset{name: name + " in PostgreSQL", dir: filepath.Join(o.data, name+"-postgres"), url: url}, err
	})
}

// The datasets with the shop. Each name is also the name of the files or of the database.
const (
	largeShop = "whole" // the shop at the full scale
	smallShop = "tenth" // the shop with a tenth of the customers and orders
)

// measureStore measures all questions on one kind of store and adds the results to the report. locate returns the
// dataset with a name.
func (o options) measureStore(ctx context.Context, store string, locate func(name string) (dataset, error)) error {
	small, err := o.measureShop(ctx, locate, smallShop, o.scale/10)
	if err != nil {
		return err
	}
	large, err := o.measureShop(ctx, locate, largeShop, o.scale)
	if err != nil {
		return err
	}
	words, err := o.measureWordNet(ctx, locate)
	if err != nil {
		return err
	}
	o.report.table(store, small, large, words)
	return o.report.write(o.into)
}

func (o options) measureShop(ctx context.Context, locate func(name string) (dataset, error), name string, scale float64) (results []result, err error) {
	size := shop.Size{Customers: int(100_000 * scale), Orders: int(1_000_000 * scale), Products: 5_000}
	err = o.withDataset(ctx, locate, name, func(ctx context.Context, store graph.Store) error {
		return shop.Generate(ctx, store, size, nil)
	}, func(v *target, s *service) error {
		f, err := readFacts(ctx, v.handwritten, v.system)
		if err == nil {
			results = o.measureQuestions(ctx, v, s, shopQuestions(f))
		}
		// SurrealDB is embedded, as SQLite is. The report compares the two on the small shop only.
		if err == nil && o.surreal && name == smallShop && v.url == "" {
			err = o.measureSurreal(ctx, v, s, f)
		}
		return err
	})
	return results, err
}

func (o options) measureWordNet(ctx context.Context, locate func(name string) (dataset, error)) (results []result, err error) {
	if _, err := os.Stat(filepath.Join(o.wordnet, "data.noun")); err != nil {
		logf("skipping WordNet: %v", err)
		return nil, nil
	}
	err = o.withDataset(ctx, locate, "wordnet", func(ctx context.Context, store graph.Store) error {
		_, err := wordnet.Import(ctx, store, os.DirFS(o.wordnet), nil)
		return err
	}, func(v *target, s *service) error {
		questions, err := wordnetQuestions(ctx, v.handwritten)
		results = o.measureQuestions(ctx, v, s, questions)
		return err
	})
	return results, err
}

// withDataset fills a dataset if necessary, starts the server on it, and calls measure with both.
func (o options) withDataset(
	ctx context.Context, locate func(name string) (dataset, error), name string, fill fillFunc, measure func(v *target, s *service) error,
) error {
	d, err := locate(name)
	if err != nil {
		return err
	}
	if err := d.ensureFilled(ctx, fill); err != nil {
		return fmt.Errorf("fill %s: %w", d.name, err)
	}
	s, err := d.serve(ctx, o.weft)
	if err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	v, err := d.openTarget(ctx)
	if err == nil {
		err = errors.Join(measure(v, s), v.close())
	}
	return errors.Join(err, s.process.Stop())
}

func (o options) measureQuestions(ctx context.Context, v *target, s *service, questions []question) (results []result) {
	for _, q := range questions {
		if o.only.MatchString(q.name) {
			logf("%s: %s", v.name, q.name)
			results = append(results, v.measure(ctx, q, s, o))
		}
	}
	return results
}
