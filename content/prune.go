package content

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// kept is how many versions of a widget stay.
const kept = 20

// prune removes versions of the site's widgets that are older and that nothing points to, in one batch.
func prune(ctx context.Context, store graph.Store) error {
	h, err := hold(ctx, store)
	if err != nil {
		return err
	}
	old := map[graph.ID]graph.ID{} // original, by version
	for _, original := range h.widgets {
		copies := h.list(original, "the_widget_s_copy", "the_widget")
		for _, id := range copies[:max(0, len(copies)-kept)] {
			if id != h.recent(original) && id != h.latest(original) {
				old[id] = original
			}
		}
	}
	if len(old) == 0 {
		return nil
	}
	batch := graph.Batch{Sender: system}
	if batch.RemoveConcepts, err = h.unused(ctx, old); err != nil || len(batch.RemoveConcepts) == 0 {
		return err
	}
	batch.RemoveConcepts = batch.RemoveConcepts[:min(len(batch.RemoveConcepts), graph.MaxBatch)]
	_, err = store.Write(ctx, batch)
	return err
}

// unused are those versions that nothing but their original points to, with what they alone consist of.
func (h *holding) unused(ctx context.Context, old map[graph.ID]graph.ID) ([]graph.ID, error) {
	versions := slices.Sorted(maps.Keys(old))
	links, err := h.reader.Links(ctx, graph.Links{Of: versions, Direction: graph.In})
	if err != nil {
		return nil, err
	}
	for _, link := range links {
		if link.From != old[link.To] {
			delete(old, link.To)
		}
	}
	versions = slices.Sorted(maps.Keys(old))
	if err := h.takeWidgets(ctx, versions); err != nil {
		return nil, err
	}
	going := map[graph.ID]bool{}
	for _, id := range versions {
		going[id] = true
		for _, inside := range h.insides(id) {
			going[inside] = true
		}
	}
	texts, err := h.textsOnlyOf(ctx, going)
	return append(slices.Sorted(maps.Keys(going)), texts...), err
}

// textsOnlyOf are the long texts that nothing else than these records leads to. Short ones are everybody's.
func (h *holding) textsOnlyOf(ctx context.Context, records map[graph.ID]bool) ([]graph.ID, error) {
	texts := map[graph.ID]bool{}
	for at, links := range h.links {
		for _, link := range links {
			if c := h.concepts[link.To]; records[at.head] && !c.Composition && !c.IsType() && !graph.Shared(c.Value) {
				texts[link.To] = true
			}
		}
	}
	ids := slices.Sorted(maps.Keys(texts))
	links, err := h.reader.Links(ctx, graph.Links{Of: ids, Direction: graph.In})
	if err != nil {
		return nil, err
	}
	for _, link := range links {
		if !records[link.From] {
			delete(texts, link.To)
		}
	}
	return slices.Sorted(maps.Keys(texts)), nil
}
