package server

import (
	"net/http"
	"strings"
	"sync"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/manual"
)

// A documentationAPI serves the documentation of the product. If the site has several addresses, each page is rendered once for
// each address that is used.
//
//	/docs, /docs/install      HTML
//	/docs/install.md          the same page as Markdown
//	/docs/search?q=…          the results of a search
//	/llms.txt                 a list of all pages, for programs
type documentationAPI struct {
	manual    *manual.Manual // nil when the server has no documentation
	publicURL string

	mu    sync.Mutex
	pages map[pageOfSite]manualPage
}

// A pageOfSite is a page under the address of a site.
type pageOfSite struct{ slug, site string }

type manualPage struct {
	representation
	policy string // the Content-Security-Policy; "" for Markdown
}

// maxKeptManualPages is the maximum number of kept pages. The number must be limited because clients can choose the address of the
// site by the Host header, unless a public URL is set.
const maxKeptManualPages = 100

func (a *documentationAPI) routes() []route {
	page := rawEndpoint("text/html", a.servePage)
	return []route{
		{"GET", manual.Path, noBody, page, "The first page of the documentation", requestShape{}},
		{"GET", manual.Path + "/{page...}", noBody, page, "A page of the documentation; as Markdown if the path ends in .md", requestShape{}},
		{"GET", manual.Path + "/search", noBody, rawEndpoint("text/html", a.serveSearch), "Searches the documentation: up to 20 sections that have all words", fields("q text?")},
		{"GET", "/llms.txt", noBody, rawEndpoint("text/plain", a.serveList), "All pages of the documentation with summaries, for programs", requestShape{}},
	}
}

var errNoDocumentation = graph.Errorf(graph.NotFound, "this server has no documentation")

func (a *documentationAPI) servePage(w http.ResponseWriter, req *request) error {
	if a.manual == nil {
		return errNoDocumentation
	}
	if slug, ok := strings.CutSuffix(req.URL.Path, "/"); ok {
		http.Redirect(w, req.Request, slug, http.StatusPermanentRedirect)
		return nil
	}
	slug := strings.TrimPrefix(strings.TrimPrefix(req.URL.Path, manual.Path), "/")
	page, err := a.page(slug, siteURL(req.Request, a.publicURL))
	if graph.KindOf(err) == graph.NotFound {
		return a.serveMissing(w, req)
	}
	if err != nil {
		return err
	}
	if page.policy != "" {
		w.Header().Set("Content-Security-Policy", page.policy)
	}
	page.serve(w, req.Request, http.StatusOK)
	return nil
}

// page returns a page for a site. A slug that ends with .md selects the page as Markdown.
func (a *documentationAPI) page(slug, site string) (manualPage, error) {
	key := pageOfSite{slug, site}
	a.mu.Lock()
	page, ok := a.pages[key]
	a.mu.Unlock()
	if ok {
		return page, nil
	}
	page, err := a.render(slug, site)
	if err != nil {
		return manualPage{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.pages == nil || len(a.pages) >= maxKeptManualPages {
		a.pages = map[pageOfSite]manualPage{}
	}
	a.pages[key] = page
	return page, nil
}

func (a *documentationAPI) render(slug, site string) (manualPage, error) {
	if name, ok := strings.CutSuffix(slug, ".md"); ok {
		text, err := a.manual.Markdown(name, site)
		return manualPage{representation: newRepresentation("text/markdown; charset=utf-8", []byte(text))}, err
	}
	rendered, err := a.manual.Page(slug)
	if err != nil {
		return manualPage{}, err
	}
	document := rendered.For(site)
	return manualPage{newRepresentation("text/html; charset=utf-8", document.HTML), document.Policy}, nil
}

func (a *documentationAPI) serveSearch(w http.ResponseWriter, req *request) error {
	if a.manual == nil {
		return errNoDocumentation
	}
	page, err := a.manual.SearchPage(req.URL.Query().Get("q"))
	if err != nil {
		return err
	}
	a.serveOnce(w, req, page, http.StatusOK)
	return nil
}

func (a *documentationAPI) serveMissing(w http.ResponseWriter, req *request) error {
	page, err := a.manual.MissingPage(req.URL.Path)
	if err != nil {
		return err
	}
	a.serveOnce(w, req, page, http.StatusNotFound)
	return nil
}

// serveOnce serves a page that is not kept.
func (a *documentationAPI) serveOnce(w http.ResponseWriter, req *request, page *manual.Page, status int) {
	document := page.For(siteURL(req.Request, a.publicURL))
	w.Header().Set("Content-Security-Policy", document.Policy)
	newRepresentation("text/html; charset=utf-8", document.HTML).serve(w, req.Request, status)
}

func (a *documentationAPI) serveList(w http.ResponseWriter, req *request) error {
	if a.manual == nil {
		return errNoDocumentation
	}
	text, err := a.manual.List(siteURL(req.Request, a.publicURL))
	if err != nil {
		return err
	}
	newRepresentation("text/plain; charset=utf-8", []byte(text)).serve(w, req.Request, http.StatusOK)
	return nil
}
