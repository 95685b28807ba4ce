package main

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"path/filepath"

	"github.com/weft-graph/weft/graph"
)

type importJSON struct {
	recordFlags
	File string `arg:"" help:"File with a JSON list of records, or with a sequence of records; - reads standard input."`
}

// Help implements kong.HelpProvider.
func (importJSON) Help() string {
	return `The file is read as a stream, so it may be larger than memory. ` +
		`Running the same import again adds only the missing records, so an interrupted import can be continued, ` +
		`and a file with records added at its end can be imported again.` +
		"\n\n" + `A record is identified by its position in the file and its content. An edited record is a new one, ` +
		`and so is every record after an insertion. Old records are not removed. ` +
		"\n\n" + `--as sets the name of the import; imports with the same type, access, owner and name are the same import. ` +
		`An import from standard input without a name is always new. ` +
		`Imported records are private, unless --access is public. They are owned by the system or, with --owner, by a user.` +
		"\n\n" + `For example: weft import json docs/examples/people.json --type the_person --access public`
}

// Run imports the file and prints the number of records.
func (c importJSON) Run() error {
	ctx, stop := interruptible()
	defer stop()
	if err := c.checkType(); err != nil {
		return err
	}
	in, err := openInput(c.File)
	if err != nil {
		return err
	}
	defer in.Close()
	name, err := c.importName(c.File)
	if err != nil {
		return err
	}
	text := bufio.NewReaderSize(in, 1<<16)
	if err := requireJSON(text, c.File); err != nil {
		return err
	}
	return c.withWriter(ctx, name, func(w *recordWriter) error {
		return c.runWriter(ctx, w, &recordStream{Reader: text, total: -1})
	})
}

// A recordStream is a stream of JSON records. It also has their number, or -1 if the number is unknown.
type recordStream struct {
	io.Reader
	total int
}

// requireJSON returns an error for a file that looks like CSV: its first line does not begin like JSON and has a separator.
func requireJSON(in *bufio.Reader, name string) error {
	head, _ := in.Peek(4 << 10) // a read error occurs again when the file is read
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte("\n"))
	if len(line) == 0 || !looksLikeCSV(line) {
		return nil // the decoder reports errors
	}
	return graph.Errorf(graph.Invalid, "%s looks like CSV: its first line is %q; use weft import csv", name, graph.Clip(string(bytes.TrimRight(line, "\r"))))
}

func looksLikeCSV(line []byte) bool {
	return bytes.ContainsAny(line, ",;\t|") && !bytes.ContainsAny(line[:1], "[{")
}

// importName returns the name that identifies the import of a file among the imports of records of the same type.
func (f recordFlags) importName(file string) (string, error) {
	switch {
	case f.As != "":
		return f.As, nil
	case file == "-":
		return randomName(), nil
	default:
		return filepath.Abs(file)
	}
}

// senderOf returns the sender of an import, so that each import has its own namespace of local ids.
func senderOf(typeName, name string) graph.Sender {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %q", typeName, name)
	return graph.Sender{User: graph.System, Randomizer: int64(h.Sum64() >> 1)}
}
