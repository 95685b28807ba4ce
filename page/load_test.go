package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/page"
	"github.com/weft-graph/weft/store/memory"
)

// A world is a store into which a test puts records as a builder would.
type world struct {
	graph.Store
	t      *testing.T
	by     graph.ID
	shown  graph.Access
	policy page.Policy
}

func newWorld(t *testing.T) world {
	return world{Store: memory.New(), t: t, by: graph.System, shown: graph.Public}
}

// head makes an empty record.
func (w world) head(typ string) graph.ID {
	return w.write(graph.Batch{Concepts: []graph.ConceptDraft{{Kind: graph.DraftComposition, TypeName: typ, Access: w.shown}}}).Concepts[0].ID
}

// text gives a record a value.
func (w world) text(head graph.ID, relation, typ, value string) {
	w.write(graph.Batch{
		Concepts:    []graph.ConceptDraft{{Ghost: -1, TypeName: typ, Value: value, Access: w.shown}},
		Connections: []graph.ConnectionDraft{{From: head, To: -1, TypeName: relation, Access: w.shown}},
	})
}

func (w world) link(from graph.ID, relation string, to graph.ID) {
	w.write(graph.Batch{Connections: []graph.ConnectionDraft{{From: from, To: to, TypeName: relation, Access: w.shown}}})
}

var batches int64

func (w world) write(b graph.Batch) graph.Receipt {
	w.t.Helper()
	batches++
	b.Sender = graph.Sender{User: w.by, Randomizer: batches}
	receipt, err := w.Write(w.t.Context(), b)
	if err != nil {
		w.t.Fatal(err)
	}
	return receipt
}

func (w world) page(slug string, body graph.ID) graph.ID {
	head := w.head("the_page")
	w.text(head, "the_page_slug", "the_slug", slug)
	w.text(head, "the_page_title", "the_title", "Title of "+slug)
	if body != 0 {
		w.link(head, "the_page_body", body)
	}
	return head
}

func (w world) widget(name, html string) graph.ID {
	head := w.head("the_widget")
	w.text(head, "the_widget_name", "the_name", name)
	w.text(head, "the_widget_html", "the_html", html)
	return head
}

func (w world) child(parent graph.ID, wrapper string, child graph.ID) graph.ID {
	head := w.head("the_child_widget")
	w.text(head, "the_child_widget_wrapper", "the_wrapper", wrapper)
	w.link(head, "the_child_widget_info", child)
	w.link(parent, "the_widget_s_child", head)
	return head
}

func (w world) load(slug string) page.Page {
	w.t.Helper()
	p, err := page.Load(w.t.Context(), w, w.policy, slug)
	if err != nil {
		w.t.Fatalf("page %q: %v", slug, err)
	}
	return p
}

func (w world) html(slug string) string {
	w.t.Helper()
	drawn, err := page.Render(w.load(slug))
	if err != nil {
		w.t.Fatal(err)
	}
	return drawn.HTML
}

const hole = `<div id="in" class="added-widget-container"></div>`

func TestLoad(t *testing.T) {
	t.Run("a store without pages has none", func(t *testing.T) {
		if _, err := page.Load(t.Context(), memory.New(), page.Policy{}, "/"); graph.KindOf(err) != graph.NotFound {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("a page has all its settings", func(t *testing.T) {
		w := newWorld(t)
		head := w.page("/a", 0)
		for field, value := range map[string]string{
			"meta_title": "M", "meta_description": "D", "meta_keywords": "K", "type": "fixed", "width": "80%",
			"font_size": "17", "font_family": "Georgia, serif",
		} {
			w.text(head, "the_page_"+field, "the_"+field, value)
		}
		want := page.Settings{
			ID: head, Slug: "/a", Title: "Title of /a", MetaTitle: "M", MetaDescription: "D", MetaKeywords: "K",
			Type: "fixed", Width: "80%", FontSize: "17", FontFamily: "Georgia, serif",
		}
		if diff := cmp.Diff(want, w.load("/a").Settings); diff != "" {
			t.Error(diff)
		}
		drawn, err := page.Render(w.load("/a"))
		if err != nil {
			t.Fatal(err)
		}
		const css = ".fspage { width: 1200px; max-width: 100%; margin: 0 auto; width: 80% !important; font-size: 17px; font-family: Georgia, serif }"
		if drawn.CSS != css {
			t.Errorf("CSS is %s", drawn.CSS)
		}
	})
	t.Run("case and a slash at the end do not matter", func(t *testing.T) {
		w := newWorld(t)
		head := w.page("/a/b", 0)
		for _, slug := range []string{"/a/b", "/A/b/", "a/B"} {
			if got := w.load(slug).Settings.ID; got != head {
				t.Errorf("%q is page %d; want %d", slug, got, head)
			}
		}
	})
	t.Run("what builders write for nothing is nothing", func(t *testing.T) {
		for _, nothing := range []string{"undefined", "null", "NaN", ""} {
			w := newWorld(t)
			head := w.page("/a", w.widget("W", nothing))
			w.text(head, "the_page_meta_title", "the_meta_title", nothing)
			p := w.load("/a")
			if p.Settings.MetaTitle != "" || p.Body.HTML != "" {
				t.Errorf("%q is shown: %+v", nothing, p)
			}
			if got := p.Settings.DocumentTitle(); got != "Title of /a" {
				t.Errorf("the document is called %q", got)
			}
		}
	})
	t.Run("the newest of several titles counts", func(t *testing.T) {
		w := newWorld(t)
		head := w.page("/a", 0)
		w.text(head, "the_page_title", "the_title", "Newer")
		if got := w.load("/a").Settings.Title; got != "Newer" {
			t.Errorf("the title is %q", got)
		}
	})
}

func TestWhoseAPageIs(t *testing.T) {
	stranger := func(w world) world { w.by = 7; return w }
	hidden := func(w world) world { w.shown = graph.Private; return w }
	for name, change := range map[string]func(world) world{"a stranger's": stranger, "a hidden": hidden} {
		t.Run(name+" page is not served", func(t *testing.T) {
			w := newWorld(t)
			change(w).page("/a", 0)
			if _, err := page.Load(t.Context(), w, w.policy, "/a"); graph.KindOf(err) != graph.NotFound {
				t.Errorf("the error is %v", err)
			}
		})
		t.Run(name+" page does not stand before ours", func(t *testing.T) {
			w := newWorld(t)
			change(w).page("/a", 0)
			ours := w.page("/a", 0)
			change(w).page("/a", 0)
			if got := w.load("/a").Settings.ID; got != ours {
				t.Errorf("page %d is served; want %d", got, ours)
			}
		})
		t.Run(name+" link changes nothing", func(t *testing.T) {
			w := newWorld(t)
			head := w.page("/a", 0)
			change(w).text(head, "the_page_title", "the_title", "Mine")
			if got := w.load("/a").Settings.Title; got != "Title of /a" {
				t.Errorf("the title is %q", got)
			}
		})
	}
	t.Run("a hidden widget is not shown", func(t *testing.T) {
		w := newWorld(t)
		w.page("/a", hidden(w).widget("Theirs", "<p>x</p>"))
		if got := w.html("/a"); !strings.Contains(got, "Invalid or Widget doesn&#39;t exist") {
			t.Errorf("it shows %s", got)
		}
	})
	t.Run("a stranger's widget is shown, and nothing of it runs", func(t *testing.T) {
		w := newWorld(t)
		theirs := stranger(w).widget("Theirs", "<p>x</p>")
		stranger(w).text(theirs, "the_widget_before_render", "the_before_render", "steal()")
		w.page("/a", theirs)
		if got := w.load("/a").Body; got.HTML != "<p>x</p>" || got.Trust != page.Static || got.Code != nil {
			t.Errorf("it is %+v", got)
		}
	})
	t.Run("an admin's page is served until the admin is none any more", func(t *testing.T) {
		w := newWorld(t)
		w.policy.Admins = map[graph.ID]bool{7: true}
		head := stranger(w).page("/a", 0)
		if got := w.load("/a").Settings.ID; got != head {
			t.Errorf("page %d is served; want %d", got, head)
		}
		if _, err := page.Load(t.Context(), w, page.Policy{}, "/a"); graph.KindOf(err) != graph.NotFound {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("our links do not make a stranger's page ours", func(t *testing.T) {
		w := newWorld(t)
		w.text(stranger(w).head("the_page"), "the_page_slug", "the_slug", "/a")
		if _, err := page.Load(t.Context(), w, w.policy, "/a"); graph.KindOf(err) != graph.NotFound {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("our links do not make a hidden widget a shown one", func(t *testing.T) {
		w := newWorld(t)
		body := hidden(w).head("the_widget")
		w.text(body, "the_widget_name", "the_name", "Draft")
		w.page("/a", body)
		if got := w.html("/a"); !strings.Contains(got, "Invalid or Widget doesn&#39;t exist") {
			t.Errorf("it shows %s", got)
		}
	})
	t.Run("a hidden value is not shown through a link for everybody", func(t *testing.T) {
		w := newWorld(t)
		head := w.page("/a", 0)
		secret := w.write(graph.Batch{Concepts: []graph.ConceptDraft{{TypeName: "the_title", Value: "Secret"}}}).Concepts[0]
		w.link(head, "the_page_title", secret.ID)
		if got := w.load("/a").Settings.Title; got != "" {
			t.Errorf("the title is %q", got)
		}
	})
	t.Run("thousands of strangers do not hide ours", func(t *testing.T) {
		w := newWorld(t)
		slug := graph.ConceptDraft{Ghost: -1, TypeName: "the_slug", Value: "/a", Access: graph.Public}
		b := graph.Batch{Sender: graph.Sender{User: 7, Randomizer: -1}, Concepts: []graph.ConceptDraft{slug}}
		for i := range graph.ID(2500) {
			b.Concepts = append(b.Concepts, graph.ConceptDraft{Ghost: -2 - i, Kind: graph.DraftComposition, TypeName: "the_page", Access: graph.Public})
			b.Connections = append(b.Connections, graph.ConnectionDraft{From: -2 - i, To: -1, TypeName: "the_page_slug", Access: graph.Public})
		}
		if _, err := w.Write(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		ours := w.page("/a", 0)
		if got := w.load("/a").Settings.ID; got != ours {
			t.Errorf("page %d is served; want %d", got, ours)
		}
	})
}

func TestTree(t *testing.T) {
	t.Run("a page without body says so", func(t *testing.T) {
		w := newWorld(t)
		w.page("/a", 0)
		if got := w.html("/a"); got != "<h4>Invalid or Page doesn&#39;t exist</h4>" {
			t.Errorf("it shows %s", got)
		}
	})
	t.Run("a widget without name says so", func(t *testing.T) {
		w := newWorld(t)
		body := w.head("the_widget")
		w.text(body, "the_widget_html", "the_html", "<p>x</p>")
		w.page("/a", body)
		want := fmt.Sprintf(`<div data-widget="%d"><h4>Invalid or Widget doesn&#39;t exist</h4></div>`, body)
		if got := w.html("/a"); got != want {
			t.Errorf("it shows %s; want %s", got, want)
		}
	})
	t.Run("children stand in their places and others are not shown", func(t *testing.T) {
		w := newWorld(t)
		body := w.widget("Body", `<main>`+hole+`</main>`)
		in, lost := w.widget("In", "<p>in</p>"), w.widget("Lost", "<p>lost</p>")
		w.child(body, "in", in)
		w.child(body, "elsewhere", lost)
		w.page("/a", body)
		want := fmt.Sprintf(`<div data-widget="%d"><main><div id="in" class="added-widget-container"><div data-widget="%d"><p>in</p></div></div></main></div>`, body, in)
		if got := w.html("/a"); got != want {
			t.Errorf("it shows\n%s\nwant\n%s", got, want)
		}
	})
	t.Run("the newest of two children in one place counts", func(t *testing.T) {
		w := newWorld(t)
		body := w.widget("Body", hole)
		w.child(body, "in", w.widget("Old", "<p>old</p>"))
		w.child(body, "in", w.widget("New", "<p>new</p>"))
		w.page("/a", body)
		if got := w.html("/a"); !strings.Contains(got, "new") || strings.Contains(got, "old") {
			t.Errorf("it shows %s", got)
		}
	})
	t.Run("a child does not look for places in another one's HTML", func(t *testing.T) {
		w := newWorld(t)
		body := w.widget("Body", hole)
		w.child(body, "in", w.widget("In", `<div id="deeper" class="added-widget-container"></div>`))
		w.child(body, "deeper", w.widget("Deeper", "<p>deeper</p>"))
		w.page("/a", body)
		if got := w.html("/a"); strings.Contains(got, "<p>deeper") {
			t.Errorf("it shows %s", got)
		}
	})
	t.Run("a child named by a text, as older builders did, is found", func(t *testing.T) {
		w := newWorld(t)
		body, in := w.widget("Body", hole), w.widget("In", "<p>in</p>")
		place := w.head("the_child_widget")
		w.text(place, "the_child_widget_wrapper", "the_wrapper", "in")
		w.text(place, "the_child_widget_parent", "the_parent", in.String())
		w.link(body, "the_widget_s_child", place)
		w.page("/a", body)
		if got := w.html("/a"); !strings.Contains(got, "<p>in</p>") {
			t.Errorf("it shows %s", got)
		}
	})
	t.Run("a widget inside itself ends", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.widget("A", "a"+hole), w.widget("B", "b"+hole)
		w.child(a, "in", b)
		w.child(b, "in", a)
		w.child(b, "in", b)
		w.page("/a", a)
		if got := w.html("/a"); strings.Count(got, "data-widget") > 2 {
			t.Errorf("it shows %s", got)
		}
	})
	t.Run("widgets end at their greatest depth", func(t *testing.T) {
		w := newWorld(t)
		top := w.widget("0", hole)
		w.page("/a", top)
		for range 2 * page.MaxDepth {
			below := w.widget("w", hole)
			w.child(top, "in", below)
			top = below
		}
		if got := strings.Count(w.html("/a"), "data-widget"); got != page.MaxDepth {
			t.Errorf("%d widgets are shown; want %d", got, page.MaxDepth)
		}
	})
	t.Run("a few widgets that fold into very many end", func(t *testing.T) {
		w := newWorld(t)
		var two strings.Builder
		for i := range 4 {
			fmt.Fprintf(&two, `<div id="p%d" class="added-widget-container"></div>`, i)
		}
		below := w.widget("leaf", "x")
		for range page.MaxDepth - 1 {
			above := w.widget("w", two.String())
			for i := range 4 {
				w.child(above, fmt.Sprintf("p%d", i), below)
			}
			below = above
		}
		w.page("/a", below)
		if got := strings.Count(w.html("/a"), "data-widget"); got != page.MaxWidgets {
			t.Errorf("%d widgets are shown; want %d", got, page.MaxWidgets)
		}
	})
	t.Run("bad CSS is left out and good CSS is tied to its widget", func(t *testing.T) {
		w := newWorld(t)
		body, in := w.widget("Body", hole), w.widget("In", "<p>in</p>")
		w.text(body, "the_widget_css", "the_css", "p { color: red }\r\np { margin: 0 }")
		w.text(in, "the_widget_css", "the_css", "} body { display: none } {")
		w.child(body, "in", in)
		w.page("/a", body)
		drawn, err := page.Render(w.load("/a"))
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("@scope ([data-widget=\"%d\"]) {\np { color: red }\np { margin: 0 }\n}", body)
		if drawn.CSS != want {
			t.Errorf("CSS is %q; want %q", drawn.CSS, want)
		}
	})
}

// The cost of a page is the number of its levels, not of its widgets.
func TestTreeAsksByLevel(t *testing.T) {
	w := newWorld(t)
	var html strings.Builder
	for i := range 50 {
		fmt.Fprintf(&html, `<div id="p%d" class="added-widget-container"></div>`, i)
	}
	body := w.widget("Body", html.String())
	for i := range 50 {
		w.child(body, fmt.Sprintf("p%d", i), w.widget("In", "<p>in</p>"))
	}
	w.page("/a", body)
	counted := &counter{Reader: w}
	if _, err := page.Load(t.Context(), counted, w.policy, "/a"); err != nil {
		t.Fatal(err)
	}
	if counted.asked > 16 {
		t.Errorf("51 widgets in two levels took %d questions", counted.asked)
	}
}
