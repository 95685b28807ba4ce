package page

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Load reads the page at a slug, with its widgets, as a guest may read them. The body is the latest version of the widget that
// the page names. The error is NotFound if the page does not exist, and TooLarge if the text of the page exceeds MaxTextBytes.
//
// Case and a trailing slash of the slug do not matter; stored slugs are normalised. Where one link is expected and
// there are several, the newest counts. If several pages have the slug, the page that was linked last counts. For a
// slug with many links, see pageOf.
func Load(ctx context.Context, reader graph.Reader, policy Policy, slug string) (Page, error) {
	r, err := newPublicReader(ctx, reader, policy)
	if err != nil {
		return Page{}, err
	}
	id, err := r.findPage(ctx, slug)
	if err != nil {
		return Page{}, err
	}
	return r.loadPage(ctx, id)
}

// LoadByID is like Load for the id of a page.
func LoadByID(ctx context.Context, reader graph.Reader, policy Policy, id graph.ID) (Page, error) {
	r, err := newPublicReader(ctx, reader, policy)
	if err != nil {
		return Page{}, err
	}
	if err := r.readConcepts(ctx, []graph.ID{id}); err != nil {
		return Page{}, err
	}
	if !r.isPublishedPage(id) {
		return Page{}, graph.Errorf(graph.NotFound, "page %d does not exist", id)
	}
	return r.loadPage(ctx, id)
}

// loadPage reads a page with its widgets.
func (r *recordReader) loadPage(ctx context.Context, id graph.ID) (Page, error) {
	if err := r.readPages(ctx, []graph.ID{id}); err != nil {
		return Page{}, err
	}
	var err error
	p := Page{Settings: r.settings(id)}
	if body := r.links(id).newest("the_page_body"); body != 0 {
		p.Body, err = loadTree(ctx, r, body, Latest)
	}
	p.dependencies = r.dependencies()
	return p, err
}

// findPage returns the page with a slug, or a NotFound error.
func (r *recordReader) findPage(ctx context.Context, slug string) (graph.ID, error) {
	missing := graph.Errorf(graph.NotFound, "page %.80q does not exist", slug)
	if r.typeIDs["the_slug"] == 0 {
		return 0, missing
	}
	values, err := r.ConceptsByValue(ctx, []graph.ValueKey{{Value: NormalizeSlug(slug), Type: r.typeIDs["the_slug"]}})
	if err != nil {
		return 0, err
	}
	for _, value := range values {
		r.records[value.ID] = &record{links: relations{}, isDependency: true}
		r.keepConcept(value)
	}
	for _, value := range values {
		if id, err := r.pageOf(ctx, value.ID); id != 0 || err != nil {
			return id, err
		}
	}
	return 0, missing
}

// Any user may link a page to the slug of another page. Links are therefore read in batches, oldest first, because the links of
// publishers usually come first, and at most maxSlugBatches of them.
const (
	slugBatchLinks = 1000
	maxSlugBatches = 10
)

// pageOf returns the page that was linked last in the first batch with a published page, or 0.
func (r *recordReader) pageOf(ctx context.Context, slug graph.ID) (graph.ID, error) {
	query := graph.Links{Of: []graph.ID{slug}, Direction: graph.In, Types: r.knownTypes(slugRelations)}
	query.Page.Limit = slugBatchLinks
	for range maxSlugBatches {
		links, err := r.Links(ctx, query)
		if err != nil || len(links) == 0 {
			return 0, err
		}
		if id, err := r.newestPage(ctx, links); id != 0 || err != nil {
			return id, err
		}
		query.Page.After = links[len(links)-1].ID
	}
	return 0, nil
}

// newestPage returns the published page that was linked last, or 0 if there is none.
func (r *recordReader) newestPage(ctx context.Context, links []graph.Connection) (graph.ID, error) {
	var sources []graph.ID
	for _, link := range slices.Backward(links) {
		if r.Publishes(link.Owner) && graph.ScopeOf(link.Owner, link.Access) == 0 {
			sources = append(sources, link.From)
		}
	}
	if err := r.readConcepts(ctx, sources); err != nil {
		return 0, err
	}
	for _, id := range sources {
		if r.isPublishedPage(id) {
			return id, nil
		}
	}
	return 0, nil
}

func (r *recordReader) isPublishedPage(id graph.ID) bool {
	return r.hasType(id, "the_page") && r.Publishes(r.concept(id).Owner)
}

// readPages reads pages and their settings.
func (r *recordReader) readPages(ctx context.Context, ids []graph.ID) error {
	byPublishers := func(linkOwner, _ graph.ID) bool { return r.Publishes(linkOwner) }
	if err := r.readLinks(ctx, ids, pageRelations, byPublishers); err != nil {
		return err
	}
	var texts []graph.ID
	for _, id := range ids {
		texts = append(texts, r.links(id).newestOf(pageRelations)...)
	}
	return r.readConcepts(ctx, texts)
}

// settings returns the settings of a page that readPages has read.
func (r *recordReader) settings(id graph.ID) Settings {
	text := func(name string) string {
		return normalizeText(r.concept(r.links(id).newest("the_page_" + name)).Value)
	}
	s := Settings{ID: id, Guarded: text("guarded") == "true"}
	for relation, field := range Texts(&s) {
		*field = text(relation)
	}
	return s
}

// LoadWidget reads a version of a widget with the children that the reader may see. It returns nil if the widget does not exist or has no
// name. Unlike the trees of pages, the tree contains the notes of builders. The error is TooLarge if the text of the tree exceeds
// MaxTextBytes.
func LoadWidget(ctx context.Context, reader graph.Reader, policy Policy, id graph.ID, version Version) (*Widget, error) {
	r, err := newRecordReader(ctx, reader, policy)
	if err != nil {
		return nil, err
	}
	r.withNotes = true
	w, err := loadTree(ctx, r, id, version)
	if err != nil || w.Name == "" {
		return nil, err
	}
	return w, nil
}

// LoadModule reads a part of a widget's code as a module: see Widget.Module. Only public records count.
func LoadModule(ctx context.Context, reader graph.Reader, policy Policy, id graph.ID, part, hash string) (string, error) {
	r, err := newPublicReader(ctx, reader, policy)
	if err != nil {
		return "", err
	}
	l := newTreeLoader(r)
	if err := l.readLevel(ctx, []graph.ID{id}); err != nil {
		return "", err
	}
	w := l.widgets[id].Widget
	return w.Module(part, hash)
}
