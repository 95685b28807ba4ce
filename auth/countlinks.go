package auth

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// CountLinks implements graph.Reader. What the caller may see is known only by looking at each connection.
// The store's own counts say how many concepts can be looked at together without holding more than a chunk.
func (v *view) CountLinks(ctx context.Context, links graph.Links) ([]graph.LinkCount, error) {
	counts, err := v.store.CountLinks(ctx, links)
	if err != nil {
		return nil, err
	}
	seen := map[graph.LinkCount]int{} // by concept and type
	for _, some := range together(counts) {
		links.Of = some
		if err := v.countSeen(ctx, links, seen); err != nil {
			return nil, err
		}
	}
	kept := counts[:0]
	for _, c := range counts {
		if c.N = seen[graph.LinkCount{Of: c.Of, Type: c.Type}]; c.N > 0 {
			kept = append(kept, c)
		}
	}
	return kept, nil
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

// countSeen counts the connections at a group of concepts that the caller may read.
func (v *view) countSeen(ctx context.Context, links graph.Links, seen map[graph.LinkCount]int) error {
	links.Page = graph.Page{}
	if len(links.Of) == 1 {
		links.Page.Limit = chunk
	}
	for {
		found, err := v.store.Links(ctx, links)
		if err != nil {
			return err
		}
		more := links.Page.Limit > 0 && len(found) == links.Page.Limit
		if more {
			links.Page.After = found[len(found)-1].ID
		}
		visible, err := v.visible(ctx, found)
		if err != nil {
			return err
		}
		for _, c := range visible {
			seen[graph.LinkCount{Of: endOf(c, links.Direction), Type: c.Type}]++
		}
		if !more {
			return nil
		}
	}
}
