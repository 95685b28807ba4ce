package page

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Load reads the page that answers a slug, with its widgets, as everybody may read them. The body is the
// latest version of the widget that the page names. The error is NotFound when there is no such page, and
// TooLarge when there is more in it than MaxText.
//
// Case and a trailing slash do not matter in what is asked for; stored slugs are NormalSlugs. Of several
// links where one is meant the newest counts; of several pages with one slug the one linked last.
func Load(ctx context.Context, reader graph.Reader, policy Policy, slug string) (Page, error) {
	l := newLoader(reader, policy)
	l.public = true
	if err := l.learnTypes(ctx); err != nil {
		return Page{}, err
	}
	head, err := l.find(ctx, slug)
	if err != nil {
		return Page{}, err
	}
	p, body, err := l.settings(ctx, head)
	if err != nil {
		return Page{}, err
	}
	p.reads = l.reads
	if body != 0 {
		p.Body, err = l.tree(ctx, body, Latest)
	}
	return p, err
}

// find returns the page of a slug.
func (l *loader) find(ctx context.Context, slug string) (graph.ID, error) {
	missing := graph.Errorf(graph.NotFound, "there is no page %.80q", slug)
	if l.types["the_slug"] == 0 {
		return 0, missing
	}
	values, err := l.ConceptsByValue(ctx, []graph.ValueKey{{Value: NormalSlug(slug), Type: l.types["the_slug"]}})
	if err != nil {
		return 0, err
	}
	for _, value := range values {
		l.reads[value.ID] = true
	}
	for _, value := range values {
		if head, err := l.pageOf(ctx, value.ID); head != 0 || err != nil {
			return head, err
		}
	}
	return 0, missing
}

// Anybody may give a page of theirs the slug of one of ours. The links are read in parts, oldest first
// because ours are usually there before theirs, and not without end.
const (
	slugLinks = 1000
	slugParts = 10
)

func (l *loader) pageOf(ctx context.Context, slug graph.ID) (graph.ID, error) {
	ask := graph.Links{Of: []graph.ID{slug}, Direction: graph.In, Types: l.known(slugRelations)}
	ask.Page.Limit = slugLinks
	for range slugParts {
		links, err := l.Links(ctx, ask)
		if err != nil || len(links) == 0 {
			return 0, err
		}
		if head, err := l.newestPage(ctx, links); head != 0 || err != nil {
			return head, err
		}
		ask.Page.After = links[len(links)-1].ID
	}
	return 0, nil
}

func (l *loader) newestPage(ctx context.Context, links []graph.Connection) (graph.ID, error) {
	var sources []graph.ID
	for _, link := range slices.Backward(links) {
		if l.Publishes(link.Owner) && graph.ScopeOf(link.Owner, link.Access) == 0 {
			sources = append(sources, link.From)
		}
	}
	if err := l.learn(ctx, sources); err != nil {
		return 0, err
	}
	for _, id := range sources {
		if l.published(id) {
			return id, nil
		}
	}
	return 0, nil
}

// published says whether a concept is a page that is served.
func (l *loader) published(id graph.ID) bool {
	return l.is(id, "the_page") && l.Publishes(l.concepts[id].Owner)
}

// publishers says whose links are part of a page.
func (l *loader) publishers(by, _ graph.ID) bool { return l.Publishes(by) }

func (l *loader) settings(ctx context.Context, head graph.ID) (Page, graph.ID, error) {
	if err := l.follow(ctx, []graph.ID{head}, pageRelations, l.publishers); err != nil {
		return Page{}, 0, err
	}
	err := l.learn(ctx, l.links[head].newest(pageRelations))
	return Page{Settings: l.read(head)}, l.links[head].single("the_page_body"), err
}

// read is what a page says, whose texts are here.
func (l *loader) read(head graph.ID) Settings {
	text := func(name string) string { return meant(l.concepts[l.links[head].single("the_page_"+name)].Value) }
	return Settings{
		ID:              head,
		Slug:            text("slug"),
		Title:           text("title"),
		MetaTitle:       text("meta_title"),
		MetaDescription: text("meta_description"),
		MetaKeywords:    text("meta_keywords"),
		Type:            text("type"),
		Width:           text("width"),
		FontSize:        text("font_size"),
		FontFamily:      text("font_family"),
		Guarded:         text("guarded") == "true",
	}
}

// LoadWidget reads a version of a widget with everything inside it, as far as the reader shows it. It is nil
// when there is no such widget, or it has no name. The error is TooLarge when there is more in it than MaxText.
func LoadWidget(ctx context.Context, reader graph.Reader, policy Policy, id graph.ID, version Version) (*Widget, error) {
	l := newLoader(reader, policy)
	if err := l.learnTypes(ctx); err != nil {
		return nil, err
	}
	w, err := l.tree(ctx, id, version)
	if err != nil || w.Name == "" {
		return nil, err
	}
	return w, nil
}

// LoadModule reads a part of a widget's code as a module: see Widget.Module. It goes to everybody.
func LoadModule(ctx context.Context, reader graph.Reader, policy Policy, id graph.ID, part, hash string) (string, error) {
	l := newLoader(reader, policy)
	l.public = true
	if err := l.learnTypes(ctx); err != nil {
		return "", err
	}
	if err := l.level(ctx, []graph.ID{id}); err != nil {
		return "", err
	}
	w := l.widgets[id].Widget
	return w.Module(part, hash)
}
