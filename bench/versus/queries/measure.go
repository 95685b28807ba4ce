package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/weft-graph/weft/query"
)

// A way is one way of answering a question.
type way struct {
	name      string
	run       func(variant int) error
	durations []time.Duration
	err       error
}

// The ways, in the order of the table.
const (
	asSystem = iota
	byHand
	asUser
	byHandAsUser
	overHTTP
)

// A result is the measurement of a question on a dataset.
type result struct {
	question
	roots, links int
	ways         []*way
	mismatch     error // difference between the results of Weft and of the statements
}

// ways returns all ways of answering a question on a target.
func (v *target) ways(ctx context.Context, q question, s *service) []*way {
	var unchecked, checked [][]statement
	for _, variant := range q.variants {
		unchecked, checked = append(unchecked, variant.statements(v.handwritten)), append(checked, variant.statements(v.checking))
	}
	run := func(h *handwritten, statements [][]statement) func(int) error {
		return func(i int) error {
			_, err := h.runAll(ctx, q.variants[i].query.ConceptIDs, statements[i])
			return err
		}
	}
	return []*way{
		asSystem:     {name: "Weft", run: func(i int) error { _, err := query.Run(ctx, v.system, q.variants[i].query); return err }},
		byHand:       {name: "by hand", run: run(v.handwritten, unchecked)},
		asUser:       {name: "Weft, as a user", run: func(i int) error { _, err := query.Run(ctx, v.user, q.variants[i].query); return err }},
		byHandAsUser: {name: "by hand, checking", run: run(v.checking, checked)},
		overHTTP:     {name: "HTTP", run: func(i int) error { _, err := s.post("/api/freeschema-query", q.variants[i].body); return err }},
	}
}

// measure compares the results, and then measures all ways alternately, up to the configured number of times or
// duration.
func (v *target) measure(ctx context.Context, q question, s *service, o options) result {
	r := result{question: q, ways: v.ways(ctx, q, s)}
	for i, variant := range q.variants {
		for _, viewer := range []struct {
			name    string
			compare func() (query.Answer, error)
		}{
			{"the system", func() (query.Answer, error) { return variant.compare(ctx, v.system, v.handwritten) }},
			{"a user", func() (query.Answer, error) { return variant.compare(ctx, v.user, v.checking) }},
		} {
			answer, err := viewer.compare()
			if err != nil && r.mismatch == nil {
				r.mismatch = fmt.Errorf("variant %d, as %s: %w", i, viewer.name, err)
			}
			r.roots, r.links = max(r.roots, len(answer.Roots)), max(r.links, len(answer.Links))
			if o.explain && i == 0 && answer.Plan != nil {
				logf("%s, as %s:\n%s", q.name, viewer.name, answer.Plan)
			}
		}
	}
	for _, w := range r.ways {
		w.err = w.run(0) // prepares the statements
	}
	began := time.Now()
	for n := 0; n < o.rounds && (n < 2 || time.Since(began) < o.maxDuration); n++ {
		for _, w := range r.ways {
			w.measureOnce(n % len(q.variants))
		}
	}
	for _, w := range r.ways {
		slices.Sort(w.durations)
	}
	return r
}

// measureOnce measures one variant, unless an earlier measurement failed.
func (w *way) measureOnce(variant int) {
	if w.err != nil {
		return
	}
	start := time.Now()
	w.err = w.run(variant)
	w.durations = append(w.durations, time.Since(start))
}

func (w *way) median() time.Duration { return w.durations[len(w.durations)/2] }

func (w *way) p95() time.Duration {
	return w.durations[min(len(w.durations)-1, len(w.durations)*95/100)]
}
