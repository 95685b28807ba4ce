package content

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"strconv"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/page"
)

// Options control a push.
type Options struct {
	Sender  graph.Sender // sender of the batch; the zero value means systemSender
	Publish bool         // publish the pushed versions (the_widget_latest), and write pages, which have no versions
	DryRun  bool         // report the changes without writing them
	// WritePages writes pages without publishing widgets.
	WritePages bool
}

// A Change is the result of pushing a page or widget.
type Change struct {
	Kind   string // "page" or "widget"
	Name   string // name of the file or folder
	Result string // "new", "version 3", "version 3, not published", "published version 3", "changed", "waits for --publish" or Unchanged
}

// Unchanged is the result for a page or widget that the store already has.
const Unchanged = "unchanged"

// Push writes a site to a store in one batch. A widget that differs from its newest version is saved as a new version;
// a widget that equals its newest version is not written. Pages and widgets of the store that are not in s do not
// change. Errors in the files are of kind Invalid and name the file and the member.
func (s Site) Push(ctx context.Context, store graph.Store, o Options) ([]Change, error) {
	p, err := s.plan(ctx, store, o, false)
	if err != nil {
		return nil, err
	}
	if o.DryRun || p.isEmpty() {
		return p.changes, nil
	}
	_, err = store.Write(ctx, p.Batch)
	return p.changes, err
}

// A pushPlan compares a site with a store and collects the changes in a batch.
type pushPlan struct {
	*storedSite
	*batchBuilder
	site        Site
	options     Options
	seeding     bool
	ids         map[string]graph.ID // ids of the project, pages and originals by key: real ids, or local ids of new records
	removedKeys map[string]bool     // keys of records that were removed after they were seeded
	changes     []Change
}

// plan compares the site with a store. With seeding it follows the rules of Seed; see the package comment.
func (s Site) plan(ctx context.Context, store graph.Reader, o Options, seeding bool) (*pushPlan, error) {
	batch, err := newBatchFor(ctx, store, o.Sender) // before all other reads, because the salt is the position of the store
	if err != nil {
		return nil, err
	}
	stored, err := loadStoredSite(ctx, store)
	if err != nil {
		return nil, err
	}
	p := &pushPlan{storedSite: stored, batchBuilder: batch, site: s, options: o, seeding: seeding, ids: map[string]graph.ID{}, removedKeys: map[string]bool{}}
	if err := p.findIDs(ctx); err != nil {
		return nil, err
	}
	if err := p.readCompared(ctx); err != nil {
		return nil, err
	}
	p.draftProject()
	for _, w := range s.Widgets {
		if err := p.draftWidget(w); err != nil {
			return nil, err
		}
	}
	for _, page := range s.Pages {
		if err := p.draftPage(page); err != nil {
			return nil, err
		}
	}
	if seeding {
		p.removeWithoutFile()
	}
	return p, nil
}

// newBatchFor returns an empty batch of a sender. Batches of the system are salted with the position of the store, so
// processes that read the same state derive the same local ids. Other batches have a random salt.
func newBatchFor(ctx context.Context, store graph.Reader, sender graph.Sender) (*batchBuilder, error) {
	if sender != (graph.Sender{}) {
		return newBatchBuilder(sender, rand.Text()), nil
	}
	position, err := store.LastSeq(ctx)
	return newBatchBuilder(systemSender, "at "+strconv.FormatInt(int64(position), 10)), err
}

// readCompared reads the stored pages and widgets with which the site is compared.
func (p *pushPlan) readCompared(ctx context.Context) error {
	var heads, versions []graph.ID
	for _, page := range p.site.Pages {
		heads = append(heads, p.ids[page.File])
	}
	for _, w := range p.site.Widgets {
		heads = append(heads, p.ids[w.key()])
		for _, child := range w.Children {
			heads = append(heads, child.Fixed)
		}
	}
	if err := p.readRecords(ctx, heads); err != nil {
		return err
	}
	for _, w := range p.site.Widgets {
		if head := p.ids[w.key()]; head.IsReal() && !p.isWidgetSeeded(w) {
			versions = append(versions, p.newestVersion(head), p.publishedVersion(head))
		}
	}
	if err := p.readWidgets(ctx, versions); err != nil {
		return err
	}
	for id, c := range p.concepts {
		if c.Owner == graph.System && !c.Composition && !graph.IsShared(c.Value) && c.Scope() == 0 {
			p.textIDs[textKey{p.concepts[c.Type].Value, c.Value}] = id
		}
	}
	return p.checkStored()
}

// checkStored checks the site against the store: ids, access, and slugs of other pages.
func (p *pushPlan) checkStored() error {
	for _, w := range p.site.Widgets {
		switch head := p.ids[w.key()]; {
		case w.ID != 0 && !p.isRecord(head, "the_widget"):
			return memberErrorf(w.file("widget.json"), "id", "there is no widget %d", w.ID)
		case w.ID != 0 && p.originalOf(head) != head:
			return memberErrorf(w.file("widget.json"), "id", "%d is a version; use the id of its original, %d", w.ID, p.originalOf(head))
		}
		if c := p.concepts[p.ids[w.key()]]; c.Scope() != 0 {
			return memberErrorf(w.file("widget.json"), "id", "widget %d is private; only public widgets can be pushed", c.ID)
		}
		for _, child := range w.Children {
			if child.Fixed != 0 && !p.isRecord(child.Fixed, "the_widget") {
				return memberErrorf(w.file("widget.json"), "children", "fixed: there is no widget %d", child.Fixed)
			}
		}
	}
	for _, page := range p.site.Pages {
		if page.ID != 0 && !p.isRecord(p.ids[page.File], "the_page") {
			return memberErrorf(page.File, "id", "there is no page %d", page.ID)
		}
		if c := p.concepts[p.ids[page.File]]; c.Scope() != 0 {
			return memberErrorf(page.File, "id", "page %d is private; only public pages can be pushed", c.ID)
		}
	}
	if p.seeding { // a pushed page must not prevent the server from starting
		return nil
	}
	return p.checkStoredSlugs()
}

// checkStoredSlugs rejects slugs of stored pages that are not part of the push.
func (p *pushPlan) checkStoredSlugs() error {
	pushed := map[graph.ID]bool{}
	for _, page := range p.site.Pages {
		pushed[p.ids[page.File]] = true
	}
	taken := map[string]string{}
	for _, file := range slices.Sorted(maps.Keys(p.pages)) {
		if id := p.pages[file]; !pushed[id] {
			stored := p.assemblePage(id)
			for _, slug := range append(stored.Also, stored.Slug) {
				taken[slug] = file
			}
		}
	}
	for _, page := range p.site.Pages {
		for _, slug := range append([]string{page.Slug}, page.Also...) {
			if file, ok := taken[slug]; ok {
				return memberErrorf(page.File, "slug", "%q is already used by the stored page %s", slug, file)
			}
		}
	}
	return nil
}

// draftProject drafts the project if the store has none.
func (p *pushPlan) draftProject() {
	if id := p.ids[projectKey]; id.IsLocal() {
		p.addRecord(id, "the_project")
		p.addText(id, "the_project", "name", projectName)
	}
}

// draftWidget drafts a new original, a new version, or nothing.
func (p *pushPlan) draftWidget(w Widget) error {
	head, want := p.ids[w.key()], p.withChildIDs(w)
	result := Unchanged
	switch {
	case head.IsLocal():
		p.addRecord(head, "the_widget")
		p.fillRecord(head, want.record())
		result = "new"
	case p.isWidgetSeeded(w):
	default:
		var err error
		if result, err = p.draftVersion(head, want); err != nil {
			return err
		}
	}
	p.setSeed(head, "the_widget", w.fingerprint())
	if w.ID == 0 {
		p.setText(head, "the_widget", "folder_name", w.Folder)
		p.addToSite("the_project_s_widget", head)
	}
	p.changes = append(p.changes, Change{"widget", w.Folder, result})
	return nil
}

// draftVersion drafts a new version of an original, or publishes its newest version, or drafts nothing. It returns
// the result for Change.Result.
func (p *pushPlan) draftVersion(head graph.ID, want Widget) (result string, err error) {
	recent, latest := p.newestVersion(head), p.publishedVersion(head)
	publish := p.options.Publish || p.seeding
	matchesNewest, err := want.hasSameFiles(p.assembleWidget(recent))
	if err != nil {
		return "", err
	}
	matchesPublished, err := want.hasSameFiles(p.assembleWidget(latest))
	switch {
	case err != nil:
		return "", err
	case matchesNewest && (recent == latest || !publish), matchesPublished && p.seeding:
		return Unchanged, nil
	case matchesNewest:
		p.publishVersion(head, recent)
		return "published version " + strconv.Itoa(p.versionNumber(recent)), nil
	}
	version := p.versionNumber(recent) + 1
	created := p.addRecord(p.newLocalID("version", head.String(), strconv.Itoa(version), want.fingerprint()), "the_widget")
	p.fillRecord(created, want.record().asVersionOf(head, version))
	p.copyInheritedLinks(recent, created)
	p.addLink(head, "the_widget_s_copy", created)
	p.setLink(head, "the_widget_recent", created)
	if !publish {
		return "version " + strconv.Itoa(version) + ", not published", nil
	}
	p.publishVersion(head, created)
	return "version " + strconv.Itoa(version), nil
}

// copyInheritedLinks copies links from the previous version to a new version; see isInheritedRelation.
func (p *pushPlan) copyInheritedLinks(from, to graph.ID) {
	for _, key := range slices.SortedFunc(maps.Keys(p.links), compareLinkKeys) {
		if key.head != from || !isInheritedRelation(key.relation) {
			continue
		}
		for _, link := range p.links[key] {
			p.addLink(to, key.relation, link.To)
		}
	}
}

// draftPage drafts a new page, or the differences from the stored page. Pages have no versions, so they are only
// written by a push that publishes.
func (p *pushPlan) draftPage(page Page) error {
	head, want := p.ids[page.File], page.normalized()
	if w, ok := p.site.widget(page.Body); ok {
		want.Body = idName(p.ids[w.key()])
	}
	result := Unchanged
	switch isSame, err := want.hasSameFile(p.assemblePage(head)); {
	case err != nil:
		return err
	case head.IsReal() && (isSame || p.isPageSeeded(page)):
	case !p.options.Publish && !p.options.WritePages && !p.seeding:
		p.changes = append(p.changes, Change{"page", page.File, "waits for --publish"})
		return nil
	case head.IsLocal():
		p.addRecord(head, "the_page")
		result = "new"
		p.fillPage(head, want)
	default:
		result = "changed"
		p.fillPage(head, want)
	}
	p.setSeed(head, "the_page", page.fingerprint())
	if page.ID == 0 && (result != Unchanged || p.seeding) {
		p.setText(head, "the_page", "file_name", pageName(page.File))
		p.addToSite("the_project_s_page", head)
	}
	p.changes = append(p.changes, Change{"page", page.File, result})
	return nil
}

// fillPage makes the stored settings and the body of a page equal to the settings and the body of want.
func (p *pushPlan) fillPage(head graph.ID, want Page) {
	for relation, text := range page.Texts(&want) {
		p.setText(head, "the_page", relation, *text)
	}
	p.setTexts(head, "the_page", "s_slug", want.Also)
	p.setText(head, "the_page", "guarded", want.guardedText())
	p.setLink(head, "the_page_body", parseIDName(want.Body))
}
