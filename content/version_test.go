package content_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-graph/weft/content"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/everystore"
	"github.com/weft-graph/weft/page"
	"github.com/weft-graph/weft/store/memory"
)

// A store that was seeded when widgets had no versions ends with the same pages under the same ids.
func TestAStoreFromBeforeVersions(t *testing.T) {
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
		again := load(t, store, "/start")
		if again.Settings != home.Settings {
			t.Errorf("home is %+v; want %+v", again.Settings, home.Settings)
		}
		if root := again.Body.Root; root != home.Body.ID || again.Body.HTML != home.Body.HTML {
			t.Errorf("its body is version %d of %d; want one of %d", again.Body.Version, root, home.Body.ID)
		}
		if header := again.Body.Children[0].Widget.HTML; header != "<header>New</header>" {
			t.Errorf("its header is %q", header)
		}
		if _, err := page.Load(t.Context(), store, page.Policy{}, "/about"); graph.KindOf(err) != graph.NotFound {
			t.Errorf("/about, which has no file any more, is still there: %v", err)
		}
		seed(t, store, small)
		if now := load(t, store, "/about"); now.Settings.Title != about.Settings.Title {
			t.Errorf("/about is back as %+v", now.Settings)
		}
	})
}

func TestOldVersionsGo(t *testing.T) {
	const edits, kept = 30, 20
	store := memory.New()
	seed(t, store, small)
	first := load(t, store, "/").Body.ID
	var pinned graph.ID
	for i := range edits {
		seed(t, store, small.with(files{"widgets/home/widget.html": long(fmt.Sprint("edit ", i))}.with(files{"widgets/home/widget.json": `{"name": "Home"}`})))
		if i == 2 { // somebody shows just this one
			pinned = load(t, store, "/").Body.ID
			point(t, store, pinned)
		}
	}
	copies := linksOf(t, store, first, "the_widget_s_copy")
	if len(copies) != kept+1 || !slices.ContainsFunc(copies, func(c graph.Connection) bool { return c.To == pinned }) {
		t.Errorf("%d versions are kept; want %d and the one that is in use", len(copies), kept)
	}
	if body := load(t, store, "/").Body; body.Version != edits || !strings.Contains(body.HTML, "edit 29") {
		t.Errorf("the page shows version %d; want %d", body.Version, edits)
	}
	texts := 0
	for _, c := range everything(t, store) {
		if strings.Contains(c.Value, "edit ") {
			texts++
		}
	}
	if texts != kept+1 {
		t.Errorf("%d texts are kept of %d versions", texts, kept+1)
	}
}

// point makes a place for a child that shows one version for good.
func point(t *testing.T, store graph.Store, to graph.ID) {
	t.Helper()
	_, err := store.Write(t.Context(), graph.Batch{
		Sender:      graph.Sender{User: graph.System},
		Concepts:    []graph.ConceptDraft{{Ghost: -1, Kind: graph.DraftComposition, TypeName: "the_child_widget", Access: graph.Public}},
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

// What somebody pushed stays when the server starts again, until the file that was built in is another one.
func TestSeedingLeavesWhatWasPushed(t *testing.T) {
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
		t.Errorf("after a start the home page is %q", html)
	}
	if title := load(t, store, "/about").Settings.Title; title != "Edited" {
		t.Errorf("after a start /about is %q", title)
	}
	load(t, store, "/news")
	seed(t, store, small.with(files{"widgets/home/widget.html": `<div id="top" class="added-widget-container"></div><p>Built in</p>`}))
	if body := load(t, store, "/").Body; !strings.Contains(body.HTML, "Built in") || body.Version != 2 {
		t.Errorf("after a new program started the home page is %q, version %d", body.HTML, body.Version)
	}
	load(t, store, "/news")

	store = memory.New()
	push(t, store, edited, content.Options{Publish: true})
	seed(t, store, small)
	if html := load(t, store, "/").Body.HTML; !strings.Contains(html, "Edited") {
		t.Errorf("what was pushed before the first start became %q", html)
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

func TestPush(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		push(t, store, small, content.Options{Publish: true})
		before := lastSeq(t, store)
		edited := small.with(files{
			"widgets/home/after_render.js": "this.notify(1)",
			"pages/about.json":             `{"slug": "/about", "title": "Other", "body": "about"}`,
		})
		want := func(o content.Options, changes ...content.Change) {
			t.Helper()
			got := slices.DeleteFunc(push(t, store, edited, o), func(c content.Change) bool { return c.Became == content.Unchanged })
			if diff := cmp.Diff(changes, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%+v (-want +got)\n%s", o, diff)
			}
		}
		want(content.Options{DryRun: true, Publish: true},
			content.Change{What: "widget", Name: "home", Became: "version 1"}, content.Change{What: "page", Name: "pages/about.json", Became: "changed"})
		if seq := lastSeq(t, store); seq != before {
			t.Fatalf("a dry run made change %d", seq)
		}
		want(content.Options{}, content.Change{What: "widget", Name: "home", Became: "version 1, not published"},
			content.Change{What: "page", Name: "pages/about.json", Became: "waits for --publish"})
		want(content.Options{}, content.Change{What: "page", Name: "pages/about.json", Became: "waits for --publish"})
		if body := load(t, store, "/").Body; body.Version != 0 || load(t, store, "/about").Settings.Title != "About" {
			t.Errorf("what is not published is shown: version %d", body.Version)
		}
		want(content.Options{Publish: true}, content.Change{What: "widget", Name: "home", Became: "published version 1"},
			content.Change{What: "page", Name: "pages/about.json", Became: "changed"})
		want(content.Options{Publish: true})
		if seq := lastSeq(t, store); seq != before+2 {
			t.Errorf("the store is at change %d; want two after %d", seq, before)
		}
		for _, step := range []struct{ ask, shown int }{{0, 0}, {1, 1}, {0, 0}, {content.Newest, 1}} {
			if n, err := content.Publish(t.Context(), store, "home", step.ask, graph.Sender{}); err != nil || n != step.shown {
				t.Errorf("publishing %d shows %d, %v", step.ask, n, err)
			}
			if v := load(t, store, "/").Body.Version; v != step.shown {
				t.Errorf("after publishing %d the page shows version %d", step.ask, v)
			}
		}
		for _, bad := range []string{"nothing", "", "100"} {
			if _, err := content.Publish(t.Context(), store, bad, 0, graph.Sender{}); graph.KindOf(err) != graph.NotFound {
				t.Errorf("publishing %q: %v", bad, err)
			}
		}
		if _, err := content.Publish(t.Context(), store, "home", 7, graph.Sender{}); graph.KindOf(err) != graph.NotFound {
			t.Errorf("publishing version 7: %v", err)
		}
		if err := store.Check(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestWhatCannotBePushed(t *testing.T) {
	store := memory.New()
	push(t, store, small, content.Options{Publish: true})
	home := load(t, store, "/")
	b := builder{t: t, store: store, batch: graph.Batch{Sender: graph.Sender{User: 7}}}
	mine := b.record("the_widget", map[string]string{"name": "Mine", "html": "x"})
	b.batch.Concepts[0].Access = graph.Private
	secret := b.write()[mine]
	before := lastSeq(t, store)
	for says, changed := range map[string]files{
		`pages/more.json: slug: "/about" is already that of the stored page pages/about.json`: {
			"pages/about.json": "", "pages/more.json": `{"slug": "/about", "title": "More", "body": "about"}`,
		},
		"widgets/home/widget.json: id: there is no widget 7":                                 {"widgets/home/widget.json": `{"name": "Home", "id": 7}`},
		fmt.Sprintf("widgets/home/widget.json: id: widget %d is private", secret):            {"widgets/home/widget.json": fmt.Sprintf(`{"name": "Home", "id": %d}`, secret)},
		"pages/home.json: id: there is no page 7":                                            {"pages/home.json": `{"id": 7, "slug": "/", "title": "Home", "body": "home"}`},
		"widgets/about/widget.json: children: fixed: there is no widget 7":                   {"widgets/about/widget.json": `{"name": "About", "children": [{"wrapper": "top", "widget": "header", "fixed": 7}]}`},
		fmt.Sprintf("widgets/home/widget.json: id: there is no widget %d", home.Settings.ID): {"widgets/home/widget.json": fmt.Sprintf(`{"name": "Home", "id": %d}`, home.Settings.ID)},
	} {
		_, err := small.with(changed).load(t).Push(t.Context(), store, content.Options{Publish: true})
		if graph.KindOf(err) != graph.Invalid || !strings.Contains(err.Error(), says) {
			t.Errorf("the error is %v; want an Invalid one that says %q", err, says)
		}
	}
	if seq := lastSeq(t, store); seq != before {
		t.Errorf("change %d was made", seq)
	}
}
