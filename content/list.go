package content

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// An Item is a page or a widget of the site that a store holds.
type Item struct {
	What     string // "page" or "widget"
	Name     string // of the file or folder
	ID       graph.ID
	Title    string // of a page; the name of a widget
	Slug     string // of a page
	Shown    int    // version of a widget that visitors see
	Newest   int    // version of a widget that was saved last
	Versions int    // how many there are beside the original
}

// List tells what site a store holds: pages, then widgets, by name.
func List(ctx context.Context, r graph.Reader) ([]Item, error) {
	h, err := hold(ctx, r)
	if err != nil {
		return nil, err
	}
	var versions []graph.ID
	for _, id := range h.widgets {
		versions = append(versions, h.recent(id), h.latest(id))
	}
	if err := h.take(ctx, versions); err != nil {
		return nil, err
	}
	var all []Item
	for _, file := range slices.Sorted(maps.Keys(h.pages)) {
		id := h.pages[file]
		all = append(all, Item{What: "page", Name: file, ID: id, Title: h.text(id, "the_page_title"), Slug: h.text(id, "the_page_slug")})
	}
	for _, folder := range slices.Sorted(maps.Keys(h.widgets)) {
		id := h.widgets[folder]
		all = append(all, Item{
			What: "widget", Name: folder, ID: id, Title: h.text(h.recent(id), "the_widget_name"),
			Shown: h.version(h.latest(id)), Newest: h.version(h.recent(id)), Versions: len(h.list(id, "the_widget_s_copy", "the_widget")),
		})
	}
	return all, nil
}
