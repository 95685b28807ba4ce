package client

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

const (
	// idsPerRequest is the maximum number of ids in one request.
	idsPerRequest = 10_000
	// unpagedListSize is the maximum number of records in a response that the contract does not divide into pages.
	unpagedListSize = 10_000
)

// Concepts implements graph.Reader.
func (c *Client) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	found, err := fetchByID[wire.Concept](ctx, c, "/api/get_concept_bulk", ids)
	if err != nil {
		return nil, err
	}
	return convertAll(found, wire.Concept.Graph), nil
}

// Connections implements graph.Reader.
func (c *Client) Connections(ctx context.Context, ids []graph.ID) ([]graph.Connection, error) {
	found, err := fetchByID[wire.Connection](ctx, c, "/api/get_connection_bulk", ids)
	if err != nil {
		return nil, err
	}
	return convertAll(found, wire.Connection.Graph), nil
}

// fetchByID requests records by id.
func fetchByID[W any](ctx context.Context, c *Client, path string, ids []graph.ID) ([]W, error) {
	var all []W
	for chunk := range slices.Chunk(distinct(ids), idsPerRequest) {
		var found []W
		if err := c.post(ctx, path, chunk, &found); err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// convertAll converts messages to records. The result is never nil.
func convertAll[W, G any](messages []W, convert func(W) G) []G {
	all := make([]G, len(messages))
	for i, message := range messages {
		all[i] = convert(message)
	}
	return all
}

func distinct(ids []graph.ID) []graph.ID {
	seen := make(map[graph.ID]bool, len(ids))
	return slices.DeleteFunc(slices.Clone(ids), func(id graph.ID) bool {
		isRepeated := seen[id]
		seen[id] = true
		return isRepeated
	})
}

// ConceptsByValue implements graph.Reader with a restriction: it finds at most one concept per key, a type if there is
// one, otherwise an instance. It sends one request per key.
func (c *Client) ConceptsByValue(ctx context.Context, keys []graph.ValueKey) ([]graph.Concept, error) {
	found := map[graph.ID]graph.Concept{}
	for _, key := range keys {
		if !graph.IsShared(key.Value) {
			continue
		}
		var response wire.Concept
		path, body := valueRequest(key)
		if err := c.post(ctx, path, body, &response); err != nil {
			return nil, err
		}
		if concept := response.Graph(); concept.ID != 0 && key.Matches(concept) {
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

// valueRequest returns the path and body of the request for a key.
func valueRequest(key graph.ValueKey) (path string, body map[string]any) {
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

// ConceptsByType implements graph.Reader. The server lists instances only in ascending order, so a descending page
// requires reading all of them.
func (c *Client) ConceptsByType(ctx context.Context, typ graph.ID, page graph.Page) ([]graph.Concept, error) {
	var after graph.ID
	wanted := 0
	if !page.Descending {
		after = page.After
	}
	if !page.Descending && page.Limit > 0 {
		wanted = max(page.Skip, 0) + page.Limit
	}
	all, err := c.instances(ctx, typ, after, wanted)
	return pageOf(all, page, func(concept graph.Concept) graph.ID { return concept.ID }), err
}

// CountByType implements graph.Reader. It reads the instances and counts them.
func (c *Client) CountByType(ctx context.Context, typ graph.ID, atMost int) (int, error) {
	all, err := c.instances(ctx, typ, 0, atMost)
	if atMost > 0 && len(all) > atMost {
		return atMost, err
	}
	return len(all), err
}

// instances returns the instances of a type after an id, in ascending order: at least wanted instances if there are
// that many, or all if wanted is 0.
func (c *Client) instances(ctx context.Context, typ, after graph.ID, wanted int) ([]graph.Concept, error) {
	types, err := c.Concepts(ctx, []graph.ID{typ})
	if err != nil || len(types) == 0 || !types[0].IsType() {
		return []graph.Concept{}, err
	}
	all := []graph.Concept{}
	for {
		var found []wire.Concept
		body := map[string]any{"type": types[0].Value, "after": after}
		if err := c.post(ctx, "/api/get_all_concepts_by_type", body, &found); err != nil {
			return nil, err
		}
		all = append(all, convertAll(found, wire.Concept.Graph)...)
		if len(found) < unpagedListSize || wanted > 0 && len(all) >= wanted {
			return all, nil
		}
		after = all[len(all)-1].ID
	}
}

// pageOf returns a page of a list that is in ascending order of id. id returns the id of an item.
func pageOf[T any](all []T, page graph.Page, id func(T) graph.ID) []T {
	all = slices.Clone(all)
	if page.Descending {
		slices.Reverse(all)
	}
	if page.After != 0 {
		all = slices.DeleteFunc(all, func(item T) bool {
			return id(item) == page.After || id(item) > page.After == page.Descending
		})
	}
	all = all[min(max(page.Skip, 0), len(all)):]
	if page.Limit > 0 {
		all = all[:min(page.Limit, len(all))]
	}
	return all
}

// ResolveIDs implements graph.Reader for local ids; reserved ids are ignored. It sends one request per id.
func (c *Client) ResolveIDs(ctx context.Context, sender graph.Sender, ids []graph.ID) (map[graph.ID]graph.ID, error) {
	header, err := c.senderHeader(sender)
	if err != nil {
		return nil, err
	}
	found := map[graph.ID]graph.ID{}
	for _, id := range distinct(ids) {
		if !id.IsLocal() {
			continue
		}
		var response wire.Concept
		r := request{http.MethodPost, "/api/v1/local-concepts-translate", header, map[string]any{"id": id}}
		if err := c.send(ctx, r, &response); err != nil {
			return nil, err
		}
		if response.ID != 0 {
			found[id] = graph.ID(response.ID)
		}
	}
	return found, nil
}

// ResolveConnections implements graph.Reader. It always returns an Unavailable error.
func (c *Client) ResolveConnections(context.Context, graph.Sender, []graph.ID) (map[graph.ID]graph.ID, error) {
	return nil, unsupported("resolve local ids of connections")
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

// health requests the state of the server.
func (c *Client) health(ctx context.Context) (wire.Ready, error) {
	var health wire.Ready
	err := c.get(ctx, "/api/health", &health)
	return health, err
}

// Changes implements graph.Reader. It always returns an Unavailable error: the wire contract offers changes only as an
// endless stream of events.
func (c *Client) Changes(context.Context, graph.Seq, int) ([]graph.Change, error) {
	return nil, unsupported("list changes")
}

// Check implements graph.Store. It always returns an Unavailable error: a store is checked on its server.
func (c *Client) Check(context.Context) error { return unsupported("check a store") }
