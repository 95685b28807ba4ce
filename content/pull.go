package content

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// Pull reads pages and widgets out of a store, and the widgets inside them, each in its newest version. Without ids
// it reads the site. What is not the site's is known by its id, and its files are named after what it is called.
// What cannot be a file is left out, and notes say why. Pushing what was pulled changes nothing.
func Pull(ctx context.Context, r graph.Reader, ids ...graph.ID) (Site, []string, error) {
	h, err := hold(ctx, r)
	if err != nil {
		return Site{}, nil, err
	}
	p := &pulling{holding: h, files: map[string]graph.ID{}}
	pages, widgets := slices.Sorted(maps.Values(h.pages)), slices.Sorted(maps.Values(h.widgets))
	if len(ids) > 0 {
		if pages, widgets, err = p.asked(ctx, ids); err != nil {
			return Site{}, nil, err
		}
	}
	p.site.Pages = p.pagesOf(pages)
	for _, page := range p.site.Pages {
		widgets = append(widgets, idOf(page.Body))
	}
	if err := p.widgetsOf(ctx, widgets); err != nil {
		return Site{}, nil, err
	}
	p.nameAll()
	return p.site, p.notes, nil
}

// Everything are the ids of all pages and originals that a reader sees, whoever made them.
func Everything(ctx context.Context, r graph.Reader) ([]graph.ID, error) {
	types, err := graph.TypesNamed(ctx, r, "the_page", "the_widget")
	if err != nil {
		return nil, err
	}
	s := newShelf(r)
	for _, typ := range types {
		found, err := r.ConceptsByType(ctx, typ.ID, graph.Page{Limit: graph.MaxBatch})
		if err != nil {
			return nil, err
		}
		var heads []graph.ID
		for _, c := range found {
			heads = append(heads, c.ID)
		}
		if err := s.take(ctx, heads); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.heads)), func(id graph.ID) bool { return s.root(id) != id }), nil
}

type pulling struct {
	*holding
	site  Site
	notes []string
	files map[string]graph.ID // names of files and folders given away
}

// asked are the pages among some ids, and the originals of the widgets.
func (p *pulling) asked(ctx context.Context, ids []graph.ID) (pages, widgets []graph.ID, err error) {
	if err := p.take(ctx, ids); err != nil {
		return nil, nil, err
	}
	for _, id := range ids {
		switch {
		case p.is(id, "the_page"):
			pages = append(pages, id)
		case p.is(id, "the_widget"):
			widgets = append(widgets, p.root(id))
		default:
			return nil, nil, graph.Errorf(graph.NotFound, "%d is neither a page nor a widget", id)
		}
	}
	bodies := make([]graph.ID, 0, len(pages))
	for _, id := range pages {
		bodies = append(bodies, p.record(id, "the_page_body", "the_widget"))
	}
	return pages, widgets, p.take(ctx, bodies)
}

func (p *pulling) pagesOf(ids []graph.ID) []Page {
	var all []Page
	for _, id := range ids {
		page := p.page(id)
		if page.Slug == "" || page.Title == "" || page.Body == "" {
			p.note("page", id, "it has no slug, no title or no body")
			continue
		}
		page.File = p.nameOf[id]
		if page.File == "" {
			page.ID = id
			page.File = "pages/" + p.free("pages/", cmp.Or(safeName(page.Slug), safeName(page.Title), "page"), id) + ".json"
		}
		all = append(all, page)
	}
	return all
}

func (p *pulling) note(what string, id graph.ID, why string) {
	p.notes = append(p.notes, what+" "+id.String()+" is left out: "+why)
}

// free is a name that nothing else has.
func (p *pulling) free(under, name string, id graph.ID) string {
	_, ofPage := p.pages[under+name+".json"]
	_, ofWidget := p.widgets[name]
	if _, given := p.files[under+name]; given || under != "" && ofPage || under == "" && ofWidget {
		name = name[:min(len(name), longestName-len(id.String())-1)] + "-" + id.String()
	}
	p.files[under+name] = id
	return name
}

// widgetsOf reads originals and those inside them.
func (p *pulling) widgetsOf(ctx context.Context, originals []graph.ID) error {
	met := map[graph.ID]bool{}
	for len(originals) > 0 {
		if err := p.take(ctx, originals); err != nil {
			return err
		}
		var versions, inside []graph.ID
		for _, id := range originals {
			versions = append(versions, p.recent(id))
		}
		if err := p.takeWidgets(ctx, versions); err != nil {
			return err
		}
		for _, id := range originals {
			if met[id] {
				continue
			}
			met[id] = true
			inside = append(inside, p.addWidget(id)...)
		}
		originals = slices.DeleteFunc(inside, func(id graph.ID) bool { return met[id] })
	}
	return nil
}

func (p *pulling) addWidget(original graph.ID) (inside []graph.ID) {
	w := p.widget(p.recent(original))
	if w.Name == "" {
		p.note("widget", original, "it has no name")
		return nil
	}
	w.Folder = p.nameOf[original]
	if w.Folder == "" {
		w.ID = original
		w.Folder = p.free("", cmp.Or(safeName(w.Name), "widget"), original)
		p.nameOf[original] = w.Folder
	}
	p.site.Widgets = append(p.site.Widgets, w)
	for _, child := range w.Children {
		inside = append(inside, idOf(child.Widget))
	}
	return inside
}

// nameAll puts the names of folders in the places of ids.
func (p *pulling) nameAll() {
	known := map[string]bool{}
	for _, w := range p.site.Widgets {
		known[w.Folder] = true
	}
	for i, w := range p.site.Widgets {
		for n, child := range w.Children {
			w.Children[n].Widget = p.nameOf[idOf(child.Widget)]
		}
		p.site.Widgets[i].Children = slices.DeleteFunc(w.Children, func(c Child) bool { return !known[c.Widget] })
	}
	for i, page := range p.site.Pages {
		p.site.Pages[i].Body = p.nameOf[idOf(page.Body)]
	}
	p.site.Pages = slices.DeleteFunc(p.site.Pages, func(page Page) bool { return !known[page.Body] })
	slices.SortFunc(p.site.Pages, func(a, b Page) int { return strings.Compare(a.File, b.File) })
	slices.SortFunc(p.site.Widgets, func(a, b Widget) int { return strings.Compare(a.Folder, b.Folder) })
}
