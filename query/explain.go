package query

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// A Plan is how an answer was found: an outline of steps with what was expected of each and what it came to.
type Plan struct{ Steps []PlanStep }

// A PlanStep is one line of the outline.
type PlanStep struct {
	Level int // how far the line is indented
	// What names nodes, filters, types and connections, and never what a filter searches for: slow plans are logged.
	What      string
	Estimated int // rows, -1 where nothing was expected
	Actual    int // rows, -1 where the step was not taken
	// Way says that the step is about how roots were looked for. Which were taken, and in what order, tells what was expected.
	Way bool
}

// add notes a step and returns its number.
func (p *Plan) add(level int, what string, estimated, actual int) int {
	p.Steps = append(p.Steps, PlanStep{Level: level, What: what, Estimated: estimated, Actual: actual})
	return len(p.Steps) - 1
}

// took notes what a step came to.
func (r *run) took(s *step) { r.rows[s.node] += len(s.links) }

// outline adds to the plan what lies below a node, in the order of the query and not of the steps.
func (r *run) outline(n *node, level int) {
	for _, below := range slices.Concat(n.selectors, n.hops) {
		rows, taken := r.rows[below]
		if !taken {
			rows = -1
		}
		r.plan.add(level, below.label(), -1, rows)
		r.outline(below, level+1)
	}
}

// what a side is for people.
func (s *search) what(one *side) string {
	if one == s.whole {
		return "all " + s.root().label()
	}
	return one.of.what()
}

// what is the expression as people wrote it, and what a single filter is on; of the rest there is no room.
func (e *expression) what() string {
	what := graph.Clip(e.clause.logic().String())
	if len(e.matches) == 1 && len(e.clause.tests) == 1 {
		what += ": " + graph.Clip(cmp.Or(e.clause.tests[0].filter.Type, "anything")) + " of " + e.matches[0].node.label()
	}
	return what
}

func (c clause) logic() Logic {
	l := Logic{Op: c.op}
	for _, t := range c.tests {
		l.Filter = t.filter.Name
	}
	for _, side := range c.of {
		l.Of = append(l.Of, side.logic())
	}
	return l
}

// label is what a plan calls the node.
func (n *node) label() string {
	label := n.Connection
	switch {
	case n.above != nil:
	case len(n.ConceptIDs) > 0:
		label = "the concepts asked for"
	default:
		label = n.Type
	}
	label = graph.Clip(label)
	if n.Reverse {
		label += " backwards"
	}
	if n.Name != "" && n.Name != label {
		label += " (" + graph.Clip(n.Name) + ")"
	}
	return label
}

// String is the outline, a line for each step. Of no plan it is "".
func (p *Plan) String() string {
	if p == nil {
		return ""
	}
	var b strings.Builder
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "%*s%s (", 2*s.Level, "", s.What)
		if s.Estimated >= 0 {
			fmt.Fprintf(&b, "estimated %d, ", s.Estimated)
		}
		if s.Actual >= 0 {
			fmt.Fprintf(&b, "actual %d)\n", s.Actual)
		} else {
			b.WriteString("not taken)\n")
		}
	}
	return b.String()
}

// Rows is how many all steps came to together.
func (p *Plan) Rows() int {
	rows := 0
	if p != nil {
		for _, s := range p.Steps {
			rows += max(s.Actual, 0)
		}
	}
	return rows
}

// WithoutEstimates is the plan as callers may see it who do not see everything: without what was expected, and without what
// was done because of that.
func (p *Plan) WithoutEstimates() *Plan {
	if p == nil {
		return nil
	}
	steps := slices.DeleteFunc(slices.Clone(p.Steps), func(s PlanStep) bool { return s.Way })
	for i := range steps {
		steps[i].Estimated = -1
	}
	return &Plan{steps}
}
