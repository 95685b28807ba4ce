package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

type exportCommand struct {
	storeFlags
	File string `arg:"" help:"File to write, compressed if its name ends in .gz or .zst; - writes to standard output."`
}

// Help implements kong.HelpProvider.
func (exportCommand) Help() string {
	return `Writes every concept and connection as a line of JSON, including private ones: protect the file like the graph. ` +
		`Accounts, keys, e-mails, logs and uploads are not included; weft backup includes everything. ` +
		`The graph may be in use, but if it changes meanwhile, the export fails and must be repeated.` +
		"\n\n" + `For example: weft export graph.jsonl.zst, then elsewhere weft import graph graph.jsonl.zst`
}

// Run exports the graph and prints the number of records.
func (c exportCommand) Run() error {
	ctx, stop := interruptible()
	defer stop()
	store, err := c.openReader(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	from, ok := store.(exportableStore)
	if !ok {
		return usageErrorf("--store %s has nothing to export", c.scheme())
	}
	out, finish, err := createOutput(c.File)
	if err != nil {
		return err
	}
	bar := newProgress(os.Stderr, "records")
	w := newFileWriter(from, out, func(records int) { bar.show(records, -1) })
	err = finish(w.writeAll(ctx))
	bar.end()
	if err == nil {
		fmt.Fprintf(os.Stderr, "%s and %s\n", formatCount(w.concepts, "concept"), formatCount(w.connections, "connection"))
	}
	return err
}

// createOutput opens a file for writing, or standard output if name is -. The caller writes the output and then calls
// finish with nil or the error of writing. finish returns that error joined with its own errors. Without an error, the
// file gets its final name; otherwise it is removed.
func createOutput(name string) (_ io.Writer, finish func(error) error, err error) {
	if name == "-" {
		buffered := bufio.NewWriterSize(os.Stdout, 1<<16)
		return buffered, func(err error) error { return errors.Join(err, buffered.Flush()) }, nil
	}
	if _, err := os.Lstat(name); err == nil {
		return nil, nil, fmt.Errorf("%s already exists", name)
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
		return flushWriter{bufio.NewWriterSize(out, 1<<16)}, nil
	}
}

// A flushWriter is a buffered writer whose Close flushes the buffer.
type flushWriter struct{ *bufio.Writer }

// Close flushes the buffer.
func (w flushWriter) Close() error { return w.Flush() }
