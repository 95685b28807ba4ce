package server

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/page"
)

// A keptPage is a finished page, as good as it was at a change of the store and under a policy.
type keptPage struct {
	seq    graph.Seq
	policy *page.Policy
	page   page.Page
	data   representation
	looks  *looks
}

// looks are what is drawn of a page when somebody first asks.
type looks struct {
	mu        sync.Mutex
	documents map[string]*keptDocument // by site
	picture   *representation
}

// A keptDocument is a page with all around it.
type keptDocument struct {
	representation
	policy string
}

// maxSites is under how many names a site keeps its documents. Where there is no public URL, anybody can
// make up more of them.
const maxSites = 4

// Enough for a site. Only pages that exist are kept, so nobody can fill the memory with made-up addresses.
const maxKept = 512

// find returns the page of a slug, or a NotFound error. It is made once, and again when a change touched
// what it was made of.
func (p *pages) find(ctx context.Context, slug string) (*keptPage, error) {
	policy, err := p.options.Policies.at(ctx)
	if err != nil {
		return nil, err
	}
	now, err := p.reader.LastSeq(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.RLock()
	k := p.kept[slug]
	p.mu.RUnlock()
	if k != nil && k.seq == now && k.policy == policy {
		return k, nil
	}
	if k == nil || k.policy != policy || p.touched(ctx, k, now) {
		loaded, err := page.Load(ctx, p.reader, *policy, slug)
		if err != nil {
			p.forget(slug)
			return nil, err
		}
		before := k
		if k, err = p.finish(loaded, policy); err != nil {
			return nil, err
		}
		k.keepPicture(before)
	}
	return p.keep(slug, k, now), nil
}

// manyChanges is how many changes are looked through before it is cheaper to make the page anew.
const manyChanges = 1000

func (p *pages) touched(ctx context.Context, k *keptPage, now graph.Seq) bool {
	if now-k.seq > manyChanges {
		return true
	}
	changes, err := p.reader.Changes(ctx, k.seq, manyChanges)
	return err != nil || len(changes) == 0 || slices.ContainsFunc(changes, k.page.Touched)
}

func (p *pages) finish(loaded page.Page, policy *page.Policy) (*keptPage, error) {
	if loaded.Body != nil && p.options.Documented {
		loaded.Body.Documented = true
	}
	data, err := json.Marshal(loaded)
	if err != nil {
		return nil, graph.Wrap(graph.Internal, err, "page %q cannot be written as JSON", loaded.Settings.Slug)
	}
	return &keptPage{
		page:   loaded,
		policy: policy,
		data:   represent("application/json; charset=utf-8", data),
		looks:  &looks{documents: map[string]*keptDocument{}},
	}, nil
}

// keepPicture takes over the picture of a page as it was before, while it would be the same: anybody may touch a page,
// and to draw one takes long.
func (k *keptPage) keepPicture(before *keptPage) {
	if before == nil {
		return
	}
	now, then := k.page.Settings, before.page.Settings
	if now.DocumentTitle() == then.DocumentTitle() && now.MetaDescription == then.MetaDescription {
		k.looks.picture = before.looks.shown(nil)
	}
}

// drawn is the document of a page on a site.
func (p *pages) drawn(k *keptPage, site string) (*keptDocument, error) {
	k.looks.mu.Lock()
	defer k.looks.mu.Unlock()
	if d := k.looks.documents[site]; d != nil {
		return d, nil
	}
	filled, err := p.shell.Fill(k.page, site, k.policy.Libraries)
	if err != nil {
		return nil, err
	}
	d := &keptDocument{represent("text/html; charset=utf-8", filled.HTML), filled.Policy}
	if len(k.looks.documents) < maxSites {
		k.looks.documents[site] = d
	}
	return d, nil
}

// keep remembers a page as it was at a change: a copy, because others may be reading the one they got.
func (p *pages) keep(slug string, k *keptPage, at graph.Seq) *keptPage {
	kept := *k
	kept.seq = at
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.kept) >= maxKept && p.kept[slug] == nil {
		for any := range p.kept {
			delete(p.kept, any)
			break
		}
	}
	p.kept[slug] = &kept
	return &kept
}

func (p *pages) forget(slug string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.kept, slug)
}
