package client

import (
	"context"
	"encoding/json"

	"github.com/weft-graph/weft/schema"
	"github.com/weft-graph/weft/wire"
)

// Schema returns the schema of the server.
func (c *Client) Schema(ctx context.Context) (*schema.Schema, error) {
	var text json.RawMessage
	if err := c.get(ctx, "/api/v1/schema", &text); err != nil {
		return nil, err
	}
	return schema.Parse(text)
}

// PushSchema adds and replaces types on the server, and returns the differences from the previous schema. The token must
// belong to an admin. If prune is true, it removes types that s does not have. If dryRun is true, it changes nothing.
func (c *Client) PushSchema(ctx context.Context, s *schema.Schema, prune, dryRun bool) ([]schema.Difference, error) {
	text, err := s.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var result wire.SchemaChanges
	push := wire.SchemaPush{Schema: text, Prune: wire.Bool(prune), DryRun: wire.Bool(dryRun)}
	if err := c.post(ctx, "/api/v1/schema", push, &result); err != nil {
		return nil, err
	}
	differences := make([]schema.Difference, len(result.Differences))
	for i, d := range result.Differences {
		differences[i] = schema.Difference{Type: d.Type, Field: d.Field, Before: string(d.Before), After: string(d.After)}
	}
	return differences, nil
}
