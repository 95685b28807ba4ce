package page

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// A Version selects one of a widget's versions. Saving a widget creates a copy that links to the original; the original
// links to its newest and to its published copy.
type Version string

// The versions. Fixed is the widget itself. Latest and Recent are the published and the newest copy to which the original
// links, or the widget itself if it has no such link.
const (
	Fixed  Version = ""
	Latest Version = "the_widget_latest"
	Recent Version = "the_widget_recent"
)

// ResolveVersion returns the id of a version of a widget that the reader may see.
func ResolveVersion(ctx context.Context, reader graph.Reader, policy Policy, id graph.ID, version Version) (graph.ID, error) {
	r, err := newRecordReader(ctx, reader, policy)
	if err != nil {
		return id, err
	}
	versions, err := r.resolveVersions(ctx, []graph.ID{id}, version)
	return versions[id], err
}

// resolveVersions returns the id of a version for each widget.
func (r *recordReader) resolveVersions(ctx context.Context, ids []graph.ID, version Version) (map[graph.ID]graph.ID, error) {
	versions := map[graph.ID]graph.ID{}
	for _, id := range ids {
		versions[id] = id
	}
	if version == Fixed || len(ids) == 0 {
		return versions, nil
	}
	if err := r.readLinks(ctx, ids, append([]string{string(version)}, originRelations...), r.mayExtend); err != nil {
		return nil, err
	}
	if err := r.readOrigins(ctx, ids); err != nil {
		return nil, err
	}
	var originals []graph.ID
	for _, id := range ids {
		if original := r.original(id); original != id {
			originals = append(originals, original)
		}
	}
	if err := r.readLinks(ctx, unique(originals), []string{string(version)}, r.mayExtend); err != nil {
		return nil, err
	}
	for _, id := range ids {
		if to := r.links(r.original(id)).newest(string(version)); to != 0 {
			versions[id] = to
		}
	}
	return versions, nil
}

// readOrigins reads the concepts that refer to the originals of widgets whose links were read.
func (r *recordReader) readOrigins(ctx context.Context, ids []graph.ID) error {
	var origins []graph.ID
	for _, id := range ids {
		origins = append(origins, r.links(id).newestOf(originRelations)...)
	}
	return r.readConcepts(ctx, origins)
}

// original returns the original of a widget, or the widget itself. Older versions store the id of the original as
// text.
func (r *recordReader) original(id graph.ID) graph.ID {
	if root := r.links(id).newest("the_widget_root"); root != 0 {
		return root
	}
	if origin, err := graph.ParseID(r.text(id, "the_widget_origin")); err == nil && origin.IsReal() {
		return origin
	}
	return id
}
