package page

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A Listing is an entry of the sitemap: a published page.
type Listing struct {
	Slug    string
	Changed time.Time // when the newest part of the page or of its body was created
}

// MaxListed is the maximum number of pages that are listed: the limit of a sitemap (sitemaps.org).
const MaxListed = 50_000

// All pages in the store are candidates, including pages of users who may not publish. At most maxListBatches batches
// of candidates are read.
const (
	listBatchPages = 500
	maxListBatches = 400
)

// ListPublished lists the published pages that a guest may read, in order of id. Pages for signed-in visitors are left out.
func ListPublished(ctx context.Context, reader graph.Reader, policy Policy) ([]Listing, error) {
	r, err := newPublicReader(ctx, reader, policy)
	if err != nil || r.typeIDs["the_page"] == 0 {
		return nil, err
	}
	var listed []Listing
	pageQuery := graph.Page{Limit: listBatchPages}
	for range maxListBatches {
		found, err := r.ConceptsByType(ctx, r.typeIDs["the_page"], pageQuery)
		if err != nil || len(found) == 0 {
			return listed, err
		}
		part, err := r.listPages(ctx, found)
		if err != nil {
			return nil, err
		}
		if listed = append(listed, part...); len(listed) >= MaxListed {
			return listed[:MaxListed], nil
		}
		pageQuery.After = found[len(found)-1].ID
	}
	return listed, nil
}

// listPages lists the given pages that are published and not restricted to signed-in visitors.
func (r *recordReader) listPages(ctx context.Context, pages []graph.Concept) ([]Listing, error) {
	var ids, bodies []graph.ID
	for _, c := range pages {
		if c.Scope() == 0 && r.Publishes(c.Owner) {
			ids = append(ids, c.ID)
		}
	}
	if err := r.readPages(ctx, ids); err != nil {
		return nil, err
	}
	for _, id := range ids {
		if body := r.links(id).newest("the_page_body"); body != 0 {
			bodies = append(bodies, body)
		}
	}
	versions, err := r.resolveVersions(ctx, unique(bodies), Latest)
	if err != nil {
		return nil, err
	}
	if err := r.readLinks(ctx, unique(slices.Collect(maps.Values(versions))), widgetRelations, r.mayExtend); err != nil {
		return nil, err
	}
	var listed []Listing
	for _, id := range ids {
		s := r.settings(id)
		body := r.record(versions[r.links(id).newest("the_page_body")])
		if s.Slug != "" && !s.Guarded && r.isPublishedPage(id) {
			listed = append(listed, Listing{s.Slug, later(r.record(id).newestLink, body.newestLink)})
		}
	}
	return listed, nil
}
