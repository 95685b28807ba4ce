package page

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// A Version says which of a widget's versions is meant. Saving a widget makes a copy whose root is the
// original; the original points to the copy that was made last and to the one that was published.
type Version string

// The versions. Latest and Recent are what the original points to, or the widget itself while that points
// nowhere.
const (
	Fixed  Version = ""
	Latest Version = "the_widget_latest"
	Recent Version = "the_widget_recent"
)

// Current finds a version of a widget, as far as the reader shows it.
func Current(ctx context.Context, reader graph.Reader, policy Policy, id graph.ID, version Version) (graph.ID, error) {
	l := newLoader(reader, policy)
	if err := l.learnTypes(ctx); err != nil {
		return id, err
	}
	current, err := l.current(ctx, []graph.ID{id}, version)
	return current[id], err
}

// current finds a version of each of some widgets.
func (l *loader) current(ctx context.Context, ids []graph.ID, version Version) (map[graph.ID]graph.ID, error) {
	current := map[graph.ID]graph.ID{}
	for _, id := range ids {
		current[id] = id
	}
	if version == Fixed || len(ids) == 0 {
		return current, nil
	}
	if err := l.follow(ctx, ids, append([]string{string(version)}, originRelations...), l.adds); err != nil {
		return nil, err
	}
	roots, err := l.roots(ctx, ids)
	if err != nil {
		return nil, err
	}
	var others []graph.ID
	for _, id := range ids {
		if roots[id] != id {
			others = append(others, roots[id])
		}
	}
	if err := l.follow(ctx, unique(others), []string{string(version)}, l.adds); err != nil {
		return nil, err
	}
	for _, id := range ids {
		if to := l.links[roots[id]].single(string(version)); to != 0 {
			current[id] = to
		}
	}
	return current, nil
}

// roots finds the originals of widgets whose links to them were followed.
func (l *loader) roots(ctx context.Context, ids []graph.ID) (map[graph.ID]graph.ID, error) {
	var origins []graph.ID
	for _, id := range ids {
		origins = append(origins, l.links[id].newest(originRelations)...)
	}
	if err := l.learn(ctx, origins); err != nil {
		return nil, err
	}
	roots := map[graph.ID]graph.ID{}
	for _, id := range ids {
		roots[id] = l.root(id)
	}
	return roots, nil
}

// root is the original of a widget; of an older version its id is a text.
func (l *loader) root(id graph.ID) graph.ID {
	if root := l.links[id].single("the_widget_root"); root != 0 {
		return root
	}
	if origin, err := graph.ParseID(l.text(id, "the_widget_origin")); err == nil && origin.Real() {
		return origin
	}
	return id
}

func unique(ids []graph.ID) []graph.ID {
	var once []graph.ID
	seen := map[graph.ID]bool{}
	for _, id := range ids {
		if !seen[id] {
			once = append(once, id)
		}
		seen[id] = true
	}
	return once
}
