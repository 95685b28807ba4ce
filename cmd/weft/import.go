package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/dataset/wordnet"
)

type importCommand struct {
	Wordnet importWordnet `cmd:"" help:"Import the database files of WordNet 3."`
	JSON    importJSON    `cmd:"" name:"json" help:"Import a list of JSON records."`
	CSV     importCSV     `cmd:"" name:"csv" help:"Import the rows of a CSV file as records."`
	Graph   importGraph   `cmd:"" help:"Import a graph written by weft export."`
}

type importWordnet struct {
	storeFlags
	Dir string `arg:"" type:"existingdir" help:"Directory with data.noun, index.noun and the other files."`
}

// Help implements kong.HelpProvider.
func (importWordnet) Help() string {
	return `All files are read and checked before anything is written. Run an interrupted import again ` +
		`to finish it; repeating a finished one adds nothing. Imported records are owned by the system and public. ` +
		"\n\n" + `To print a word: weft get the_word=dog`
}

// Run imports the files, and prints the resulting counts and the cost.
func (c importWordnet) Run() error {
	ctx, stop := interruptible()
	defer stop()
	start := time.Now()
	err := c.runResumable(ctx, func(store graph.Store) error {
		bar := newProgress(os.Stderr, "lines")
		p, err := wordnet.Import(ctx, store, os.DirFS(c.Dir), func(p wordnet.Progress) { bar.show(p.Done, p.Total) })
		bar.end()
		if err != nil {
			return err
		}
		return c.report(ctx, store, p)
	})
	if err == nil {
		fmt.Println(formatUsage(start, c.Data))
	}
	return err
}

// interruptible returns a context that is cancelled by SIGINT or SIGTERM.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// runResumable opens the store, runs a task on it and closes it. If the task was interrupted, the error says that the same
// command continues the task.
func (f storeFlags) runResumable(ctx context.Context, task func(graph.Store) error) error {
	if scheme, _, _ := strings.Cut(f.Store, ":"); scheme == "memory" {
		return usageErrorf("--store %s is discarded at exit; leave it out", f.Store)
	}
	store, err := f.open(ctx)
	if err != nil {
		return err
	}
	err = task(store)
	if err != nil && ctx.Err() != nil {
		err = errors.New("stopped; run the same command again to continue")
	}
	return errors.Join(err, store.Close())
}

// report prints the numbers of instances of each type, of connections, and of records added in this run.
func (importWordnet) report(ctx context.Context, store graph.Store, p wordnet.Progress) error {
	types, err := graph.TypesNamed(ctx, store, wordnet.Types...)
	if err != nil {
		return err
	}
	for _, name := range wordnet.Types {
		n, err := store.CountByType(ctx, types[name].ID, 0)
		if err != nil {
			return err
		}
		fmt.Printf("%-14s %9d\n", name, n)
	}
	fmt.Printf("%-14s %9d\n", "connections", p.Connections)
	fmt.Printf("%s added in this run\n", formatCount(p.Added, "record"))
	return nil
}
