package main

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/weft-graph/weft/graph"
)

type importJSON struct {
	storeFlags
	File string `arg:"" help:"A file with a list of records, or with one record after another; - reads standard input."`
	Type string `required:"" placeholder:"the_x" help:"Type of the records."`
	As   string `placeholder:"NAME" help:"Name of the import. Left out, it is the path of the file."`
}

// Help says what the one-line help of the flags cannot.
func (importJSON) Help() string {
	return `The file is read as a stream, so it may be larger than memory. ` +
		`Running the same import again adds only the records that are not in yet, so one that was broken off goes on, ` +
		`and a file to whose end records were added may be imported again.` +
		"\n\n" + `A record is known by its place in the file and its content: one that was edited is a new one, ` +
		`and after an insertion so is every record behind it. Nothing is removed: the old ones stay. ` +
		"\n\n" + `--as names the import; two imports are the same when type and name are. ` +
		`What comes from standard input without a name is always new. ` +
		`What is imported belongs to the system and everybody may read it.` +
		"\n\n" + `For example: weft import json docs/examples/people.json --type the_person`
}

// Run imports and says how many records there were.
func (c importJSON) Run() error {
	ctx, stop := interruptible()
	defer stop()
	if err := c.check(); err != nil {
		return err
	}
	in, err := input(c.File)
	if err != nil {
		return err
	}
	defer in.Close()
	name, err := c.name()
	if err != nil {
		return err
	}
	began := time.Now()
	err = c.within(ctx, func(store graph.Store) error {
		bar := newProgress(os.Stderr, "records")
		w := &recordWriter{store: store, typeName: c.Type, sender: senderOf(c.Type, name)}
		err := w.all(ctx, in, func(records int) { bar.set(records, -1) })
		bar.end()
		if err != nil {
			return fmt.Errorf("%w; in so far: %s, %d of them from this run", err, count(w.seen, "record"), w.added)
		}
		fmt.Printf("%s of %s, %d of them added in this run\n", count(w.seen, "record"), c.Type, w.added)
		return nil
	})
	if err == nil {
		fmt.Println(effort(began, c.Data))
	}
	return err
}

// check is stricter than a store, which takes any text for the name of a type.
func (c importJSON) check() error {
	odd := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	if c.Type == "" || strings.ContainsFunc(c.Type, odd) {
		return misusef("--type wants a type name such as the_person, not %q", graph.Clip(c.Type))
	}
	if err := graph.CheckTypeName(c.Type); err != nil {
		return misuse{err}
	}
	return nil
}

func (c importJSON) name() (string, error) {
	switch {
	case c.As != "":
		return c.As, nil
	case c.File == "-":
		return "standard input at " + time.Now().String(), nil
	default:
		return filepath.Abs(c.File)
	}
}

// senderOf gives every import ghosts of its own.
func senderOf(typeName, name string) graph.Sender {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %q", typeName, name)
	return graph.Sender{User: graph.System, Randomizer: int64(h.Sum64() >> 1)}
}
