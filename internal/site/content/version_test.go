package content_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/everystore"
	"github.com/weft-graph/weft/internal/site/content"
	"github.com/weft-graph/weft/internal/site/page"
	"github.com/weft-graph/weft/internal/store/memory"
)

// A store that was seeded before widgets had versions must keep its pages and their ids.
func TestSeedingAStoreFromBeforeVersionsKeepsItsPages(t *testing.T) {
	text, err := os.ReadFile("testdata/before-versions.json")
	if err != nil {
		t.Fatal(err)
	}
	var first graph.Batch
	if err := json.Unmarshal(text, &first); err != nil {
		t.Fatal(err)
	}
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		if _, err := store.Write(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		home, about := load(t, store, "/"), load(t, store, "/about")
		changed := small.with(files{"pages/about.json": "", "widgets/header/widget.html": "<header>New</header>"})
		seed(t, store, changed)
		seeded := load(t, store, "/start")
		if seeded.Settings != home.Settings {
			t.Errorf("home is %+v; want %+v", seeded.Settings, home.Settings)
		}
		if root := seeded.Body.Root; root != home.Body.ID || seeded.Body.HTML != home.Body.HTML {
			t.Errorf("the body is version %d of %d; want a version of %d", seeded.Body.Version, root, home.Body.ID)
		}
		if header := seeded.Body.Children[0].Widget.HTML; header != "<header>New</header>" {
			t.Errorf("the header = %q; want the new one", header)
		}
		if _, err := page.Load(t.Context(), store, page.Policy{}, "/about"); graph.KindOf(err) != graph.NotFound {
			t.Errorf("/about, whose file was deleted, still exists: %v", err)
		}
		seed(t, store, small)
		if restored := load(t, store, "/about"); restored.Settings.Title != about.Settings.Title {
			t.Errorf("the restored /about = %+v; want the title %q", restored.Settings, about.Settings.Title)
		}
	})
}

func TestSeedPrunesOldVersions(t *testing.T) {
	const edits, keptVersions = 30, 20
	store := memory.New()
	seed(t, store, small)
	first := load(t, store, "/").Body.ID
	var pinned graph.ID
	for i := range edits {
		seed(t, store, small.with(files{"widgets/home/widget.html": longHTML(fmt.Sprint("edit ", i))}.with(files{"widgets/home/widget.json": `{"name": "Home"}`})))
		if i == 2 { // another record refers to this version
			pinned = load(t, store, "/").Body.ID
			linkFixedChild(t, store, pinned)
		}
	}
	copies := linksOf(t, store, first, "the_widget_s_copy")
	if len(copies) != keptVersions+1 || !slices.ContainsFunc(copies, func(c graph.Connection) bool { return c.To == pinned }) {
		t.Errorf("%d versions remain; want %d and the version to which another record refers", len(copies), keptVersions)
	}
	if body := load(t, store, "/").Body; body.Version != edits || !strings.Contains(body.HTML, "edit 29") {
		t.Errorf("the page shows version %d; want %d", body.Version, edits)
	}
	texts := 0
	for _, c := range allConcepts(t, store) {
		if strings.Contains(c.Value, "edit ") {
			texts++
		}
	}
	if texts != keptVersions+1 {
		t.Errorf("%d texts remain; want %d, one of each version", texts, keptVersions+1)
	}
}

// failingStore accepts some batches and refuses all others.
type failingStore struct {
	graph.Store
	accepted *int // how many more
}

func (s failingStore) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	if *s.accepted--; *s.accepted < 0 {
		return graph.Receipt{}, errors.New("no more")
	}
	return s.Store.Write(ctx, b)
}

// Versions with more records than one batch may remove are removed in several batches. The next prune must find everything that
// an interrupted prune has left.
func TestPruningContinuesAfterAnInterruption(t *testing.T) {
	const edits, kept = 10, 3
	count := func(store graph.Store) (texts int) {
		for _, c := range allConcepts(t, store) {
			if strings.Contains(c.Value, "edit ") {
				texts++
			}
		}
		return texts
	}
	written := func() graph.Store {
		store := memory.New()
		for i := range edits {
			seed(t, store, small.with(files{"widgets/home/widget.html": longHTML(fmt.Sprint("edit ", i))}.with(files{"widgets/home/widget.json": `{"name": "Home"}`})))
		}
		return store
	}
	whole := written()
	before := len(allConcepts(t, whole))
	if err := content.Prune(t.Context(), whole, kept, graph.MaxBatchRecords); err != nil {
		t.Fatal(err)
	}
	left := len(allConcepts(t, whole))
	if n := count(whole); n > kept+1 || left >= before {
		t.Fatalf("%d long values and %d of %d concepts remain", n, left, before)
	}
	for accepted := range 4 {
		store := written()
		if err := content.Prune(t.Context(), failingStore{store, &accepted}, kept, 3); err == nil {
			t.Errorf("a prune in one batch of 3 removals: no error")
		}
		if err := content.Prune(t.Context(), store, kept, 3); err != nil {
			t.Fatal(err)
		}
		if n := len(allConcepts(t, store)); n != left {
			t.Errorf("after an interruption behind %d batches %d concepts remain; want %d", accepted, n, left)
		}
		if err := store.Check(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// linkFixedChild writes a child record that refers to a fixed version.
func linkFixedChild(t *testing.T, store graph.Store, to graph.ID) {
	t.Helper()
	_, err := store.Write(t.Context(), graph.Batch{
		Sender:      graph.Sender{User: graph.System},
		Concepts:    []graph.ConceptDraft{{LocalID: -1, Kind: graph.DraftComposition, TypeName: "the_child_widget", Access: graph.Public}},
		Connections: []graph.ConnectionDraft{{From: -1, To: to, TypeName: "the_child_widget_info", Access: graph.Public}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func linksOf(t *testing.T, store graph.Store, head graph.ID, relation string) []graph.Connection {
	t.Helper()
	types, err := graph.TypesNamed(t.Context(), store, relation)
	if err != nil {
		t.Fatal(err)
	}
	links, err := store.Links(t.Context(), graph.Links{Of: []graph.ID{head}, Types: []graph.ID{types[relation].ID}})
	if err != nil {
		t.Fatal(err)
	}
	return links
}

// Pushed changes are kept when the server starts again, until the built-in file changes.
func TestSeedKeepsPushedChanges(t *testing.T) {
	store := memory.New()
	seed(t, store, small)
	edited := small.with(files{
		"widgets/home/widget.html": `<div id="top" class="added-widget-container"></div><p>Edited</p>`,
		"pages/about.json":         `{"slug": "/about", "title": "Edited", "body": "about"}`,
		"pages/news.json":          `{"slug": "/news", "title": "News", "body": "news"}`,
		"widgets/news/widget.json": `{"name": "News"}`,
		"widgets/news/widget.html": `<p>News</p>`,
	})
	push(t, store, edited, content.Options{Publish: true})
	seed(t, store, small)
	if html := load(t, store, "/").Body.HTML; !strings.Contains(html, "Edited") {
		t.Errorf("after seeding again the home page = %q; want the edited text", html)
	}
	if title := load(t, store, "/about").Settings.Title; title != "Edited" {
		t.Errorf("after seeding again the title of /about = %q; want \"Edited\"", title)
	}
	load(t, store, "/news")
	seed(t, store, small.with(files{"widgets/home/widget.html": `<div id="top" class="added-widget-container"></div><p>Built in</p>`}))
	if body := load(t, store, "/").Body; !strings.Contains(body.HTML, "Built in") || body.Version != 2 {
		t.Errorf("after the built-in file changed the home page = %q, version %d; want the built-in text as version 2", body.HTML, body.Version)
	}
	load(t, store, "/news")

	store = memory.New()
	push(t, store, edited, content.Options{Publish: true})
	seed(t, store, small)
	if html := load(t, store, "/").Body.HTML; !strings.Contains(html, "Edited") {
		t.Errorf("seeding replaced a site that was pushed before with %q", html)
	}
}

func push(t *testing.T, store graph.Store, site files, o content.Options) []content.Change {
	t.Helper()
	changes, err := site.load(t).Push(t.Context(), store, o)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

func TestPushWritesDifferencesAsVersions(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		push(t, store, small, content.Options{Publish: true})
		before := lastSeq(t, store)
		edited := small.with(files{
			"widgets/home/after_render.js": "this.notify(1)",
			"pages/about.json":             `{"slug": "/about", "title": "Other", "body": "about"}`,
		})
		expectChanges := func(o content.Options, changes ...content.Change) {
			t.Helper()
			got := slices.DeleteFunc(push(t, store, edited, o), func(c content.Change) bool { return c.Result == content.Unchanged })
			if diff := cmp.Diff(changes, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%+v (-want +got)\n%s", o, diff)
			}
		}
		expectChanges(content.Options{DryRun: true, Publish: true},
			content.Change{Kind: "widget", Name: "home", Result: "version 1"}, content.Change{Kind: "page", Name: "pages/about.json", Result: "changed"})
		if seq := lastSeq(t, store); seq != before {
			t.Fatalf("a dry run wrote change %d", seq)
		}
		expectChanges(content.Options{}, content.Change{Kind: "widget", Name: "home", Result: "version 1, not published"},
			content.Change{Kind: "page", Name: "pages/about.json", Result: "waits for --publish"})
		expectChanges(content.Options{}, content.Change{Kind: "page", Name: "pages/about.json", Result: "waits for --publish"})
		if body := load(t, store, "/").Body; body.Version != 0 || load(t, store, "/about").Settings.Title != "About" {
			t.Errorf("an unpublished push changed the page to version %d", body.Version)
		}
		expectChanges(content.Options{Publish: true}, content.Change{Kind: "widget", Name: "home", Result: "published version 1"},
			content.Change{Kind: "page", Name: "pages/about.json", Result: "changed"})
		expectChanges(content.Options{Publish: true})
		if seq := lastSeq(t, store); seq != before+2 {
			t.Errorf("the store is at change %d; want two after %d", seq, before)
		}
		for _, step := range []struct{ version, published int }{{0, 0}, {1, 1}, {0, 0}, {content.Newest, 1}} {
			if n, err := content.Publish(t.Context(), store, "home", step.version, graph.Sender{}); err != nil || n != step.published {
				t.Errorf("publishing version %d = %d, %v; want %d", step.version, n, err, step.published)
			}
			if v := load(t, store, "/").Body.Version; v != step.published {
				t.Errorf("after publishing version %d the page shows version %d; want %d", step.version, v, step.published)
			}
		}
		for _, name := range []string{"nothing", "", "100"} {
			if _, err := content.Publish(t.Context(), store, name, 0, graph.Sender{}); graph.KindOf(err) != graph.NotFound {
				t.Errorf("the error of publishing %q = %v; want not found", name, err)
			}
		}
		if _, err := content.Publish(t.Context(), store, "home", 7, graph.Sender{}); graph.KindOf(err) != graph.NotFound {
			t.Errorf("the error of publishing version 7 = %v; want not found", err)
		}
		if err := store.Check(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestPushErrorsNameTheFileAndTheMember(t *testing.T) {
	store := memory.New()
	push(t, store, small, content.Options{Publish: true})
	home := load(t, store, "/")
	b := builder{t: t, store: store, batch: graph.Batch{Sender: graph.Sender{User: 7}}}
	private := b.record("the_widget", map[string]string{"name": "Mine", "html": "x"})
	b.batch.Concepts[0].Access = graph.Private
	privateID := b.write()[private]
	before := lastSeq(t, store)
	for wantText, changed := range map[string]files{
		`pages/more.json: slug: "/about" is already used by the stored page pages/about.json`: {
			"pages/about.json": "", "pages/more.json": `{"slug": "/about", "title": "More", "body": "about"}`,
		},
		"widgets/home/widget.json: id: there is no widget 7":                                 {"widgets/home/widget.json": `{"name": "Home", "id": 7}`},
		fmt.Sprintf("widgets/home/widget.json: id: widget %d is private", privateID):         {"widgets/home/widget.json": fmt.Sprintf(`{"name": "Home", "id": %d}`, privateID)},
		"pages/home.json: id: there is no page 7":                                            {"pages/home.json": `{"id": 7, "slug": "/", "title": "Home", "body": "home"}`},
		"widgets/about/widget.json: children: fixed: there is no widget 7":                   {"widgets/about/widget.json": `{"name": "About", "children": [{"wrapper": "top", "widget": "header", "fixed": 7}]}`},
		fmt.Sprintf("widgets/home/widget.json: id: there is no widget %d", home.Settings.ID): {"widgets/home/widget.json": fmt.Sprintf(`{"name": "Home", "id": %d}`, home.Settings.ID)},
	} {
		_, err := small.with(changed).load(t).Push(t.Context(), store, content.Options{Publish: true})
		if graph.KindOf(err) != graph.Invalid || !strings.Contains(err.Error(), wantText) {
			t.Errorf("the error is %v; want an Invalid error that contains %q", err, wantText)
		}
	}
	if seq := lastSeq(t, store); seq != before {
		t.Errorf("the last change = %d; want %d as before", seq, before)
	}
}
