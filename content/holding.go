package content

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// A holding is the site that a store holds.
type holding struct {
	*shelf
	project graph.ID            // 0 when there is no site
	pages   map[string]graph.ID // by file
	widgets map[string]graph.ID // originals, by folder
	nameOf  map[graph.ID]string // of both
}

// hold finds the site of a store and reads its pages and the originals of its widgets.
func hold(ctx context.Context, r graph.Reader) (*holding, error) {
	h := &holding{shelf: newShelf(r), pages: map[string]graph.ID{}, widgets: map[string]graph.ID{}, nameOf: map[graph.ID]string{}}
	var err error
	if h.project, err = h.findProject(ctx); err != nil || h.project == 0 {
		return h, err
	}
	if err := h.take(ctx, []graph.ID{h.project}); err != nil {
		return nil, err
	}
	pages, widgets := h.list(h.project, "the_project_s_page", "the_page"), h.list(h.project, "the_project_s_widget", "the_widget")
	if err := h.take(ctx, slices.Concat(pages, widgets)); err != nil {
		return nil, err
	}
	for _, id := range pages {
		h.keep(h.pages, "pages/", h.text(id, "the_page_file_name"), ".json", id)
	}
	for _, id := range widgets {
		h.keep(h.widgets, "", h.text(id, "the_widget_folder_name"), "", id)
	}
	return h, nil
}

func (h *holding) keep(in map[string]graph.ID, before, name, after string, id graph.ID) {
	if name != "" && name == safeName(name) {
		in[before+name+after] = id
		h.nameOf[id] = before + name + after
	}
}

// Anybody may call something "site"; ours belongs to the system, to which nobody but admins adds. The links are read
// in parts, oldest first because ours is usually there before others, and not without end.
const (
	projectLinks = 1000
	projectParts = 10
)

func (h *holding) findProject(ctx context.Context) (graph.ID, error) {
	types, err := graph.TypesNamed(ctx, h.reader, "the_name", "the_project_name")
	if err != nil || len(types) < 2 {
		return 0, err
	}
	names, err := h.reader.ConceptsByValue(ctx, []graph.ValueKey{{Value: projectName, Type: types["the_name"].ID}})
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		ask := graph.Links{Of: []graph.ID{name.ID}, Direction: graph.In, Types: []graph.ID{types["the_project_name"].ID}}
		ask.Page.Limit = projectLinks
		for range projectParts {
			links, err := h.reader.Links(ctx, ask)
			if err != nil {
				return 0, err
			}
			if id, err := h.ours(ctx, links); id != 0 || err != nil {
				return id, err
			}
			if len(links) < projectLinks {
				break
			}
			ask.Page.After = links[len(links)-1].ID
		}
	}
	return 0, nil
}

// projectName is what the site is called.
const projectName = "site"

func (h *holding) ours(ctx context.Context, links []graph.Connection) (graph.ID, error) {
	var from []graph.ID
	for _, link := range links {
		from = append(from, link.From)
	}
	if err := h.fetch(ctx, from); err != nil {
		return 0, err
	}
	for _, link := range links {
		if h.is(link.From, "the_project") && h.concepts[link.From].Owner == graph.System && link.Owner == graph.System {
			return link.From, nil
		}
	}
	return 0, nil
}
