package server

import (
	"context"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/page"
)

// Pages answers what is not the API: a file of the built site if there is one of that name, and
// otherwise the stored page of that address, finished and readable without scripts. It also answers
// GET /api/v1/pages?slug= with the page as data.
//
// The index.html of the site is the document around each page. Where the site was not built, pages stand
// in a bare one.
func Pages(reader graph.Reader, site fs.FS, o PageOptions) (http.Handler, error) {
	files, index, err := siteFiles(site)
	if err != nil {
		return nil, err
	}
	text := func(address string) string { return string(files[address].plain) }
	shell, err := page.NewShell(index, text)
	if err != nil {
		return nil, err
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &pages{reader: reader, shell: shell, files: files, options: o, log: o.Log, kept: map[string]*keptPage{}, drawing: make(chan struct{}, 2)}, nil
}

// PageOptions are what the operator decides about pages. The zero value shows those of the system.
type PageOptions struct {
	Policies *Policies
	// PublicURL is where people reach the site, without a slash at the end; "" takes what a request was sent to.
	PublicURL string
	// Documented says that a widget of the operator's shows the documentation of every page; see
	// Options.DocumentationWidget.
	Documented bool
	Log        *slog.Logger
}

type pages struct {
	reader  graph.Reader
	shell   *page.Shell
	files   map[string]representation
	options PageOptions
	log     *slog.Logger

	mu   sync.RWMutex
	kept map[string]*keptPage // by slug

	listed  directory
	drawing chan struct{} // a seat for each picture that is drawn
}

// filePolicy lets a file of the site use the site: the worker asks for pages.
const filePolicy = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// pagesAddress is the one address of pages below /api/.
const pagesAddress = "/api/v1/pages"

func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "a page can only be read", http.StatusMethodNotAllowed)
		return
	}
	switch {
	case r.URL.Path == pagesAddress:
		p.data(w, r)
		return
	case r.URL.Path == "/sitemap.xml":
		p.sitemap(w, r)
		return
	case r.URL.Path == "/robots.txt":
		p.robots(w, r)
		return
	case strings.HasPrefix(r.URL.Path, pictures):
		p.picture(w, r)
		return
	}
	if file, ok := p.files[r.URL.Path]; ok {
		w.Header().Set("Content-Security-Policy", filePolicy)
		file.serve(w, r, http.StatusOK)
		return
	}
	p.document(w, r)
}

func (p *pages) document(w http.ResponseWriter, r *http.Request) {
	slug, code := page.NormalSlug(r.URL.Path), http.StatusOK
	k, err := p.find(r.Context(), slug)
	if err == nil && slug != r.URL.Path {
		to := url.URL{Path: slug, RawQuery: r.URL.RawQuery}
		http.Redirect(w, r, to.String(), http.StatusPermanentRedirect)
		return
	}
	if graph.KindOf(err) == graph.NotFound {
		code = http.StatusNotFound
		k, err = p.missing(r.Context())
	}
	var document *keptDocument
	if err == nil {
		document, err = p.drawn(k, siteOf(r, p.options.PublicURL))
	}
	if err != nil {
		if graph.KindOf(err) == graph.Internal {
			p.log.ErrorContext(r.Context(), "a page cannot be shown", "request", w.Header().Get(requestID), "error", err)
		}
		http.Error(w, "this page cannot be shown now", status[graph.KindOf(err)])
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", document.policy)
	document.serve(w, r, code)
}

// notFound is the slug of the page for addresses that have none.
const notFound = "/404"

// missing is the page stored for addresses that have none, or a bare one.
func (p *pages) missing(ctx context.Context) (*keptPage, error) {
	k, err := p.find(ctx, notFound)
	if graph.KindOf(err) == graph.NotFound {
		return p.finish(page.Page{Settings: page.Settings{Title: "Not found"}}, systemAlone)
	}
	return k, err
}

func (p *pages) data(w http.ResponseWriter, r *http.Request) {
	slug := page.NormalSlug(r.URL.Query().Get("slug"))
	k, err := p.find(r.Context(), slug)
	if err == nil {
		k.data.serve(w, r, http.StatusOK)
		return
	}
	fail(w, r, status[graph.KindOf(err)], err, p.log)
}
