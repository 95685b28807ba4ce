package wire

import (
	"strconv"

	"github.com/weft-graph/weft/query"
)

// A PlanStep is a query.PlanStep in an answer. Estimated is -1 without an estimate, and Actual is -1 for a step that was skipped.
type PlanStep struct {
	Level     int     `json:"level"`
	Label     string  `json:"label"`
	Estimated int     `json:"estimated"`
	Actual    int     `json:"actual"`
	Ms        float64 `json:"ms"` // duration in milliseconds
}

// NewPlanSteps converts the steps of a plan, with durations in milliseconds to three digits.
func NewPlanSteps(p *query.Plan) []PlanStep {
	if p == nil {
		return nil
	}
	steps := make([]PlanStep, len(p.Steps))
	for i, s := range p.Steps {
		steps[i] = PlanStep{Level: s.Level, Label: s.Label, Estimated: s.Estimated, Actual: s.Actual, Ms: float64(s.Took.Microseconds()) / 1000}
	}
	return steps
}

// appendPlanSteps appends the member planSteps, unless there are none.
func appendPlanSteps(b []byte, steps []PlanStep) []byte {
	for i, s := range steps {
		b = append(b, []string{`,"planSteps":[`, `,`}[min(i, 1)]...)
		b = appendInt(append(b, '{'), `"level":`, s.Level)
		b = appendText(append(b, `,"label":`...), s.Label)
		b = appendInt(b, `,"estimated":`, s.Estimated)
		b = appendInt(b, `,"actual":`, s.Actual)
		b = append(strconv.AppendFloat(append(b, `,"ms":`...), s.Ms, 'f', -1, 64), '}')
	}
	if len(steps) > 0 {
		b = append(b, ']')
	}
	return b
}
