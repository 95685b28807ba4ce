package client

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// maxParallelRequests is the maximum number of concurrent requests of one call of Links.
const maxParallelRequests = 8

// Links implements graph.Reader. It sends at least one request per concept.
func (c *Client) Links(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	of := distinct(links.Of)
	groups := make([][]graph.Connection, len(of))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxParallelRequests)
	for i, id := range of {
		group.Go(func() error {
			found, err := c.linksAt(ctx, id, links)
			slices.SortFunc(found, func(a, b graph.Connection) int { return cmp.Compare(a.ID, b.ID) })
			groups[i] = pageOf(found, links.Page, func(c graph.Connection) graph.ID { return c.ID })
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return append([]graph.Connection{}, slices.Concat(groups...)...), nil
}

// CountLinks implements graph.Reader. It reads the connections and counts them.
func (c *Client) CountLinks(ctx context.Context, links graph.Links) ([]graph.LinkCount, error) {
	counts := []graph.LinkCount{}
	for _, of := range distinct(links.Of) {
		found, err := c.linksAt(ctx, of, links)
		if err != nil {
			return nil, err
		}
		first := len(counts)
		for _, connection := range found {
			i := slices.IndexFunc(counts[first:], func(c graph.LinkCount) bool { return c.Type == connection.Type })
			if i < 0 {
				counts = append(counts, graph.LinkCount{Of: of, Type: connection.Type, N: 1})
				continue
			}
			counts[first+i].N++
		}
		slices.SortFunc(counts[first:], func(a, b graph.LinkCount) int { return cmp.Compare(a.Type, b.Type) })
	}
	return counts, nil
}

// linksAt returns all connections at one concept, in no particular order. For a single type it may stop early (see
// linksOfType); for several types it requests all connections and filters them.
func (c *Client) linksAt(ctx context.Context, of graph.ID, links graph.Links) ([]graph.Connection, error) {
	switch {
	case links.Types != nil && len(links.Types) == 0:
		return nil, nil
	case len(links.Types) == 1:
		return c.linksOfType(ctx, of, links.Types[0], links)
	default:
		found, err := c.linksOfAnyType(ctx, of, links.Direction)
		return keepTypes(found, links.Types), err
	}
}

// keepTypes returns the connections with one of the types, or all if types is nil.
func keepTypes(found []graph.Connection, types []graph.ID) []graph.Connection {
	if types == nil {
		return found
	}
	return slices.DeleteFunc(found, func(c graph.Connection) bool { return !slices.Contains(types, c.Type) })
}

// linksOfAnyType requests all connections at one concept, page after page.
func (c *Client) linksOfAnyType(ctx context.Context, of graph.ID, direction graph.Direction) ([]graph.Connection, error) {
	path := "/api/get-all-linkers-from-concept"
	if direction == graph.In {
		path = "/api/get-all-linkers-to-concept"
	}
	var all []graph.Connection
	for after := graph.ID(0); ; after = all[len(all)-1].ID {
		var found []wire.Connection
		if err := c.get(ctx, fmt.Sprintf("%s?conceptId=%d&after=%d", path, of, after), &found); err != nil {
			return nil, err
		}
		all = append(all, convertAll(found, wire.Connection.Graph)...)
		if len(found) < unpagedListSize {
			return all, nil
		}
	}
}

// maxServerPage is the maximum number of connections in a page of the server.
const maxServerPage = 1_000

// linksOfType requests pages, newest first. If links.Page is descending and limited, it stops when that page is
// complete.
func (c *Client) linksOfType(ctx context.Context, of, typ graph.ID, links graph.Links) ([]graph.Connection, error) {
	path, end := "/api/get-link-connections", "ofTheConceptId"
	if links.Direction == graph.In {
		path, end = "/api/get-link-reverse-connections", "toTheConceptId"
	}
	wanted := 0
	if p := links.Page; p.Descending && p.After == 0 && p.Limit > 0 {
		wanted = max(p.Skip, 0) + p.Limit
	}
	var all []graph.Connection
	for page := 1; ; page++ {
		var found []wire.Connection
		body := map[string]any{end: of, "typeId": typ, "inpage": maxServerPage, "page": page}
		if err := c.post(ctx, path, body, &found); err != nil {
			return nil, err
		}
		all = append(all, convertAll(found, wire.Connection.Graph)...)
		if len(found) < maxServerPage || wanted > 0 && len(all) >= wanted {
			return all, nil
		}
	}
}
