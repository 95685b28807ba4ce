package content_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/everystore"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/site/content"
	"github.com/weft-graph/weft/internal/store/memory"
)

// rich is a site that uses every feature of the files.
var rich = small.with(files{
	"pages/secret.json": `{"slug": "/secret", "also": ["/covert", "/hidden"], "title": "Secret", "metaTitle": "A secret", "metaKeywords": "a, b",
		"type": "fluid", "width": "50rem", "fontSize": "18", "fontFamily": "Georgia, serif", "guarded": true, "body": "rich"}`,
	"widgets/rich/widget.json": `{"name": "Rich", "type": "the_person_name",
		"libraries": {"styles": ["https://example.org/b.css", "https://example.org/a.css"], "scripts": ["https://example.org/a.js"]},
		"children": [{"wrapper": "one", "widget": "unused"}, {"wrapper": "two", "widget": "header"}],
		"functions": [{"slug": "sum", "name": "Add up"}, {"slug": "a/b", "name": "first", "file": "a-b-2"}],
		"documentation": [{"type": "api", "title": "Ask", "content": "<p>How & why</p>", "method": "POST", "methodUrl": "https://example.org/", "authType": "basicAuth",
			"username": "ann", "password": "x", "jsonList": [{"key": "b", "value": "2"}, {"key": "a", "value": "1"}], "docUrls": ["https://example.org/2", "https://example.org/1"]},
			{"text": "Plain", "imageUrls": ["https://example.org/x.png"]}]}`,
	"widgets/rich/widget.html":        `<div id="one" class="added-widget-container"></div>` + "\r\n" + `<div id="two" class="added-widget-container"></div>`,
	"widgets/rich/widget.css":         ".a { color: red; &:hover { color: blue } }",
	"widgets/rich/before_render.js":   "this.render()\nif (1 < 2 && 3 > 2) {}",
	"widgets/rich/after_render.js":    "2",
	"widgets/rich/mount_child.js":     "3",
	"widgets/rich/update.js":          "4",
	"widgets/rich/dependency.js":      "5",
	"widgets/rich/main.js":            longHTML("6"),
	"widgets/rich/functions/sum.js":   "7",
	"widgets/rich/functions/a-b-2.js": "8",
})

// TestRoundTrip seeds sites, pulls them, compares the files, and pushes the pulled files. The push must change
// nothing.
func TestRoundTrip(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		if err := content.Seed(t.Context(), store); err != nil {
			t.Fatal(err)
		}
		site, err := content.Load()
		if err != nil {
			t.Fatal(err)
		}
		checkRoundTrip(t, store, site, graph.Sender{})
		seed(t, store, rich)
		checkRoundTrip(t, store, rich.load(t), graph.Sender{})
		seed(t, store, rich.with(files{"widgets/rich/main.js": "9", "widgets/rich/update.js": "", "widgets/rich/functions/sum.js": "10"}))
		seed(t, store, rich)
		checkRoundTrip(t, store, rich.load(t), graph.Sender{})
	})
	t.Run("over HTTP", func(t *testing.T) {
		c, store := serveSite(t, rich)
		if err := content.Seed(t.Context(), store); err != nil {
			t.Fatal(err)
		}
		site, err := content.Load()
		if err != nil {
			t.Fatal(err)
		}
		checkRoundTrip(t, c, site, sender)
		seed(t, store, rich)
		checkRoundTrip(t, c, rich.load(t), sender)
		edited := rich.with(files{"widgets/rich/update.js": "", "widgets/rich/main.js": "9"})
		changes, err := edited.load(t).Push(t.Context(), c, content.Options{Sender: sender, Publish: true})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(changes, content.Change{Kind: "widget", Name: "rich", Result: "version 1"}) {
			t.Errorf("the changes of the push = %v; want version 1 of the widget rich among them", changes)
		}
		checkRoundTrip(t, c, edited.load(t), sender)
		if err := store.Check(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

var sender = graph.Sender{User: graph.Anonymous, Randomizer: 7}

// serveSite starts a server with a site. It returns an admin's client and the store of the server.
func serveSite(t *testing.T, site files) (*client.Client, graph.Store) {
	store := memory.New()
	seed(t, store, site)
	s := servertest.Serve(t, store)
	c := client.New(s.URL)
	c.Token = servertest.Admin(t, s, "ann@example.org")
	t.Cleanup(func() { _ = c.Close() })
	return c, store
}

func TestPushIgnoresFormatting(t *testing.T) {
	store := memory.New()
	seed(t, store, rich)
	before := lastSeq(t, store)
	reformatted := func(name string, changes ...string) string {
		return strings.NewReplacer(changes...).Replace(rich[name])
	}
	push(t, store, rich.with(files{
		"pages/secret.json":            reformatted("pages/secret.json", `"/covert", "/hidden"`, `"/hidden", "/covert"`),
		"widgets/rich/widget.json":     reformatted("widgets/rich/widget.json", `{"wrapper": "one", "widget": "unused"}, {"wrapper": "two", "widget": "header"}`, `{"wrapper": "two", "widget": "header"}, {"wrapper": "one", "widget": "unused"}`, `"Plain"`, `" Plain\n"`),
		"widgets/rich/update.js":       "\n4  ",
		"widgets/header/update.js":     "undefined",
		"widgets/header/main.js":       " ",
		"widgets/header/dependency.js": "null",
	}), content.Options{Publish: true})
	if seq := lastSeq(t, store); seq != before {
		t.Errorf("the last change = %d; want %d as before", seq, before)
	}
}

// checkRoundTrip pulls the site of a store, compares its files with the files of want, and checks that pushing the
// pulled files changes nothing.
func checkRoundTrip(t *testing.T, store graph.Store, want content.Site, from graph.Sender) {
	t.Helper()
	dir := t.TempDir()
	pulled := pull(t, store, dir)
	if diff := cmp.Diff(readTree(t, save(t, want)), readTree(t, dir)); diff != "" {
		t.Errorf("the files (-pushed +pulled)\n%s", diff)
	}
	before := lastSeq(t, store)
	changes, err := pulled.Push(t.Context(), store, content.Options{Publish: true, Sender: from})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		if c.Result != content.Unchanged {
			t.Errorf("the result of pushing the pulled %s %s = %s; want %s", c.Kind, c.Name, c.Result, content.Unchanged)
		}
	}
	if seq := lastSeq(t, store); seq != before {
		t.Errorf("pushing the pulled site wrote change %d", seq)
	}
}

// pull saves the stored site in a directory and reads the site from this directory. Saving the site again must
// write nothing.
func pull(t *testing.T, store graph.Reader, dir string, ids ...graph.ID) content.Site {
	t.Helper()
	site, notes, err := content.Pull(t.Context(), store, ids...)
	if err != nil || len(notes) > 0 {
		t.Fatal(notes, err)
	}
	if _, err := site.Save(dir); err != nil {
		t.Fatal(err)
	}
	if changed, err := site.Save(dir); err != nil || len(changed) > 0 {
		t.Errorf("saving again wrote %v, %v; want nothing", changed, err)
	}
	reloaded, err := content.LoadFrom(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	return reloaded
}

func save(t *testing.T, site content.Site) string {
	t.Helper()
	dir := t.TempDir()
	if _, err := site.Save(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// readTree returns the contents of the files in a directory, by name.
func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Widgets of site builders must keep their ids in the files, and must get file names that cannot lead out of the
// directory.
func TestPullWidgetsOfSiteBuilders(t *testing.T) {
	store := memory.New()
	seed(t, store, small)
	b := builder{t: t, store: store, batch: graph.Batch{Sender: graph.Sender{User: 7}}}
	outer := b.record("the_widget", map[string]string{
		"name": "../../etc/Passwd", "html": `<div id="w1" class="added-widget-container"></div><div id="w2" class="added-widget-container"></div>`,
		"css": "undefined", "js": "null", "before_render": "this.render()", "thumbnail": "x.png",
	})
	inner := b.record("the_widget", map[string]string{"name": "Header", "html": "<p>inner</p>"})
	old := b.record("the_widget", map[string]string{"name": "Header", "html": "<p>old</p>", "version": "1", "origin": "undefined"})
	b.link(old, "the_widget_root", inner)
	b.link(inner, "the_widget_s_copy", old)
	for wrapper, child := range map[string]graph.ID{"w1": inner, "w2": old, "nowhere": inner} {
		childRecord := b.record("the_child_widget", map[string]string{"wrapper": wrapper})
		b.link(childRecord, "the_child_widget_info", child)
		b.link(outer, "the_widget_s_child", childRecord)
	}
	function := b.record("the_custom_function", map[string]string{"name": "Fetch All", "slug": "../fetch", "code": "1"})
	b.link(outer, "the_widget_s_custom_function", function)
	page := b.record("the_page", map[string]string{"slug": "/../up", "title": "Up", "meta_title": "undefined"})
	b.link(page, "the_page_body", outer)
	ids := b.write()

	dir := filepath.Join(t.TempDir(), "site")
	site := pull(t, store, dir, ids[page])
	if err := checkOnlyEntry(dir); err != nil {
		t.Error(err)
	}
	all := readTree(t, dir)
	for _, name := range []string{
		"pages/up.json", "widgets/etc-passwd/widget.json", "widgets/etc-passwd/functions/fetch-1.js", "widgets/header-" + ids[inner].String() + "/widget.html",
	} {
		if _, ok := all[name]; !ok {
			t.Errorf("there is no %s", name)
		}
	}
	before := lastSeq(t, store)
	if _, err := site.Push(t.Context(), store, content.Options{Publish: true}); err != nil || lastSeq(t, store) != before {
		t.Fatalf("the last change after pushing the pulled site = %d, %v; want %d as before", lastSeq(t, store), err, before)
	}
	if err := os.WriteFile(filepath.Join(dir, "widgets/etc-passwd/update.js"), []byte("2"), 0o600); err != nil {
		t.Fatal(err)
	}
	edited, err := content.LoadFrom(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := edited.Push(t.Context(), store, content.Options{Publish: true}); err != nil {
		t.Fatal(err)
	}
	latest := linksOf(t, store, ids[outer], "the_widget_latest")
	if len(latest) != 1 {
		t.Fatalf("the widget has %d published versions; want 1", len(latest))
	}
	if thumbnails := linksOf(t, store, latest[0].To, "the_widget_thumbnail"); len(thumbnails) != 1 {
		t.Error("the new version has no thumbnail")
	}
	allIDs, err := content.AllIDs(t.Context(), store)
	if err != nil || slices.Contains(allIDs, ids[old]) || !slices.Contains(allIDs, ids[outer]) {
		t.Errorf("AllIDs = %v, %v; want %d but not %d", allIDs, err, ids[outer], ids[old])
	}
	if all, _, err := content.Pull(t.Context(), store, allIDs...); err != nil || len(all.Pages) != 3 || len(all.Widgets) != 6 {
		t.Errorf("pulling all ids returned %d pages, %d widgets, %v; want 3 and 6", len(all.Pages), len(all.Widgets), err)
	}
}

func TestPullNotesPagesWhoseWidgetIsLeftOut(t *testing.T) {
	store := memory.New()
	b := builder{t: t, store: store, batch: graph.Batch{Sender: graph.Sender{User: 7}}}
	nameless := b.record("the_widget", map[string]string{"html": "<p>no name</p>"})
	page := b.record("the_page", map[string]string{"slug": "/up", "title": "Up"})
	b.link(page, "the_page_body", nameless)
	ids := b.write()
	site, notes, err := content.Pull(t.Context(), store, ids[page])
	want := []string{
		"widget " + ids[nameless].String() + " is left out: it has no name",
		"page " + ids[page].String() + " is left out: its widget is left out",
	}
	if err != nil || len(site.Pages) != 0 || !slices.Equal(notes, want) {
		t.Errorf("pulled %d pages with the notes %q, %v; want %q", len(site.Pages), notes, err, want)
	}
}

// A builder writes records as site builders do.
type builder struct {
	t     *testing.T
	store graph.Store
	batch graph.Batch
}

func (b *builder) record(typ string, texts map[string]string) graph.ID {
	head := graph.ID(-1 - len(b.batch.Concepts))
	b.batch.Concepts = append(b.batch.Concepts, graph.ConceptDraft{LocalID: head, Kind: graph.DraftComposition, TypeName: typ, Access: graph.Public})
	for name, value := range texts {
		leaf := graph.ID(-1 - len(b.batch.Concepts))
		b.batch.Concepts = append(b.batch.Concepts, graph.ConceptDraft{LocalID: leaf, TypeName: "the_" + name, Value: value, Access: graph.Public})
		b.link(head, typ+"_"+name, leaf)
	}
	return head
}

func (b *builder) link(from graph.ID, relation string, to graph.ID) {
	b.batch.Connections = append(b.batch.Connections, graph.ConnectionDraft{From: from, To: to, TypeName: relation, Access: graph.Public})
}

// write writes the batch and returns the real ids by local id.
func (b *builder) write() map[graph.ID]graph.ID {
	b.t.Helper()
	receipt, err := b.store.Write(b.t.Context(), b.batch)
	if err != nil {
		b.t.Fatal(err)
	}
	ids := map[graph.ID]graph.ID{}
	for i, c := range receipt.Concepts {
		ids[b.batch.Concepts[i].LocalID] = c.ID
	}
	return ids
}

// checkOnlyEntry returns an error unless dir is the only entry of its parent directory.
func checkOnlyEntry(dir string) error {
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err == nil && len(entries) != 1 {
		err = fs.ErrExist
	}
	return err
}
