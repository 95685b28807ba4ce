package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/page"
)

func (w world) tree(id graph.ID, version page.Version) *page.Widget {
	w.t.Helper()
	tree, err := page.LoadWidget(w.t.Context(), w, w.policy, id, version)
	if err != nil {
		w.t.Fatal(err)
	}
	return tree
}

// Whatever somebody stored, a tree ends, and reading it does not take the memory of the server.
func TestHostileTrees(t *testing.T) {
	count := func(w *page.Widget) int {
		var in func(page.Widget) int
		in = func(w page.Widget) int {
			n := 1
			for _, c := range w.Children {
				n += in(c.Widget)
			}
			return n
		}
		return in(*w)
	}
	t.Run("latest versions of each other end", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.widget("A", hole), w.widget("B", hole)
		w.link(a, "the_widget_latest", b)
		w.link(b, "the_widget_latest", a)
		w.link(a, "the_widget_root", b)
		w.link(b, "the_widget_root", a)
		for _, at := range []graph.ID{w.child(a, "in", b), w.child(b, "in", a), w.child(a, "in", a)} {
			w.text(at, "the_child_widget_use_latest", "the_use_latest", "true")
		}
		for _, version := range []page.Version{page.Fixed, page.Latest, page.Recent} {
			if n := count(w.tree(a, version)); n > 2 {
				t.Errorf("%q shows %d widgets", version, n)
			}
		}
	})
	t.Run("an original that is its own version is itself", func(t *testing.T) {
		w := newWorld(t)
		a := w.widget("A", "a")
		w.link(a, "the_widget_latest", a)
		w.link(a, "the_widget_root", a)
		if got := w.tree(a, page.Latest); got.ID != a || got.Root != a {
			t.Errorf("it is %+v", got)
		}
	})
	t.Run("an origin that is no id is none", func(t *testing.T) {
		for _, origin := range []string{"-7", "0", "1e9", "9007199254740993", "7; drop", "undefined"} {
			w := newWorld(t)
			a := w.widget("A", "a")
			w.text(a, "the_widget_origin", "the_origin", origin)
			w.text(a, "the_widget_version", "the_version", origin)
			if got := w.tree(a, page.Latest); got.ID != a || got.Root != a || got.Version < 0 {
				t.Errorf("with the origin %q it is %+v", origin, got)
			}
		}
	})
	t.Run("a thousand children in a thousand places end", func(t *testing.T) {
		w := newWorld(t)
		var html strings.Builder
		top := w.widget("Top", "")
		leaf := w.widget("Leaf", "x")
		for i := range 1000 {
			fmt.Fprintf(&html, `<div id="p%d" class="added-widget-container"></div>`, i)
			w.child(top, fmt.Sprintf("p%d", i), leaf)
		}
		w.text(top, "the_widget_html", "the_html", html.String())
		if n := count(w.tree(top, page.Fixed)); n != page.MaxWidgets {
			t.Errorf("%d widgets are shown; want %d", n, page.MaxWidgets)
		}
	})
	t.Run("a long text stands in as many places as there is room for", func(t *testing.T) {
		w := newWorld(t)
		top := w.widget("Top", "")
		leaf := w.widget("Leaf", strings.Repeat("x", page.MaxText/20-100))
		for i := range 30 {
			w.child(top, fmt.Sprintf("p%d", i), leaf)
		}
		if got := w.tree(top, page.Fixed); len(got.Children) != 20 {
			t.Errorf("it stands in %d places", len(got.Children))
		}
	})
	t.Run("many long texts leave the others to be shown", func(t *testing.T) {
		w := newWorld(t)
		top := w.widget("Top", "<p>top</p>")
		long := w.write(graph.Batch{Concepts: []graph.ConceptDraft{{TypeName: "the_html", Value: strings.Repeat("<b>", 1<<20), Access: graph.Public}}}).Concepts[0].ID
		for i := range 100 {
			child := w.widget("Long", "")
			w.link(child, "the_widget_html", long)
			w.child(top, fmt.Sprintf("p%d", i), child)
		}
		got := w.tree(top, page.Fixed)
		if got.HTML != "<p>top</p>" || len(got.Children) > 2 {
			t.Errorf("it shows %d children and %s", len(got.Children), got.HTML)
		}
	})
	t.Run("what strangers bring cuts nothing of ours", func(t *testing.T) {
		w := newWorld(t)
		stranger := w
		stranger.by = 1000
		top := w.widget("Top", "")
		wide, long, leaf := stranger.widget("Wide", ""), stranger.widget("Long", strings.Repeat("x", page.MaxText/2)), stranger.widget("Leaf", "x")
		for i := range 300 {
			stranger.child(wide, fmt.Sprintf("p%d", i), leaf)
			stranger.child(wide, fmt.Sprintf("q%d", i), stranger.widget("Other", "y"))
		}
		w.child(top, "a", wide)
		w.child(top, "b", long)
		middle := w.widget("Middle", "")
		w.child(top, "c", middle)
		for i := range 100 {
			w.child(middle, fmt.Sprintf("p%d", i), w.widget("Ours", strings.Repeat("z", 1000)))
		}
		got := w.tree(top, page.Fixed)
		if n := count(&got.Children[0].Widget); n != page.MaxWidgets/2 {
			t.Errorf("the stranger brings %d widgets", n)
		}
		if ours := got.Children[len(got.Children)-1].Widget; count(&ours) != 101 || ours.Children[99].Widget.HTML == "" {
			t.Errorf("%d of ours are shown", count(&ours))
		}
		if n := count(stranger.tree(wide, page.Fixed)); n != page.MaxWidgets {
			t.Errorf("by itself the stranger's shows %d widgets", n)
		}
	})
	t.Run("a widget that is too long itself is refused", func(t *testing.T) {
		w := newWorld(t)
		top := w.widget("Top", strings.Repeat("x", graph.MaxText))
		w.text(top, "the_widget_css", "the_css", strings.Repeat("x", graph.MaxText))
		w.text(top, "the_widget_js", "the_js", "x")
		if _, err := page.LoadWidget(t.Context(), w, w.policy, top, page.Fixed); graph.KindOf(err) != graph.TooLarge {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("a thousand functions of a child do not hide the parent's", func(t *testing.T) {
		w := newWorld(t)
		top, child := w.widget("Top", ""), w.widget("Child", "")
		w.child(top, "in", child)
		for i := range 1001 {
			function := w.head("the_custom_function")
			w.text(function, "the_custom_function_code", "the_code", fmt.Sprintf("f(%d)", i))
			w.link(map[bool]graph.ID{true: top, false: child}[i == 0], "the_widget_s_custom_function", function)
		}
		if got := w.tree(top, page.Fixed); len(got.Code.Functions) != 1 || len(got.Children[0].Widget.Code.Functions) != 1000 {
			t.Errorf("there are %d functions", len(got.Code.Functions))
		}
	})
	t.Run("a text of four mebibytes is shown", func(t *testing.T) {
		w := newWorld(t)
		if got := w.tree(w.widget("A", strings.Repeat("x", graph.MaxText)), page.Fixed); len(got.HTML) != graph.MaxText {
			t.Errorf("%d bytes are shown", len(got.HTML))
		}
	})
	t.Run("types and other records are no parts", func(t *testing.T) {
		w := newWorld(t)
		a := w.widget("A", "a")
		found, err := graph.TypesNamed(t.Context(), w, "the_widget")
		if err != nil {
			t.Fatal(err)
		}
		typ := found["the_widget"].ID
		for _, relation := range []string{
			"the_widget_s_child", "the_widget_s_custom_function", "the_widget_s_js_library", "the_widget_documentation",
		} {
			w.link(a, relation, typ)
			w.link(a, relation, a)
		}
		if got := w.tree(a, page.Fixed); len(got.Children) != 0 || got.Code != nil || got.Documented {
			t.Errorf("it is %+v", got)
		}
		if got := w.tree(typ, page.Fixed); got != nil {
			t.Errorf("a type is %+v", got)
		}
	})
}

// Latest versions, code and documentation cost questions for each level too, and not for each widget.
func TestVersionsAskByLevel(t *testing.T) {
	asked := func(n int) int {
		w := newWorld(t)
		top := w.widget("Top", "")
		for i := range n {
			original, version := w.widget("In", "in"), w.widget("In", "new")
			w.link(original, "the_widget_latest", version)
			w.link(version, "the_widget_root", original)
			w.text(version, "the_widget_before_render", "the_before_render", "hook()")
			about := w.head("the_documentation")
			w.text(about, "the_documentation_text", "the_text", "How")
			w.link(original, "the_widget_s_documentation", about)
			w.text(w.child(top, fmt.Sprintf("p%d", i), original), "the_child_widget_use_latest", "the_use_latest", "true")
		}
		counted := &counter{Reader: w}
		tree, err := page.LoadWidget(t.Context(), counted, w.policy, top, page.Latest)
		if err != nil || len(tree.Children) != n || tree.Children[0].Widget.HTML != "new" || !tree.Children[0].Widget.Documented {
			t.Fatalf("the tree is %+v, %v", tree, err)
		}
		return counted.asked
	}
	if few, many := asked(2), asked(60); many != few || few > 30 {
		t.Errorf("2 versions took %d questions, 60 took %d", few, many)
	}
}

// A page is another one after a change of anything it was made of, and of nothing else.
func TestWhatTouchesAPage(t *testing.T) {
	build := func(t *testing.T) (w world, ids map[string]graph.ID) {
		w = newWorld(t)
		original, body := w.widget("Original", hole), w.widget("Body", hole)
		w.link(original, "the_widget_latest", body)
		w.link(body, "the_widget_root", original)
		child := w.widget("Child", "c")
		place := w.child(body, "in", child)
		function := w.head("the_custom_function")
		w.text(function, "the_custom_function_code", "the_code", "f()")
		w.link(child, "the_widget_s_custom_function", function)
		return w, map[string]graph.ID{
			"the page": w.page("/a", original), "the original": original, "the body": body, "the child": child, "the place": place,
			"the function": function, "another widget": w.widget("Another", "x"), "another page": w.page("/b", 0),
		}
	}
	for name, change := range map[string]struct {
		at, relation string
		touches      bool
	}{
		"another title":               {"the page", "the_page_title", true},
		"another slug":                {"the page", "the_page_s_slug", true},
		"another published version":   {"the original", "the_widget_latest", true},
		"documentation":               {"the original", "the_widget_documentation", true},
		"another text":                {"the body", "the_widget_html", true},
		"code":                        {"the child", "the_widget_before_render", true},
		"another child in the place":  {"the place", "the_child_widget_info", true},
		"other code in a function":    {"the function", "the_custom_function_code", true},
		"a change of another widget":  {"another widget", "the_widget_html", false},
		"a change of another page":    {"another page", "the_page_title", false},
		"a widget that uses this one": {"another widget", "the_widget_s_copy", false},
	} {
		t.Run(name, func(t *testing.T) {
			w, ids := build(t)
			before := w.load("/a")
			at, err := w.LastSeq(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			w.text(ids[change.at], change.relation, "the_text", "changed")
			changes, err := w.Changes(t.Context(), at, 10)
			if err != nil || len(changes) == 0 {
				t.Fatalf("the changes are %v, %v", changes, err)
			}
			if got := before.Touched(changes[0]); got != change.touches {
				t.Errorf("it touches the page: %v", got)
			}
		})
	}
}

func TestDocumentation(t *testing.T) {
	w := newWorld(t)
	original, version := w.widget("W", "w"), w.widget("W", "w")
	w.link(version, "the_widget_root", original)
	entry := func(of graph.ID, relation string, texts map[string]string) graph.ID {
		head := w.head("the_documentation")
		for field, text := range texts {
			w.text(head, "the_documentation_"+field, "the_"+strings.TrimPrefix(field, "s_"), text)
		}
		w.link(of, relation, head)
		return head
	}
	api := entry(original, "the_widget_s_documentation", map[string]string{
		"type": "api", "doc_title": "Ask", "method": "post", "method_url": "https://api.test/ask", "auth_type": "basicAuth", "username": "ann",
		"password": "undefined", "bearer_token": "secret", "api_body": "{}", "created_by": "javascript:x()", "content": "<p>a</p><script>x()</script>",
	})
	pair := w.head("the_json_list")
	w.text(pair, "the_json_list_key", "the_key", "name")
	w.text(pair, "the_json_list_value", "the_value", "Ann")
	w.link(api, "the_documentation_s_json_list", pair)
	for _, address := range []string{"https://docs.test/", "data:text/html,x", "//docs.test", "https://docs.test/"} {
		w.text(api, "the_documentation_s_doc_url", "the_doc_url", address)
		w.text(api, "the_documentation_s_video_link", "the_video_link", address)
	}
	old := entry(original, "the_widget_documentation", map[string]string{"text": "How it was <b>once</b>"})
	own := entry(version, "the_widget_s_documentation", map[string]string{"doc_title": "New here"})
	theirs := w
	theirs.by = 7
	theirs.link(original, "the_widget_s_documentation", theirs.head("the_documentation"))
	nothing := func(e page.Entry) page.Entry {
		for _, list := range []*[]string{&e.DocURLs, &e.ImageURLs, &e.VideoLinks} {
			if *list == nil {
				*list = []string{}
			}
		}
		if e.JSONList == nil {
			e.JSONList = []page.Pair{}
		}
		return e
	}
	want := page.Documentation{Entries: []page.Entry{
		nothing(page.Entry{ID: old, Text: "How it was <b>once</b>"}),
		nothing(page.Entry{
			ID: api, Type: "api", DocTitle: "Ask", Content: "<p>a</p>", Method: "post", MethodURL: "https://api.test/ask", AuthType: "basicAuth",
			APIBody: "{}", HasUsername: true, HasBearerToken: true, JSONList: []page.Pair{{Key: "name", Value: "Ann"}},
			DocURLs: []string{"https://docs.test/"}, VideoLinks: []string{"https://docs.test/"},
		}),
		nothing(page.Entry{ID: own, DocTitle: "New here"}),
	}}
	got, err := page.Documented(t.Context(), w, w.policy, version)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("documentation (-want +got)\n%s", diff)
	}
}

func TestLibraries(t *testing.T) {
	hash := "sha384-" + strings.Repeat("a", 64)
	for text, want := range map[string]page.Library{
		"https://cdn.test":                      {Address: "https://cdn.test/"},
		"https://cdn.test/":                     {Address: "https://cdn.test/"},
		"https://cdn.test:8443/lib@1/":          {Address: "https://cdn.test:8443/lib@1/"},
		"https://cdn.test/lib/chart.js#" + hash: {Address: "https://cdn.test/lib/chart.js", Integrity: hash},
		"https://cdn.test/lib/#" + hash:         {},
		"https://cdn.test/a.js#md5-x":           {},
		"https://cdn.test/a.js; script-src *":   {},
		"https://cdn.test/a.js 'unsafe-inline'": {},
		"https://cdn.test/?a=b":                 {},
		"https://ann@cdn.test/":                 {},
		"*":                                     {},
		"cdn.test":                              {},
		"data:text/javascript,x":                {},
		"https://*.test/":                       {},
	} {
		got, err := page.ParseLibrary(text)
		if (err == nil) != (want != page.Library{}) || err == nil && got != want {
			t.Errorf("%q is %+v, %v; want %+v", text, got, err, want)
		}
	}
	w := newWorld(t)
	w.policy.Libraries = page.Libraries{{Address: "https://cdn.test/lib/"}}
	for address, allowed := range map[string]bool{
		"https://cdn.test/lib/a.js": true, "https://cdn.test/lib/a.js#sha384-x": true, "https://cdn.test/lib/a.js?v=1": true,
		"https://cdn.test/other/a.js": false, "https://cdn.test/lib/../other/a.js": false, "https://cdn.test/lib/%2e%2e/other/a.js": false,
		`https://cdn.test/lib/..\other\a.js`: false, "https://cdn.test.evil.test/lib/a.js": false, "https://cdn.test@evil.test/lib/a.js": false,
		"http://cdn.test/lib/a.js": false, "//cdn.test/lib/a.js": false, "https://cdn.test/lib": false,
	} {
		widget := w.widget("W", "w")
		library := w.head("the_js_library")
		w.text(library, "the_js_library_url", "the_url", address)
		w.link(widget, "the_widget_s_js_library", library)
		if got := w.tree(widget, page.Fixed).Code != nil; got != allowed {
			t.Errorf("%s may be loaded: %v", address, got)
		}
	}
}
