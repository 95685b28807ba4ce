package content

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"strconv"

	"github.com/weft-graph/weft/graph"
)

// Options say how a site is pushed.
type Options struct {
	By      graph.Sender // who writes; the zero value is the system, in process
	Publish bool         // show what is pushed: move the_widget_latest, and write pages, which have no versions
	DryRun  bool         // say what would change, and change nothing
}

// A Change is what became of a file or folder.
type Change struct {
	What   string // "page" or "widget"
	Name   string // of the file or folder
	Became string // "new", "version 3", "published", "changed", "removed", "waits for --publish", "unchanged"
}

// Unchanged is what becomes of what is in the store already.
const Unchanged = "unchanged"

// Push makes a store hold a site, in one batch. A widget that differs from its newest version becomes another
// version; one that does not writes nothing. What the store holds besides stays. Errors are Invalid and name the file
// and the member.
func (s Site) Push(ctx context.Context, store graph.Store, o Options) ([]Change, error) {
	p, err := s.plan(ctx, store, o, false)
	if err != nil {
		return nil, err
	}
	if o.DryRun || p.empty() {
		return p.changes, nil
	}
	_, err = store.Write(ctx, p.Batch)
	return p.changes, err
}

// A pushing compares what should be with what is.
type pushing struct {
	*holding
	*draft
	site    Site
	options Options
	seeding bool
	at      map[string]graph.ID // of everything in site by its key: a real id, or the ghost it will be sent under
	lost    map[string]bool     // keys of what was removed since it was sent
	changes []Change
}

func (s Site) plan(ctx context.Context, store graph.Reader, o Options, seeding bool) (*pushing, error) {
	d, err := begin(ctx, store, o.By) // before anything is read
	if err != nil {
		return nil, err
	}
	h, err := hold(ctx, store)
	if err != nil {
		return nil, err
	}
	p := &pushing{holding: h, draft: d, site: s, options: o, seeding: seeding, at: map[string]graph.ID{}, lost: map[string]bool{}}
	if err := p.identify(ctx); err != nil {
		return nil, err
	}
	if err := p.look(ctx); err != nil {
		return nil, err
	}
	p.changeProject()
	for _, w := range s.Widgets {
		if err := p.changeWidget(w); err != nil {
			return nil, err
		}
	}
	for _, page := range s.Pages {
		if err := p.changePage(page); err != nil {
			return nil, err
		}
	}
	if seeding {
		p.removeGone()
	}
	return p, nil
}

// begin starts a batch. What the system sends when it starts has the same ghosts in every process that has read the
// same.
func begin(ctx context.Context, store graph.Reader, by graph.Sender) (*draft, error) {
	if by != (graph.Sender{}) {
		return newDraft(by, rand.Text()), nil
	}
	at, err := store.LastSeq(ctx)
	return newDraft(system, "at "+strconv.FormatInt(int64(at), 10)), err
}

// look reads what has to be compared.
func (p *pushing) look(ctx context.Context) error {
	var heads, versions []graph.ID
	for _, page := range p.site.Pages {
		heads = append(heads, p.at[page.File])
	}
	for _, w := range p.site.Widgets {
		heads = append(heads, p.at[w.key()])
		for _, child := range w.Children {
			heads = append(heads, child.Fixed)
		}
	}
	if err := p.take(ctx, heads); err != nil {
		return err
	}
	for _, w := range p.site.Widgets {
		if head := p.at[w.key()]; head.Real() && !p.seededWidget(w) {
			versions = append(versions, p.recent(head), p.latest(head))
		}
	}
	if err := p.takeWidgets(ctx, versions); err != nil {
		return err
	}
	for id, c := range p.concepts {
		if c.Owner == graph.System && !c.Composition && !graph.Shared(c.Value) && c.Scope() == 0 {
			p.leaves[leaf{p.concepts[c.Type].Value, c.Value}] = id
		}
	}
	return p.checkStored()
}

// checkStored sees to what files alone do not tell: ids, and slugs that other pages have.
func (p *pushing) checkStored() error {
	for _, w := range p.site.Widgets {
		switch head := p.at[w.key()]; {
		case w.ID != 0 && !p.is(head, "the_widget"):
			return wrong(w.file("widget.json"), "id", "there is no widget %d", w.ID)
		case w.ID != 0 && p.root(head) != head:
			return wrong(w.file("widget.json"), "id", "%d is a version of %d, whose id belongs here", w.ID, p.root(head))
		}
		if c := p.concepts[p.at[w.key()]]; c.Scope() != 0 {
			return wrong(w.file("widget.json"), "id", "widget %d is private, and what is pushed is there for everybody", c.ID)
		}
		for _, child := range w.Children {
			if child.Fixed != 0 && !p.is(child.Fixed, "the_widget") {
				return wrong(w.file("widget.json"), "children", "fixed: there is no widget %d", child.Fixed)
			}
		}
	}
	for _, page := range p.site.Pages {
		if page.ID != 0 && !p.is(p.at[page.File], "the_page") {
			return wrong(page.File, "id", "there is no page %d", page.ID)
		}
		if c := p.concepts[p.at[page.File]]; c.Scope() != 0 {
			return wrong(page.File, "id", "page %d is private, and what is pushed is there for everybody", c.ID)
		}
	}
	if p.seeding { // what somebody pushed keeps no server from starting
		return nil
	}
	return p.checkSlugs()
}

func (p *pushing) checkSlugs() error {
	pushed := map[graph.ID]bool{}
	for _, page := range p.site.Pages {
		pushed[p.at[page.File]] = true
	}
	taken := map[string]string{}
	for _, file := range slices.Sorted(maps.Keys(p.pages)) {
		if id := p.pages[file]; !pushed[id] {
			stored := p.page(id)
			for _, slug := range append(stored.Also, stored.Slug) {
				taken[slug] = file
			}
		}
	}
	for _, page := range p.site.Pages {
		for _, slug := range append([]string{page.Slug}, page.Also...) {
			if file, ok := taken[slug]; ok {
				return wrong(page.File, "slug", "%q is already that of the stored page %s", slug, file)
			}
		}
	}
	return nil
}

func (p *pushing) changeProject() {
	if id := p.at[projectKey]; id.Local() {
		p.head(id, "the_project")
		p.text(id, "the_project", "name", projectName)
	}
}

// changeWidget drafts an original, a version of it, or nothing.
func (p *pushing) changeWidget(w Widget) error {
	head, want := p.at[w.key()], p.resolved(w)
	became := Unchanged
	switch {
	case head.Local():
		p.head(head, "the_widget")
		p.fill(head, want.record())
		became = "new"
	case p.seededWidget(w):
	default:
		var err error
		if became, err = p.changeVersion(head, want); err != nil {
			return err
		}
	}
	p.mark(head, "the_widget", w.print())
	if w.ID == 0 {
		p.setText(head, "the_widget", "folder_name", w.Folder)
		p.join("the_project_s_widget", head)
	}
	p.changes = append(p.changes, Change{"widget", w.Folder, became})
	return nil
}

func (p *pushing) changeVersion(head graph.ID, want Widget) (became string, err error) {
	recent, latest := p.recent(head), p.latest(head)
	show := p.options.Publish || p.seeding
	isSaved, err := want.same(p.widget(recent))
	if err != nil {
		return "", err
	}
	isShown, err := want.same(p.widget(latest))
	switch {
	case err != nil:
		return "", err
	case isSaved && (recent == latest || !show), isShown && p.seeding:
		return Unchanged, nil
	case isSaved:
		p.show(head, recent)
		return "published version " + strconv.Itoa(p.version(recent)), nil
	}
	version := p.version(recent) + 1
	made := p.head(p.ghost("version", head.String(), strconv.Itoa(version), want.print()), "the_widget")
	p.fill(made, want.record().copyOf(head, version))
	p.carry(recent, made)
	p.link(head, "the_widget_s_copy", made)
	p.setLink(head, "the_widget_recent", made)
	if !show {
		return "version " + strconv.Itoa(version) + ", not published", nil
	}
	p.show(head, made)
	return "version " + strconv.Itoa(version), nil
}

// carry links a version to what the one before it had and files do not show.
func (p *pushing) carry(from, to graph.ID) {
	for _, at := range slices.SortedFunc(maps.Keys(p.links), byRelation) {
		if at.head != from || !carried(at.relation) {
			continue
		}
		for _, link := range p.links[at] {
			p.link(to, at.relation, link.To)
		}
	}
}

// changePage drafts a page or what is another about it. Pages have no versions, so they wait to be published.
func (p *pushing) changePage(page Page) error {
	head, want := p.at[page.File], page.inOrder()
	if w, ok := p.site.widget(page.Body); ok {
		want.Body = named(p.at[w.key()])
	}
	became := Unchanged
	switch same, err := want.same(p.page(head)); {
	case err != nil:
		return err
	case head.Real() && (same || p.seededPage(page)):
	case !p.options.Publish && !p.seeding:
		p.changes = append(p.changes, Change{"page", page.File, "waits for --publish"})
		return nil
	case head.Local():
		p.head(head, "the_page")
		became = "new"
		p.fillPage(head, want)
	default:
		became = "changed"
		p.fillPage(head, want)
	}
	p.mark(head, "the_page", page.print())
	if page.ID == 0 && (became != Unchanged || p.seeding) {
		p.setText(head, "the_page", "file_name", fileName(page.File))
		p.join("the_project_s_page", head)
	}
	p.changes = append(p.changes, Change{"page", page.File, became})
	return nil
}

func (p *pushing) fillPage(head graph.ID, page Page) {
	for _, f := range page.fields() {
		p.setText(head, "the_page", f.name, *f.text)
	}
	p.setTexts(head, "the_page", "s_slug", page.Also)
	p.setText(head, "the_page", "guarded", page.guarded())
	p.setLink(head, "the_page_body", idOf(page.Body))
}
