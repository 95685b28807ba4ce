package server

import (
	"context"
	"encoding/xml"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/page"
	"github.com/weft-graph/weft/internal/site/sharecard"
)

// shareCardPath is the folder of share cards, the pictures that other sites show next to a link to a page.
const shareCardPath = "/og/"

// pageFileAPI adds routes for the files that are generated from stored pages. It forwards requests for these files to
// the handler of pages.
type pageFileAPI struct {
	pages http.Handler // nil when the server has no pages
}

func (a *pageFileAPI) routes() []route {
	return []route{
		{"GET", "/sitemap.xml", noBody, rawEndpoint("application/xml", a.serve), "The published pages, for search engines", requestShape{}},
		{"GET", "/robots.txt", noBody, rawEndpoint("text/plain", a.serve), "Which addresses search engines may read", requestShape{}},
		{"GET", shareCardPath + "{name...}", noBody, rawEndpoint("image/png", a.serve), "The share card of a page, a picture that other sites show next to a link to the page. The name is the slug and .png; for the home page, index.png", requestShape{}},
	}
}

func (a *pageFileAPI) serve(w http.ResponseWriter, req *request) error {
	if a.pages == nil {
		return graph.Errorf(graph.NotFound, "this server has no pages")
	}
	a.pages.ServeHTTP(w, req.Request)
	return nil
}

// maxListingAge is how long a listing of pages may be used after records have changed.
const maxListingAge = time.Minute

// A pageListing caches the list of published pages.
type pageListing struct {
	reader   graph.Reader
	policies *Policies

	mu     sync.Mutex
	seq    graph.Seq // sequence number of the store when pages was read
	policy *page.Policy
	loaded time.Time
	pages  []page.Listing
}

// list returns the published pages. A change of a page may be missing for up to maxListingAge.
func (l *pageListing) list(ctx context.Context) ([]page.Listing, error) {
	policy, err := l.policies.current(ctx)
	if err != nil {
		return nil, err
	}
	lastSeq, err := l.reader.LastSeq(ctx)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.policy == policy && (l.seq == lastSeq || time.Since(l.loaded) < maxListingAge) {
		return l.pages, nil
	}
	pages, err := page.ListPublished(ctx, l.reader, *policy)
	if err == nil {
		l.seq, l.policy, l.loaded, l.pages = lastSeq, policy, time.Now(), pages
	}
	return pages, err
}

// A sitemap is the content of /sitemap.xml; see https://www.sitemaps.org/protocol.html.
type sitemap struct {
	XMLName xml.Name     `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	Pages   []sitemapURL `xml:"url"`
}

type sitemapURL struct {
	Location string `xml:"loc"`
	Changed  string `xml:"lastmod,omitempty"`
}

func (p *pages) serveSitemap(w http.ResponseWriter, r *http.Request) {
	listed, err := p.listing.list(r.Context())
	if err != nil {
		p.errors.respond(w, r, err)
		return
	}
	site, content := siteURL(r, p.options.PublicURL), sitemap{}
	for _, listing := range listed {
		if listing.Slug == notFoundSlug {
			continue
		}
		u := sitemapURL{Location: site + (&url.URL{Path: listing.Slug}).EscapedPath()}
		if !listing.Changed.IsZero() {
			u.Changed = listing.Changed.UTC().Format(time.RFC3339)
		}
		content.Pages = append(content.Pages, u)
	}
	for _, path := range p.options.Documents {
		content.Pages = append(content.Pages, sitemapURL{Location: site + path})
	}
	text, err := xml.Marshal(content)
	if err != nil {
		p.errors.respond(w, r, graph.Wrap(graph.Internal, err, "the sitemap cannot be written"))
		return
	}
	newRepresentation("application/xml", append([]byte(xml.Header), text...)).serve(w, r, http.StatusOK)
}

// serveRobots permits search engines to read the pages and the API reference, but no other address under /api/.
func (p *pages) serveRobots(w http.ResponseWriter, r *http.Request) {
	text := "User-agent: *\nAllow: /api/docs\nDisallow: /api/\n\nSitemap: " + siteURL(r, p.options.PublicURL) + "/sitemap.xml\n"
	newRepresentation("text/plain; charset=utf-8", []byte(text)).serve(w, r, http.StatusOK)
}

// maxConcurrentCards is the maximum number of share cards that are drawn concurrently. Drawing one takes about a tenth
// of a second.
const maxConcurrentCards = 2

func (p *pages) serveShareCard(w http.ResponseWriter, r *http.Request) {
	cached, err := p.cache.find(r.Context(), page.ShareCardSlug(strings.TrimPrefix(r.URL.Path, shareCardPath)))
	var card *representation
	if err == nil {
		card, err = p.shareCard(r.Context(), cached)
	}
	if err != nil {
		p.errors.respond(w, r, err)
		return
	}
	card.serve(w, r, http.StatusOK)
}

// shareCard returns the share card of a page. The first call draws it; later calls return the cached picture.
func (p *pages) shareCard(ctx context.Context, cached *cachedPage) (*representation, error) {
	if card := cached.rendered.loadCard(); card != nil {
		return card, nil
	}
	select {
	case p.cardSlots <- struct{}{}:
		defer func() { <-p.cardSlots }()
	case <-ctx.Done():
		return nil, graph.Wrap(graph.Unavailable, ctx.Err(), "the share card could not be drawn in time")
	}
	if card := cached.rendered.loadCard(); card != nil { // another request drew the card while this request waited
		return card, nil
	}
	png, err := sharecard.Draw(cached.page.Settings.DocumentTitle(), cached.page.Settings.MetaDescription)
	if err != nil {
		return nil, graph.Wrap(graph.Internal, err, "the share card of %q cannot be drawn", cached.page.Settings.Slug)
	}
	card := newRepresentation("image/png", png)
	card.cacheControl = "public, max-age=3600"
	cached.rendered.storeCard(&card)
	return &card, nil
}
