package auth

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// CountLinks implements graph.Reader. What the caller may see is known only by looking at each connection.
func (v *view) CountLinks(ctx context.Context, links graph.Links) ([]graph.LinkCount, error) {
	counts, err := v.store.CountLinks(ctx, links)
	if err != nil {
		return nil, err
	}
	seen := map[graph.LinkCount]int{} // by concept and type
	err = v.inChunks(ctx, links, counts, func(found []graph.Connection) error {
		visible, err := v.visible(ctx, found)
		for _, c := range visible {
			seen[graph.LinkCount{Of: endOf(c, links.Direction), Type: c.Type}]++
		}
		return err
	})
	kept := counts[:0]
	for _, c := range counts {
		if c.N = seen[graph.LinkCount{Of: c.Of, Type: c.Type}]; c.N > 0 {
			kept = append(kept, c)
		}
	}
	return kept, err
}

// inChunks hands over all connections that were counted, about a chunk at a time.
func (v *view) inChunks(
	ctx context.Context, links graph.Links, counts []graph.LinkCount, look func([]graph.Connection) error,
) error {
	for _, some := range together(counts) {
		links.Of, links.Page = some, graph.Page{}
		if len(some) == 1 {
			links.Page.Limit = chunk
		}
		for more := true; more; {
			found, err := v.store.Links(ctx, links)
			if err != nil {
				return err
			}
			if more = links.Page.Limit > 0 && len(found) == links.Page.Limit; more {
				links.Page.After = found[len(found)-1].ID
			}
			if err := look(found); err != nil {
				return err
			}
		}
	}
	return nil
}

// together groups concepts that have up to chunk connections between them. One with more stands alone.
func together(counts []graph.LinkCount) (groups [][]graph.ID) {
	room := 0
	for len(counts) > 0 {
		of, n := counts[0].Of, 0
		for ; len(counts) > 0 && counts[0].Of == of; counts = counts[1:] {
			n += counts[0].N
		}
		if n > room {
			groups, room = append(groups, nil), chunk
		}
		last := len(groups) - 1
		groups[last], room = append(groups[last], of), room-n
	}
	return groups
}
