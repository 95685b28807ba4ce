package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/page"
	"github.com/weft-graph/weft/internal/store/memory"
)

// A fixture is a store with helpers that write records as site builders do.
type fixture struct {
	graph.Store
	t      *testing.T
	user   graph.ID     // owner of the records written
	access graph.Access // access of the records written
	policy page.Policy
}

func newFixture(t *testing.T) fixture {
	return fixture{Store: memory.New(), t: t, user: graph.System, access: graph.Public}
}

// head writes an empty record.
func (f fixture) head(typ string) graph.ID {
	return f.write(graph.Batch{Concepts: []graph.ConceptDraft{{Kind: graph.DraftComposition, TypeName: typ, Access: f.access}}}).Concepts[0].ID
}

// text writes a value of a record.
func (f fixture) text(head graph.ID, relation, typ, value string) {
	f.write(graph.Batch{
		Concepts:    []graph.ConceptDraft{{LocalID: -1, TypeName: typ, Value: value, Access: f.access}},
		Connections: []graph.ConnectionDraft{{From: head, To: -1, TypeName: relation, Access: f.access}},
	})
}

func (f fixture) link(from graph.ID, relation string, to graph.ID) {
	f.write(graph.Batch{Connections: []graph.ConnectionDraft{{From: from, To: to, TypeName: relation, Access: f.access}}})
}

var batches int64

func (f fixture) write(b graph.Batch) graph.Receipt {
	f.t.Helper()
	batches++
	b.Sender = graph.Sender{User: f.user, Randomizer: batches}
	receipt, err := f.Write(f.t.Context(), b)
	if err != nil {
		f.t.Fatal(err)
	}
	return receipt
}

func (f fixture) page(slug string, body graph.ID) graph.ID {
	head := f.head("the_page")
	f.text(head, "the_page_slug", "the_slug", slug)
	f.text(head, "the_page_title", "the_title", "Title of "+slug)
	if body != 0 {
		f.link(head, "the_page_body", body)
	}
	return head
}

func (f fixture) widget(name, html string) graph.ID {
	head := f.head("the_widget")
	f.text(head, "the_widget_name", "the_name", name)
	f.text(head, "the_widget_html", "the_html", html)
	return head
}

func (f fixture) child(parent graph.ID, wrapper string, child graph.ID) graph.ID {
	head := f.head("the_child_widget")
	f.text(head, "the_child_widget_wrapper", "the_wrapper", wrapper)
	f.link(head, "the_child_widget_info", child)
	f.link(parent, "the_widget_s_child", head)
	return head
}

func (f fixture) load(slug string) page.Page {
	f.t.Helper()
	p, err := page.Load(f.t.Context(), f, f.policy, slug)
	if err != nil {
		f.t.Fatalf("page %q: %v", slug, err)
	}
	return p
}

func (f fixture) html(slug string) string {
	f.t.Helper()
	rendered, err := page.Render(f.load(slug))
	if err != nil {
		f.t.Fatal(err)
	}
	return rendered.HTML
}

const placeholder = `<div id="in" class="added-widget-container"></div>`

func TestLoad(t *testing.T) {
	t.Run("a store without pages has none", func(t *testing.T) {
		if _, err := page.Load(t.Context(), memory.New(), page.Policy{}, "/"); graph.KindOf(err) != graph.NotFound {
			t.Errorf("loading a page: %v; want notFound", err)
		}
	})
	t.Run("a page has all its settings", func(t *testing.T) {
		f := newFixture(t)
		head := f.page("/a", 0)
		for field, value := range map[string]string{
			"meta_title": "M", "meta_description": "D", "meta_keywords": "K", "type": "fixed", "width": "80%",
			"font_size": "17", "font_family": "Georgia, serif",
		} {
			f.text(head, "the_page_"+field, "the_"+field, value)
		}
		want := page.Settings{
			ID: head, Slug: "/a", Title: "Title of /a", MetaTitle: "M", MetaDescription: "D", MetaKeywords: "K",
			Type: "fixed", Width: "80%", FontSize: "17", FontFamily: "Georgia, serif",
		}
		if diff := cmp.Diff(want, f.load("/a").Settings); diff != "" {
			t.Error(diff)
		}
		rendered, err := page.Render(f.load("/a"))
		if err != nil {
			t.Fatal(err)
		}
		const css = ".fspage { width: 1200px; max-width: 100%; margin: 0 auto; width: 80% !important; font-size: 17px; font-family: Georgia, serif }"
		if rendered.CSS != css {
			t.Errorf("the CSS = %s; want %s", rendered.CSS, css)
		}
	})
	t.Run("ignores case and a trailing slash", func(t *testing.T) {
		f := newFixture(t)
		head := f.page("/a/b", 0)
		for _, slug := range []string{"/a/b", "/A/b/", "a/B"} {
			if got := f.load(slug).Settings.ID; got != head {
				t.Errorf("%q is page %d; want %d", slug, got, head)
			}
		}
	})
	t.Run("treats undefined, null and NaN as missing", func(t *testing.T) {
		for _, missing := range []string{"undefined", "null", "NaN", ""} {
			f := newFixture(t)
			head := f.page("/a", f.widget("W", missing))
			f.text(head, "the_page_meta_title", "the_meta_title", missing)
			p := f.load("/a")
			if p.Settings.MetaTitle != "" || p.Body.HTML != "" {
				t.Errorf("%q is shown: %+v", missing, p)
			}
			if got := p.Settings.DocumentTitle(); got != "Title of /a" {
				t.Errorf("the title of the document = %q; want \"Title of /a\"", got)
			}
		}
	})
	t.Run("uses the newest of several titles", func(t *testing.T) {
		f := newFixture(t)
		head := f.page("/a", 0)
		f.text(head, "the_page_title", "the_title", "Newer")
		if got := f.load("/a").Settings.Title; got != "Newer" {
			t.Errorf("the title = %q; want \"Newer\"", got)
		}
	})
}

func TestOwnersOfPages(t *testing.T) {
	otherUser := func(f fixture) fixture { f.user = 7; return f }
	private := func(f fixture) fixture { f.access = graph.Private; return f }
	for name, change := range map[string]func(fixture) fixture{"another user's": otherUser, "a private": private} {
		t.Run(name+" page is not served", func(t *testing.T) {
			f := newFixture(t)
			change(f).page("/a", 0)
			if _, err := page.Load(t.Context(), f, f.policy, "/a"); graph.KindOf(err) != graph.NotFound {
				t.Errorf("loading the page: %v; want notFound", err)
			}
		})
		t.Run(name+" page does not hide a published page", func(t *testing.T) {
			f := newFixture(t)
			change(f).page("/a", 0)
			published := f.page("/a", 0)
			change(f).page("/a", 0)
			if got := f.load("/a").Settings.ID; got != published {
				t.Errorf("page %d is served; want %d", got, published)
			}
		})
		t.Run(name+" link changes nothing", func(t *testing.T) {
			f := newFixture(t)
			head := f.page("/a", 0)
			change(f).text(head, "the_page_title", "the_title", "Mine")
			if got := f.load("/a").Settings.Title; got != "Title of /a" {
				t.Errorf("the title = %q; want \"Title of /a\"", got)
			}
		})
	}
	t.Run("does not show a private widget", func(t *testing.T) {
		f := newFixture(t)
		f.page("/a", private(f).widget("Theirs", "<p>x</p>"))
		if got := f.html("/a"); !strings.Contains(got, "Invalid or Widget doesn&#39;t exist") {
			t.Errorf("the page shows %s", got)
		}
	})
	t.Run("shows an untrusted widget without its code", func(t *testing.T) {
		f := newFixture(t)
		untrusted := otherUser(f).widget("Theirs", "<p>x</p>")
		otherUser(f).text(untrusted, "the_widget_before_render", "the_before_render", "steal()")
		f.page("/a", untrusted)
		if got := f.load("/a").Body; got.HTML != "<p>x</p>" || got.Trust != page.Static || got.Code != nil {
			t.Errorf("the body = %+v; want <p>x</p>, static and without code", got)
		}
	})
	t.Run("serves the page of an admin until the user loses the role", func(t *testing.T) {
		f := newFixture(t)
		f.policy.Admins = map[graph.ID]bool{7: true}
		head := otherUser(f).page("/a", 0)
		if got := f.load("/a").Settings.ID; got != head {
			t.Errorf("page %d is served; want %d", got, head)
		}
		if _, err := page.Load(t.Context(), f, page.Policy{}, "/a"); graph.KindOf(err) != graph.NotFound {
			t.Errorf("loading the page with a policy without admins: %v; want notFound", err)
		}
	})
	t.Run("does not publish an untrusted page that a publisher links", func(t *testing.T) {
		f := newFixture(t)
		f.text(otherUser(f).head("the_page"), "the_page_slug", "the_slug", "/a")
		if _, err := page.Load(t.Context(), f, f.policy, "/a"); graph.KindOf(err) != graph.NotFound {
			t.Errorf("loading the page: %v; want notFound", err)
		}
	})
	t.Run("does not show a private widget that a publisher links", func(t *testing.T) {
		f := newFixture(t)
		body := private(f).head("the_widget")
		f.text(body, "the_widget_name", "the_name", "Draft")
		f.page("/a", body)
		if got := f.html("/a"); !strings.Contains(got, "Invalid or Widget doesn&#39;t exist") {
			t.Errorf("the page shows %s", got)
		}
	})
	t.Run("does not show a private value through a public link", func(t *testing.T) {
		f := newFixture(t)
		head := f.page("/a", 0)
		secret := f.write(graph.Batch{Concepts: []graph.ConceptDraft{{TypeName: "the_title", Value: "Secret"}}}).Concepts[0]
		f.link(head, "the_page_title", secret.ID)
		if got := f.load("/a").Settings.Title; got != "" {
			t.Errorf("the title = %q; want none", got)
		}
	})
	t.Run("finds a published page behind thousands of untrusted links", func(t *testing.T) {
		f := newFixture(t)
		slug := graph.ConceptDraft{LocalID: -1, TypeName: "the_slug", Value: "/a", Access: graph.Public}
		b := graph.Batch{Sender: graph.Sender{User: 7, Randomizer: -1}, Concepts: []graph.ConceptDraft{slug}}
		for i := range graph.ID(2500) {
			b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: -2 - i, Kind: graph.DraftComposition, TypeName: "the_page", Access: graph.Public})
			b.Connections = append(b.Connections, graph.ConnectionDraft{From: -2 - i, To: -1, TypeName: "the_page_slug", Access: graph.Public})
		}
		if _, err := f.Write(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		published := f.page("/a", 0)
		if got := f.load("/a").Settings.ID; got != published {
			t.Errorf("page %d is served; want %d", got, published)
		}
	})
}

func TestTree(t *testing.T) {
	t.Run("renders a notice for a page without body", func(t *testing.T) {
		f := newFixture(t)
		f.page("/a", 0)
		if got := f.html("/a"); got != "<h4>Invalid or Page doesn&#39;t exist</h4>" {
			t.Errorf("the page shows %s", got)
		}
	})
	t.Run("renders a notice for a widget without name", func(t *testing.T) {
		f := newFixture(t)
		body := f.head("the_widget")
		f.text(body, "the_widget_html", "the_html", "<p>x</p>")
		f.page("/a", body)
		want := fmt.Sprintf(`<div data-widget="%d"><h4>Invalid or Widget doesn&#39;t exist</h4></div>`, body)
		if got := f.html("/a"); got != want {
			t.Errorf("the page shows %s; want %s", got, want)
		}
	})
	t.Run("places children and omits those without a placeholder", func(t *testing.T) {
		f := newFixture(t)
		body := f.widget("Body", `<main>`+placeholder+`</main>`)
		placed, lost := f.widget("In", "<p>in</p>"), f.widget("Lost", "<p>lost</p>")
		f.child(body, "in", placed)
		f.child(body, "elsewhere", lost)
		f.page("/a", body)
		want := fmt.Sprintf(`<div data-widget="%d"><main><div id="in" class="added-widget-container"><div data-widget="%d"><p>in</p></div></div></main></div>`, body, placed)
		if got := f.html("/a"); got != want {
			t.Errorf("the page shows\n%s\nwant\n%s", got, want)
		}
	})
	t.Run("uses the newest of two children in one placeholder", func(t *testing.T) {
		f := newFixture(t)
		body := f.widget("Body", placeholder)
		f.child(body, "in", f.widget("Old", "<p>old</p>"))
		f.child(body, "in", f.widget("New", "<p>new</p>"))
		f.page("/a", body)
		if got := f.html("/a"); !strings.Contains(got, "new") || strings.Contains(got, "old") {
			t.Errorf("the page shows %s", got)
		}
	})
	t.Run("does not place a child in the HTML of another child", func(t *testing.T) {
		f := newFixture(t)
		body := f.widget("Body", placeholder)
		f.child(body, "in", f.widget("In", `<div id="deeper" class="added-widget-container"></div>`))
		f.child(body, "deeper", f.widget("Deeper", "<p>deeper</p>"))
		f.page("/a", body)
		if got := f.html("/a"); strings.Contains(got, "<p>deeper") {
			t.Errorf("the page shows %s", got)
		}
	})
	t.Run("finds a child whose id is stored as text", func(t *testing.T) {
		f := newFixture(t)
		body, in := f.widget("Body", placeholder), f.widget("In", "<p>in</p>")
		place := f.head("the_child_widget")
		f.text(place, "the_child_widget_wrapper", "the_wrapper", "in")
		f.text(place, "the_child_widget_parent", "the_parent", in.String())
		f.link(body, "the_widget_s_child", place)
		f.page("/a", body)
		if got := f.html("/a"); !strings.Contains(got, "<p>in</p>") {
			t.Errorf("the page shows %s", got)
		}
	})
	t.Run("cuts a widget inside itself", func(t *testing.T) {
		f := newFixture(t)
		a, b := f.widget("A", "a"+placeholder), f.widget("B", "b"+placeholder)
		f.child(a, "in", b)
		f.child(b, "in", a)
		f.child(b, "in", b)
		f.page("/a", a)
		if got := f.html("/a"); strings.Count(got, "data-widget") > 2 {
			t.Errorf("the page shows %s", got)
		}
	})
	t.Run("cuts widgets at the maximum depth", func(t *testing.T) {
		f := newFixture(t)
		top := f.widget("0", placeholder)
		f.page("/a", top)
		for range 2 * page.MaxDepth {
			below := f.widget("w", placeholder)
			f.child(top, "in", below)
			top = below
		}
		if got := strings.Count(f.html("/a"), "data-widget"); got != page.MaxDepth {
			t.Errorf("%d widgets are shown; want %d", got, page.MaxDepth)
		}
	})
	t.Run("cuts a tree that multiplies shared widgets", func(t *testing.T) {
		f := newFixture(t)
		var placeholders strings.Builder
		for i := range 4 {
			fmt.Fprintf(&placeholders, `<div id="p%d" class="added-widget-container"></div>`, i)
		}
		below := f.widget("leaf", "x")
		for range page.MaxDepth - 1 {
			above := f.widget("w", placeholders.String())
			for i := range 4 {
				f.child(above, fmt.Sprintf("p%d", i), below)
			}
			below = above
		}
		f.page("/a", below)
		if got := strings.Count(f.html("/a"), "data-widget"); got != page.MaxWidgets {
			t.Errorf("%d widgets are shown; want %d", got, page.MaxWidgets)
		}
	})
	t.Run("omits invalid CSS and scopes valid CSS", func(t *testing.T) {
		f := newFixture(t)
		body, in := f.widget("Body", placeholder), f.widget("In", "<p>in</p>")
		f.text(body, "the_widget_css", "the_css", "p { color: red }\r\np { margin: 0 }")
		f.text(in, "the_widget_css", "the_css", "} body { display: none } {")
		f.child(body, "in", in)
		f.page("/a", body)
		rendered, err := page.Render(f.load("/a"))
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("@scope ([data-widget=\"%d\"]) {\np { color: red }\np { margin: 0 }\n}", body)
		if rendered.CSS != want {
			t.Errorf("CSS is %q; want %q", rendered.CSS, want)
		}
	})
}

// The number of reads for a page must depend on its levels, not on the number of its widgets.
func TestTreeReadsPerLevel(t *testing.T) {
	f := newFixture(t)
	var html strings.Builder
	for i := range 50 {
		fmt.Fprintf(&html, `<div id="p%d" class="added-widget-container"></div>`, i)
	}
	body := f.widget("Body", html.String())
	for i := range 50 {
		f.child(body, fmt.Sprintf("p%d", i), f.widget("In", "<p>in</p>"))
	}
	f.page("/a", body)
	counted := &readCounter{Reader: f}
	if _, err := page.Load(t.Context(), counted, f.policy, "/a"); err != nil {
		t.Fatal(err)
	}
	if counted.calls > 16 {
		t.Errorf("51 widgets in two levels took %d reads", counted.calls)
	}
}

func TestAWidgetTreeHasTheNotesOfItsBuilder(t *testing.T) {
	f := newFixture(t)
	addNotes := func(widget graph.ID) {
		f.text(widget, "the_widget_timestamp", "the_timestamp", "2025-01-02T03:04:05.678Z")
		f.text(widget, "the_widget_clean", "the_clean", `<p onclick="alert(1)">Hello</p><script>alert(2)</script>`)
		assistant := f.head("the_assistant")
		f.text(assistant, "the_assistant_id", "the_id", "77")
		f.text(assistant, "the_assistant_input", "the_input", "a greeting")
		f.text(assistant, "the_assistant_type", "the_type", "html")
		f.link(widget, "the_widget_assistant", assistant)
	}
	parent, child := f.widget("Parent", `<p id="a">Parent</p>`), f.widget("Child", `<p>Child</p>`)
	f.text(child, "the_widget_js", "the_js", "run()")
	f.child(parent, "a", child)
	addNotes(child)
	want := page.Widget{
		Timestamp: "2025-01-02T03:04:05.678Z", Clean: "<p>Hello</p>",
		Assistant: &page.Assistant{ID: "77", Input: "a greeting", Type: "html"},
	}
	notesOf := func(w page.Widget) page.Widget {
		return page.Widget{Timestamp: w.Timestamp, Clean: w.Clean, Assistant: w.Assistant}
	}
	policy := page.Policy{Cleaner: page.NewCleaner(1<<20, page.Looks{})}
	load := func() *page.Widget {
		t.Helper()
		w, err := page.LoadWidget(t.Context(), f, policy, parent, page.Fixed)
		if err != nil || len(w.Children) != 1 {
			t.Fatalf("the tree = %+v, %v; want one child", w, err)
		}
		return w
	}
	if diff := cmp.Diff(want, notesOf(load().Children[0].Widget)); diff != "" {
		t.Errorf("the notes differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(page.Widget{}, notesOf(*load())); diff != "" {
		t.Errorf("a widget without notes has notes (-want +got):\n%s", diff)
	}
	f.page("/notes", parent)
	shown, err := page.Load(t.Context(), f, policy, "/notes")
	if err != nil || len(shown.Body.Children) != 1 {
		t.Fatalf("the page = %+v, %v; want one child", shown, err)
	}
	if diff := cmp.Diff(page.Widget{}, notesOf(shown.Body.Children[0].Widget)); diff != "" {
		t.Errorf("a page has notes (-want +got):\n%s", diff)
	}
	f.access = graph.Private
	addNotes(child)
	if got := load().Children[0].Widget; got.Trust != page.Trusted || got.Assistant == nil {
		t.Errorf("with private notes, the trust is %q and the assistant %+v; want a trusted widget with an assistant", got.Trust, got.Assistant)
	}
}
