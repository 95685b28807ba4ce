package main

import (
	"context"
	"fmt"
	"io"

	"github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

type queryCommand struct {
	graphFlags
	File   string   `arg:"" help:"A file with a schema query as the server takes it; - reads standard input."`
	From   []string `placeholder:"WHICH" sep:"none" help:"Start from these concepts instead: an id, or a type and a value as in the_word=dog."`
	Format string   `default:"normal" enum:"normal,dataid,justdata,datav2,raw" help:"Shape of the records: ${enum}."`
}

// Help says what the one-line help of the flags cannot.
func (queryCommand) Help() string {
	return `A query starts from the instances of its "type", or from its "conceptIds", and each of its "freeschemaQueries" ` +
		`follows the connections named "typeConnection", backwards if "reverse" is true. ` +
		`"selectors" name connections whose targets are shown and not followed.` +
		"\n\n" + `For example: weft query --from the_word=dog docs/examples/hypernyms-of-dog.json`
}

// Run prints the records that the query finds, as a list.
func (c queryCommand) Run() error {
	ctx, stop := interruptible()
	defer stop()
	text, err := c.read()
	if err != nil {
		return err
	}
	var asked wire.Query
	if err := wire.Decode(text, &asked); err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
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
	if len(c.From) > 0 {
		ids, err := find(ctx, r, c.From)
		if err != nil {
			return err
		}
		asked.ConceptIDs = nil
		for _, id := range ids {
			asked.ConceptIDs = append(asked.ConceptIDs, wire.Int(id))
		}
	}
	answer, err := ask(ctx, r, asked)
	if err != nil {
		return err
	}
	records, err := query.Shape(ctx, r, answer, format)
	if err != nil {
		return err
	}
	return printJSON(records)
}

// ask lets a server run the query, which takes it one request.
func ask(ctx context.Context, r reader, asked wire.Query) (query.Answer, error) {
	q := asked.Graph()
	server, remote := r.(*client.Client)
	if !remote {
		return query.Run(ctx, r, q)
	}
	answer, err := server.Query(ctx, asked)
	answer.Order = q.Order
	return answer, err
}

// maxQuery is the longest query, in bytes.
const maxQuery = 1 << 20

func (c queryCommand) read() ([]byte, error) {
	in, err := input(c.File)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxQuery+1))
	if err == nil && len(text) > maxQuery {
		err = fmt.Errorf("%s is longer than a query may be, %d bytes", c.File, maxQuery)
	}
	return text, err
}
