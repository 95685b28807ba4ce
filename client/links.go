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

// atOnce is how many requests of one question are on their way together.
const atOnce = 8

// Links implements graph.Reader, with at least one request for each concept.
func (c *Client) Links(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	heads := once(links.Of)
	each := make([][]graph.Connection, len(heads))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, of := range heads {
		group.Go(func() error {
			found, err := c.at(ctx, of, links)
			slices.SortFunc(found, func(a, b graph.Connection) int { return cmp.Compare(a.ID, b.ID) })
			each[i] = cut(found, links.Page, func(one graph.Connection) graph.ID { return one.ID })
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return append([]graph.Connection{}, slices.Concat(each...)...), nil
}

// CountLinks implements graph.Reader by listing.
func (c *Client) CountLinks(ctx context.Context, links graph.Links) ([]graph.LinkCount, error) {
	counts := []graph.LinkCount{}
	for _, of := range once(links.Of) {
		found, err := c.at(ctx, of, links)
		if err != nil {
			return nil, err
		}
		first := len(counts)
		for _, one := range found {
			at := slices.IndexFunc(counts[first:], func(c graph.LinkCount) bool { return c.Type == one.Type })
			if at < 0 {
				counts = append(counts, graph.LinkCount{Of: of, Type: one.Type, N: 1})
				continue
			}
			counts[first+at].N++
		}
		slices.SortFunc(counts[first:], func(a, b graph.LinkCount) int { return cmp.Compare(a.Type, b.Type) })
	}
	return counts, nil
}

// at lists every connection at one concept, in no order. With one type there are pages to ask for;
// with more, asking for all is cheaper.
func (c *Client) at(ctx context.Context, of graph.ID, links graph.Links) ([]graph.Connection, error) {
	switch {
	case links.Types != nil && len(links.Types) == 0:
		return nil, nil
	case len(links.Types) == 1:
		return c.ofType(ctx, of, links.Types[0], links)
	default:
		found, err := c.everything(ctx, of, links.Direction)
		return ofTypes(found, links.Types), err
	}
}

func ofTypes(found []graph.Connection, types []graph.ID) []graph.Connection {
	if types == nil {
		return found
	}
	return slices.DeleteFunc(found, func(c graph.Connection) bool { return !slices.Contains(types, c.Type) })
}

func (c *Client) everything(ctx context.Context, of graph.ID, direction graph.Direction) ([]graph.Connection, error) {
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
		all = append(all, connections(found)...)
		if len(found) < most {
			return all, nil
		}
	}
}

// inPage is the largest page that the server cuts.
const inPage = 1_000

// ofType asks for page after page, newest first, and stops when a page in that order needs no more.
func (c *Client) ofType(ctx context.Context, of, typ graph.ID, links graph.Links) ([]graph.Connection, error) {
	path, end := "/api/get-link-connections", "ofTheConceptId"
	if links.Direction == graph.In {
		path, end = "/api/get-link-reverse-connections", "toTheConceptId"
	}
	enough := 0
	if p := links.Page; p.Descending && p.After == 0 && p.Limit > 0 {
		enough = max(p.Skip, 0) + p.Limit
	}
	var all []graph.Connection
	for page := 1; ; page++ {
		var found []wire.Connection
		question := map[string]any{end: of, "typeId": typ, "inpage": inPage, "page": page}
		if err := c.post(ctx, path, nil, question, &found); err != nil {
			return nil, err
		}
		all = append(all, connections(found)...)
		if len(found) < inPage || enough > 0 && len(all) >= enough {
			return all, nil
		}
	}
}

func connections(found []wire.Connection) []graph.Connection {
	all := make([]graph.Connection, len(found))
	for i, one := range found {
		all[i] = one.Graph()
	}
	return all
}
