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
	Which []string `arg:"" help:"Ids, or types and values as in the_word=dog."`
}

// Help says what the one-line help of the flags cannot.
func (getCommand) Help() string {
	return `Prints each concept with its id: a record whole, anything else as its type and value.`
}

// Run prints what is named, one after the other.
func (c getCommand) Run() error {
	ctx, stop := interruptible()
	defer stop()
	r, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	ids, err := find(ctx, r, c.Which)
	if err != nil {
		return err
	}
	records, err := composition.Read(ctx, r, ids, composition.WithID)
	for _, record := range records {
		err = errors.Join(err, printJSON(record))
	}
	return err
}

// graphFlags say which graph is read, or which one a site is changed in.
type graphFlags struct {
	Data  string `default:"weft-data" env:"WEFT_DATA" type:"path" help:"Directory of the graph. A server may be using it while it is read, and not while it is changed."`
	Store string `env:"WEFT_STORE" placeholder:"URL" help:"Where the graph is kept instead: postgres://user:password@host/database."`
	URL   string `placeholder:"URL" help:"A server to ask instead."`
	Token string `secret:"" env:"WEFT_TOKEN" placeholder:"TOKEN" help:"Access token or API key for --url; without one, a guest asks. To change the site it must be an admin's."`
}

// reader is a graph that can be closed.
type reader interface {
	graph.Reader
	Close() error
}

func (f graphFlags) open(ctx context.Context) (reader, error) {
	if f.URL != "" {
		if u, err := url.Parse(f.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, misusef("--url %s: a URL starts with http:// and names a server", graph.Clip(f.URL))
		}
		c := client.New(f.URL)
		c.Token = f.Token
		return c, nil
	}
	return storeFlags{Data: f.Data, Store: f.Store}.openReader(ctx)
}

// find returns the ids of what somebody named: by id, or by type and value.
func find(ctx context.Context, r graph.Reader, which []string) ([]graph.ID, error) {
	var all []graph.ID
	for _, one := range which {
		ids, err := findOne(ctx, r, one)
		if err != nil {
			return nil, err
		}
		all = append(all, ids...)
	}
	return all, nil
}

func findOne(ctx context.Context, r graph.Reader, which string) ([]graph.ID, error) {
	found, err := conceptsNamed(ctx, r, which)
	if err == nil && len(found) == 0 {
		err = graph.Errorf(graph.NotFound, "there is no concept %s", which)
	}
	ids := make([]graph.ID, len(found))
	for i, c := range found {
		ids[i] = c.ID
	}
	return ids, err
}

func conceptsNamed(ctx context.Context, r graph.Reader, which string) ([]graph.Concept, error) {
	if typeName, value, named := strings.Cut(which, "="); named {
		if typeName == "" {
			return nil, misusef("%s names no type; say which, as in the_word=dog", graph.Clip(which))
		}
		return withValue(ctx, r, typeName, value)
	}
	id, err := graph.ParseID(which)
	switch {
	case err != nil:
		return nil, misuse{err}
	case id.Local():
		return nil, notReal(id)
	default:
		return r.Concepts(ctx, []graph.ID{id})
	}
}

// withValue returns the concepts of a type with a value: more than one when some are private.
func withValue(ctx context.Context, r graph.Reader, typeName, value string) ([]graph.Concept, error) {
	types, err := graph.TypesNamed(ctx, r, typeName)
	if err != nil {
		return nil, err
	}
	typ, ok := types[typeName]
	if !ok {
		return nil, graph.Errorf(graph.NotFound, "there is no type %s", typeName)
	}
	return r.ConceptsByValue(ctx, []graph.ValueKey{{Value: value, Type: typ.ID}})
}

func printJSON(v composition.Value) error {
	var out bytes.Buffer
	if err := json.Indent(&out, v.AppendJSON(nil), "", "  "); err != nil {
		return fmt.Errorf("printing: %w", err)
	}
	out.WriteByte('\n')
	_, err := os.Stdout.Write(out.Bytes())
	return err
}
