package content

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// keptVersions is the number of newest versions of a widget that are never pruned.
const keptVersions = 20

// A pruning configures prune.
type pruning struct {
	kept      int // newest versions of each widget that are kept
	batchSize int // maximum number of records that a batch removes
}

// prune removes old versions of the site's widgets. It keeps the newest versions, the published version, and versions
// to which other records link. It writes several batches. The versions themselves are removed last: after an
// interruption, the next call can still find them and the records that belong to them.
func prune(ctx context.Context, store graph.Store, p pruning) error {
	stored, err := loadStoredSite(ctx, store)
	if err != nil {
		return err
	}
	old := map[graph.ID]graph.ID{} // original, by version
	for _, original := range stored.widgets {
		copies := stored.records(original, "the_widget_s_copy", "the_widget")
		for _, id := range copies[:max(0, len(copies)-p.kept)] {
			if id != stored.newestVersion(original) && id != stored.publishedVersion(original) {
				old[id] = original
			}
		}
	}
	if len(old) == 0 {
		return nil
	}
	removals, err := stored.unusedVersions(ctx, old)
	for batch := range slices.Chunk(removals, p.batchSize) {
		if err == nil {
			_, err = store.Write(ctx, graph.Batch{Sender: systemSender, RemoveConcepts: batch})
		}
	}
	return err
}

// unusedVersions removes from old every version to which a record other than its original links. For the
// remaining versions it returns the ids to remove, in this order: long values, inner records, versions.
func (s *storedSite) unusedVersions(ctx context.Context, old map[graph.ID]graph.ID) ([]graph.ID, error) {
	versions := slices.Sorted(maps.Keys(old))
	links, err := s.reader.Links(ctx, graph.Links{Of: versions, Direction: graph.In})
	if err != nil {
		return nil, err
	}
	for _, link := range links {
		if link.From != old[link.To] {
			delete(old, link.To)
		}
	}
	versions = slices.Sorted(maps.Keys(old))
	if err := s.readWidgets(ctx, versions); err != nil {
		return nil, err
	}
	removals := map[graph.ID]bool{}
	for _, id := range versions {
		removals[id] = true
		for _, inside := range s.innerRecords(id) {
			removals[inside] = true
		}
	}
	texts, err := s.textsUsedOnlyBy(ctx, removals)
	inner := slices.DeleteFunc(slices.Sorted(maps.Keys(removals)), func(id graph.ID) bool { _, isVersion := old[id]; return isVersion })
	return slices.Concat(texts, inner, versions), err
}

// textsUsedOnlyBy returns the long values to which only these records link. Short values are shared and never
// removed.
func (s *storedSite) textsUsedOnlyBy(ctx context.Context, records map[graph.ID]bool) ([]graph.ID, error) {
	texts := map[graph.ID]bool{}
	for key, links := range s.links {
		for _, link := range links {
			if c := s.concepts[link.To]; records[key.head] && !c.Composition && !c.IsType() && !graph.IsShared(c.Value) {
				texts[link.To] = true
			}
		}
	}
	ids := slices.Sorted(maps.Keys(texts))
	links, err := s.reader.Links(ctx, graph.Links{Of: ids, Direction: graph.In})
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
