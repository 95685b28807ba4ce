package page_test

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// A counter counts the questions that a reader is asked.
type counter struct {
	graph.Reader
	asked int
}

func (c *counter) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	c.asked++
	return c.Reader.Concepts(ctx, ids)
}

func (c *counter) ConceptsByValue(ctx context.Context, keys []graph.ValueKey) ([]graph.Concept, error) {
	c.asked++
	return c.Reader.ConceptsByValue(ctx, keys)
}

func (c *counter) Links(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	c.asked++
	return c.Reader.Links(ctx, links)
}
