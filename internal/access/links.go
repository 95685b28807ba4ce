package access

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// CountLinks implements graph.Reader.
func (v *view) CountLinks(ctx context.Context, links graph.Links) ([]graph.LinkCount, error) {
	switch viewer := v.viewer(); {
	case viewer == 0 || v.isLimitedToTypes():
		return v.countLinksOneByOne(ctx, links)
	default:
		return v.visible.CountVisibleLinks(ctx, viewer, links)
	}
}

// countLinksOneByOne reads every connection, because each may be hidden from the caller.
func (v *view) countLinksOneByOne(ctx context.Context, links graph.Links) ([]graph.LinkCount, error) {
	counts, err := v.storeCounts(ctx, links)
	if err != nil {
		return nil, err
	}
	visibleCounts := map[graph.LinkCount]int{} // keyed by concept and type
	err = v.forEachChunk(ctx, links, counts, func(found []graph.Connection) error {
		readable, err := v.readableLinks(ctx, found)
		for _, c := range readable {
			visibleCounts[graph.LinkCount{Of: endpoint(c, links.Direction), Type: c.Type}]++
		}
		return err
	})
	withVisible := counts[:0]
	for _, c := range counts {
		if c.N = visibleCounts[graph.LinkCount{Of: c.Of, Type: c.Type}]; c.N > 0 {
			withVisible = append(withVisible, c)
		}
	}
	return withVisible, err
}

// storeLinks returns the connections from the store. A VisibleReader leaves out most of the hidden connections.
func (v *view) storeLinks(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	if viewer := v.viewer(); viewer != 0 {
		return v.visible.VisibleLinks(ctx, viewer, links)
	}
	return v.store.Links(ctx, links)
}

// storeCounts counts the connections that storeLinks returns.
func (v *view) storeCounts(ctx context.Context, links graph.Links) ([]graph.LinkCount, error) {
	if viewer := v.viewer(); viewer != 0 {
		return v.visible.CountVisibleLinks(ctx, viewer, links)
	}
	return v.store.CountLinks(ctx, links)
}

// storeInstances returns a page of instances from the store. A VisibleReader leaves out the hidden instances.
func (v *view) storeInstances(ctx context.Context, typ graph.ID, page graph.Page) ([]graph.Concept, error) {
	if viewer := v.viewer(); viewer != 0 {
		return v.visible.VisibleByType(ctx, typ, viewer, page)
	}
	return v.store.ConceptsByType(ctx, typ, page)
}

// forEachChunk calls visit with all connections that were counted, about chunkRows at a time.
func (v *view) forEachChunk(
	ctx context.Context, links graph.Links, counts []graph.LinkCount, visit func([]graph.Connection) error,
) error {
	for _, conceptIDs := range groupByChunk(counts) {
		links.Of, links.Page = conceptIDs, graph.Page{}
		if len(conceptIDs) == 1 {
			links.Page.Limit = chunkRows
		}
		for hasMore := true; hasMore; {
			found, err := v.storeLinks(ctx, links)
			if err != nil {
				return err
			}
			if hasMore = links.Page.Limit > 0 && len(found) == links.Page.Limit; hasMore {
				links.Page.After = found[len(found)-1].ID
			}
			if err := visit(found); err != nil {
				return err
			}
		}
	}
	return nil
}

// groupByChunk groups concepts that have up to chunkRows connections in total. A concept with more is a group by
// itself.
func groupByChunk(counts []graph.LinkCount) (groups [][]graph.ID) {
	room := 0
	for len(counts) > 0 {
		of, n := counts[0].Of, 0
		for ; len(counts) > 0 && counts[0].Of == of; counts = counts[1:] {
			n += counts[0].N
		}
		if n > room {
			groups, room = append(groups, nil), chunkRows
		}
		last := len(groups) - 1
		groups[last], room = append(groups[last], of), room-n
	}
	return groups
}
