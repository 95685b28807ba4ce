package page

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// MaxDepth is how many widgets may stand inside each other, MaxWidgets how many a page may show, MaxText how
// many bytes their texts may have. What is more is left out, and so is a child that is its own ancestor. In a trusted
// widget half of both is for what is trusted as far: strangers cut nothing of it.
const (
	MaxDepth   = 16
	MaxWidgets = 256
	MaxText    = 8 << 20
)

// tree reads a version of a widget and all inside it: a few questions for each level, however wide it is.
func (l *loader) tree(ctx context.Context, id graph.ID, version Version) (*Widget, error) {
	current, err := l.current(ctx, []graph.ID{id}, version)
	if err != nil {
		return nil, err
	}
	root := current[id]
	if err := l.learn(ctx, []graph.ID{root}); err != nil {
		return nil, err
	}
	l.ours = l.Trust(l.concepts[root].Owner) == Trusted
	l.count.add(1, false)
	frontier := []graph.ID{root}
	for depth := 0; depth < MaxDepth && len(frontier) > 0; depth++ {
		if err := l.level(ctx, frontier); err != nil {
			return nil, err
		}
		frontier = l.unread(frontier)
	}
	if l.widgets[root].text > MaxText {
		return nil, graph.Errorf(graph.TooLarge, "widget %d has more than %d bytes of text", root, MaxText)
	}
	g := grower{stored: l.widgets}
	w := g.grow(root, nil, false)
	return &w, nil
}

// unread are the children of widgets, each once, that have not been read yet and can still be shown; those that
// strangers bring come last.
func (l *loader) unread(heads []graph.ID) []graph.ID {
	var left []graph.ID
	for _, theirs := range []bool{false, true} {
		for _, id := range heads {
			if l.brought[id] != theirs {
				continue
			}
			for _, p := range l.widgets[id].children {
				_, read := l.widgets[p.child]
				if read || slices.Contains(left, p.child) || !l.count.fits(1, theirs, MaxWidgets) {
					continue
				}
				l.count.add(1, theirs)
				l.brought[p.child] = theirs
				left = append(left, p.child)
			}
		}
	}
	return left
}

// A tally is how much of a limit is taken, and how much of that by strangers, who have half.
type tally struct{ all, theirs int }

func (t *tally) fits(n int, theirs bool, limit int) bool {
	return t.all+n <= limit && (!theirs || t.theirs+n <= limit/2)
}

func (t *tally) add(n int, theirs bool) {
	t.all += n
	if theirs {
		t.theirs += n
	}
}

// tooLong is the size of a widget that is not even cleaned, because there is no room for it.
const tooLong = MaxText + 1

// A storedWidget is a widget whose children are known by id only.
type storedWidget struct {
	Widget
	children []placement
	text     int  // bytes of its own texts as they are stored
	theirs   bool // a stranger's, in what is trusted
}

type placement struct {
	wrapper string
	child   graph.ID
	typ     string // what the child is for here; "" for what it says itself
	latest  bool   // its original's latest version is meant
}

// level reads widgets, and which children they have.
func (l *loader) level(ctx context.Context, heads []graph.ID) error {
	if err := l.follow(ctx, heads, widgetRelations, l.adds); err != nil {
		return err
	}
	if err := l.inside(ctx, heads); err != nil {
		return err
	}
	placed, err := l.placed(ctx, heads)
	if err != nil {
		return err
	}
	if err := l.readAbout(ctx, heads); err != nil {
		return err
	}
	for _, id := range heads {
		w := storedWidget{Widget: Widget{ID: id}, children: placed[id], text: l.size(id)}
		w.theirs = l.ours && l.Trust(l.concepts[id].Owner) != Trusted
		switch {
		case !l.taken.fits(w.text, w.theirs, MaxText):
			w.text = tooLong
		case l.is(id, "the_widget"):
			l.taken.add(w.text, w.theirs)
			w.Widget = l.widget(id)
			w.Documented = l.documented(id)
		}
		l.brought[id] = l.brought[id] || w.theirs
		l.widgets[id] = w
	}
	return nil
}

// mostParts is how many parts of a kind are read of the widgets of a level, the same number of each.
const mostParts = 10_000

// inside reads the parts of widgets, and the texts of both.
func (l *loader) inside(ctx context.Context, heads []graph.ID) error {
	var parts, texts []graph.ID
	for _, id := range heads {
		for _, relation := range partRelations {
			all := l.links[id][relation]
			if relation != partRelations[0] && l.Trust(l.concepts[id].Owner) == Static {
				continue
			}
			parts = append(parts, all[max(0, len(all)-mostParts/len(heads)):]...)
		}
	}
	parts = unique(parts)
	if err := l.follow(ctx, parts, insideRelations, l.adds); err != nil {
		return err
	}
	for _, id := range parts {
		texts = append(texts, l.links[id].newest(insideRelations)...)
	}
	for _, id := range heads {
		texts = append(texts, l.links[id].newest(l.shown(id))...)
	}
	return l.learn(ctx, texts)
}

// shown are the relations of a widget whose texts are needed: code only where it may run.
func (l *loader) shown(id graph.ID) []string {
	if l.Trust(l.concepts[id].Owner) == Static {
		return textRelations
	}
	return slices.Concat(textRelations, codeRelations)
}

// size is how many bytes the texts of a widget have, without its children.
func (l *loader) size(id graph.ID) int {
	n := 0
	for _, text := range l.links[id].newest(l.shown(id)) {
		n += len(l.concepts[text].Value)
	}
	for _, part := range l.links[id]["the_widget_s_custom_function"] {
		n += len(l.concepts[l.links[part].single("the_custom_function_code")].Value)
	}
	return n
}

// placed finds the children of widgets, the newest of each place.
func (l *loader) placed(ctx context.Context, heads []graph.ID) (map[graph.ID][]placement, error) {
	placed := map[graph.ID][]placement{}
	var latest []graph.ID
	for _, id := range heads {
		for _, place := range l.parts(id, "the_widget_s_child", "the_child_widget") {
			text := func(name string) string { return l.text(place, "the_child_widget_"+name) }
			p := placement{wrapper: text("wrapper"), typ: text("type"), latest: text("use_latest") == "true"}
			p.child = l.links[place].single("the_child_widget_info")
			if p.child == 0 { // older builders wrote the id as a text
				p.child, _ = graph.ParseID(text("parent"))
			}
			if p.child.Real() && p.wrapper != "" {
				placed[id] = append(placed[id], p)
			}
		}
		placed[id] = newestOfEachWrapper(placed[id])
		for _, p := range placed[id] {
			if p.latest {
				latest = append(latest, p.child)
			}
		}
	}
	current, err := l.current(ctx, unique(latest), Latest)
	for _, id := range heads {
		for i, p := range placed[id] {
			if p.latest && err == nil {
				placed[id][i].child = current[p.child]
			}
		}
	}
	return placed, err
}

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

func (l *loader) widget(id graph.ID) Widget {
	text := func(name string) string { return l.text(id, "the_widget_"+name) }
	w := Widget{ID: id, Name: text("name"), Root: l.root(id), Type: cmp.Or(text("type"), DefaultType)}
	w.Version, _ = strconv.Atoi(text("version"))
	w.Version = max(w.Version, 0)
	w.HTML, w.CSS = safe(text("html"), text("css"))
	if w.Trust = l.Trust(l.concepts[id].Owner); w.Trust != Static {
		w.Code = l.code(id)
	}
	if w.Trust == Trusted && l.private[id] {
		w.Trust = Sandboxed // modules are for everybody
	}
	switch {
	case w.Code == nil:
	case w.Code.empty():
		w.Code = nil
	case w.Trust == Trusted:
		w.Code.Modules = w.Code.modules(id)
	}
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

// A grower makes the tree out of the widgets, each of which may stand in several places.
type grower struct {
	stored map[graph.ID]storedWidget
	grown  tally
	text   tally
}

// grow makes a widget with all inside it. Whatever stands in a stranger's was brought by the stranger.
func (g *grower) grow(id graph.ID, above []graph.ID, theirs bool) Widget {
	g.grown.add(1, theirs)
	g.text.add(g.stored[id].text, theirs)
	w := g.stored[id].Widget
	w.ID, w.Children = id, []Child{}
	above = append(above, id)
	for _, p := range g.stored[id].children {
		if slices.Contains(above, p.child) || len(above) == MaxDepth || !g.fits(p.child, theirs) {
			continue
		}
		child := g.grow(p.child, above, theirs || g.stored[p.child].theirs)
		child.Type = cmp.Or(p.typ, child.Type)
		w.Children = append(w.Children, Child{Wrapper: p.wrapper, Widget: child})
	}
	return w
}

func (g *grower) fits(child graph.ID, brought bool) bool {
	w := g.stored[child]
	theirs := brought || w.theirs
	return g.grown.fits(1, theirs, MaxWidgets) && g.text.fits(w.text, theirs, MaxText)
}
