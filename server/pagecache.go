package server

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/page"
)

// A keptPage is a finished page, as good as it was at a change of the store.
type keptPage struct {
	seq            graph.Seq
	page           page.Page
	document, data representation
	policy         string
}

// Enough for a site. Only pages that exist are kept, so nobody can fill the memory with made-up addresses.
const maxKept = 512

// find returns the page of a slug, or a NotFound error. It is made once, and again when a change touched
// what it was made of.
func (p *pages) find(ctx context.Context, slug string) (*keptPage, error) {
	now, err := p.reader.LastSeq(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.RLock()
	k := p.kept[slug]
	p.mu.RUnlock()
	if k != nil && k.seq == now {
		return k, nil
	}
	if k == nil || p.touched(ctx, k, now) {
		loaded, err := page.Load(ctx, p.reader, slug)
		if err != nil {
			p.forget(slug)
			return nil, err
		}
		if k, err = p.finish(loaded); err != nil {
			return nil, err
		}
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

func (p *pages) finish(loaded page.Page) (*keptPage, error) {
	document, err := p.shell.Fill(loaded)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(loaded)
	if err != nil {
		return nil, graph.Wrap(graph.Internal, err, "page %q cannot be written as JSON", loaded.Settings.Slug)
	}
	return &keptPage{
		page:     loaded,
		document: represent("text/html; charset=utf-8", document.HTML),
		data:     represent("application/json; charset=utf-8", data),
		policy:   document.Policy,
	}, nil
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
