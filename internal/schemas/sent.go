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
	var ids []graph.ID
	for _, d := range c.batch.Connections {
		ids = append(ids, d.SentID())
	}
	connections, err := c.store.ResolveConnections(ctx, c.batch.Sender, slices.DeleteFunc(ids, isZero))
	if err != nil || len(connections) == 0 && !c.doubts.concepts {
		return nil, err
	}
	ids = nil
	for _, d := range c.batch.Concepts {
		ids = append(ids, d.SentID())
	}
	concepts, err := c.resolve(ctx, slices.DeleteFunc(ids, isZero))
	if err != nil || len(connections)+len(concepts) == 0 {
		return nil, err
	}
	b := c.batch
	b.Connections = slices.DeleteFunc(slices.Clone(b.Connections), func(d graph.ConnectionDraft) bool { return connections[d.SentID()] != 0 })
	b.Concepts = slices.DeleteFunc(slices.Clone(b.Concepts), func(d graph.ConceptDraft) bool { return concepts[d.SentID()] != 0 })
	return &check{store: c.store, rules: c.rules, batch: b, areDraftsNew: true}, nil
}

func isZero(id graph.ID) bool { return id == 0 }
