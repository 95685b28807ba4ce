package page

import (
	"context"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// MaxDepth is how many widgets may stand inside each other, MaxWidgets how many a page may show. What is
// more is left out, and so is a child that is its own ancestor.
const (
	MaxDepth   = 16
	MaxWidgets = 256
)

// tree reads the widgets of a page: four questions for each level, however wide it is.
func (l *loader) tree(ctx context.Context, root graph.ID, reads map[graph.ID]bool) (*Widget, error) {
	stored := map[graph.ID]storedWidget{}
	frontier := []graph.ID{root}
	for depth := 0; depth < MaxDepth && len(frontier) > 0; depth++ {
		below, err := l.level(ctx, frontier, stored, reads)
		if err != nil {
			return nil, err
		}
		frontier = unread(below, stored)
	}
	g := grower{stored: stored}
	w := g.grow(root, nil)
	return &w, nil
}

// unread are the widgets, each once, that have not been read yet and can still be shown.
func unread(ids []graph.ID, stored map[graph.ID]storedWidget) []graph.ID {
	var left []graph.ID
	seen := map[graph.ID]bool{}
	for _, id := range ids {
		if _, read := stored[id]; !read && !seen[id] && len(stored)+len(left) < MaxWidgets {
			left = append(left, id)
		}
		seen[id] = true
	}
	return left
}

// A storedWidget is a widget whose children are known by id only.
type storedWidget struct {
	Widget
	children []placement
}

type placement struct {
	wrapper string
	child   graph.ID
}

// level reads the widgets named by heads into stored and returns the ids of their children.
func (l *loader) level(ctx context.Context, heads []graph.ID, stored map[graph.ID]storedWidget, reads map[graph.ID]bool) ([]graph.ID, error) {
	concepts, err := l.concepts(ctx, heads)
	if err != nil {
		return nil, err
	}
	links, err := l.linksOf(ctx, heads, widgetRelations)
	if err != nil {
		return nil, err
	}
	var leaves, places []graph.ID
	for _, id := range heads {
		leaves = append(leaves, links[id].targets()...)
		places = append(places, links[id]["the_widget_s_child"]...)
	}
	placeLinks, err := l.linksOf(ctx, places, childRelations)
	if err != nil {
		return nil, err
	}
	for _, id := range places {
		leaves = append(leaves, placeLinks[id].targets()...)
	}
	values, err := l.concepts(ctx, leaves)
	if err != nil {
		return nil, err
	}

	var below []graph.ID
	for _, id := range heads {
		reads[id] = true
		w := storedWidget{Widget: Widget{ID: id}}
		if l.ours(concepts[id], "the_widget") {
			w = l.widget(id, links[id], placeLinks, values)
		}
		for _, place := range links[id]["the_widget_s_child"] {
			reads[place] = true
		}
		for _, p := range w.children {
			below = append(below, p.child)
		}
		stored[id] = w
	}
	return below, nil
}

func (l *loader) widget(id graph.ID, links relations, placeLinks map[graph.ID]relations, values map[graph.ID]graph.Concept) storedWidget {
	text := func(relation string) string { return value(values[links.single(relation)]) }
	w := storedWidget{Widget: Widget{ID: id, Name: text("the_widget_name")}}
	w.HTML, w.CSS = safe(text("the_widget_html"), text("the_widget_css"))
	for _, place := range links["the_widget_s_child"] {
		if !l.ours(values[place], "the_child_widget") {
			continue
		}
		p := placement{wrapper: value(values[placeLinks[place].single("the_child_widget_wrapper")])}
		p.child = placeLinks[place].single("the_child_widget_info")
		if p.child == 0 { // older builders wrote the id as a text
			p.child, _ = graph.ParseID(value(values[placeLinks[place].single("the_child_widget_parent")]))
		}
		if p.child > 0 && p.wrapper != "" {
			w.children = append(w.children, p)
		}
	}
	w.children = newestOfEachWrapper(w.children)
	return w
}

// safe is what may be shown of a widget's texts: a page with a bad widget is still a page.
func safe(html, css string) (string, string) {
	html, err := CleanHTML(html)
	if err != nil {
		html = ""
	}
	if CheckCSS(css) != nil {
		css = ""
	}
	return html, newlines.Replace(css)
}

// Browsers do the same before they compare CSS with the hash in the page's policy.
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func newestOfEachWrapper(all []placement) []placement {
	taken := map[string]bool{}
	var newest []placement
	for _, p := range slices.Backward(all) {
		if !taken[p.wrapper] {
			newest = append(newest, p)
		}
		taken[p.wrapper] = true
	}
	slices.Reverse(newest)
	return newest
}

// A grower makes the tree out of the widgets, each of which may stand in several places.
type grower struct {
	stored map[graph.ID]storedWidget
	grown  int
}

func (g *grower) grow(id graph.ID, above []graph.ID) Widget {
	g.grown++
	w := g.stored[id].Widget
	w.ID, w.Children = id, []Child{}
	above = append(above, id)
	for _, p := range g.stored[id].children {
		if slices.Contains(above, p.child) || len(above) == MaxDepth || g.grown == MaxWidgets {
			continue
		}
		w.Children = append(w.Children, Child{Wrapper: p.wrapper, Widget: g.grow(p.child, above)})
	}
	return w
}
