package content

import (
	"context"
	"slices"
	"strconv"

	"github.com/weft-graph/weft/graph"
)

// Newest is the version that was saved last, for Publish.
const Newest = -1

// Publish publishes a version of a widget and returns its number. name is the folder of the widget or the id of its
// original. Version 0 is the original. The zero sender means the system. The error is NotFound if the widget or version
// does not exist.
func Publish(ctx context.Context, store graph.Store, name string, version int, sender graph.Sender) (int, error) {
	batch, err := newBatchFor(ctx, store, sender)
	if err != nil {
		return 0, err
	}
	stored, err := loadStoredSite(ctx, store)
	if err != nil {
		return 0, err
	}
	p := &pushPlan{storedSite: stored, batchBuilder: batch}
	head, err := p.findOriginal(ctx, name)
	if err != nil {
		return 0, err
	}
	target, err := p.findVersion(ctx, head, name, version)
	if err != nil {
		return 0, err
	}
	if p.publishVersion(head, target); !p.isEmpty() {
		_, err = store.Write(ctx, p.Batch)
	}
	return p.versionNumber(target), err
}

// findOriginal reads the original with a folder name or id, and returns its id. The error is NotFound if the
// widget does not exist.
func (s *storedSite) findOriginal(ctx context.Context, name string) (graph.ID, error) {
	id, ok := s.widgets[name]
	if !ok {
		id, _ = graph.ParseID(name)
	}
	if err := s.readRecords(ctx, []graph.ID{id}); err != nil {
		return 0, err
	}
	if !s.isRecord(id, "the_widget") {
		return 0, graph.Errorf(graph.NotFound, "there is no widget %q", graph.Clip(name))
	}
	return id, nil
}

// findVersion returns the id of the version of an original that has the given number, or of its newest version
// for Newest. If several versions have the number, it returns the newest of them. name is only used for the
// NotFound error.
func (s *storedSite) findVersion(ctx context.Context, head graph.ID, name string, version int) (graph.ID, error) {
	if version == Newest {
		newest := s.newestVersion(head)
		return newest, s.readRecords(ctx, []graph.ID{newest})
	}
	if version == 0 {
		return head, nil
	}
	copies := s.records(head, "the_widget_s_copy", "the_widget")
	if err := s.readRecords(ctx, copies); err != nil {
		return 0, err
	}
	for _, id := range slices.Backward(copies) {
		if s.versionNumber(id) == version {
			return id, nil
		}
	}
	return 0, graph.Errorf(graph.NotFound, "%s has no version %s", name, strconv.Itoa(version))
}
