package page

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A loader reads what a page or a widget is made of, each record once.
type loader struct {
	graph.Reader
	Policy
	public   bool // only what everybody may read counts
	types    map[string]graph.ID
	names    map[graph.ID]string
	concepts map[graph.ID]graph.Concept // those asked for; what is not there has no id
	links    map[graph.ID]relations     // of the records followed
	private  map[graph.ID]bool          // records of whose code somebody cannot read all
	changed  map[graph.ID]time.Time     // when the newest link of a record was made
	widgets  map[graph.ID]storedWidget
	ours     bool              // what is read is trusted at the top
	brought  map[graph.ID]bool // widgets that are strangers', or stand in what is
	count    tally             // widgets that were asked for
	taken    tally             // bytes of text that were read
	reads    map[graph.ID]bool // records whose change changes what was made of them
}

func newLoader(reader graph.Reader, policy Policy) *loader {
	return &loader{
		Reader: reader, Policy: policy,
		concepts: map[graph.ID]graph.Concept{}, links: map[graph.ID]relations{}, private: map[graph.ID]bool{},
		changed: map[graph.ID]time.Time{}, widgets: map[graph.ID]storedWidget{}, brought: map[graph.ID]bool{}, reads: map[graph.ID]bool{},
	}
}

var (
	slugRelations = []string{"the_page_slug", "the_page_s_slug"}
	pageRelations = named("the_page_", "slug", "title", "meta_title", "meta_description", "meta_keywords", "type",
		"width", "font_size", "font_family", "guarded", "body")
	codeRelations = named("the_widget_", "js", "before_render", "after_render", "mount_child", "update", "dependency")
	textRelations = named("the_widget_", "name", "html", "css", "type", "version", "origin")
	partRelations = named("the_widget_s_", "child", "css_library", "js_library", "custom_function")
	// The relations of parts, by their type.
	childRelations    = named("the_child_widget_", "wrapper", "info", "parent", "type", "use_latest")
	libraryRelations  = append(named("the_css_library_", "order", "url"), named("the_js_library_", "order", "url")...)
	functionRelations = named("the_custom_function_", "name", "slug", "code")

	aboutRelations   = []string{"the_widget_documentation", "the_widget_s_documentation"}
	originRelations  = []string{"the_widget_root", "the_widget_origin"}
	widgetRelations  = slices.Concat(textRelations, codeRelations, partRelations, originRelations[:1], aboutRelations)
	insideRelations  = slices.Concat(childRelations, libraryRelations, functionRelations)
	versionRelations = []string{string(Latest), string(Recent)}
	// What of a widget is not what runs.
	asideRelations = slices.Concat(partRelations[:1], aboutRelations, originRelations, versionRelations)
	headTypes      = named("the_", "page", "slug", "widget", "child_widget", "css_library", "js_library",
		"custom_function", "documentation", "json_list")
	allRelations = slices.Concat(slugRelations, pageRelations, widgetRelations, insideRelations, versionRelations,
		entryRelations, listRelations)
)

func named(prefix string, names ...string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = prefix + name
	}
	return all
}

// learnTypes finds the types that the store has a use for.
func (l *loader) learnTypes(ctx context.Context) error {
	found, err := graph.TypesNamed(ctx, l, slices.Concat(headTypes, allRelations)...)
	l.types, l.names = map[string]graph.ID{}, map[graph.ID]string{}
	for name, c := range found {
		l.types[name], l.names[c.ID] = c.ID, name
	}
	return err
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

// learn reads the concepts that were not read before.
func (l *loader) learn(ctx context.Context, wanted []graph.ID) error {
	var ask []graph.ID
	for _, id := range wanted {
		if _, asked := l.concepts[id]; !asked {
			l.concepts[id] = graph.Concept{}
			ask = append(ask, id)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	found, err := l.Concepts(ctx, ask)
	for _, c := range found {
		if !l.public || c.Scope() == 0 {
			l.concepts[c.ID] = c
		}
	}
	return err
}

// is says whether a concept that was read is the head of a record of a type.
func (l *loader) is(id graph.ID, typ string) bool {
	c := l.concepts[id]
	return c.ID != 0 && c.Type == l.types[typ] && !c.IsType()
}

// mostLinks is how many links of a record are looked at, the newest.
const mostLinks = 10_000

// follow reads the heads of records and those of their links that count, as who owns the link and who owns
// the head decide.
func (l *loader) follow(ctx context.Context, heads []graph.ID, names []string, counts func(by, owner graph.ID) bool) error {
	if err := l.learn(ctx, heads); err != nil {
		return err
	}
	for _, id := range heads {
		l.reads[id] = true
	}
	types := l.known(names)
	if len(heads) == 0 || len(types) == 0 {
		return nil
	}
	found, err := l.Links(ctx, graph.Links{Of: heads, Types: types, Page: graph.Page{Descending: true, Limit: mostLinks}})
	if err != nil {
		return err
	}
	slices.SortFunc(found, func(a, b graph.Connection) int { return cmp.Compare(a.ID, b.ID) })
	for _, link := range found {
		head := l.concepts[link.From]
		closed := graph.ScopeOf(link.Owner, link.Access) != 0
		if head.ID == 0 || !counts(link.Owner, head.Owner) || closed && l.public {
			continue
		}
		if l.links[link.From] == nil {
			l.links[link.From] = relations{}
		}
		name := l.names[link.Type]
		l.links[link.From][name] = append(l.links[link.From][name], link.To)
		l.changed[link.From] = later(l.changed[link.From], link.Created)
		if !slices.Contains(asideRelations, name) {
			l.private[link.From] = l.private[link.From] || closed || head.Scope() != 0
		}
	}
	return nil
}

// text is what a record says in a field: "" when the record that holds the text is no part of it.
func (l *loader) text(head graph.ID, relation string) string {
	c := l.concepts[l.links[head].single(relation)]
	if !graph.Shared(c.Value) && !l.adds(c.Owner, l.concepts[head].Owner) {
		return ""
	}
	if c.Scope() != 0 {
		l.private[head] = true
	}
	return meant(c.Value)
}

// parts are the records of a type that a record holds, oldest first.
func (l *loader) parts(head graph.ID, relation, typ string) []graph.ID {
	var parts []graph.ID
	for _, id := range l.links[head][relation] {
		if l.is(id, typ) && l.adds(l.concepts[id].Owner, l.concepts[head].Owner) && !slices.Contains(parts, id) {
			parts = append(parts, id)
		}
	}
	return parts
}

// meant is a stored text; builders store what JavaScript prints for nothing.
func meant(text string) string {
	switch text {
	case "undefined", "null", "NaN":
		return ""
	}
	return text
}

// relations are the targets of a record's links by the name of their type, oldest first.
type relations map[string][]graph.ID

// single is the target of the newest link, 0 when there is none.
func (r relations) single(name string) graph.ID {
	if targets := r[name]; len(targets) > 0 {
		return targets[len(targets)-1]
	}
	return 0
}

// newest are the targets of the newest link of each name.
func (r relations) newest(names []string) []graph.ID {
	var targets []graph.ID
	for _, name := range names {
		if id := r.single(name); id != 0 {
			targets = append(targets, id)
		}
	}
	return targets
}
