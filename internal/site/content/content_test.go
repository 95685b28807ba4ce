package content_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/net/html"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/content"
	"github.com/weft-graph/weft/internal/site/page"
	"github.com/weft-graph/weft/internal/store/memory"
)

func TestTheBuiltInSiteIsValid(t *testing.T) {
	site, err := content.LoadFrom(content.BuiltIn)
	if err != nil {
		t.Fatal(err)
	}
	for slug := range strings.FieldsSeq(requiredSlugs) {
		if !slices.ContainsFunc(site.Pages, func(p content.Page) bool { return p.Slug == slug || slices.Contains(p.Also, slug) }) {
			t.Errorf("no page has the slug %s", slug)
		}
	}
	usedBy := map[string]string{}
	for _, p := range site.Pages {
		for _, text := range []string{p.Title, p.MetaTitle, p.MetaDescription} {
			if other, found := usedBy[text]; found && other != p.File {
				t.Errorf("%s repeats %q of %s", p.File, text, other)
			}
			usedBy[text] = p.File
		}
		if p.MetaTitle == "" || len(p.MetaDescription) < 20 || len(p.MetaDescription) >= 160 {
			t.Errorf("%s has the meta title %q and the description %q; want a title and 20 to 159 bytes", p.File, p.MetaTitle, p.MetaDescription)
		}
	}
	for _, w := range site.Widgets {
		t.Run("sanitising keeps all elements of "+w.Folder, func(t *testing.T) {
			clean, err := page.CleanHTML(w.HTML)
			if err != nil {
				t.Fatal(err)
			}
			before, after := elementsAndAttributes(t, w.HTML), elementsAndAttributes(t, clean)
			for _, piece := range before {
				if i := slices.Index(after, piece); i >= 0 {
					after = slices.Delete(after, i, i+1)
				} else if !strings.HasPrefix(piece, "a rel=") { // the sanitiser writes its own rel
					t.Errorf("the sanitiser removed %s", piece)
				}
			}
		})
	}
}

// requiredSlugs are the slugs that other sites and older links refer to.
const requiredSlugs = `/ /freeschema-data-fabric /try-ai /services-data-consolidation /services-consulting
	/products-concept-editor /products-enterprise-schema /products-user-interaction-tracker
	/products-document-management-system /products-email-consolidator /products-web-scraper
	/products-english-language-ontology /products-base-ontology /products-schema
	/technology-semantic /technology-platform-independent /technology-user-sovereignty
	/about /contact /login /account /demo /404`

// elementsAndAttributes lists the elements of HTML and their attributes.
func elementsAndAttributes(t *testing.T, text string) []string {
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

func TestSeedingTheBuiltInSiteAgainWritesNothing(t *testing.T) {
	store := memory.New()
	if err := content.Seed(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	before := lastSeq(t, store)
	if err := content.Seed(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	if after := lastSeq(t, store); after != before {
		t.Errorf("the second start wrote change %d", after)
	}
	home := load(t, store, "/freeschema-data-fabric")
	if home.Settings.Slug != "/" || len(home.Body.Children) == 0 {
		t.Errorf("the home page = %+v; want the slug / and a body with children", home.Settings)
	}
}

func TestLoadFromErrors(t *testing.T) {
	for name, c := range map[string]struct {
		changed  files
		wantText string
	}{
		"malformed JSON":                  {files{"pages/home.json": `{"slug": "/",`}, "pages/home.json: unexpected EOF"},
		"data after the JSON object":      {files{"widgets/home/widget.json": `{"name": "Home"} {}`}, "widgets/home/widget.json: unexpected data after the JSON object"},
		"an unknown member":               {files{"pages/home.json": `{"slug": "/", "titel": "Home", "body": "home"}`}, `pages/home.json: json: unknown field "titel"`},
		"a member of the wrong type":      {files{"pages/home.json": `{"slug": "/", "title": 7, "body": "home"}`}, "title of type string"},
		"a slug without a slash":          {files{"pages/home.json": `{"slug": "home", "title": "Home", "body": "home"}`}, `pages/home.json: slug: "home" must`},
		"a slug with capital letters":     {files{"pages/home.json": `{"slug": "/Home", "title": "Home", "body": "home"}`}, `pages/home.json: slug: "/Home" must`},
		"two pages with the same slug":    {files{"pages/home.json": `{"slug": "/", "also": ["/about"], "title": "Home", "body": "home"}`}, `pages/home.json: slug: "/about" is already used by pages/about.json`},
		"a page without a title":          {files{"pages/home.json": `{"slug": "/", "body": "home"}`}, "pages/home.json: title: is missing"},
		"a page of an unknown type":       {files{"pages/home.json": `{"slug": "/", "title": "Home", "type": "wide", "body": "home"}`}, `type: "wide" is neither`},
		"a page without a body":           {files{"pages/home.json": `{"slug": "/", "title": "Home"}`}, `pages/home.json: body: there is no widget ""`},
		"a widget without a name":         {files{"widgets/home/widget.json": `{}`}, "widgets/home/widget.json: name: is missing"},
		"a widget without HTML":           {files{"widgets/home/widget.html": ""}, "widgets/home/widget.html cannot be read"},
		"HTML that is not UTF-8":          {files{"widgets/home/widget.html": "\xff"}, "widgets/home/widget.html is not UTF-8"},
		"a field inside a drawing":        {files{"widgets/home/widget.html": `<svg><input name="a"><circle r="4"></circle></svg>`}, "widgets/home/widget.html: a drawing contains <input>, which would not be shown"},
		"HTML that is nested too deeply":  {files{"widgets/home/widget.html": strings.Repeat("<div>", 10_000)}, "widgets/home/widget.html: none of it would be shown"},
		"CSS with an extra brace":         {files{"widgets/home/widget.css": "p { } }"}, "widgets/home/widget.css: CSS has an unmatched } at byte 6"},
		"a child without a placeholder":   {files{"widgets/home/widget.html": "<p>x</p>"}, `widgets/home/widget.json: children: widgets/home/widget.html has no free placeholder "top"`},
		"two children in one placeholder": {files{"widgets/home/widget.json": `{"name": "Home", "children": [{"wrapper": "top", "widget": "header"}, {"wrapper": "top", "widget": "unused"}]}`}, `no free placeholder "top"`},
		"an unknown child":                {files{"widgets/home/widget.json": `{"name": "Home", "children": [{"wrapper": "top", "widget": "heading"}]}`}, `there is no widget "heading"`},
		"a widget that contains itself": {files{
			"widgets/header/widget.json": `{"name": "Header", "children": [{"wrapper": "in", "widget": "home"}]}`,
			"widgets/header/widget.html": `<div id="in" class="added-widget-container"></div>`,
		}, "the widget contains itself"},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for name, text := range small.with(c.changed) {
				fsys[name] = &fstest.MapFile{Data: []byte(text)}
			}
			_, err := content.LoadFrom(fsys)
			if graph.KindOf(err) != graph.Invalid || !strings.Contains(err.Error(), c.wantText) {
				t.Errorf("the error is %v; want an Invalid error that contains %q", err, c.wantText)
			}
		})
	}
}
