package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/weft-graph/weft/graph"
)

type exportCommand struct {
	storeFlags
	File string `arg:"" help:"File to write, compressed when its name ends in .gz or .zst; - writes to standard output."`
}

// Help says what the one-line help of the flags cannot.
func (exportCommand) Help() string {
	return `Writes every concept and connection as a line of JSON, private ones too: keep the file as safe as the graph. ` +
		`Accounts, keys, mails, logs and uploads are not in it; weft backup keeps everything. ` +
		`The graph may be in use, but when it is written to meanwhile the export has to be run again.` +
		"\n\n" + `For example: weft export graph.jsonl.zst, and elsewhere weft import graph graph.jsonl.zst`
}

// Run exports and says how much there was.
func (c exportCommand) Run() error {
	ctx, stop := interruptible()
	defer stop()
	store, err := c.openReader(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	from, ok := store.(exported)
	if !ok {
		return misusef("in --store %s there is nothing to export", c.scheme())
	}
	out, finish, err := output(c.File)
	if err != nil {
		return err
	}
	bar := newProgress(os.Stderr, "records")
	w := newFileWriter(from, out, func(records int) { bar.set(records, -1) })
	err = finish(w.all(ctx))
	bar.end()
	if err == nil {
		fmt.Fprintf(os.Stderr, "%s and %s\n", count(w.concepts, "concept"), count(w.connections, "connection"))
	}
	return err
}

// output opens what a command line names for writing: a file, or standard output if it is -. Finish is told what
// came of the writing: only a file that is whole gets its name.
func output(name string) (_ io.Writer, finish func(error) error, err error) {
	if name == "-" {
		buffered := bufio.NewWriterSize(os.Stdout, 1<<16)
		return buffered, func(err error) error { return errors.Join(err, buffered.Flush()) }, nil
	}
	if _, err := os.Lstat(name); err == nil {
		return nil, nil, fmt.Errorf("%s is there already", name)
	}
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part")
	if err != nil {
		return nil, nil, err
	}
	compressed, err := compressor(name, f)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return compressed, func(err error) error {
		if err = errors.Join(err, compressed.Close(), f.Sync(), f.Close()); err == nil {
			err = os.Rename(f.Name(), name)
		}
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
		return err
	}, nil
}

func compressor(name string, out io.Writer) (io.WriteCloser, error) {
	switch filepath.Ext(name) {
	case ".gz":
		return gzip.NewWriter(out), nil
	case ".zst":
		return zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
	default:
		return plainly{bufio.NewWriterSize(out, 1<<16)}, nil
	}
}

type plainly struct{ *bufio.Writer }

// Close writes what is left.
func (p plainly) Close() error { return p.Flush() }

type importGraph struct {
	storeFlags
	File      string `arg:"" help:"A file that weft export wrote; - reads standard input."`
	SameUsers bool   `help:"Import what belongs to users as well: the users of both graphs are the same."`
}

// Help says what the one-line help of the flags cannot.
func (importGraph) Help() string {
	return `What is imported gets ids of its own: a type or value that is there already is found, everything else is new, and keeps ` +
		`owner, access and date (types are everybody's and have the date they were made). Owners are users by number, and the same number is somebody else elsewhere: what belongs to users is imported only with --same-users. ` +
		`Running the same import again adds nothing, one that was broken off goes on, and a later export of the same graph ` +
		`adds what is new in it. To move a graph with its ids use weft store copy.`
}

// Run imports and says how much there was.
func (c importGraph) Run() error {
	ctx, stop := interruptible()
	defer stop()
	file, err := input(c.File)
	if err != nil {
		return err
	}
	defer file.Close()
	in, err := decompressor(c.File, file)
	if err != nil {
		return err
	}
	began := time.Now()
	err = c.within(ctx, func(store graph.Store) error {
		bar := newProgress(os.Stderr, "records")
		r := &fileReader{store: store, sameUsers: c.SameUsers, tell: func(records int) { bar.set(records, -1) }}
		err := r.all(ctx, in)
		bar.end()
		if err == nil {
			fmt.Println(count(r.seen, "record"), "of the file are in the graph")
		}
		return err
	})
	if err == nil {
		fmt.Println(effort(began, c.Data))
	}
	return err
}

func decompressor(name string, in io.Reader) (io.Reader, error) {
	switch filepath.Ext(name) {
	case ".gz":
		return gzip.NewReader(in)
	case ".zst":
		return zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
	default:
		return in, nil
	}
}
