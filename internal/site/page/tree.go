package page

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/budget"
)

// Limits of a widget tree: levels, widgets, and bytes of text in the widgets. Widgets beyond a limit are left out, and so is
// a child that is its own ancestor. In a tree with a trusted root, half of the widgets and bytes are reserved for trusted
// widgets, so that untrusted users cannot displace them.
const (
	MaxDepth     = 16
	MaxWidgets   = 256
	MaxTextBytes = 8 << 20
)

// loadTree reads a version of a widget and everything inside it.
func loadTree(ctx context.Context, r *recordReader, id graph.ID, version Version) (*Widget, error) {
	versions, err := r.resolveVersions(ctx, []graph.ID{id}, version)
	if err != nil {
		return nil, err
	}
	root := versions[id]
	if err := r.readConcepts(ctx, []graph.ID{root}); err != nil {
		return nil, err
	}
	l := newTreeLoader(r)
	l.isRootTrusted = r.Trust(r.concept(root).Owner) == Trusted
	if err := l.readTree(ctx, root); err != nil {
		return nil, err
	}
	if l.widgets[root].textBytes > MaxTextBytes {
		return nil, graph.Errorf(graph.TooLarge, "widget %d has more than %d bytes of text", root, MaxTextBytes)
	}
	a := assembler{widgets: l.widgets}
	w := a.assemble(root, nil, false)
	if !r.Looks.isZero() {
		w.Looks = &r.Looks
	}
	return &w, nil
}

// A treeLoader reads the widgets of a tree level by level.
type treeLoader struct {
	*recordReader
	isRootTrusted bool
	widgets       map[graph.ID]*treeWidget
	unread        map[graph.ID]bool // widgets whose text was too large to read
	widgetQuota   quota             // widgets that were requested
	textQuota     quota             // bytes of text that were read
}

// A treeWidget is a widget whose children are listed by id.
type treeWidget struct {
	Widget
	placements []placement
	textBytes  int // size of the widget's own text, as stored
	// isUntrusted is set for a widget of an untrusted owner in a trusted tree.
	isUntrusted bool
	// isBelowUntrusted is set for an untrusted widget, and for a widget if it is set for all parents of the widget
	// in the tree.
	isBelowUntrusted bool
}

// A placement is a child and its place in the parent.
type placement struct {
	wrapper   string // id of the element in the parent's HTML
	child     graph.ID
	typ       string // type of data for this place; "" for the child's own
	useLatest bool   // show the latest version of the child's original
}

func newTreeLoader(r *recordReader) *treeLoader {
	return &treeLoader{recordReader: r, widgets: map[graph.ID]*treeWidget{}, unread: map[graph.ID]bool{}}
}

func (l *treeLoader) readTree(ctx context.Context, root graph.ID) error {
	l.widgetQuota.add(1, false)
	level := []graph.ID{root}
	below := map[graph.ID]bool{}
	for depth := 0; depth < MaxDepth && len(level) > 0; depth++ {
		if err := l.readLevel(ctx, level); err != nil {
			return err
		}
		for _, id := range level {
			l.widgets[id].isBelowUntrusted = l.widgets[id].isUntrusted || below[id]
		}
		level, below = l.nextLevel(level)
	}
	return nil
}

// nextLevel returns the children of the widgets of a level, each once, without children that were already read or
// exceed a limit. The children of trusted widgets come first. below marks the children of untrusted widgets only.
func (l *treeLoader) nextLevel(level []graph.ID) (next []graph.ID, below map[graph.ID]bool) {
	below = map[graph.ID]bool{}
	for _, isUntrusted := range []bool{false, true} {
		for _, id := range level {
			if l.widgets[id].isBelowUntrusted != isUntrusted {
				continue
			}
			for _, p := range l.widgets[id].placements {
				if l.widgets[p.child] != nil || slices.Contains(next, p.child) || !l.widgetQuota.fits(1, isUntrusted, MaxWidgets) {
					continue
				}
				l.widgetQuota.add(1, isUntrusted)
				below[p.child] = isUntrusted
				next = append(next, p.child)
			}
		}
	}
	return next, below
}

// readLevel reads widgets: their links, their parts and texts, their placements, and whether they are documented.
func (l *treeLoader) readLevel(ctx context.Context, ids []graph.ID) error {
	relations := widgetRelations
	if l.withNotes {
		relations = slices.Concat(relations, noteRelations, []string{assistantRelation})
	}
	if err := l.readLinks(ctx, ids, relations, l.mayExtend); err != nil {
		return err
	}
	if err := l.readParts(ctx, ids); err != nil {
		return err
	}
	placements, err := l.findPlacements(ctx, ids)
	if err != nil {
		return err
	}
	if err := l.readDocumentationLinks(ctx, ids); err != nil {
		return err
	}
	for _, id := range ids {
		if l.widgets[id], err = l.treeWidget(ctx, id, placements[id]); err != nil {
			return err
		}
	}
	return nil
}

// textOmitted is the size that is recorded for a widget whose text exceeds the quota and was not loaded. It exceeds every
// limit.
const textOmitted = MaxTextBytes + 1

func (l *treeLoader) treeWidget(ctx context.Context, id graph.ID, placements []placement) (_ *treeWidget, err error) {
	w := &treeWidget{Widget: Widget{ID: id}, placements: placements, textBytes: l.textBytes(id)}
	w.isUntrusted = l.isRootTrusted && l.Trust(l.concept(id).Owner) != Trusted
	switch {
	case l.unread[id] || !l.textQuota.fits(w.textBytes, w.isUntrusted, MaxTextBytes):
		w.textBytes = textOmitted
	case l.hasType(id, "the_widget"):
		l.textQuota.add(w.textBytes, w.isUntrusted)
		w.Widget, err = l.widget(ctx, id)
		w.Documented = l.isDocumented(id)
	}
	return w, err
}

// maxPartsPerLevel is the maximum number of parts of a kind that are read for all widgets of a level. Each widget has an equal share.
const maxPartsPerLevel = 10_000

// readParts reads the parts of widgets, and the text fields of the widgets and of their parts.
func (l *treeLoader) readParts(ctx context.Context, ids []graph.ID) error {
	var parts, texts []graph.ID
	for _, id := range ids {
		for _, relation := range l.partRelationsOf(id) {
			all := l.links(id)[relation]
			parts = append(parts, all[max(0, len(all)-maxPartsPerLevel/len(ids)):]...)
		}
	}
	parts = unique(parts)
	if err := l.readLinks(ctx, parts, insideRelations, l.mayExtend); err != nil {
		return err
	}
	for _, id := range parts {
		texts = append(texts, l.links(id).newestOf(insideRelations)...)
	}
	if err := l.readConcepts(ctx, texts); err != nil {
		return err
	}
	return l.readTexts(ctx, ids)
}

// maxLevelBytes limits the text that is read together for the widgets of one level, in bytes. Without it, a level of
// many widgets with long text could fill the memory before textQuota leaves widgets out.
const maxLevelBytes = 2 * MaxTextBytes

// readTexts reads the text fields of widgets. If the text of all widgets together is too large, it reads widget by widget while
// the text fits, and marks the other widgets as unread.
func (l *treeLoader) readTexts(ctx context.Context, ids []graph.ID) error {
	var texts []graph.ID
	for _, id := range ids {
		texts = append(texts, l.links(id).newestOf(l.textRelationsOf(id))...)
	}
	account := budget.Of(ctx)
	err := account.Page(maxLevelBytes, func() error { return l.readConcepts(ctx, texts) })
	if !errors.Is(err, budget.ErrPageFull) {
		return err
	}
	l.forget(texts)
	remaining := int64(maxLevelBytes)
	for _, id := range ids {
		charged := account.Charged()
		texts := l.links(id).newestOf(l.textRelationsOf(id))
		err := account.Page(max(remaining, 1), func() error { return l.readConcepts(ctx, texts) })
		switch {
		case errors.Is(err, budget.ErrPageFull):
			l.forget(texts)
			l.unread[id] = true
		case err != nil:
			return err
		}
		remaining -= account.Charged() - charged
	}
	return nil
}

// partRelationsOf returns the relations of the required parts: relations of code are included only if the code may run.
// Relations that were not read have no parts.
func (l *treeLoader) partRelationsOf(id graph.ID) []string {
	if l.Trust(l.concept(id).Owner) == Static {
		return []string{childRelation, assistantRelation}
	}
	return slices.Concat(partRelations, []string{assistantRelation})
}

// textRelationsOf returns the relations of the required text fields; relations of code are included only if the
// code may run.
func (l *treeLoader) textRelationsOf(id graph.ID) []string {
	if l.Trust(l.concept(id).Owner) == Static {
		return slices.Concat(textRelations, noteRelations)
	}
	return slices.Concat(textRelations, noteRelations, codeRelations)
}

// textBytes returns the size of the text in a widget, without its children.
func (l *treeLoader) textBytes(id graph.ID) int {
	n := 0
	for _, text := range l.links(id).newestOf(l.textRelationsOf(id)) {
		n += len(l.concept(text).Value)
	}
	for _, part := range l.links(id)["the_widget_s_custom_function"] {
		n += len(l.concept(l.links(part).newest("the_custom_function_code")).Value)
	}
	if part := l.links(id).newest(assistantRelation); part != 0 {
		n += len(l.concept(l.links(part).newest("the_assistant_input")).Value)
	}
	return n
}

// findPlacements returns the children of widgets, the newest for each wrapper.
func (l *treeLoader) findPlacements(ctx context.Context, ids []graph.ID) (map[graph.ID][]placement, error) {
	placements := map[graph.ID][]placement{}
	var latest []graph.ID
	for _, id := range ids {
		placements[id] = l.placementsOf(id)
		for _, p := range placements[id] {
			if p.useLatest {
				latest = append(latest, p.child)
			}
		}
	}
	versions, err := l.resolveVersions(ctx, unique(latest), Latest)
	if err != nil {
		return nil, err
	}
	for _, children := range placements {
		for i, p := range children {
			if p.useLatest {
				children[i].child = versions[p.child]
			}
		}
	}
	return placements, nil
}

func (l *treeLoader) placementsOf(id graph.ID) []placement {
	var all []placement
	for _, part := range l.parts(id, childRelation, "the_child_widget") {
		text := func(name string) string { return l.text(part, "the_child_widget_"+name) }
		p := placement{wrapper: text("wrapper"), typ: text("type"), useLatest: text("use_latest") == "true"}
		p.child = l.links(part).newest("the_child_widget_info")
		if p.child == 0 { // older builders stored the id as text
			p.child, _ = graph.ParseID(text("parent"))
		}
		if p.child.IsReal() && p.wrapper != "" {
			all = append(all, p)
		}
	}
	return newestOfEachWrapper(all)
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

// widget returns a widget with cleaned HTML and CSS, and without children.
func (l *treeLoader) widget(ctx context.Context, id graph.ID) (Widget, error) {
	text := func(name string) string { return l.text(id, "the_widget_"+name) }
	w := Widget{ID: id, Name: text("name"), Root: l.original(id), Type: cmp.Or(text("type"), DefaultType)}
	w.Version, _ = strconv.Atoi(text("version"))
	w.Version = max(w.Version, 0)
	var err error
	if w.HTML, err = l.Cleaner.clean(ctx, text("html")); err != nil {
		return w, err
	}
	if err := l.addNotes(ctx, &w); err != nil {
		return w, err
	}
	if w.Trust = l.Trust(l.concept(id).Owner); w.Trust != Static {
		w.Code = l.code(id)
	}
	if w.Trust == Trusted && l.record(id).restricted {
		w.Trust = Sandboxed // modules are served to every visitor
	}
	w.setCSS(text("css"), l.Looks)
	switch {
	case w.Code == nil:
	case w.Code.isEmpty():
		w.Code = nil
	case w.Trust == Trusted:
		w.Code.Modules = w.Code.modules(id)
	}
	if w.Code != nil {
		w.Warnings = nil // the code of the widget applies the stored CSS unchanged
	}
	return w, nil
}

// addNotes adds the notes of the builder that were read.
func (l *treeLoader) addNotes(ctx context.Context, w *Widget) (err error) {
	w.Timestamp = l.note(w.ID, "the_widget_timestamp")
	if w.Clean, err = l.Cleaner.clean(ctx, l.note(w.ID, "the_widget_clean")); err != nil {
		return err
	}
	parts := l.parts(w.ID, assistantRelation, "the_assistant")
	if len(parts) == 0 {
		return nil
	}
	field := func(name string) string { return l.note(parts[len(parts)-1], "the_assistant_"+name) }
	w.Assistant = &Assistant{ID: field("id"), Input: field("input"), Type: field("type")}
	return nil
}
