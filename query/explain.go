package query

import (
	"fmt"
	"slices"
	"strings"
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
}

func (p *Plan) add(level int, what string, estimated, actual int) {
	p.Steps = append(p.Steps, PlanStep{level, what, estimated, actual})
}

// took notes what a step came to.
func (r *run) took(s *step) {
	r.plan.add(s.node.level, s.node.label(), -1, len(s.links))
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

// WithoutEstimates is the plan as callers may see it who do not see everything.
func (p *Plan) WithoutEstimates() *Plan {
	if p == nil {
		return nil
	}
	steps := slices.Clone(p.Steps)
	for i := range steps {
		steps[i].Estimated = -1
	}
	return &Plan{steps}
}
