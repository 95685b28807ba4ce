package content

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// Pull reads pages and widgets from a store, with the widgets inside them, each in its newest version. If no ids are
// given, it reads the site. Pages and widgets outside the site keep their ids in the files, which are named after
// their titles. Records that cannot be written as files are left out. There is a note with the reason for each of
// them. Pushing the pulled site changes nothing. The error is NotFound if an id belongs to neither a page nor a
// widget.
func Pull(ctx context.Context, r graph.Reader, ids ...graph.ID) (Site, []string, error) {
	stored, err := loadStoredSite(ctx, r)
	if err != nil {
		return Site{}, nil, err
	}
	p := &puller{storedSite: stored, usedNames: map[string]graph.ID{}}
	pages, widgets := slices.Sorted(maps.Values(stored.pages)), slices.Sorted(maps.Values(stored.widgets))
	if len(ids) > 0 {
		if pages, widgets, err = p.splitIDs(ctx, ids); err != nil {
			return Site{}, nil, err
		}
	}
	p.site.Pages = p.assemblePages(pages)
	for _, page := range p.site.Pages {
		widgets = append(widgets, parseIDName(page.Body))
	}
	if err := p.addWidgets(ctx, widgets); err != nil {
		return Site{}, nil, err
	}
	p.replaceIDsWithNames()
	return p.site, p.notes, nil
}

// AllIDs returns the ids of all pages and originals that the reader may see, of any owner. It reads at most
// graph.MaxBatchRecords records of each of the two types.
func AllIDs(ctx context.Context, r graph.Reader) ([]graph.ID, error) {
	types, err := graph.TypesNamed(ctx, r, "the_page", "the_widget")
	if err != nil {
		return nil, err
	}
	s := newRecordReader(r)
	for _, typ := range types {
		found, err := r.ConceptsByType(ctx, typ.ID, graph.Page{Limit: graph.MaxBatchRecords})
		if err != nil {
			return nil, err
		}
		var heads []graph.ID
		for _, c := range found {
			heads = append(heads, c.ID)
		}
		if err := s.readRecords(ctx, heads); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.loaded)), func(id graph.ID) bool { return s.originalOf(id) != id }), nil
}

// A puller collects the site that Pull returns.
type puller struct {
	*storedSite
	site      Site
	notes     []string
	usedNames map[string]graph.ID // files and folders that Pull has named
}

// splitIDs separates ids into pages and widgets, and replaces versions with their originals. It also reads the pages'
// bodies.
func (p *puller) splitIDs(ctx context.Context, ids []graph.ID) (pages, widgets []graph.ID, err error) {
	if err := p.readRecords(ctx, ids); err != nil {
		return nil, nil, err
	}
	for _, id := range ids {
		switch {
		case p.isRecord(id, "the_page"):
			pages = append(pages, id)
		case p.isRecord(id, "the_widget"):
			widgets = append(widgets, p.originalOf(id))
		default:
			return nil, nil, graph.Errorf(graph.NotFound, "%d is neither a page nor a widget", id)
		}
	}
	bodies := make([]graph.ID, 0, len(pages))
	for _, id := range pages {
		bodies = append(bodies, p.newestRecord(id, "the_page_body", "the_widget"))
	}
	return pages, widgets, p.readRecords(ctx, bodies)
}

// assemblePages returns the pages with these ids, without pages that cannot be written as files.
func (p *puller) assemblePages(ids []graph.ID) []Page {
	var all []Page
	for _, id := range ids {
		page := p.assemblePage(id)
		if page.Slug == "" || page.Title == "" || page.Body == "" {
			p.addNote("page", id, "it has no slug, no title or no body")
			continue
		}
		page.File = p.names[id]
		if page.File == "" {
			page.ID = id
			page.File = "pages/" + p.uniqueName("pages/", cmp.Or(safeName(page.Slug), safeName(page.Title), "page"), id) + ".json"
		}
		all = append(all, page)
	}
	return all
}

func (p *puller) addNote(kind string, id graph.ID, reason string) {
	p.notes = append(p.notes, kind+" "+id.String()+" is left out: "+reason)
}

// uniqueName returns the name, with the id appended if another file or folder has the name. The folder is "pages/",
// or "" for widgets.
func (p *puller) uniqueName(folder, name string, id graph.ID) string {
	_, ofPage := p.pages[folder+name+".json"]
	_, ofWidget := p.widgets[name]
	if _, used := p.usedNames[folder+name]; used || folder != "" && ofPage || folder == "" && ofWidget {
		name = name[:min(len(name), maxNameLength-len(id.String())-1)] + "-" + id.String()
	}
	p.usedNames[folder+name] = id
	return name
}

// addWidgets reads the newest versions of originals and, level by level, of the widgets inside them.
func (p *puller) addWidgets(ctx context.Context, originals []graph.ID) error {
	seen := map[graph.ID]bool{}
	for len(originals) > 0 {
		if err := p.readRecords(ctx, originals); err != nil {
			return err
		}
		var versions, inside []graph.ID
		for _, id := range originals {
			versions = append(versions, p.newestVersion(id))
		}
		if err := p.readWidgets(ctx, versions); err != nil {
			return err
		}
		for _, id := range originals {
			if seen[id] {
				continue
			}
			seen[id] = true
			inside = append(inside, p.addWidget(id)...)
		}
		originals = slices.DeleteFunc(inside, func(id graph.ID) bool { return seen[id] })
	}
	return nil
}

// addWidget adds the newest version of an original to the site and returns the originals inside it.
func (p *puller) addWidget(original graph.ID) (inside []graph.ID) {
	w := p.assembleWidget(p.newestVersion(original))
	if w.Name == "" {
		p.addNote("widget", original, "it has no name")
		return nil
	}
	w.Folder = p.names[original]
	if w.Folder == "" {
		w.ID = original
		w.Folder = p.uniqueName("", cmp.Or(safeName(w.Name), "widget"), original)
		p.names[original] = w.Folder
	}
	p.site.Widgets = append(p.site.Widgets, w)
	for _, child := range w.Children {
		inside = append(inside, parseIDName(child.Widget))
	}
	return inside
}

// replaceIDsWithNames replaces ids of widgets with folders, drops references to widgets that were left out, leaves
// out pages whose body was left out, and sorts the site.
func (p *puller) replaceIDsWithNames() {
	known := map[string]bool{}
	for _, w := range p.site.Widgets {
		known[w.Folder] = true
	}
	for i, w := range p.site.Widgets {
		for n, child := range w.Children {
			w.Children[n].Widget = p.names[parseIDName(child.Widget)]
		}
		p.site.Widgets[i].Children = slices.DeleteFunc(w.Children, func(c Child) bool { return !known[c.Widget] })
	}
	for i, page := range p.site.Pages {
		p.site.Pages[i].Body = p.names[parseIDName(page.Body)]
	}
	p.site.Pages = slices.DeleteFunc(p.site.Pages, func(page Page) bool {
		if !known[page.Body] {
			p.addNote("page", cmp.Or(page.ID, p.pages[page.File]), "its widget is left out")
		}
		return !known[page.Body]
	})
	slices.SortFunc(p.site.Pages, func(a, b Page) int { return strings.Compare(a.File, b.File) })
	slices.SortFunc(p.site.Widgets, func(a, b Widget) int { return strings.Compare(a.Folder, b.Folder) })
}
