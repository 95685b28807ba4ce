package page

import (
	"context"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A Listing is a published page as search engines are told of it.
type Listing struct {
	Slug    string
	Changed time.Time // when the newest part of the page or of its body was made
}

// MostListed is how many pages are listed: as many as a sitemap may hold.
const MostListed = 50_000

// Of all pages there are, those of strangers included, some at a time are looked at, and not without end.
const (
	listedAtOnce = 500
	listedParts  = 400
)

// Published lists the pages that everybody may read, in order of their ids. Pages for visitors who are signed in
// are left out.
func Published(ctx context.Context, reader graph.Reader, policy Policy) ([]Listing, error) {
	l := newLoader(reader, policy)
	l.public = true
	if err := l.learnTypes(ctx); err != nil || l.types["the_page"] == 0 {
		return nil, err
	}
	var listed []Listing
	at := graph.Page{Limit: listedAtOnce}
	for range listedParts {
		found, err := l.ConceptsByType(ctx, l.types["the_page"], at)
		if err != nil || len(found) == 0 {
			return listed, err
		}
		part, err := l.list(ctx, found)
		if err != nil {
			return nil, err
		}
		if listed = append(listed, part...); len(listed) >= MostListed {
			return listed[:MostListed], nil
		}
		at.After = found[len(found)-1].ID
	}
	return listed, nil
}

// list lists those of some pages that are published.
func (l *loader) list(ctx context.Context, found []graph.Concept) ([]Listing, error) {
	var heads, texts, bodies []graph.ID
	for _, c := range found {
		if c.Scope() == 0 && l.Publishes(c.Owner) {
			heads = append(heads, c.ID)
		}
	}
	if err := l.follow(ctx, heads, pageRelations, l.publishers); err != nil {
		return nil, err
	}
	for _, id := range heads {
		texts = append(texts, l.links[id].newest(pageRelations)...)
		if body := l.links[id].single("the_page_body"); body != 0 {
			bodies = append(bodies, body)
		}
	}
	if err := l.learn(ctx, texts); err != nil {
		return nil, err
	}
	current, err := l.current(ctx, unique(bodies), Latest)
	if err != nil {
		return nil, err
	}
	var shown []graph.ID
	for _, id := range current {
		shown = append(shown, id)
	}
	if err := l.follow(ctx, unique(shown), widgetRelations, l.adds); err != nil {
		return nil, err
	}
	var listed []Listing
	for _, id := range heads {
		p := l.read(id)
		body := l.changed[current[l.links[id].single("the_page_body")]]
		if p.Slug != "" && !p.Guarded && l.published(id) {
			listed = append(listed, Listing{p.Slug, later(l.changed[id], body)})
		}
	}
	return listed, nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
