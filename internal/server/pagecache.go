package server

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/page"
)

const (
	// maxCachedPages is the maximum number of cached pages. Only existing pages are cached, so requests for other
	// addresses take no memory.
	maxCachedPages = 512
	// defaultPageCacheBytes is the default of PageOptions.CacheBytes.
	defaultPageCacheBytes = 64 << 20
	// pageCopies is how many copies of the text of a page are in the cache: in the tree, as JSON and in documents,
	// each also in compressed form.
	pageCopies = 6
	// maxCachedSites is the maximum number of site URLs for which a page keeps documents: without a public URL, the
	// site URL comes from the Host header, which a client can choose.
	maxCachedSites = 4
	// maxChangesChecked is the maximum number of changes that are checked for a page. If there are more changes,
	// loading the page again is cheaper.
	maxChangesChecked = 1000
)

// A pageCache keeps a loaded page until a change touches one of its records or the policy changes.
//
//	find → same change number and policy          → cached page
//	     → newer changes, none touches the page   → cached page, with the new change number
//	     → touched, other policy or not cached    → load it again
type pageCache struct {
	reader     graph.Reader
	policies   *Policies
	documented bool

	mu    sync.RWMutex
	pages map[string]*cachedPage // keyed by slug, or by idAddress
	bytes int64                  // size of all pages
	limit int64                  // maximum number of bytes

	trees *treeGate
}

func newPageCache(reader graph.Reader, o PageOptions) *pageCache {
	return &pageCache{reader: reader, policies: o.Policies, documented: o.Documented, pages: map[string]*cachedPage{}, limit: cmp.Or(o.CacheBytes, defaultPageCacheBytes), trees: newTreeGate()}
}

// A cachedPage is a loaded page, valid at a change of the store and under a policy.
type cachedPage struct {
	seq      graph.Seq
	policy   *page.Policy
	page     page.Page
	data     representation
	rendered *renderedPage
	bytes    int64 // estimate, with the documents
}

// A renderedPage holds the results of rendering a page, each created at the first request for it.
type renderedPage struct {
	mu        sync.Mutex
	documents map[string]*pageDocument // keyed by site URL
	card      *representation
}

// A pageDocument is a page inside the site's document, with its Content-Security-Policy.
type pageDocument struct {
	representation
	policy string
}

// find returns the page with a slug or an idAddress, or a NotFound error.
func (c *pageCache) find(ctx context.Context, slug string) (*cachedPage, error) {
	policy, err := c.policies.current(ctx)
	if err != nil {
		return nil, err
	}
	now, err := c.reader.LastSeq(ctx)
	if err != nil {
		return nil, err
	}
	c.mu.RLock()
	cached := c.pages[slug]
	c.mu.RUnlock()
	if cached != nil && cached.seq == now && cached.policy == policy {
		return cached, nil
	}
	if cached == nil || cached.policy != policy || c.isTouched(ctx, cached, now) {
		return c.load(ctx, slug, policy)
	}
	return c.store(slug, cached, now), nil
}

// load loads a page, one at a time for each slug. If another request has loaded the page in the meantime, load
// returns that page.
func (c *pageCache) load(ctx context.Context, slug string, policy *page.Policy) (*cachedPage, error) {
	end, err := c.trees.begin(ctx, slug)
	if err != nil {
		return nil, err
	}
	defer end()
	now, err := c.reader.LastSeq(ctx)
	if err != nil {
		return nil, err
	}
	c.mu.RLock()
	cached := c.pages[slug]
	c.mu.RUnlock()
	if cached != nil && cached.seq == now && cached.policy == policy {
		return cached, nil
	}
	loaded, err := c.read(ctx, slug, policy)
	if err != nil {
		c.remove(slug)
		return nil, err
	}
	if loaded.Body != nil {
		if err := chargeEncoding(ctx, loaded.Body); err != nil {
			return nil, err
		}
	}
	fresh, err := c.newPage(loaded, policy)
	if err != nil {
		return nil, err
	}
	fresh.reuseCard(cached)
	return c.store(slug, fresh, now), nil
}

// idAddress starts the address of a page by its id. Slugs start with a slash.
const idAddress = "id "

// read reads the page of a slug or of an idAddress.
func (c *pageCache) read(ctx context.Context, address string, policy *page.Policy) (page.Page, error) {
	number, isID := strings.CutPrefix(address, idAddress)
	if !isID {
		return page.Load(ctx, c.reader, *policy, address)
	}
	id, err := graph.ParseID(number)
	if err != nil {
		return page.Page{}, err
	}
	return page.LoadByID(ctx, c.reader, *policy, id)
}

// isTouched reports whether a change since the page was loaded touches it or may touch it.
func (c *pageCache) isTouched(ctx context.Context, cached *cachedPage, now graph.Seq) bool {
	if now-cached.seq > maxChangesChecked {
		return true
	}
	changes, err := c.reader.Changes(ctx, cached.seq, maxChangesChecked)
	return err != nil || len(changes) == 0 || slices.ContainsFunc(changes, cached.page.IsAffectedBy)
}

func (c *pageCache) newPage(loaded page.Page, policy *page.Policy) (*cachedPage, error) {
	if loaded.Body != nil && c.documented {
		loaded.Body.Documented = true
	}
	data, err := json.Marshal(loaded)
	if err != nil {
		return nil, graph.Wrap(graph.Internal, err, "page %q cannot be written as JSON", loaded.Settings.Slug)
	}
	return &cachedPage{
		page:     loaded,
		policy:   policy,
		data:     newRepresentation("application/json; charset=utf-8", data),
		bytes:    pageCopies*int64(len(data)) + 10_000,
		rendered: &renderedPage{documents: map[string]*pageDocument{}},
	}, nil
}

// store caches a page that is valid at a change. It caches a copy and returns it, because other requests may be
// reading the given page. It does not cache a page that takes more than half of the cache.
func (c *pageCache) store(slug string, p *cachedPage, seq graph.Seq) *cachedPage {
	stored := *p
	stored.seq = seq
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(slug)
	if stored.bytes > c.limit/2 {
		return &stored
	}
	for evicted := range c.pages { // arbitrary ones
		if len(c.pages) < maxCachedPages && c.bytes+stored.bytes <= c.limit {
			break
		}
		c.drop(evicted)
	}
	c.pages[slug] = &stored
	c.bytes += stored.bytes
	return &stored
}

func (c *pageCache) remove(slug string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(slug)
}

// drop evicts a page. The caller holds the lock.
func (c *pageCache) drop(slug string) {
	if evicted := c.pages[slug]; evicted != nil {
		c.bytes -= evicted.bytes
		delete(c.pages, slug)
	}
}

// document returns the page inside the document of a site.
func (p *cachedPage) document(shell *page.Shell, site string) (*pageDocument, error) {
	p.rendered.mu.Lock()
	defer p.rendered.mu.Unlock()
	if d := p.rendered.documents[site]; d != nil {
		return d, nil
	}
	filled, err := shell.Fill(p.page, site, *p.policy)
	if err != nil {
		return nil, err
	}
	d := &pageDocument{newRepresentation("text/html; charset=utf-8", filled.HTML), filled.Policy}
	if len(p.rendered.documents) < maxCachedSites {
		p.rendered.documents[site] = d
	}
	return d, nil
}

// reuseCard keeps the share card of the previous version of a page if a new card would look the same. Drawing a card
// is slow, and any user can cause a page to be loaded again.
func (p *cachedPage) reuseCard(previous *cachedPage) {
	if previous == nil {
		return
	}
	now, before := p.page.Settings, previous.page.Settings
	if now.DocumentTitle() == before.DocumentTitle() && now.MetaDescription == before.MetaDescription {
		p.rendered.card = previous.rendered.loadCard()
	}
}

func (r *renderedPage) loadCard() *representation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.card
}

func (r *renderedPage) storeCard(card *representation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.card = card
}
