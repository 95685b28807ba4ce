package manual

import (
	"bytes"
	_ "embed" // the parts of the page
	"html"
	"html/template"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/look"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string

	pageTemplate = template.Must(template.New("page").Parse(pageText))
)

// A shell is the part of the document that all pages share.
type shell struct {
	look.Look
	Style  template.CSS
	Script template.JS
	policy string // the Content-Security-Policy
}

func newShell(l look.Look) shell {
	style := string(look.Fallback) + pageStyle
	return shell{
		Look: l, Style: template.CSS(style), Script: template.JS(pageScript), //nolint:gosec // embedded files
		policy: "default-src 'none'; script-src 'self' " + look.HashSource(pageScript) + "; style-src 'self' " + look.HashSource(style) +
			"; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	}
}

// A Document is an HTML page.
type Document struct {
	HTML   []byte
	Policy string // value of the header Content-Security-Policy for the page
}

// pageView is the data of page.html.
type pageView struct {
	shell
	Title, Description string
	Slug               string // "" for the first page, the search and unknown pages
	Missing            string // the address of an unknown page
	Navigation         []chapterView
	Body               template.HTML
	Headings           []heading
	Links              Links
	Query              string
	IsSearch           bool
	Hits               []hit
	Previous, Next     *linkView
}

type chapterView struct {
	Name  string
	Pages []linkView
}

type linkView struct {
	Path, Title, Summary string
	IsCurrent            bool
}

// Page returns the page with a slug; "" is the first page. The error is NotFound for an unknown slug.
func (m *Manual) Page(slug string) (*Page, error) {
	c, err := m.read()
	if err != nil {
		return nil, err
	}
	view := pageView{Slug: slug, Links: m.options.Links}
	if slug == "" {
		view.Title, view.Description = "Documentation", "How to install Weft, and how to write, query, run and secure applications with it."
		return c.render(view)
	}
	d := c.find(slug)
	if d == nil {
		return nil, graph.Errorf(graph.NotFound, "no page %s/%s", Path, graph.Clip(slug))
	}
	view.Title, view.Description = d.title, d.summary
	view.Body = template.HTML(d.body) //nolint:gosec // sanitised
	view.Headings = tableOfContents(d.headings)
	for i, other := range c.pages {
		switch {
		case other != d:
		case i > 0:
			view.Previous = c.pages[i-1].link(nil)
			fallthrough
		default:
			if i+1 < len(c.pages) {
				view.Next = c.pages[i+1].link(nil)
			}
		}
	}
	return c.render(view)
}

// SearchPage returns the page with the results of a search.
func (m *Manual) SearchPage(query string) (*Page, error) {
	c, err := m.read()
	if err != nil {
		return nil, err
	}
	query = strings.Join(queryWords(query), " ")
	title := "Search"
	if query != "" {
		title = "Search: " + query
	}
	return c.render(pageView{Title: title, IsSearch: true, Query: query, Hits: c.search(query)})
}

// MissingPage returns the page for an address without a page. It offers a search for the words of the address.
func (m *Manual) MissingPage(path string) (*Page, error) {
	c, err := m.read()
	if err != nil {
		return nil, err
	}
	words := strings.Map(func(r rune) rune {
		if strings.ContainsRune("/-_.", r) {
			return ' '
		}
		return r
	}, strings.TrimSuffix(strings.TrimPrefix(path, Path), ".md"))
	query := strings.Join(queryWords(words), " ")
	return c.render(pageView{Title: "Page not found", Missing: graph.Clip(path), Query: query, Hits: c.search(query)})
}

// maxContents is the maximum number of headings in a table of contents. If a page has more headings, the table contains only
// the headings of the highest level.
const maxContents = 60

func tableOfContents(all []heading) (shown []heading) {
	deepest := 3
	if len(all) > maxContents {
		deepest = 2
	}
	for _, h := range all {
		if h.Level <= deepest {
			shown = append(shown, h)
		}
	}
	return shown
}

func (d *document) link(current *document) *linkView {
	return &linkView{Path: Path + "/" + d.slug, Title: d.title, Summary: d.summary, IsCurrent: d == current}
}

func (c *content) render(view pageView) (*Page, error) {
	view.shell = c.shell
	current := c.find(view.Slug)
	for _, d := range c.pages {
		if n := len(view.Navigation); n == 0 || view.Navigation[n-1].Name != d.chapter {
			view.Navigation = append(view.Navigation, chapterView{Name: d.chapter})
		}
		last := &view.Navigation[len(view.Navigation)-1]
		last.Pages = append(last.Pages, *d.link(current))
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, view); err != nil {
		return nil, graph.Wrap(graph.Internal, err, "the page %s cannot be written", view.Title)
	}
	return &Page{html: b.String(), policy: c.shell.policy}, nil
}

// A Page is a rendered page.
type Page struct {
	html   string // with siteMark
	policy string
}

// For returns the page with the address of a site in its examples. The address has no slash at the end.
func (p *Page) For(site string) Document {
	return Document{HTML: []byte(strings.ReplaceAll(p.html, siteMark, html.EscapeString(site))), Policy: p.policy}
}

// SiteMark is the text that html/template writes in place of the address of the site.
func (pageView) SiteMark() template.HTML { return siteMark }
