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
	File   string   `arg:"" help:"File with a schema query in the JSON of the HTTP API; - reads standard input."`
	From   []string `placeholder:"WHICH" sep:"none" help:"Start from these concepts instead: an id, or a type and a value, e.g. the_word=dog."`
	Format string   `default:"normal" enum:"normal,dataid,justdata,datav2,raw" help:"Shape of the records: ${enum}."`

	Explain bool `help:"Print the query plan instead of the records: a line for each step, with estimated and actual rows. A server returns estimates only to admins."`
}

// Help implements kong.HelpProvider.
func (queryCommand) Help() string {
	return `A query is a JSON object with these members:` + "\n\n" + memberList() + "\n" +
		`For example: weft query --from the_word=dog docs/examples/hypernyms-of-dog.json` + "\n\n" +
		`Prints the records to standard output; if the query has groups, an object with records and groups. Notes on standard error report that ` +
		`there are more records, that the query names an unknown type, or that a filter has no effect.`
}

// Run prints the records that the query finds as a JSON list, inside an object if the query has groups. With --explain it
// prints the query plan instead.
func (c queryCommand) Run() error {
	ctx, stop := interruptible()
	defer stop()
	q, err := c.readQuery()
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
	if err := c.setRoots(ctx, r, &q); err != nil {
		return err
	}
	if c.Explain {
		return printPlan(ctx, os.Stdout, r, q)
	}
	answer, err := runQuery(ctx, r, q)
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
	return printNotes(ctx, os.Stderr, r, q.Graph(), answer)
}

// withGroups returns an object with the groups and the records, or only the records if the query has no groups.
func withGroups(ctx context.Context, r graph.Reader, answer query.Answer, records composition.Value) (composition.Value, error) {
	a := wire.NewAnswer(answer)
	if len(a.Groups) == 0 {
		return records, nil
	}
	concepts, err := r.Concepts(ctx, a.GroupIDs())
	if err != nil {
		return composition.Value{}, err
	}
	a.SetGroupValues(concepts)
	text, err := json.Marshal(a.Groups)
	if err != nil {
		return composition.Value{}, err
	}
	groups, err := composition.Parse(text)
	return composition.RecordValue(
		composition.Member{Key: "groups", Value: groups}, composition.Member{Key: "records", Value: records}), err
}

// maxQueryBytes is the maximum size of a query.
const maxQueryBytes = 1 << 20

// readQuery reads the query from the file and checks its members.
func (c queryCommand) readQuery() (q wire.Query, err error) {
	in, err := openInput(c.File)
	if err != nil {
		return q, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxQueryBytes+1))
	if err != nil {
		return q, err
	}
	if len(text) > maxQueryBytes {
		return q, fmt.Errorf("%s is longer than %d bytes, the maximum for a query", c.File, maxQueryBytes)
	}
	if err = wire.Decode(text, &q); err == nil {
		err = checkMembers(text)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", c.File, err)
	}
	return q, err
}

// setRoots replaces the roots of the query with the concepts of --from, if there are any.
func (c queryCommand) setRoots(ctx context.Context, r graph.Reader, q *wire.Query) error {
	if len(c.From) == 0 {
		return nil
	}
	ids, err := findIDs(ctx, r, c.From)
	q.ConceptIDs = nil
	for _, id := range ids {
		q.ConceptIDs = append(q.ConceptIDs, wire.Int(id))
	}
	return err
}

// runQuery runs the query, on a remote server in one request, otherwise in this process.
func runQuery(ctx context.Context, r reader, q wire.Query) (query.Answer, error) {
	if server, remote := r.(*client.Client); remote {
		return server.Query(ctx, q)
	}
	return query.Run(ctx, r, q.Graph())
}

// printPlan prints the query plan.
func printPlan(ctx context.Context, out io.Writer, r reader, q wire.Query) error {
	if server, remote := r.(*client.Client); remote {
		plan, err := server.Explain(ctx, q)
		fmt.Fprint(out, plan)
		return err
	}
	answer, err := query.Run(ctx, r, q.Graph())
	fmt.Fprint(out, answer.Plan)
	return err
}
