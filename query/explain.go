package query

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
