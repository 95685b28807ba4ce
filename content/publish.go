package content

import (
	"context"
	"slices"
	"strconv"

	"github.com/weft-graph/weft/graph"
)

// Newest is the version that was saved last.
const Newest = -1

// Publish shows a version of a widget that is named by its folder or by the id of its original: 0 is the original
// itself. It returns the version that is shown then. The error is NotFound when there is no such widget or version.
func Publish(ctx context.Context, store graph.Store, name string, version int, by graph.Sender) (int, error) {
	d, err := begin(ctx, store, by)
	if err != nil {
		return 0, err
	}
	h, err := hold(ctx, store)
	if err != nil {
		return 0, err
	}
	p := &pushing{holding: h, draft: d}
	head, err := p.original(ctx, name)
	if err != nil {
		return 0, err
	}
	shown, err := p.find(ctx, head, name, version)
	if err != nil {
		return 0, err
	}
	if p.show(head, shown); !p.empty() {
		_, err = store.Write(ctx, p.Batch)
	}
	return p.version(shown), err
}

// original finds an original and reads it.
func (h *holding) original(ctx context.Context, name string) (graph.ID, error) {
	id, ok := h.widgets[name]
	if !ok {
		id, _ = graph.ParseID(name)
	}
	if err := h.take(ctx, []graph.ID{id}); err != nil {
		return 0, err
	}
	if !h.is(id, "the_widget") {
		return 0, graph.Errorf(graph.NotFound, "there is no widget %q", graph.Clip(name))
	}
	return id, nil
}

func (h *holding) find(ctx context.Context, head graph.ID, name string, version int) (graph.ID, error) {
	if version == Newest {
		recent := h.recent(head)
		return recent, h.take(ctx, []graph.ID{recent})
	}
	if version == 0 {
		return head, nil
	}
	copies := h.list(head, "the_widget_s_copy", "the_widget")
	if err := h.take(ctx, copies); err != nil {
		return 0, err
	}
	for _, id := range slices.Backward(copies) {
		if h.version(id) == version {
			return id, nil
		}
	}
	return 0, graph.Errorf(graph.NotFound, "%s has no version %s", name, strconv.Itoa(version))
}
