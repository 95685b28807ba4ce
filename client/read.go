package client

import (
	"cmp"
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// chunk is how many ids travel in one request; most how many records the server lists at once where the
// contract has no pages.
const (
	chunk = 10_000
	most  = 10_000
)

// Concepts implements graph.Reader.
func (c *Client) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	return bulk(ctx, c, "/api/get_concept_bulk", ids, wire.Concept.Graph)
}

// Connections implements graph.Reader.
func (c *Client) Connections(ctx context.Context, ids []graph.ID) ([]graph.Connection, error) {
	return bulk(ctx, c, "/api/get_connection_bulk", ids, wire.Connection.Graph)
}

func bulk[W, G any](ctx context.Context, c *Client, path string, ids []graph.ID, translate func(W) G) ([]G, error) {
	all := []G{}
	for some := range slices.Chunk(once(ids), chunk) {
		var found []W
		if err := c.post(ctx, path, nil, some, &found); err != nil {
			return nil, err
		}
		for _, record := range found {
			all = append(all, translate(record))
		}
	}
	return all, nil
}

func once(ids []graph.ID) []graph.ID {
	seen := make(map[graph.ID]bool, len(ids))
	return slices.DeleteFunc(slices.Clone(ids), func(id graph.ID) bool {
		again := seen[id]
		seen[id] = true
		return again
	})
}

// ConceptsByValue implements graph.Reader, as far as a look-up over the wire goes: of several concepts
// that match one key it tells of one only, of types before instances.
func (c *Client) ConceptsByValue(ctx context.Context, keys []graph.ValueKey) ([]graph.Concept, error) {
	found := map[graph.ID]graph.Concept{}
	for _, key := range keys {
		if !graph.Shared(key.Value) {
			continue
		}
		var one wire.Concept
		path, question := lookUp(key)
		if err := c.post(ctx, path, nil, question, &one); err != nil {
			return nil, err
		}
		if concept := one.Graph(); concept.ID != 0 && key.Matches(concept) {
			found[concept.ID] = concept
		}
	}
	all := make([]graph.Concept, 0, len(found))
	for _, concept := range found {
		all = append(all, concept)
	}
	slices.SortFunc(all, func(a, b graph.Concept) int { return cmp.Compare(a.ID, b.ID) })
	return all, nil
}

func lookUp(key graph.ValueKey) (path string, question map[string]any) {
	switch {
	case key.Type != 0:
		return "/api/get_concept_by_character_and_type", map[string]any{"character_value": key.Value, "type_id": key.Type}
	case key.Category != 0:
		return "/api/get_concept_by_character_and_category_direct",
			map[string]any{"character_value": key.Value, "category_id": key.Category}
	default:
		return "/api/get_concept_by_character_value", map[string]any{"character_value": key.Value}
	}
}

// ConceptsByType implements graph.Reader. The server lists the oldest first, so a page from the other end
// takes reading them all.
func (c *Client) ConceptsByType(ctx context.Context, typ graph.ID, page graph.Page) ([]graph.Concept, error) {
	var after graph.ID
	enough := 0
	if !page.Descending {
		after = page.After
	}
	if !page.Descending && page.Limit > 0 {
		enough = max(page.Skip, 0) + page.Limit
	}
	all, err := c.instances(ctx, typ, after, enough)
	return cut(all, page, func(concept graph.Concept) graph.ID { return concept.ID }), err
}

// CountByType implements graph.Reader by listing.
func (c *Client) CountByType(ctx context.Context, typ graph.ID, atMost int) (int, error) {
	all, err := c.instances(ctx, typ, 0, atMost)
	if atMost > 0 && len(all) > atMost {
		return atMost, err
	}
	return len(all), err
}

// instances are those of a type, oldest first, behind an id, and enough of them; 0 means all.
func (c *Client) instances(ctx context.Context, typ, after graph.ID, enough int) ([]graph.Concept, error) {
	types, err := c.Concepts(ctx, []graph.ID{typ})
	if err != nil || len(types) == 0 || !types[0].IsType() {
		return []graph.Concept{}, err
	}
	all := []graph.Concept{}
	for {
		var found []wire.Concept
		question := map[string]any{"type": types[0].Value, "after": after}
		if err := c.post(ctx, "/api/get_all_concepts_by_type", nil, question, &found); err != nil {
			return nil, err
		}
		for _, concept := range found {
			all = append(all, concept.Graph())
		}
		if len(found) < most || enough > 0 && len(all) >= enough {
			return all, nil
		}
		after = all[len(all)-1].ID
	}
}

// cut is a page of a list in ascending order of id.
func cut[T any](all []T, page graph.Page, id func(T) graph.ID) []T {
	all = slices.Clone(all)
	if page.Descending {
		slices.Reverse(all)
	}
	if page.After != 0 {
		all = slices.DeleteFunc(all, func(one T) bool {
			return id(one) == page.After || id(one) > page.After == page.Descending
		})
	}
	all = all[min(max(page.Skip, 0), len(all)):]
	if page.Limit > 0 {
		all = all[:min(page.Limit, len(all))]
	}
	return all
}

// Ghosts implements graph.Reader.
func (c *Client) Ghosts(ctx context.Context, sender graph.Sender, ids []graph.ID) (map[graph.ID]graph.ID, error) {
	header, err := c.from(sender)
	if err != nil {
		return nil, err
	}
	found := map[graph.ID]graph.ID{}
	for _, id := range once(ids) {
		if !id.Local() {
			continue
		}
		var one wire.Concept
		if err := c.post(ctx, "/api/v1/local-concepts-translate", header, map[string]any{"id": id}, &one); err != nil {
			return nil, err
		}
		if one.ID != 0 {
			found[id] = graph.ID(one.ID)
		}
	}
	return found, nil
}

// Identity implements graph.Reader.
func (c *Client) Identity(ctx context.Context) (string, error) {
	health, err := c.health(ctx)
	return health.Store, err
}

// LastSeq implements graph.Reader.
func (c *Client) LastSeq(ctx context.Context) (graph.Seq, error) {
	health, err := c.health(ctx)
	return health.Seq, err
}

func (c *Client) health(ctx context.Context) (wire.Ready, error) {
	var health wire.Ready
	err := c.get(ctx, "/api/health", &health)
	return health, err
}

// Changes implements graph.Reader by refusing: over the wire changes are a stream without an end.
func (c *Client) Changes(context.Context, graph.Seq, int) ([]graph.Change, error) {
	return nil, unsupported("list changes")
}

// Check implements graph.Store by refusing: a store is checked where it is.
func (c *Client) Check(context.Context) error { return unsupported("check a store") }
