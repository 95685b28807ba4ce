package content_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/net/html"

	"github.com/weft-graph/weft/content"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/page"
	"github.com/weft-graph/weft/store/memory"
)

func TestTheSiteLoads(t *testing.T) {
	site, err := content.Load()
	if err != nil {
		t.Fatal(err)
	}
	for slug := range strings.FieldsSeq(routes) {
		if !slices.ContainsFunc(site.Pages, func(p content.Page) bool { return p.Slug == slug || slices.Contains(p.Also, slug) }) {
			t.Errorf("there is no page %s", slug)
		}
	}
	told := map[string]string{}
	for _, p := range site.Pages {
		for _, text := range []string{p.Title, p.MetaTitle, p.MetaDescription} {
			if other, twice := told[text]; twice && other != p.File {
				t.Errorf("%s says %q as %s does", p.File, text, other)
			}
			told[text] = p.File
		}
		if p.MetaTitle == "" || len(p.MetaDescription) < 20 || len(p.MetaDescription) >= 160 {
			t.Errorf("%s has no title, or %q for a description", p.File, p.MetaDescription)
		}
	}
	for _, w := range site.Widgets {
		t.Run("nothing of "+w.Folder+" is sanitised away", func(t *testing.T) {
			clean, err := page.CleanHTML(w.HTML)
			if err != nil {
				t.Fatal(err)
			}
			before, after := pieces(t, w.HTML), pieces(t, clean)
			for _, piece := range before {
				if i := slices.Index(after, piece); i >= 0 {
					after = slices.Delete(after, i, i+1)
				} else if !strings.HasPrefix(piece, "a rel=") { // we write our own
					t.Errorf("%s is left out", piece)
				}
			}
		})
	}
}

// routes are the pages that other sites and older links count on.
const routes = `/ /freeschema-data-fabric /try-ai /services-data-consolidation /services-consulting
	/products-concept-editor /products-enterprise-schema /products-user-interaction-tracker
	/products-document-management-system /products-email-consolidator /products-web-scraper
	/products-english-language-ontology /products-base-ontology /products-schema
	/technology-semantic /technology-platform-independent /technology-user-sovereignty
	/about /contact /login /account /demo /404`

// pieces lists the elements of a text and each one's attributes.
func pieces(t *testing.T, text string) []string {
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for node := range doc.Descendants() {
		if node.Type != html.ElementNode {
			continue
		}
		all = append(all, node.Data)
		for _, a := range node.Attr {
			all = append(all, node.Data+" "+a.Key+"="+a.Val)
		}
	}
	return all
}

func TestTheSiteIsSeeded(t *testing.T) {
	store := memory.New()
	if err := content.Seed(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	before := lastSeq(t, store)
	if err := content.Seed(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	if after := lastSeq(t, store); after != before {
		t.Errorf("a second start makes change %d", after)
	}
	home := load(t, store, "/freeschema-data-fabric")
	if home.Settings.Slug != "/" || len(home.Body.Children) == 0 {
		t.Errorf("the home page is %+v", home.Settings)
	}
}

func TestFilesThatMakeNoSense(t *testing.T) {
	for name, c := range map[string]struct {
		changed files
		says    string
	}{
		"JSON that is none":               {files{"pages/home.json": `{"slug": "/",`}, "pages/home.json: unexpected EOF"},
		"JSON and more":                   {files{"widgets/home/widget.json": `{"name": "Home"} {}`}, "widgets/home/widget.json: there is more after the object"},
		"a member nobody knows":           {files{"pages/home.json": `{"slug": "/", "titel": "Home", "body": "home"}`}, `pages/home.json: json: unknown field "titel"`},
		"a member of another kind":        {files{"pages/home.json": `{"slug": "/", "title": 7, "body": "home"}`}, "title of type string"},
		"a slug without slash":            {files{"pages/home.json": `{"slug": "home", "title": "Home", "body": "home"}`}, `pages/home.json: slug: "home" must`},
		"a slug in capitals":              {files{"pages/home.json": `{"slug": "/Home", "title": "Home", "body": "home"}`}, `pages/home.json: slug: "/Home" must`},
		"two pages with one slug":         {files{"pages/home.json": `{"slug": "/", "also": ["/about"], "title": "Home", "body": "home"}`}, `pages/home.json: slug: "/about" is already that of pages/about.json`},
		"a page without title":            {files{"pages/home.json": `{"slug": "/", "body": "home"}`}, "pages/home.json: title: is missing"},
		"a page of another type":          {files{"pages/home.json": `{"slug": "/", "title": "Home", "type": "wide", "body": "home"}`}, `type: "wide" is neither`},
		"a page without body":             {files{"pages/home.json": `{"slug": "/", "title": "Home"}`}, `pages/home.json: body: there is no widget ""`},
		"a widget without name":           {files{"widgets/home/widget.json": `{}`}, "widgets/home/widget.json: name: is missing"},
		"a widget without HTML":           {files{"widgets/home/widget.html": ""}, "widgets/home/widget.html cannot be read"},
		"HTML that is not text":           {files{"widgets/home/widget.html": "\xff"}, "widgets/home/widget.html is not UTF-8"},
		"CSS with a brace too many":       {files{"widgets/home/widget.css": "p { } }"}, "widgets/home/widget.css: CSS has a } too many at byte 6"},
		"a child without placeholder":     {files{"widgets/home/widget.html": "<p>x</p>"}, `widgets/home/widget.json: children: widgets/home/widget.html has no placeholder "top" left`},
		"two children in one placeholder": {files{"widgets/home/widget.json": `{"name": "Home", "children": [{"wrapper": "top", "widget": "header"}, {"wrapper": "top", "widget": "unused"}]}`}, `no placeholder "top" left`},
		"a child nobody knows":            {files{"widgets/home/widget.json": `{"name": "Home", "children": [{"wrapper": "top", "widget": "heading"}]}`}, `there is no widget "heading"`},
		"a widget that stands inside itself": {files{
			"widgets/header/widget.json": `{"name": "Header", "children": [{"wrapper": "in", "widget": "home"}]}`,
			"widgets/header/widget.html": `<div id="in" class="added-widget-container"></div>`,
		}, "stands inside itself"},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for name, text := range small.with(c.changed) {
				fsys[name] = &fstest.MapFile{Data: []byte(text)}
			}
			_, err := content.LoadFrom(fsys)
			if graph.KindOf(err) != graph.Invalid || !strings.Contains(err.Error(), c.says) {
				t.Errorf("the error is %v; want an Invalid one that says %q", err, c.says)
			}
		})
	}
}
