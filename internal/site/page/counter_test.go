package page_test

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// A readCounter counts the calls of a reader.
type readCounter struct {
	graph.Reader
	calls int
}

func (c *readCounter) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	c.calls++
	return c.Reader.Concepts(ctx, ids)
}

func (c *readCounter) ConceptsByValue(ctx context.Context, keys []graph.ValueKey) ([]graph.Concept, error) {
	c.calls++
	return c.Reader.ConceptsByValue(ctx, keys)
}

func (c *readCounter) Links(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	c.calls++
	return c.Reader.Links(ctx, links)
}
