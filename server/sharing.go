package server

import (
	"encoding/xml"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/page"
	"github.com/weft-graph/weft/picture"
)

// What search engines read, and what others show where an address of ours is shared.

// pictures is where the pictures of pages are.
const pictures = "/og/"

// page answers what is made of the stored pages and no page itself.
func (s *Server) page(w http.ResponseWriter, q *request) error {
	if s.options.Pages == nil {
		return graph.Errorf(graph.NotFound, "there are no pages here")
	}
	s.options.Pages.ServeHTTP(w, q.Request)
	return nil
}

// A directory holds the published pages as they were at a change, under a policy and at a time.
type directory struct {
	mu     sync.Mutex
	seq    graph.Seq
	policy *page.Policy
	at     time.Time
	pages  []page.Listing
}

// listedFor is how long a list is good while other things change.
const listedFor = time.Minute

func (p *pages) list(r *http.Request) ([]page.Listing, error) {
	policy, err := p.options.Policies.at(r.Context())
	if err != nil {
		return nil, err
	}
	now, err := p.reader.LastSeq(r.Context())
	if err != nil {
		return nil, err
	}
	l := &p.listed
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.policy == policy && (l.seq == now || time.Since(l.at) < listedFor) {
		return l.pages, nil
	}
	pages, err := page.Published(r.Context(), p.reader, *policy)
	if err == nil {
		l.seq, l.policy, l.at, l.pages = now, policy, time.Now(), pages
	}
	return pages, err
}

type sitemap struct {
	XMLName xml.Name     `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	Pages   []sitemapURL `xml:"url"`
}

type sitemapURL struct {
	Address string `xml:"loc"`
	Changed string `xml:"lastmod,omitempty"`
}

func (p *pages) sitemap(w http.ResponseWriter, r *http.Request) {
	listed, err := p.list(r)
	if err != nil {
		fail(w, r, status[graph.KindOf(err)], err, p.log)
		return
	}
	site, all := siteOf(r, p.options.PublicURL), sitemap{}
	for _, one := range listed {
		if one.Slug == notFound {
			continue
		}
		u := sitemapURL{Address: site + (&url.URL{Path: one.Slug}).EscapedPath()}
		if !one.Changed.IsZero() {
			u.Changed = one.Changed.UTC().Format(time.RFC3339)
		}
		all.Pages = append(all.Pages, u)
	}
	text, err := xml.Marshal(all)
	if err != nil {
		fail(w, r, http.StatusInternalServerError, graph.Wrap(graph.Internal, err, "the sitemap cannot be written"), p.log)
		return
	}
	represent("application/xml", append([]byte(xml.Header), text...)).serve(w, r, http.StatusOK)
}

// robots keeps search engines to the pages: what the API answers is no page.
func (p *pages) robots(w http.ResponseWriter, r *http.Request) {
	text := "User-agent: *\nAllow: /api/docs\nDisallow: /api/\n\nSitemap: " + siteOf(r, p.options.PublicURL) + "/sitemap.xml\n"
	represent("text/plain; charset=utf-8", []byte(text)).serve(w, r, http.StatusOK)
}

func (p *pages) picture(w http.ResponseWriter, r *http.Request) {
	k, err := p.find(r.Context(), page.PictureSlug(strings.TrimPrefix(r.URL.Path, pictures)))
	var drawn *representation
	if err == nil {
		drawn, err = p.pictureOf(r, k)
	}
	if err != nil {
		fail(w, r, status[graph.KindOf(err)], err, p.log)
		return
	}
	drawn.serve(w, r, http.StatusOK)
}

// pictureOf draws a page once, and few at a time: it takes a tenth of a second.
func (p *pages) pictureOf(r *http.Request, k *keptPage) (*representation, error) {
	if drawn := k.looks.shown(nil); drawn != nil {
		return drawn, nil
	}
	select {
	case p.drawing <- struct{}{}:
		defer func() { <-p.drawing }()
	case <-r.Context().Done():
		return nil, graph.Wrap(graph.Unavailable, r.Context().Err(), "the picture could not be drawn in time")
	}
	if drawn := k.looks.shown(nil); drawn != nil { // by who was before us
		return drawn, nil
	}
	png, err := picture.Draw(k.page.Settings.DocumentTitle(), k.page.Settings.MetaDescription)
	if err != nil {
		return nil, graph.Wrap(graph.Internal, err, "the picture of %q cannot be drawn", k.page.Settings.Slug)
	}
	drawn := represent("image/png", png)
	drawn.cache = "public, max-age=3600"
	return k.looks.shown(&drawn), nil
}

// shown is the picture; drawn is it from now on, unless it is nil.
func (l *looks) shown(drawn *representation) *representation {
	l.mu.Lock()
	defer l.mu.Unlock()
	if drawn != nil {
		l.picture = drawn
	}
	return l.picture
}
