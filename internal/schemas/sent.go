package schemas

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// doubts are the reasons why the result of a check may be wrong if drafts of the batch were sent before. Such a draft changes nothing, even
// if its record was removed since. A check resolves the ids of all drafts only if there are doubts, because that costs up to two reads.
type doubts struct {
	connections bool // drafts replace a required part or link that the batch removes
	concepts    bool // a record or a part of it may not be new
}

// withoutSent returns a check of the batch without the drafts that were sent before, or nil if there are none or the check has no doubts.
// The other drafts then refer to the records of earlier batches.
func (c *check) withoutSent(ctx context.Context) (*check, error) {
	if c.areDraftsNew || !c.doubts.connections && !c.doubts.concepts {
		return nil, nil //nolint:nilnil // there is nothing to check again
	}
	var connections map[graph.ID]graph.ID
	if ids := sentIDs(c.batch.Connections, graph.ConnectionDraft.SentID); len(ids) > 0 {
		var err error
		if connections, err = c.store.ResolveConnections(ctx, c.batch.Sender, ids); err != nil {
			return nil, err
		}
	}
	if len(connections) == 0 && !c.doubts.concepts {
		return nil, nil //nolint:nilnil // there is nothing to check again
	}
	concepts, err := c.resolve(ctx, sentIDs(c.batch.Concepts, graph.ConceptDraft.SentID))
	if err != nil || len(connections)+len(concepts) == 0 {
		return nil, err
	}
	b := c.batch
	b.Connections = slices.DeleteFunc(slices.Clone(b.Connections), func(d graph.ConnectionDraft) bool { return connections[d.SentID()] != 0 })
	b.Concepts = slices.DeleteFunc(slices.Clone(b.Concepts), func(d graph.ConceptDraft) bool { return concepts[d.SentID()] != 0 })
	return &check{store: c.store, rules: c.rules, batch: b, areDraftsNew: true}, nil
}

// sentIDs returns the ids under which drafts are sent. Drafts without an id are left out.
func sentIDs[D any](drafts []D, idOf func(D) graph.ID) []graph.ID {
	ids := make([]graph.ID, 0, len(drafts))
	for _, d := range drafts {
		if id := idOf(d); id != 0 {
			ids = append(ids, id)
		}
	}
	return ids
}
