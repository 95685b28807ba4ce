package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/schemas"
	"github.com/weft-graph/weft/schema"
)

type schemaCommand struct {
	Push  pushSchema  `cmd:"" help:"Add and replace types of a graph, from a file."`
	Pull  pullSchema  `cmd:"" help:"Print the types of a graph."`
	Diff  diffSchema  `cmd:"" help:"Compare the types of a graph with a file."`
	Check checkSchema `cmd:"" help:"Report the records of a graph that violate its schema."`
}

// readSchema reads the schema of the graph that the flags select.
func (f graphFlags) readSchema(ctx context.Context) (*schema.Schema, error) {
	r, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return loadSchema(ctx, r)
}

// loadSchema reads a schema. A server returns it in one request.
func loadSchema(ctx context.Context, r graph.Reader) (*schema.Schema, error) {
	if server, remote := r.(*client.Client); remote {
		return server.Schema(ctx)
	}
	return schemas.Load(ctx, r)
}

// maxSchemaBytes is the maximum size of a schema file.
const maxSchemaBytes = 64 << 20

// readSchemaFile reads the schema in a file; - means standard input.
func readSchemaFile(name string) (*schema.Schema, error) {
	in, err := openInput(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxSchemaBytes))
	if err != nil {
		return nil, err
	}
	s, err := schema.Parse(text)
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return s, err
}

type pushSchema struct {
	graphFlags
	File   string `arg:"" help:"File with the JSON of a schema; - reads standard input."`
	Prune  bool   `help:"Remove the types that the file does not have. Records are not changed."`
	DryRun bool   `help:"Print the changes without making them."`
}

// Help implements kong.HelpProvider.
func (pushSchema) Help() string {
	return `The types of the file are added, or replace those of the same name, in one batch. Other types are kept, unless --prune is given. A schema ` +
		`that contradicts itself is refused. Afterwards the server checks every write of a record of these types. Existing records ` +
		`are not changed: "weft schema check" reports those that violate the schema.`
}

// Run pushes the schema and prints the changes.
func (c pushSchema) Run() error {
	ctx, stop := interruptible()
	defer stop()
	s, err := readSchemaFile(c.File)
	if err != nil {
		return err
	}
	return c.withWritableStore(ctx, func(store graph.Store, _ graph.Sender) error {
		differences, err := c.push(ctx, store, s)
		if err != nil {
			return err
		}
		printDifferences(differences)
		return nil
	})
}

func (c pushSchema) push(ctx context.Context, store graph.Store, s *schema.Schema) ([]schema.Difference, error) {
	if server, remote := store.(*client.Client); remote {
		return server.PushSchema(ctx, s, c.Prune, c.DryRun)
	}
	return schemas.Push(ctx, store, s, schemas.PushOptions{Prune: c.Prune, DryRun: c.DryRun})
}

// printDifferences prints a line for each difference: + added, - removed, ~ changed.
func printDifferences(differences []schema.Difference) {
	for _, d := range differences {
		place := d.Type
		if d.Field != "" {
			place += "." + d.Field
		}
		switch {
		case d.Before == "":
			fmt.Printf("+ %s %s\n", place, d.After)
		case d.After == "":
			fmt.Printf("- %s %s\n", place, d.Before)
		default:
			fmt.Printf("~ %s %s → %s\n", place, d.Before, d.After)
		}
	}
	fmt.Println(formatCount(len(differences), "difference"))
}

type pullSchema struct {
	graphFlags
	File string `arg:"" optional:"" type:"path" help:"File to write; the default is standard output."`
}

// Run prints the schema as indented JSON.
func (c pullSchema) Run() error {
	ctx, stop := interruptible()
	defer stop()
	s, err := c.readSchema(ctx)
	if err != nil {
		return err
	}
	text, err := s.MarshalJSON()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return err
	}
	out.WriteByte('\n')
	return writeOutput(c.File, out.Bytes())
}

// writeOutput writes text to a file, or to standard output if the name is empty.
func writeOutput(name string, text []byte) error {
	if name == "" {
		_, err := os.Stdout.Write(text)
		return err
	}
	return os.WriteFile(name, text, 0o644) //nolint:gosec // any user of this machine may read the file
}

type diffSchema struct {
	graphFlags
	File string `arg:"" help:"File with the JSON of a schema; - reads standard input."`
}

// Help implements kong.HelpProvider.
func (diffSchema) Help() string {
	return `Prints what a push of the file with --prune would change: + added, - removed, ~ changed. The exit code is 1 if there are differences.`
}

// Run prints the differences between the graph and the file.
func (c diffSchema) Run() error {
	ctx, stop := interruptible()
	defer stop()
	wanted, err := readSchemaFile(c.File)
	if err != nil {
		return err
	}
	present, err := c.readSchema(ctx)
	if err != nil {
		return err
	}
	differences := schema.Diff(present, wanted)
	printDifferences(differences)
	if len(differences) > 0 {
		return fmt.Errorf("the schema of the graph differs from the schema in %s", c.File)
	}
	return nil
}

type checkSchema struct {
	graphFlags
	Limit int `default:"0" placeholder:"N" help:"Stop after this many violations; 0 means never."`
}

// Help implements kong.HelpProvider.
func (checkSchema) Help() string {
	return `Prints a line for each violation: the type and the id of the record, the field, the rule, and a sentence. Changes nothing. ` +
		`The exit code is 1 if there are violations. Records are read a hundred at a time, and only those that the caller may read.`
}

// Run prints the violations of the graph.
func (c checkSchema) Run() error {
	ctx, stop := interruptible()
	defer stop()
	r, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	s, err := loadSchema(ctx, r)
	if err != nil {
		return err
	}
	found := 0
	err = schemas.Report(ctx, r, s, func(v schemas.Violation) error {
		found++
		_, err := fmt.Printf("%s %d %s %s: %s\n", v.Type, v.Record, v.Field, v.Rule, v.Message)
		if err == nil && found == c.Limit {
			err = io.EOF
		}
		return err
	})
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case found > 0:
		return fmt.Errorf("%s of the schema", formatCount(found, "violation"))
	}
	return nil
}
