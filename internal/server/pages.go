package server

import (
	"context"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/page"
)

// pagesPath is the address of pages as data. No other path below /api/ belongs to pages.
const pagesPath = "/api/v1/pages"

// filePolicy is the Content-Security-Policy of files of the site. It allows the service worker, one of these files, to
// fetch pages.
const filePolicy = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// notFoundSlug is the slug of the page that is shown for addresses without a page.
const notFoundSlug = "/404"

// PageOptions are the operator's options for pages. The zero value shows the pages of the system user.
type PageOptions struct {
	Policies *Policies
	// PublicURL is the address of the site, without a slash at the end; "" means the address to which the request was sent.
	PublicURL string
	// Documented means that the operator has a widget that shows the documentation of every page; see
	// Options.DocumentationWidget.
	Documented bool
	// Documents are the paths of further documents of the server, for the sitemap.
	Documents []string
	// CacheBytes limits the memory of loaded pages; 0 means 64 MiB.
	CacheBytes int64
	Log        *slog.Logger
}

// Pages returns a handler for all paths outside the API. If the built site has a file with the name in the path, it
// serves the file. Otherwise it serves the stored page with this address, rendered so that it is readable without
// scripts. The handler also serves sitemap.xml, robots.txt, share cards, and pages as data at GET /api/v1/pages?slug=
// or ?id=.
//
// The site's index.html is the document around each page. If the site was not built, pages are in a bare document.
func Pages(reader graph.Reader, site fs.FS, o PageOptions) (http.Handler, error) {
	files, index, err := loadSiteFiles(site)
	if err != nil {
		return nil, err
	}
	shell, err := page.NewShell(index, func(path string) string { return string(files[path].body) })
	if err != nil {
		return nil, err
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &pages{
		shell: shell, files: files, options: o, errors: errorResponder{o.Log},
		cache:     newPageCache(reader, o),
		listing:   pageListing{reader: reader, policies: o.Policies},
		cardSlots: make(chan struct{}, maxConcurrentCards),
	}, nil
}

// pages is the handler that Pages returns.
type pages struct {
	shell     *page.Shell
	files     map[string]representation // keyed by path
	options   PageOptions
	errors    errorResponder
	cache     *pageCache
	listing   pageListing
	cardSlots chan struct{} // limits the share cards that are drawn concurrently
}

// ServeHTTP implements http.Handler.
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "a page can only be read", http.StatusMethodNotAllowed)
		return
	}
	switch {
	case r.URL.Path == pagesPath:
		p.serveData(w, r)
		return
	case r.URL.Path == "/sitemap.xml":
		p.serveSitemap(w, r)
		return
	case r.URL.Path == "/robots.txt":
		p.serveRobots(w, r)
		return
	case strings.HasPrefix(r.URL.Path, shareCardPath):
		p.serveShareCard(w, r)
		return
	}
	if file, ok := p.files[r.URL.Path]; ok {
		w.Header().Set("Content-Security-Policy", filePolicy)
		file.serve(w, r, http.StatusOK)
		return
	}
	p.serveDocument(w, r)
}

// serveDocument writes the page of an address, or redirects to its normal form. For an address without a page it writes
// the page of notFoundSlug with status 404.
func (p *pages) serveDocument(w http.ResponseWriter, r *http.Request) {
	slug, status := page.NormalizeSlug(r.URL.Path), http.StatusOK
	cached, err := p.cache.find(r.Context(), slug)
	if err == nil && slug != r.URL.Path {
		to := url.URL{Path: slug, RawQuery: r.URL.RawQuery}
		http.Redirect(w, r, to.String(), http.StatusPermanentRedirect)
		return
	}
	if graph.KindOf(err) == graph.NotFound {
		status = http.StatusNotFound
		cached, err = p.findNotFoundPage(r.Context())
	}
	var document *pageDocument
	if err == nil {
		document, err = cached.document(p.shell, siteURL(r, p.options.PublicURL))
	}
	if err != nil {
		if graph.KindOf(err) == graph.Internal {
			p.errors.log.ErrorContext(r.Context(), "a page cannot be shown", "request", w.Header().Get(requestIDHeader), "error", err)
		}
		http.Error(w, "this page cannot be shown now", statusOf[graph.KindOf(err)])
		return
	}
	w.Header().Set("Content-Security-Policy", document.policy)
	if r.URL.Query().Has("preview") {
		allowOwnFrames(w.Header(), document.policy)
	}
	document.serve(w, r, status)
}

// allowOwnFrames permits pages of this origin to show the page in a frame, because the console previews edits in a
// frame.
func allowOwnFrames(h http.Header, policy string) {
	h.Set("Content-Security-Policy", strings.Replace(policy, "frame-ancestors 'none'", "frame-ancestors 'self'", 1))
	h.Set("X-Frame-Options", "SAMEORIGIN")
}

// findNotFoundPage returns the stored page of notFoundSlug, or a bare page.
func (p *pages) findNotFoundPage(ctx context.Context) (*cachedPage, error) {
	cached, err := p.cache.find(ctx, notFoundSlug)
	if graph.KindOf(err) == graph.NotFound {
		return p.cache.newPage(page.Page{Settings: page.Settings{Title: "Not found"}}, systemOnly)
	}
	return cached, err
}

// findAddressed returns the page that a request names by its id or its slug.
func (p *pages) findAddressed(r *http.Request) (*cachedPage, error) {
	names := r.URL.Query()
	if !names.Has("id") {
		return p.cache.find(r.Context(), page.NormalizeSlug(names.Get("slug")))
	}
	id, err := graph.ParseID(names.Get("id"))
	if err != nil || !id.IsReal() {
		return nil, graph.Errorf(graph.Invalid, "the field \"id\": %q is not the id of a page", graph.Clip(names.Get("id")))
	}
	return p.cache.find(r.Context(), idAddress+id.String())
}

// serveData writes a page as JSON.
func (p *pages) serveData(w http.ResponseWriter, r *http.Request) {
	cached, err := p.findAddressed(r)
	if err != nil {
		p.errors.respond(w, r, err)
		return
	}
	cached.data.serve(w, r, http.StatusOK)
}
