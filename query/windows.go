package query

import (
	"context"
	"errors"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A windowScan checks roots in the order of the answer, one window at a time. Each window is four times as large as the
// previous one, up to limits.maxWindow.
type windowScan struct {
	*rootSearch
	page      graph.Page // the next window
	scanned   int        // roots checked so far
	passed    []graph.ID // the checked roots that pass
	exhausted bool       // all roots were checked
}

func (s *rootSearch) newWindowScan() *windowScan {
	w := &windowScan{rootSearch: s, page: graph.Page{Descending: s.root().page().Descending, After: s.root().After, Limit: s.limits.firstWindow}}
	if s.wantsAll {
		w.page.After = 0
	}
	return w
}

// scanNext checks the next window. It reports whether the scan is complete: the page is full, or all roots were
// checked. Types with up to maxExactCount instances are always checked completely, so that the total is exact.
func (w *windowScan) scanNext(ctx context.Context) (full bool, err error) {
	start := time.Now()
	ids, err := w.listInstances(ctx, w.page)
	if err != nil {
		return false, err
	}
	w.plan.finish(w.plan.add(1, "scan "+w.root().label()+" in order", -1, 0), len(ids), start)
	passed, err := w.keepPassing(ctx, ids, nil)
	if err != nil {
		return false, err
	}
	w.passed = append(w.passed, passed...)
	w.scanned += len(ids)
	if w.exhausted = len(ids) < w.page.Limit; !w.exhausted {
		w.page.After, w.page.Limit = ids[len(ids)-1], min(4*w.page.Limit, w.limits.maxWindow)
	}
	wanted := w.root().page()
	if w.exhausted || w.wantsAll || len(w.passed)-wanted.Skip < wanted.Limit {
		return w.exhausted, nil
	}
	n, err := w.CountByType(ctx, w.root().typ, w.limits.maxExactCount+1)
	return n > w.limits.maxExactCount, err
}

// pageFillsSoon reports whether the page is expected to be full before the given number of further roots is scanned,
// if as large a share of them passes as of the roots so far.
func (w *windowScan) pageFillsSoon(further int) bool {
	wanted := w.root().page()
	return !w.wantsAll && len(w.passed) > 0 && (wanted.Skip+wanted.Limit-len(w.passed))*w.scanned/len(w.passed) < further
}

// checkAll returns all roots that pass. It checks every instance of the root type.
func (s *rootSearch) checkAll(ctx context.Context) ([]graph.ID, error) {
	all := *s
	all.wantsAll = true
	w := all.newWindowScan()
	for {
		if full, err := w.scanNext(ctx); full || err != nil {
			return w.passed, err
		}
	}
}

// result returns the roots found so far.
func (w *windowScan) result() rootsFound {
	found := w.root().pageOfRoots(w.passed)
	found.atLeast = !w.exhausted || !w.wantsAll && w.root().After != 0
	return found
}

// listInstances returns a page of the instances of the root type.
func (s *rootSearch) listInstances(ctx context.Context, page graph.Page) ([]graph.ID, error) {
	if s.selector != nil {
		ids, err := s.selector.Select(ctx, graph.Selection{Set: s.wholeType.set, Page: page})
		if err == nil {
			return ids, s.spendRows(ctx, len(ids))
		}
		if !errors.Is(err, errors.ErrUnsupported) {
			return nil, err
		}
	}
	found, err := s.ConceptsByType(ctx, s.root().typ, page)
	if err != nil {
		return nil, err
	}
	return conceptIDs(found), s.spendRows(ctx, len(found))
}
