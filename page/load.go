package page

import (
	"cmp"
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Load reads the page that answers a slug, with its widgets. The error is NotFound when there is no such
// page.
//
// Case and a trailing slash do not matter in what is asked for; stored slugs are NormalSlugs. Of several
// links where one is meant the newest counts; of several pages with one slug the one linked last.
func Load(ctx context.Context, reader graph.Reader, slug string) (Page, error) {
	l := loader{Reader: reader}
	if err := l.learnTypes(ctx); err != nil {
		return Page{}, err
	}
	head, slugs, err := l.find(ctx, slug)
	if err != nil {
		return Page{}, err
	}
	p, body, err := l.settings(ctx, head)
	if err != nil {
		return Page{}, err
	}
	p.reads = map[graph.ID]bool{head: true}
	for _, id := range slugs {
		p.reads[id] = true
	}
	if body != 0 {
		p.Body, err = l.tree(ctx, body, p.reads)
	}
	return p, err
}

// A loader knows the types of the store it reads from.
type loader struct {
	graph.Reader
	types map[string]graph.ID
	names map[graph.ID]string
}

var (
	slugRelations = []string{"the_page_slug", "the_page_s_slug"}
	pageRelations = []string{
		"the_page_slug", "the_page_title", "the_page_meta_title", "the_page_meta_description",
		"the_page_meta_keywords", "the_page_type", "the_page_width", "the_page_font_size",
		"the_page_font_family", "the_page_body",
	}
	widgetRelations = []string{"the_widget_name", "the_widget_html", "the_widget_css", "the_widget_s_child"}
	childRelations  = []string{"the_child_widget_wrapper", "the_child_widget_info", "the_child_widget_parent"}
)

func (l *loader) learnTypes(ctx context.Context) error {
	wanted := slices.Concat([]string{"the_page", "the_slug", "the_widget", "the_child_widget"},
		slugRelations, pageRelations, widgetRelations, childRelations)
	keys := make([]graph.ValueKey, len(wanted))
	for i, name := range wanted {
		keys[i] = graph.ValueKey{Value: name, Types: true}
	}
	found, err := l.ConceptsByValue(ctx, keys)
	if err != nil {
		return err
	}
	l.types, l.names = map[string]graph.ID{}, map[graph.ID]string{}
	for _, c := range found {
		l.types[c.Value], l.names[c.ID] = c.ID, c.Value
	}
	return nil
}

// find returns the page of a slug and the concepts of the slug itself.
func (l *loader) find(ctx context.Context, slug string) (graph.ID, []graph.ID, error) {
	missing := graph.Errorf(graph.NotFound, "there is no page %.80q", slug)
	if l.types["the_slug"] == 0 {
		return 0, nil, missing
	}
	values, err := l.ConceptsByValue(ctx, []graph.ValueKey{{Value: NormalSlug(slug), Type: l.types["the_slug"]}})
	if err != nil {
		return 0, nil, err
	}
	for _, value := range values {
		if head, err := l.pageOf(ctx, value.ID); head != 0 || err != nil {
			return head, ids(values), err
		}
	}
	return 0, nil, missing
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
		if published(link) {
			sources = append(sources, link.From)
		}
	}
	if len(sources) == 0 {
		return 0, nil
	}
	found, err := l.Concepts(ctx, sources)
	for _, c := range found {
		if l.ours(c, "the_page") {
			return c.ID, err
		}
	}
	return 0, err
}

// ours says whether a head may be served: what the operator shipped, and shows to everybody.
func (l *loader) ours(c graph.Concept, typ string) bool {
	return c.Owner == graph.System && c.Access == graph.Public && c.Type == l.types[typ] && !c.IsType()
}

func published(c graph.Connection) bool {
	return c.Owner == graph.System && c.Access == graph.Public
}

func (l *loader) known(relations []string) []graph.ID {
	known := []graph.ID{}
	for _, name := range relations {
		if id := l.types[name]; id != 0 {
			known = append(known, id)
		}
	}
	return known
}

func (l *loader) settings(ctx context.Context, head graph.ID) (Page, graph.ID, error) {
	links, err := l.linksOf(ctx, []graph.ID{head}, pageRelations)
	if err != nil {
		return Page{}, 0, err
	}
	values, err := l.concepts(ctx, links[head].targets())
	text := func(relation string) string { return value(values[links[head].single(relation)]) }
	return Page{Settings: Settings{
		ID:              head,
		Slug:            text("the_page_slug"),
		Title:           text("the_page_title"),
		MetaTitle:       text("the_page_meta_title"),
		MetaDescription: text("the_page_meta_description"),
		MetaKeywords:    text("the_page_meta_keywords"),
		Type:            text("the_page_type"),
		Width:           text("the_page_width"),
		FontSize:        text("the_page_font_size"),
		FontFamily:      text("the_page_font_family"),
	}}, links[head].single("the_page_body"), err
}

// value is the text of a leaf, if everybody may read it. Builders store what JavaScript prints for nothing.
func value(c graph.Concept) string {
	switch c.Value {
	case "undefined", "null", "NaN":
		return ""
	}
	if c.Scope() != 0 {
		return ""
	}
	return c.Value
}

// relations are the links of one concept by the name of their type, oldest first.
type relations map[string][]graph.ID

// single is the target of the newest link, 0 when there is none.
func (r relations) single(name string) graph.ID {
	if targets := r[name]; len(targets) > 0 {
		return targets[len(targets)-1]
	}
	return 0
}

func (r relations) targets() []graph.ID {
	var all []graph.ID
	for _, targets := range r {
		all = append(all, targets...)
	}
	return all
}

// linksOf reads the links that the operator published. Anybody else's are not looked at.
func (l *loader) linksOf(ctx context.Context, heads []graph.ID, names []string) (map[graph.ID]relations, error) {
	types := l.known(names)
	if len(heads) == 0 || len(types) == 0 {
		return nil, nil
	}
	links, err := l.Links(ctx, graph.Links{Of: heads, Types: types})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(links, func(a, b graph.Connection) int { return cmp.Compare(a.ID, b.ID) })
	byHead := map[graph.ID]relations{}
	for _, link := range links {
		if !published(link) {
			continue
		}
		if byHead[link.From] == nil {
			byHead[link.From] = relations{}
		}
		name := l.names[link.Type]
		byHead[link.From][name] = append(byHead[link.From][name], link.To)
	}
	return byHead, nil
}

func (l *loader) concepts(ctx context.Context, wanted []graph.ID) (map[graph.ID]graph.Concept, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	found, err := l.Concepts(ctx, wanted)
	byID := make(map[graph.ID]graph.Concept, len(found))
	for _, c := range found {
		byID[c.ID] = c
	}
	return byID, err
}

func ids(concepts []graph.Concept) []graph.ID {
	all := make([]graph.ID, len(concepts))
	for i, c := range concepts {
		all[i] = c.ID
	}
	return all
}
