package query

// A matchScope is a part of the filter expression: one EXAND, or everything outside all EXANDs. Below the
// ancestor of the scope, only matches of the scope and the connections that lead to them belong to the
// answer.
type matchScope struct {
	ancestor    *node       // the node from which hops lead to the matches
	where       *expression // the EXAND, which must hold at the ancestor; nil outside all EXANDs
	matches     []match
	filterNames map[string]bool // names of the filters that the matches satisfy
	inner       []*matchScope   // EXANDs inside this scope
	hops        map[*node]bool  // hops to the matches and to the ancestors of the inner scopes

	leading map[*node]idSet // per node, the concepts that lead to a match
	passed  idSet           // the concepts of the ancestor that lead to a match and satisfy where
	kept    map[*node]idSet // per node, the concepts that belong to the answer
}

// collectMatches adds the matches of an expression to a scope, except those under a NOT. Under two nested NOTs, matches
// are added again.
func (e *expression) collectMatches(s *matchScope, negated bool) {
	switch e.clause.op {
	case Leaf:
		if name := e.clause.tests[0].filter.Name; !negated && !s.filterNames[name] {
			s.matches = append(s.matches, e.matches...)
			s.filterNames[name] = true
		}
	case ExAnd:
		inner := newMatchScope(e.ancestor, e)
		e.collectOperandMatches(inner, negated)
		if len(inner.matches) > 0 || len(inner.inner) > 0 {
			s.inner = append(s.inner, inner)
		}
	case Not:
		e.collectOperandMatches(s, !negated)
	case And, Or:
		e.collectOperandMatches(s, negated)
	}
}

func (e *expression) collectOperandMatches(s *matchScope, negated bool) {
	for _, operand := range e.operands {
		operand.collectMatches(s, negated)
	}
}

func newMatchScope(ancestor *node, where *expression) *matchScope {
	return &matchScope{
		ancestor: ancestor, where: where, filterNames: map[string]bool{}, hops: map[*node]bool{}, leading: map[*node]idSet{}, kept: map[*node]idSet{},
	}
}

// collectHops sets the hops of the scope and its inner scopes, and adds them to all.
func (s *matchScope) collectHops(all map[*node]bool) {
	addPath := func(to *node) {
		for ; to != s.ancestor; to = to.parent {
			s.hops[to], all[to] = true, true
		}
	}
	for _, m := range s.matches {
		addPath(m.node)
	}
	for _, inner := range s.inner {
		if inner.ancestor.isReachable() {
			addPath(inner.ancestor)
			inner.collectHops(all)
		}
	}
}
