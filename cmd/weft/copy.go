package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/raw"
)

type storeCommand struct {
	Check storeCheck `cmd:"" set:"made=" help:"Read everything in a graph and say whether it is sound."`
	Copy  storeCopy  `cmd:"" help:"Copy a graph into another, empty place, of whatever kind."`
}

type storeCheck struct{ storeFlags }

// Run checks, and prints how much there is.
func (c storeCheck) Run() error {
	ctx, stop := interruptible()
	defer stop()
	store, err := c.openReader(ctx)
	if err != nil {
		return err
	}
	return errors.Join(c.check(ctx, store), store.Close())
}

func (c storeCheck) check(ctx context.Context, store any) error {
	checked, ok := store.(interface {
		raw.Summarizer
		Check(ctx context.Context) error
	})
	if !ok {
		return misusef("in --store %s there is nothing to check", c.scheme())
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
	From string `arg:"" help:"The graph to copy: a data directory, or postgres://…; nobody may write to it meanwhile."`
	To   string `arg:"" help:"Where to: likewise. It must be empty, or a copy of the same that was broken off."`
}

// Help says what the one-line help of the flags cannot.
func (storeCopy) Help() string {
	return `Copies concepts, connections, what became of what clients sent, reserved ids, changes, accounts and everything else, ` +
		`and the identity: clients go on with the copy where they were. Broken off and run again it goes on. In the end every table ` +
		`of both is compared, and printed with its number of rows and the SHA-256 of them; until then the copy cannot be served. ` +
		`Uploads are files: copy the folder blobs beside it.`
}

// Run copies, and prints what is the same.
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
		err = errors.New("stopped; run the same again to go on from here")
	}
	if err == nil {
		err = report.print()
	}
	return errors.Join(err, from.Close(), to.Close())
}

// openRaw opens what a command line names: a directory or a URL.
func openRaw(ctx context.Context, name string, toRead bool) (raw.Store, error) {
	where := storeFlags{Data: name}
	if strings.Contains(name, "://") || strings.HasPrefix(name, "memory:") {
		where = storeFlags{Store: name}
	}
	if toRead { // what is not there must not be made
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
	if toRead {
		if err := raw.Finished(ctx, store); err != nil {
			return nil, errors.Join(err, store.Close())
		}
	}
	rows, ok := store.(raw.Store)
	if !ok {
		return nil, errors.Join(graph.Errorf(graph.Invalid, "%s cannot be copied", where.scheme()), store.Close())
	}
	return rows, nil
}

// A copyReport shows how far a copy is, and in the end what is the same.
type copyReport struct {
	bar  *progress
	done int
	same []string
}

// Copied implements raw.Progress.
func (r *copyReport) Copied(_ raw.Table, rows int) {
	r.done += rows
	r.bar.set(r.done, -1)
}

// Same implements raw.Progress.
func (r *copyReport) Same(t raw.Table, sum raw.Sum) {
	r.same = append(r.same, fmt.Sprintf("%s\t%d\t%s", t.Name, sum.Rows, sum.Hash))
}

func (r *copyReport) print() error {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "table\trows\tSHA-256")
	for _, line := range r.same {
		fmt.Fprintln(out, line)
	}
	return out.Flush()
}
