package content

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// An Item describes a page or a widget of the stored site.
type Item struct {
	Kind      string   `json:"kind"` // "page" or "widget"
	Name      string   `json:"name"` // name of the file or folder
	ID        graph.ID `json:"id"`
	Owner     graph.ID `json:"owner"`
	Title     string   `json:"title"`          // title of a page, or name of a widget
	Slug      string   `json:"slug,omitempty"` // slug of a page
	Body      string   `json:"body,omitempty"` // folder of the widget of a page
	Published int      `json:"published"`      // for a widget, the version that visitors see
	Newest    int      `json:"newest"`         // for a widget, the version that was saved last
	Versions  int      `json:"versions"`       // number of versions besides the original
}

// List returns the pages and then the widgets of the stored site. Pages are sorted by file and widgets by folder.
func List(ctx context.Context, r graph.Reader) ([]Item, error) {
	stored, err := loadStoredSite(ctx, r)
	if err != nil {
		return nil, err
	}
	var versions []graph.ID
	for _, id := range stored.widgets {
		versions = append(versions, stored.newestVersion(id), stored.publishedVersion(id))
	}
	if err := stored.readRecords(ctx, versions); err != nil {
		return nil, err
	}
	var all []Item
	for _, file := range slices.Sorted(maps.Keys(stored.pages)) {
		id := stored.pages[file]
		all = append(all, Item{Kind: "page", Name: file, ID: id, Owner: stored.concepts[id].Owner, Body: stored.names[stored.newestRecord(id, "the_page_body", "the_widget")], Title: stored.text(id, "the_page_title"), Slug: stored.text(id, "the_page_slug")})
	}
	for _, folder := range slices.Sorted(maps.Keys(stored.widgets)) {
		id := stored.widgets[folder]
		all = append(all, Item{
			Kind: "widget", Name: folder, ID: id, Owner: stored.concepts[id].Owner, Title: stored.text(stored.newestVersion(id), "the_widget_name"),
			Published: stored.versionNumber(stored.publishedVersion(id)), Newest: stored.versionNumber(stored.newestVersion(id)), Versions: len(stored.records(id, "the_widget_s_copy", "the_widget")),
		})
	}
	return all, nil
}
