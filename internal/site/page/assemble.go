package page

import (
	"cmp"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// An assembler builds a tree of widgets, each of which may occur in several places.
type assembler struct {
	widgets     map[graph.ID]*treeWidget
	widgetQuota quota
	textQuota   quota
}

// assemble returns a widget with its children. Everything inside an untrusted widget counts as untrusted.
func (a *assembler) assemble(id graph.ID, ancestors []graph.ID, isBelowUntrusted bool) Widget {
	stored := a.stored(id)
	a.widgetQuota.add(1, isBelowUntrusted)
	a.textQuota.add(stored.textBytes, isBelowUntrusted)
	w := stored.Widget
	w.ID, w.Children = id, []Child{}
	ancestors = append(ancestors, id)
	for _, p := range stored.placements {
		isUntrusted := isBelowUntrusted || a.stored(p.child).isUntrusted
		if slices.Contains(ancestors, p.child) || len(ancestors) == MaxDepth || !a.fits(p.child, isUntrusted) {
			continue
		}
		child := a.assemble(p.child, ancestors, isUntrusted)
		child.Type = cmp.Or(p.typ, child.Type)
		w.Children = append(w.Children, Child{Wrapper: p.wrapper, Widget: child})
	}
	return w
}

// stored returns a widget that was read, or a zero widget if the widget was not read because of a limit.
func (a *assembler) stored(id graph.ID) treeWidget {
	if w := a.widgets[id]; w != nil {
		return *w
	}
	return treeWidget{}
}

func (a *assembler) fits(id graph.ID, isUntrusted bool) bool {
	return a.widgetQuota.fits(1, isUntrusted, MaxWidgets) && a.textQuota.fits(a.stored(id).textBytes, isUntrusted, MaxTextBytes)
}

// A quota counts the used part of a limit, and the part used by untrusted widgets, which may use half of the
// limit.
type quota struct{ used, untrusted int }

func (q *quota) fits(n int, isUntrusted bool, limit int) bool {
	return q.used+n <= limit && (!isUntrusted || q.untrusted+n <= limit/2)
}

func (q *quota) add(n int, isUntrusted bool) {
	q.used += n
	if isUntrusted {
		q.untrusted += n
	}
}
