package server

import (
	"context"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
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
func Pages(reader graph.Reader, site fs.FS, log *slog.Logger) (http.Handler, error) {
	files, index, err := siteFiles(site)
	if err != nil {
		return nil, err
	}
	shell, err := page.NewShell(index)
	if err != nil {
		return nil, err
	}
	return &pages{reader: reader, shell: shell, files: files, log: log, kept: map[string]*keptPage{}}, nil
}

type pages struct {
	reader graph.Reader
	shell  *page.Shell
	files  map[string]representation
	log    *slog.Logger

	mu   sync.RWMutex
	kept map[string]*keptPage // by slug
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
	if r.URL.Path == pagesAddress {
		p.data(w, r)
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
	if err != nil {
		if graph.KindOf(err) == graph.Internal {
			p.log.ErrorContext(r.Context(), "a page cannot be shown", "request", w.Header().Get(requestID), "error", err)
		}
		http.Error(w, "this page cannot be shown now", status[graph.KindOf(err)])
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", k.policy)
	k.document.serve(w, r, code)
}

// missing is the page stored for addresses that have none, or a bare one.
func (p *pages) missing(ctx context.Context) (*keptPage, error) {
	k, err := p.find(ctx, "/404")
	if graph.KindOf(err) == graph.NotFound {
		return p.finish(page.Page{Settings: page.Settings{Title: "Not found"}})
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
