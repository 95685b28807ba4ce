package query

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A Plan describes how an answer was found: an outline of steps with their estimated and actual numbers of rows.
type Plan struct{ Steps []PlanStep }

// A PlanStep is one line of the outline.
type PlanStep struct {
	Level int // indentation
	// Label contains names of nodes, filters, types and connections. It never contains operands of filters, because the
	// plans of slow queries are logged.
	Label     string
	Estimated int // rows, or -1 without an estimate
	Actual    int // rows, or -1 if the step was skipped
	// Took is the duration of the requests of the step; 0 if it was skipped or not measured. The hops and selectors of a level
	// are followed in the same requests, so each step of a level has the duration of the whole level. The first step includes
	// the search for roots.
	Took time.Duration
	// IsRootSearch marks the steps of the search for roots. Their choice and order reveal the estimates.
	IsRootSearch bool
}

// add appends a step and returns its index.
func (p *Plan) add(level int, label string, estimated, actual int) int {
	p.Steps = append(p.Steps, PlanStep{Level: level, Label: label, Estimated: estimated, Actual: actual})
	return len(p.Steps) - 1
}

// finish sets the actual rows and the duration of a step that began at start.
func (p *Plan) finish(step, rows int, start time.Time) {
	p.Steps[step].Actual, p.Steps[step].Took = rows, time.Since(start)
}

// record adds the connections of a step to the rows of its node, and the duration of its level.
func (r *execution) record(s *step, took time.Duration) {
	r.rowsOfNode[s.node] += len(s.links)
	r.timeOfNode[s.node] += took
}

// addOutline adds the nodes below a node to the plan, in the order of the query.
func (r *execution) addOutline(n *node, level int) {
	for _, child := range slices.Concat(n.selectors, n.hops) {
		rows, isFollowed := r.rowsOfNode[child]
		if !isFollowed {
			rows = -1
		}
		step := r.plan.add(level, child.label(), -1, rows)
		r.plan.Steps[step].Took = r.timeOfNode[child]
		r.addOutline(child, level+1)
	}
}

// describe returns the text of an operand for the plan.
func (s *rootSearch) describe(o *operand) string {
	if o == s.wholeType {
		return "all " + s.root().label()
	}
	return o.expr.describe()
}

// describe returns the text of the expression for the plan. A single filter is described with its type and node.
func (e *expression) describe() string {
	text := graph.Clip(e.clause.logic().String())
	if len(e.matches) == 1 && len(e.clause.tests) == 1 {
		text += ": " + graph.Clip(cmp.Or(e.clause.tests[0].filter.Type, "anything")) + " of " + e.matches[0].node.label()
	}
	return text
}

// logic converts the clause back to a Logic.
func (c clause) logic() Logic {
	l := Logic{Op: c.op}
	for _, t := range c.tests {
		l.Filter = t.filter.Name
	}
	for _, o := range c.operands {
		l.Of = append(l.Of, o.logic())
	}
	return l
}

// label returns the text of a node for the plan.
func (n *node) label() string {
	label := n.Connection
	switch {
	case n.parent != nil:
	case len(n.ConceptIDs) > 0:
		label = "the requested concepts"
	default:
		label = n.Type
	}
	label = graph.Clip(label)
	if n.Reverse {
		label += " in reverse"
	}
	if n.Name != "" && n.Name != label {
		label += " (" + graph.Clip(n.Name) + ")"
	}
	return label
}

// String returns the plan as an indented outline, one line per step. For a nil plan it returns "".
func (p *Plan) String() string {
	if p == nil {
		return ""
	}
	var b strings.Builder
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "%*s%s (", 2*s.Level, "", s.Label)
		if s.Estimated >= 0 {
			fmt.Fprintf(&b, "estimated %d, ", s.Estimated)
		}
		if s.Actual >= 0 {
			fmt.Fprintf(&b, "actual %d)\n", s.Actual)
		} else {
			b.WriteString("skipped)\n")
		}
	}
	return b.String()
}

// Rows returns the sum of the actual rows of all steps.
func (p *Plan) Rows() int {
	rows := 0
	if p != nil {
		for _, s := range p.Steps {
			rows += max(s.Actual, 0)
		}
	}
	return rows
}

// WithoutEstimates returns the plan without estimates, without durations, and without the steps of the search for roots, which
// would reveal the estimates. The result is safe for callers who may not read all records.
func (p *Plan) WithoutEstimates() *Plan {
	if p == nil {
		return nil
	}
	steps := slices.DeleteFunc(slices.Clone(p.Steps), func(s PlanStep) bool { return s.IsRootSearch })
	for i := range steps {
		steps[i].Estimated, steps[i].Took = -1, 0
	}
	return &Plan{steps}
}
