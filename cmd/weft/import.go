package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wordnet"
)

type importCommand struct {
	Wordnet importWordnet `cmd:"" help:"Import the database files of WordNet 3."`
	JSON    importJSON    `cmd:"" name:"json" help:"Import a list of JSON records."`
	Graph   importGraph   `cmd:"" help:"Import a graph that weft export wrote."`
}

type importWordnet struct {
	storeFlags
	Dir string `arg:"" type:"existingdir" help:"Directory with data.noun, index.noun and the others."`
}

// Help says what the one-line help of the flags cannot.
func (importWordnet) Help() string {
	return `All files are read and checked before anything is written. An import that was broken off is finished by ` +
		`running it again; running it once more adds nothing. What is imported belongs to the system and everybody may read it. ` +
		"\n\n" + `To look around: weft get the_word=dog`
}

// Run imports, and reports what is there then and what it took.
func (c importWordnet) Run() error {
	ctx, stop := interruptible()
	defer stop()
	began := time.Now()
	err := c.within(ctx, func(store graph.Store) error {
		bar := newProgress(os.Stderr, "lines")
		p, err := wordnet.Import(ctx, store, os.DirFS(c.Dir), func(p wordnet.Progress) { bar.set(p.Done, p.Total) })
		bar.end()
		if err != nil {
			return err
		}
		return c.report(ctx, store, p)
	})
	if err == nil {
		fmt.Println(effort(began, c.Data))
	}
	return err
}

// interruptible is a context that ends when the process is told to stop.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// within opens the store for a task that may be broken off and taken up again, and closes it.
func (f storeFlags) within(ctx context.Context, task func(graph.Store) error) error {
	if scheme, _, _ := strings.Cut(f.Store, ":"); scheme == "memory" {
		return misusef("--store %s would forget at once what is imported; leave it out", f.Store)
	}
	store, err := f.open(ctx)
	if err != nil {
		return err
	}
	err = task(store)
	if err != nil && ctx.Err() != nil {
		err = errors.New("stopped; run the same again to go on from here")
	}
	return errors.Join(err, store.Close())
}

// report counts what there is of each type.
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
	fmt.Printf("%s added in this run\n", count(p.Added, "record"))
	return nil
}

// effort says what the process has cost so far.
func effort(began time.Time, dir string) string {
	cpu, memory := usage()
	return fmt.Sprintf("%.1f s, %.1f s of CPU, %d MB of memory at most, %d MB on disk",
		time.Since(began).Seconds(), cpu.Seconds(), memory>>20, size(dir)>>20)
}

// size is how many bytes the files of a directory have.
func size(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be seen is not counted
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

// progress is a bar on a terminal, and elsewhere a line every ten seconds.
type progress struct {
	out  io.Writer
	unit string
	bar  *progressbar.ProgressBar
	next time.Time
}

func newProgress(out *os.File, unit string) *progress {
	p := &progress{out: out, unit: unit, next: time.Now().Add(often)}
	if info, err := out.Stat(); err == nil && info.Mode()&fs.ModeCharDevice != 0 {
		p.bar = progressbar.NewOptions(-1,
			progressbar.OptionSetWriter(out), progressbar.OptionShowCount(), progressbar.OptionSetItsString(unit),
			progressbar.OptionShowIts(), progressbar.OptionFullWidth(), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

const often = 10 * time.Second

// set shows how far things are; a total of -1 is not known.
func (p *progress) set(done, total int) {
	if p.bar != nil {
		p.bar.ChangeMax(total)
		_ = p.bar.Set(done)
		return
	}
	if time.Now().Before(p.next) {
		return
	}
	p.next = time.Now().Add(often)
	if total > 0 {
		fmt.Fprintf(p.out, "%d of %d %s\n", done, total, p.unit)
	} else {
		fmt.Fprintf(p.out, "%d %s\n", done, p.unit)
	}
}

func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
