package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/page"
)

func (f fixture) loadTree(id graph.ID, version page.Version) *page.Widget {
	f.t.Helper()
	tree, err := page.LoadWidget(f.t.Context(), f, f.policy, id, version)
	if err != nil {
		f.t.Fatal(err)
	}
	return tree
}

// Loading a hostile tree terminates and uses a bounded amount of memory.
func TestHostileTrees(t *testing.T) {
	count := func(w *page.Widget) int {
		var countIn func(page.Widget) int
		countIn = func(w page.Widget) int {
			n := 1
			for _, c := range w.Children {
				n += countIn(c.Widget)
			}
			return n
		}
		return countIn(*w)
	}
	t.Run("terminates for widgets that are each other's latest version", func(t *testing.T) {
		f := newFixture(t)
		a, b := f.widget("A", placeholder), f.widget("B", placeholder)
		f.link(a, "the_widget_latest", b)
		f.link(b, "the_widget_latest", a)
		f.link(a, "the_widget_root", b)
		f.link(b, "the_widget_root", a)
		for _, child := range []graph.ID{f.child(a, "in", b), f.child(b, "in", a), f.child(a, "in", a)} {
			f.text(child, "the_child_widget_use_latest", "the_use_latest", "true")
		}
		for _, version := range []page.Version{page.Fixed, page.Latest, page.Recent} {
			if n := count(f.loadTree(a, version)); n > 2 {
				t.Errorf("%q shows %d widgets", version, n)
			}
		}
	})
	t.Run("resolves an original that is its own version", func(t *testing.T) {
		f := newFixture(t)
		a := f.widget("A", "a")
		f.link(a, "the_widget_latest", a)
		f.link(a, "the_widget_root", a)
		if got := f.loadTree(a, page.Latest); got.ID != a || got.Root != a {
			t.Errorf("the tree = %+v; want widget %d as its own root", got, a)
		}
	})
	t.Run("ignores a malformed origin", func(t *testing.T) {
		for _, origin := range []string{"-7", "0", "1e9", "9007199254740993", "7; drop", "undefined"} {
			f := newFixture(t)
			a := f.widget("A", "a")
			f.text(a, "the_widget_origin", "the_origin", origin)
			f.text(a, "the_widget_version", "the_version", origin)
			if got := f.loadTree(a, page.Latest); got.ID != a || got.Root != a || got.Version < 0 {
				t.Errorf("with the origin %q the tree = %+v; want widget %d as its own root, and no negative version", origin, got, a)
			}
		}
	})
	t.Run("limits a thousand children in a thousand placeholders", func(t *testing.T) {
		f := newFixture(t)
		var html strings.Builder
		top := f.widget("Top", "")
		leaf := f.widget("Leaf", "x")
		for i := range 1000 {
			fmt.Fprintf(&html, `<div id="p%d" class="added-widget-container"></div>`, i)
			f.child(top, fmt.Sprintf("p%d", i), leaf)
		}
		f.text(top, "the_widget_html", "the_html", html.String())
		if n := count(f.loadTree(top, page.Fixed)); n != page.MaxWidgets {
			t.Errorf("%d widgets are shown; want %d", n, page.MaxWidgets)
		}
	})
	t.Run("repeats a long text within the limit of bytes", func(t *testing.T) {
		f := newFixture(t)
		top := f.widget("Top", "")
		leaf := f.widget("Leaf", strings.Repeat("x", page.MaxTextBytes/20-100))
		for i := range 30 {
			f.child(top, fmt.Sprintf("p%d", i), leaf)
		}
		if got := f.loadTree(top, page.Fixed); len(got.Children) != 20 {
			t.Errorf("the text occurs %d times", len(got.Children))
		}
	})
	t.Run("shows other widgets next to many widgets with long text", func(t *testing.T) {
		f := newFixture(t)
		top := f.widget("Top", "<p>top</p>")
		long := f.write(graph.Batch{Concepts: []graph.ConceptDraft{{TypeName: "the_html", Value: strings.Repeat("<b>", 1<<20), Access: graph.Public}}}).Concepts[0].ID
		for i := range 100 {
			child := f.widget("Long", "")
			f.link(child, "the_widget_html", long)
			f.child(top, fmt.Sprintf("p%d", i), child)
		}
		got := f.loadTree(top, page.Fixed)
		if got.HTML != "<p>top</p>" || len(got.Children) > 2 {
			t.Errorf("the tree shows %d children and %s", len(got.Children), got.HTML)
		}
	})
	t.Run("does not cut trusted widgets because of untrusted widgets", func(t *testing.T) {
		f := newFixture(t)
		otherUser := f
		otherUser.user = 1000
		top := f.widget("Top", "")
		wide, long, leaf := otherUser.widget("Wide", ""), otherUser.widget("Long", strings.Repeat("x", page.MaxTextBytes/2)), otherUser.widget("Leaf", "x")
		for i := range 300 {
			otherUser.child(wide, fmt.Sprintf("p%d", i), leaf)
			otherUser.child(wide, fmt.Sprintf("q%d", i), otherUser.widget("Other", "y"))
		}
		f.child(top, "a", wide)
		f.child(top, "b", long)
		middle := f.widget("Middle", "")
		f.child(top, "c", middle)
		for i := range 100 {
			f.child(middle, fmt.Sprintf("p%d", i), f.widget("Ours", strings.Repeat("z", 1000)))
		}
		got := f.loadTree(top, page.Fixed)
		if n := count(&got.Children[0].Widget); n != page.MaxWidgets/2 {
			t.Errorf("%d widgets of the other user are shown", n)
		}
		if middle := got.Children[len(got.Children)-1].Widget; count(&middle) != 101 || middle.Children[99].Widget.HTML == "" {
			t.Errorf("%d trusted widgets are shown", count(&middle))
		}
		if n := count(otherUser.loadTree(wide, page.Fixed)); n != page.MaxWidgets {
			t.Errorf("the tree of the other user alone shows %d widgets", n)
		}
	})
	t.Run("refuses a root widget that is too long", func(t *testing.T) {
		f := newFixture(t)
		top := f.widget("Top", strings.Repeat("x", graph.MaxTextBytes))
		f.text(top, "the_widget_css", "the_css", strings.Repeat("x", graph.MaxTextBytes))
		f.text(top, "the_widget_js", "the_js", "x")
		if _, err := page.LoadWidget(t.Context(), f, f.policy, top, page.Fixed); graph.KindOf(err) != graph.TooLarge {
			t.Errorf("loading the widget: %v; want tooLarge", err)
		}
	})
	t.Run("keeps the functions of a parent whose child has a thousand", func(t *testing.T) {
		f := newFixture(t)
		top, child := f.widget("Top", ""), f.widget("Child", "")
		f.child(top, "in", child)
		for i := range 1001 {
			function := f.head("the_custom_function")
			f.text(function, "the_custom_function_code", "the_code", fmt.Sprintf("f(%d)", i))
			f.link(map[bool]graph.ID{true: top, false: child}[i == 0], "the_widget_s_custom_function", function)
		}
		if got := f.loadTree(top, page.Fixed); len(got.Code.Functions) != 1 || len(got.Children[0].Widget.Code.Functions) != 1000 {
			t.Errorf("the widget has %d functions; want 1, and 1,000 in its child", len(got.Code.Functions))
		}
	})
	t.Run("shows HTML of four mebibytes", func(t *testing.T) {
		f := newFixture(t)
		if got := f.loadTree(f.widget("A", strings.Repeat("x", graph.MaxTextBytes)), page.Fixed); len(got.HTML) != graph.MaxTextBytes {
			t.Errorf("%d bytes are shown", len(got.HTML))
		}
	})
	t.Run("ignores types and other records among the parts", func(t *testing.T) {
		f := newFixture(t)
		a := f.widget("A", "a")
		found, err := graph.TypesNamed(t.Context(), f, "the_widget")
		if err != nil {
			t.Fatal(err)
		}
		typ := found["the_widget"].ID
		for _, relation := range []string{
			"the_widget_s_child", "the_widget_s_custom_function", "the_widget_s_js_library", "the_widget_documentation",
		} {
			f.link(a, relation, typ)
			f.link(a, relation, a)
		}
		if got := f.loadTree(a, page.Fixed); len(got.Children) != 0 || got.Code != nil || got.Documented {
			t.Errorf("the tree = %+v; want no children, code or documentation", got)
		}
		if got := f.loadTree(typ, page.Fixed); got != nil {
			t.Errorf("loading a type = %+v; want no widget", got)
		}
	})
}

// The number of reads for latest versions, code and documentation depends on the levels, not on the widgets.
func TestVersionsReadPerLevel(t *testing.T) {
	readsFor := func(n int) int {
		f := newFixture(t)
		top := f.widget("Top", "")
		for i := range n {
			original, version := f.widget("In", "in"), f.widget("In", "new")
			f.link(original, "the_widget_latest", version)
			f.link(version, "the_widget_root", original)
			f.text(version, "the_widget_before_render", "the_before_render", "hook()")
			documentation := f.head("the_documentation")
			f.text(documentation, "the_documentation_text", "the_text", "How")
			f.link(original, "the_widget_s_documentation", documentation)
			f.text(f.child(top, fmt.Sprintf("p%d", i), original), "the_child_widget_use_latest", "the_use_latest", "true")
		}
		counted := &readCounter{Reader: f}
		tree, err := page.LoadWidget(t.Context(), counted, f.policy, top, page.Latest)
		if err != nil || len(tree.Children) != n || tree.Children[0].Widget.HTML != "new" || !tree.Children[0].Widget.Documented {
			t.Fatalf("the tree = %+v, %v; want %d children with the new text and documentation", tree, err, n)
		}
		return counted.calls
	}
	if few, many := readsFor(2), readsFor(60); many != few || few > 30 {
		t.Errorf("2 versions took %d reads, 60 took %d", few, many)
	}
}

// Exactly the changes of records from which a page was built affect the page.
func TestChangesThatAffectAPage(t *testing.T) {
	writePages := func(t *testing.T) (f fixture, ids map[string]graph.ID) {
		f = newFixture(t)
		original, body := f.widget("Original", placeholder), f.widget("Body", placeholder)
		f.link(original, "the_widget_latest", body)
		f.link(body, "the_widget_root", original)
		child := f.widget("Child", "c")
		place := f.child(body, "in", child)
		function := f.head("the_custom_function")
		f.text(function, "the_custom_function_code", "the_code", "f()")
		f.link(child, "the_widget_s_custom_function", function)
		return f, map[string]graph.ID{
			"the page": f.page("/a", original), "the original": original, "the body": body, "the child": child, "the place": place,
			"the function": function, "another widget": f.widget("Another", "x"), "another page": f.page("/b", 0),
		}
	}
	for name, change := range map[string]struct {
		record, relation string
		isAffected       bool
	}{
		"another title":                          {"the page", "the_page_title", true},
		"another slug":                           {"the page", "the_page_s_slug", true},
		"another published version":              {"the original", "the_widget_latest", true},
		"documentation":                          {"the original", "the_widget_documentation", true},
		"another text":                           {"the body", "the_widget_html", true},
		"code":                                   {"the child", "the_widget_before_render", true},
		"another child in the place":             {"the place", "the_child_widget_info", true},
		"other code in a function":               {"the function", "the_custom_function_code", true},
		"a change of another widget":             {"another widget", "the_widget_html", false},
		"a change of another page":               {"another page", "the_page_title", false},
		"a link from another widget to this one": {"another widget", "the_widget_s_copy", false},
	} {
		t.Run(name, func(t *testing.T) {
			f, ids := writePages(t)
			before := f.load("/a")
			seq, err := f.LastSeq(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			f.text(ids[change.record], change.relation, "the_text", "changed")
			changes, err := f.Changes(t.Context(), seq, 10)
			if err != nil || len(changes) == 0 {
				t.Fatalf("the changes = %v, %v; want at least one", changes, err)
			}
			if got := before.IsAffectedBy(changes[0]); got != change.isAffected {
				t.Errorf("the page is affected: %v", got)
			}
		})
	}
}

func TestDocumentation(t *testing.T) {
	f := newFixture(t)
	original, version := f.widget("W", "w"), f.widget("W", "w")
	f.link(version, "the_widget_root", original)
	writeEntry := func(of graph.ID, relation string, texts map[string]string) graph.ID {
		head := f.head("the_documentation")
		for field, text := range texts {
			f.text(head, "the_documentation_"+field, "the_"+strings.TrimPrefix(field, "s_"), text)
		}
		f.link(of, relation, head)
		return head
	}
	api := writeEntry(original, "the_widget_s_documentation", map[string]string{
		"type": "api", "doc_title": "Ask", "method": "post", "method_url": "https://api.test/ask", "auth_type": "basicAuth", "username": "ann",
		"password": "undefined", "bearer_token": "secret", "api_body": "{}", "created_by": "javascript:x()", "content": "<p>a</p><script>x()</script>",
	})
	pair := f.head("the_json_list")
	f.text(pair, "the_json_list_key", "the_key", "name")
	f.text(pair, "the_json_list_value", "the_value", "Ann")
	f.link(api, "the_documentation_s_json_list", pair)
	for _, address := range []string{"https://docs.test/", "data:text/html,x", "//docs.test", "https://docs.test/"} {
		f.text(api, "the_documentation_s_doc_url", "the_doc_url", address)
		f.text(api, "the_documentation_s_video_link", "the_video_link", address)
	}
	old := writeEntry(original, "the_widget_documentation", map[string]string{"text": "How it was <b>once</b>"})
	own := writeEntry(version, "the_widget_s_documentation", map[string]string{"doc_title": "New here"})
	otherUser := f
	otherUser.user = 7
	otherUser.link(original, "the_widget_s_documentation", otherUser.head("the_documentation"))
	withEmptyLists := func(e page.Entry) page.Entry {
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
		withEmptyLists(page.Entry{ID: old, Text: "How it was <b>once</b>"}),
		withEmptyLists(page.Entry{
			ID: api, Type: "api", DocTitle: "Ask", Content: "<p>a</p>", Method: "post", MethodURL: "https://api.test/ask", AuthType: "basicAuth",
			APIBody: "{}", HasUsername: true, HasBearerToken: true, JSONList: []page.Pair{{Key: "name", Value: "Ann"}},
			DocURLs: []string{"https://docs.test/"}, VideoLinks: []string{"https://docs.test/"},
		}),
		withEmptyLists(page.Entry{ID: own, DocTitle: "New here"}),
	}}
	got, err := page.LoadDocumentation(t.Context(), f, f.policy, version)
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
	f := newFixture(t)
	f.policy.Libraries = page.Libraries{{Address: "https://cdn.test/lib/"}}
	for address, allowed := range map[string]bool{
		"https://cdn.test/lib/a.js": true, "https://cdn.test/lib/a.js#sha384-x": true, "https://cdn.test/lib/a.js?v=1": true,
		"https://cdn.test/other/a.js": false, "https://cdn.test/lib/../other/a.js": false, "https://cdn.test/lib/%2e%2e/other/a.js": false,
		`https://cdn.test/lib/..\other\a.js`: false, "https://cdn.test.evil.test/lib/a.js": false, "https://cdn.test@evil.test/lib/a.js": false,
		"http://cdn.test/lib/a.js": false, "//cdn.test/lib/a.js": false, "https://cdn.test/lib": false,
	} {
		widget := f.widget("W", "w")
		library := f.head("the_js_library")
		f.text(library, "the_js_library_url", "the_url", address)
		f.link(widget, "the_widget_s_js_library", library)
		if got := f.loadTree(widget, page.Fixed).Code != nil; got != allowed {
			t.Errorf("%s may be loaded: %v", address, got)
		}
	}
}
