package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/raw"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

type storeCommand struct {
	Check storeCheck `cmd:"" set:"made=" help:"Read a whole graph and check its integrity."`
	Copy  storeCopy  `cmd:"" help:"Copy a graph into an empty store of any kind."`
}

type storeCheck struct{ storeFlags }

// Run checks the store and prints its size.
func (c storeCheck) Run() error {
	ctx, stop := interruptible()
	defer stop()
	if c.scheme() == "" {
		if err := sqlite.CheckLog(ctx, c.Data); err != nil {
			return err
		}
	}
	store, err := c.openReader(ctx)
	if err != nil {
		return err
	}
	return errors.Join(c.checkStore(ctx, store), store.Close())
}

// checkStore checks a store and prints its summary. It returns an error for a store that has nothing to check.
func (c storeCheck) checkStore(ctx context.Context, store any) error {
	checked, ok := store.(interface {
		raw.Summarizer
		Check(ctx context.Context) error
	})
	if !ok {
		return usageErrorf("--store %s has nothing to check", c.scheme())
	}
	if err := checked.Check(ctx); err != nil {
		return err
	}
	s, err := checked.Summary(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("sound: %d concepts (%d of them types), %d connections, %d changes, %d other entries; version %d\n",
		s.Concepts, s.Types, s.Connections, s.Changes, s.Entries, s.Version)
	return nil
}

type storeCopy struct {
	From string `arg:"" help:"The graph to copy: a data directory, or postgres://…; no process may write to it during the copy."`
	To   string `arg:"" help:"The destination: a data directory, or postgres://…; it must be empty, or an unfinished copy of the same graph."`
}

// Help implements kong.HelpProvider.
func (storeCopy) Help() string {
	return `Copies all tables: concepts, connections, results of client writes, reserved ids, changes, accounts and the rest, ` +
		`and the identity, so that clients can continue with the copy. Run an interrupted copy again to continue it. At the end every table ` +
		`of both stores is compared and printed with its number of rows and their SHA-256. Before that, the copy cannot be served. ` +
		`Uploads are files: copy the folder blobs separately.`
}

// Run copies the store and prints the comparison of its tables.
func (c storeCopy) Run() error {
	ctx, stop := interruptible()
	defer stop()
	from, err := openRaw(ctx, c.From, true)
	if err != nil {
		return err
	}
	to, err := openRaw(ctx, c.To, false)
	if err != nil {
		return errors.Join(err, from.Close())
	}
	report := &copyReport{bar: newProgress(os.Stderr, "rows")}
	err = raw.Copy(ctx, from, to, report)
	report.bar.end()
	if err != nil && ctx.Err() != nil {
		err = errors.New("stopped; run the same command again to continue")
	}
	if err == nil {
		err = report.print()
	}
	return errors.Join(err, from.Close(), to.Close())
}

// openRaw opens a data directory or a store with a URL, as the source or the destination of a copy. A source must exist and
// must not be an unfinished copy.
func openRaw(ctx context.Context, name string, isSource bool) (raw.Store, error) {
	where := storeFlags{Data: name}
	if strings.Contains(name, "://") || strings.HasPrefix(name, "memory:") {
		where = storeFlags{Store: name}
	}
	if isSource { // opening it for reading does not create a missing source
		reader, err := where.openReader(ctx)
		if err != nil {
			return nil, err
		}
		if err := reader.Close(); err != nil {
			return nil, err
		}
	}
	store, err := where.openAny(ctx)
	if err != nil {
		return nil, err
	}
	if isSource {
		if err := raw.CheckFinished(ctx, store); err != nil {
			return nil, errors.Join(err, store.Close())
		}
	}
	rows, ok := store.(raw.Store)
	if !ok {
		return nil, errors.Join(graph.Errorf(graph.Invalid, "%s cannot be copied", where.scheme()), store.Close())
	}
	return rows, nil
}

// A copyReport shows the progress of a copy, and the compared tables at its end.
type copyReport struct {
	bar      *progress
	done     int
	compared []string
}

// Copied implements raw.Progress.
func (r *copyReport) Copied(_ raw.Table, rows int) {
	r.done += rows
	r.bar.show(r.done, -1)
}

// Same implements raw.Progress.
func (r *copyReport) Same(t raw.Table, sum raw.Sum) {
	r.compared = append(r.compared, fmt.Sprintf("%s\t%d\t%s", t.Name, sum.Rows, sum.Hash))
}

// print prints a line for each compared table.
func (r *copyReport) print() error {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "table\trows\tSHA-256")
	for _, line := range r.compared {
		fmt.Fprintln(out, line)
	}
	return out.Flush()
}
