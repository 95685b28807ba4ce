package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

type queryCommand struct {
	graphFlags
	File   string   `arg:"" help:"A file with a schema query as the server takes it; - reads standard input."`
	From   []string `placeholder:"WHICH" sep:"none" help:"Start from these concepts instead: an id, or a type and a value as in the_word=dog."`
	Format string   `default:"normal" enum:"normal,dataid,justdata,datav2,raw" help:"Shape of the records: ${enum}."`

	Explain bool `help:"Print in place of the records how they were found: a line for each step, with the rows that were expected and those that came. Of a server only administrators hear what was expected, and what was done because of that."`
}

// Help says what the one-line help of the flags cannot.
func (queryCommand) Help() string {
	return `A query is a JSON object with these members:` + "\n\n" + memberList() + "\n" +
		`For example: weft query --from the_word=dog docs/examples/hypernyms-of-dog.json` + "\n\n" +
		`Records go to standard output; with groups, both do, in an object. That there are more of them, that the query names a connection nobody made, ` +
		`or that a filter does nothing, is said on standard error.`
}

// Run prints the records that the query finds, as a list.
func (c queryCommand) Run() error {
	ctx, stop := interruptible()
	defer stop()
	asked, err := c.read()
	if err != nil {
		return err
	}
	format, err := query.ParseFormat(c.Format)
	if err != nil {
		return err
	}
	r, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := c.start(ctx, r, &asked); err != nil {
		return err
	}
	if c.Explain {
		return outline(ctx, os.Stdout, r, asked)
	}
	answer, err := ask(ctx, r, asked)
	if err != nil {
		return err
	}
	records, err := query.Shape(ctx, r, answer, format)
	if err != nil {
		return err
	}
	if records, err = withGroups(ctx, r, answer, records); err != nil {
		return err
	}
	if err := printJSON(records); err != nil {
		return err
	}
	return note(ctx, os.Stderr, r, asked.Graph(), answer)
}

// withGroups puts groups beside the records, if the query asked for any.
func withGroups(ctx context.Context, r graph.Reader, answer query.Answer, records composition.Value) (composition.Value, error) {
	a := wire.AnswerOf(answer)
	if len(a.Groups) == 0 {
		return records, nil
	}
	concepts, err := r.Concepts(ctx, a.Grouped())
	if err != nil {
		return composition.Value{}, err
	}
	a.NameGroups(concepts)
	text, err := json.Marshal(a.Groups)
	if err != nil {
		return composition.Value{}, err
	}
	groups, err := composition.Parse(text)
	return composition.RecordValue(
		composition.Member{Key: "groups", Value: groups}, composition.Member{Key: "records", Value: records}), err
}

// maxQuery is the longest query, in bytes.
const maxQuery = 1 << 20

func (c queryCommand) read() (asked wire.Query, err error) {
	in, err := input(c.File)
	if err != nil {
		return asked, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxQuery+1))
	if err != nil {
		return asked, err
	}
	if len(text) > maxQuery {
		return asked, fmt.Errorf("%s is longer than a query may be, %d bytes", c.File, maxQuery)
	}
	if err = wire.Decode(text, &asked); err == nil {
		err = strict(text)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", c.File, err)
	}
	return asked, err
}

// start lets the query start from what the command line names, if it names anything.
func (c queryCommand) start(ctx context.Context, r graph.Reader, asked *wire.Query) error {
	if len(c.From) == 0 {
		return nil
	}
	ids, err := find(ctx, r, c.From)
	asked.ConceptIDs = nil
	for _, id := range ids {
		asked.ConceptIDs = append(asked.ConceptIDs, wire.Int(id))
	}
	return err
}

// ask lets a server run the query, which takes it one request.
func ask(ctx context.Context, r reader, asked wire.Query) (query.Answer, error) {
	if server, remote := r.(*client.Client); remote {
		return server.Query(ctx, asked)
	}
	return query.Run(ctx, r, asked.Graph())
}

// outline prints how the query is answered.
func outline(ctx context.Context, out io.Writer, r reader, asked wire.Query) error {
	if server, remote := r.(*client.Client); remote {
		plan, err := server.Explain(ctx, asked)
		fmt.Fprint(out, plan)
		return err
	}
	answer, err := query.Run(ctx, r, asked.Graph())
	fmt.Fprint(out, answer.Plan)
	return err
}
