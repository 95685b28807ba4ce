package content_test

import (
	"context"
	"maps"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/content"
	"github.com/weft-graph/weft/internal/site/page"
	"github.com/weft-graph/weft/internal/store/memory"
)

// small is a site of two pages that share a header.
var small = files{
	"pages/home.json":             `{"slug": "/", "also": ["/start"], "title": "Home", "metaDescription": "The home page", "body": "home"}`,
	"pages/about.json":            `{"slug": "/about", "title": "About", "type": "fixed", "body": "about"}`,
	"widgets/home/widget.json":    `{"name": "Home", "children": [{"wrapper": "top", "widget": "header"}]}`,
	"widgets/home/widget.html":    `<div id="top" class="added-widget-container"></div><p>Welcome</p>`,
	"widgets/home/widget.css":     `p { color: red }`,
	"widgets/about/widget.json":   `{"name": "About", "children": [{"wrapper": "top", "widget": "header"}]}`,
	"widgets/about/widget.html":   `<div id="top" class="added-widget-container"></div><p>About us</p>`,
	"widgets/header/widget.json":  `{"name": "Header"}`,
	"widgets/header/widget.html":  `<header>Weft</header>`,
	"widgets/unused/widget.json":  `{"name": "Unused"}`,
	"widgets/unused/widget.html":  `<p>x</p>`,
	"widgets/unused/ignored.text": `x`,
}

type files map[string]string

// with returns the site with some files changed; empty contents remove the file.
func (f files) with(changed files) files {
	all := maps.Clone(f)
	for name, text := range changed {
		if all[name] = text; text == "" {
			delete(all, name)
		}
	}
	return all
}

func (f files) load(t *testing.T) content.Site {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range f {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	site, err := content.LoadFrom(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// seed seeds a site twice and checks the store.
func seed(t *testing.T, store graph.Store, site files) {
	t.Helper()
	for range 2 {
		if err := site.load(t).Seed(t.Context(), store); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, store graph.Store, slug string) page.Page {
	t.Helper()
	p, err := page.Load(t.Context(), store, page.Policy{}, slug)
	if err != nil {
		t.Fatalf("page %q: %v", slug, err)
	}
	return p
}

func TestSeed(t *testing.T) {
	store := memory.New()
	seed(t, store, small)

	t.Run("finds a page by each of its slugs", func(t *testing.T) {
		home := load(t, store, "/")
		if also := load(t, store, "/start"); also.Settings.ID != home.Settings.ID {
			t.Errorf("/start is page %d; want %d", also.Settings.ID, home.Settings.ID)
		}
		want := page.Settings{ID: home.Settings.ID, Slug: "/", Title: "Home", MetaDescription: "The home page"}
		if diff := cmp.Diff(want, home.Settings); diff != "" {
			t.Errorf("settings (-want +got)\n%s", diff)
		}
	})
	t.Run("places a child widget in its placeholder", func(t *testing.T) {
		got := load(t, store, "/about").Body
		header := load(t, store, "/").Body.Children[0].Widget.ID
		want := &page.Widget{
			ID: got.ID, Name: "About",
			HTML: `<div id="top" class="added-widget-container"></div><p>About us</p>`,
			Root: got.ID, Type: page.DefaultType, Trust: page.Trusted,
			Children: []page.Child{{Wrapper: "top", Widget: page.Widget{
				ID: header, Name: "Header", HTML: "<header>Weft</header>", Children: []page.Child{},
				Root: header, Type: page.DefaultType, Trust: page.Trusted,
			}}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("body (-want +got)\n%s", diff)
		}
	})
	t.Run("makes all records public and owned by the system", func(t *testing.T) {
		for _, c := range allConcepts(t, store) {
			if c.IsType() {
				continue
			}
			if c.Owner != graph.System || c.Access != graph.Public {
				t.Errorf("%+v is not owned by the system, or not public", c)
			}
		}
	})
}

func TestSeedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		changed files
		check   func(t *testing.T, store graph.Store)
	}{
		"writes nothing if nothing changed": {nil, func(*testing.T, graph.Store) {}},
		"replaces a changed text": {files{"widgets/home/widget.html": "<p>Hello</p>", "widgets/home/widget.json": `{"name": "Home"}`}, func(t *testing.T, store graph.Store) {
			body := load(t, store, "/").Body
			if body.HTML != "<p>Hello</p>" || len(body.Children) != 0 {
				t.Errorf("the body = %+v; want <p>Hello</p> without children", body)
			}
		}},
		"removes a deleted text": {files{"widgets/home/widget.css": ""}, func(t *testing.T, store graph.Store) {
			if css := load(t, store, "/").Body.CSS; css != "" {
				t.Errorf("the CSS = %q; want none", css)
			}
		}},
		"swaps the slugs of two pages": {files{
			"pages/home.json":  `{"slug": "/about", "title": "Home", "body": "home"}`,
			"pages/about.json": `{"slug": "/", "title": "About", "body": "about"}`,
		}, func(t *testing.T, store graph.Store) {
			if title := load(t, store, "/").Settings.Title; title != "About" {
				t.Errorf("the title of / = %q; want \"About\"", title)
			}
		}},
		"replaces a child widget": {files{"widgets/home/widget.json": `{"name": "Home", "children": [{"wrapper": "top", "widget": "unused"}]}`}, func(t *testing.T, store graph.Store) {
			if name := load(t, store, "/").Body.Children[0].Widget.Name; name != "Unused" {
				t.Errorf("the child = %q; want \"Unused\"", name)
			}
		}},
		"removes a page whose file was deleted": {files{"pages/about.json": ""}, func(t *testing.T, store graph.Store) {
			if _, err := page.Load(t.Context(), store, page.Policy{}, "/about"); graph.KindOf(err) != graph.NotFound {
				t.Errorf("the error of loading /about = %v; want not found", err)
			}
		}},
		"replaces a short text with a long one": {files{"widgets/unused/widget.html": longHTML("Hello"), "pages/about.json": `{"slug": "/about", "title": "About", "body": "unused"}`}, func(t *testing.T, store graph.Store) {
			if html := load(t, store, "/about").Body.HTML; html != longHTML("Hello") {
				t.Errorf("the HTML = %q; want the long text", html)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			store := memory.New()
			seed(t, store, small)
			before, first := lastSeq(t, store), load(t, store, "/start")
			seed(t, store, small.with(c.changed))
			want := before
			if c.changed != nil {
				want++
			}
			if got := lastSeq(t, store); got != want {
				t.Errorf("the store is at change %d; want %d", got, want)
			}
			c.check(t, store)

			seed(t, store, small)
			restored := load(t, store, "/start")
			versions := cmpopts.IgnoreFields(page.Widget{}, "ID", "Version")
			if diff := cmp.Diff(first.Body, restored.Body, versions); diff != "" || first.Settings != restored.Settings {
				t.Errorf("after seeding the first site again the page is %+v; want %+v\n%s", restored.Settings, first.Settings, diff)
			}
			load(t, store, "/about")
		})
	}
}

// A barrierStore blocks writers until all of them are ready, so that all have read the same state.
type barrierStore struct {
	graph.Store
	ready *sync.WaitGroup
}

func (s barrierStore) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	s.ready.Done()
	s.ready.Wait()
	return s.Store.Write(ctx, b)
}

func TestConcurrentServersSeedOnce(t *testing.T) {
	const servers = 8
	store, site := memory.New(), small.load(t)
	var ready, all sync.WaitGroup
	ready.Add(servers)
	for range servers {
		all.Go(func() {
			if err := site.Seed(t.Context(), barrierStore{store, &ready}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if seq := lastSeq(t, store); seq != 1 {
		t.Errorf("the store is at change %d; want 1", seq)
	}
	seed(t, store, small)
	if seq := lastSeq(t, store); seq != 1 {
		t.Errorf("the last change after seeding again = %d; want 1 as before", seq)
	}
}

func TestSeedRestoresRemovedWidget(t *testing.T) {
	store := memory.New()
	seed(t, store, small)
	home := load(t, store, "/")
	remove(t, store, home.Body.ID)
	seed(t, store, small)
	if body := load(t, store, "/").Body; body.Name != "Home" || body.ID == home.Body.ID {
		t.Errorf("the body is %+v; want Home under an id other than %d", body, home.Body.ID)
	}
}

func longHTML(text string) string {
	for len(text) < 1000 {
		text += " " + text
	}
	return "<p>" + text + "</p>"
}

func lastSeq(t *testing.T, store graph.Store) graph.Seq {
	t.Helper()
	seq, err := store.LastSeq(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

func remove(t *testing.T, store graph.Store, id graph.ID) {
	t.Helper()
	_, err := store.Write(t.Context(), graph.Batch{
		Sender: graph.Sender{User: graph.System}, RemoveConcepts: []graph.ID{id},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// allConcepts returns the concepts with the first 1000 ids that the store assigns.
func allConcepts(t *testing.T, store graph.Store) []graph.Concept {
	t.Helper()
	ids := make([]graph.ID, 1000)
	for i := range ids {
		ids[i] = graph.FirstFree + graph.ID(i)
	}
	found, err := store.Concepts(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
