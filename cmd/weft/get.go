package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
)

type getCommand struct {
	graphFlags
	Which []string `arg:"" help:"Ids, or types and values, e.g. the_word=dog."`
}

// Help implements kong.HelpProvider.
func (getCommand) Help() string {
	return `Prints each concept with its id: records with all their contents, other concepts as type and value.`
}

// Run prints the concepts in the order of the arguments.
func (c getCommand) Run() error {
	ctx, stop := interruptible()
	defer stop()
	r, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	ids, err := findIDs(ctx, r, c.Which)
	if err != nil {
		return err
	}
	records, err := composition.Read(ctx, r, ids, composition.WithID)
	for _, record := range records {
		err = errors.Join(err, printJSON(record))
	}
	return err
}

// graphFlags selects the graph that a command uses: a directory, a database or a server.
type graphFlags struct {
	Data  string `default:"weft-data" env:"WEFT_DATA" type:"path" help:"Directory of the graph. It can be read while a server uses it, but not changed."`
	Store string `env:"WEFT_STORE" placeholder:"URL" help:"Store to use instead: postgres://user:password@host/database."`
	URL   string `placeholder:"URL" help:"Server to use instead."`
	Token string `secret:"" env:"WEFT_TOKEN" placeholder:"TOKEN" help:"Access token or API key for --url; without one, requests are made as a guest. Changing the site requires the token of an admin."`
}

// reader is a graph.Reader that the caller closes.
type reader interface {
	graph.Reader
	Close() error
}

// open opens the selected graph for reading.
func (f graphFlags) open(ctx context.Context) (reader, error) {
	if f.URL != "" {
		if u, err := url.Parse(f.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, usageErrorf("--url %s is not a URL such as https://weft.example.org", graph.Clip(f.URL))
		}
		c := client.New(f.URL)
		c.Token = f.Token
		return c, nil
	}
	return storeFlags{Data: f.Data, Store: f.Store}.openReader(ctx)
}

// findIDs returns the ids of the concepts that the arguments name, each by id or by type and value.
func findIDs(ctx context.Context, r graph.Reader, arguments []string) ([]graph.ID, error) {
	var all []graph.ID
	for _, argument := range arguments {
		ids, err := findConceptIDs(ctx, r, argument)
		if err != nil {
			return nil, err
		}
		all = append(all, ids...)
	}
	return all, nil
}

// findConceptIDs returns the ids of the concepts that one argument names. The error is NotFound if the concept
// does not exist.
func findConceptIDs(ctx context.Context, r graph.Reader, argument string) ([]graph.ID, error) {
	found, err := findConcepts(ctx, r, argument)
	if err == nil && len(found) == 0 {
		err = graph.Errorf(graph.NotFound, "concept %s not found", argument)
	}
	ids := make([]graph.ID, len(found))
	for i, c := range found {
		ids[i] = c.ID
	}
	return ids, err
}

// findConcepts returns the concepts that an argument names. An unknown id is not an error.
func findConcepts(ctx context.Context, r graph.Reader, argument string) ([]graph.Concept, error) {
	if typeName, value, isValue := strings.Cut(argument, "="); isValue {
		if typeName == "" {
			return nil, usageErrorf("%s has no type before the =; want e.g. the_word=dog", graph.Clip(argument))
		}
		return conceptsWithValue(ctx, r, typeName, value)
	}
	id, err := graph.ParseID(argument)
	switch {
	case err != nil:
		return nil, usageError{err}
	case id.IsLocal():
		return nil, localIDError(id)
	default:
		return r.Concepts(ctx, []graph.ID{id})
	}
}

// conceptsWithValue returns the concepts of a type with a value. There may be several, because private values are not
// shared.
func conceptsWithValue(ctx context.Context, r graph.Reader, typeName, value string) ([]graph.Concept, error) {
	types, err := graph.TypesNamed(ctx, r, typeName)
	if err != nil {
		return nil, err
	}
	typ, ok := types[typeName]
	if !ok {
		return nil, graph.Errorf(graph.NotFound, "type %s not found", typeName)
	}
	return r.ConceptsByValue(ctx, []graph.ValueKey{{Value: value, Type: typ.ID}})
}

// printJSON prints a value as indented JSON on standard output.
func printJSON(v composition.Value) error {
	var out bytes.Buffer
	if err := json.Indent(&out, v.AppendJSON(nil), "", "  "); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	out.WriteByte('\n')
	_, err := os.Stdout.Write(out.Bytes())
	return err
}
