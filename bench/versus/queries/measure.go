package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/weft-graph/weft/query"
)

// A way is how a question can be answered.
type way struct {
	name string
	ask  func(variant int) error
	took []time.Duration
	err  error
}

// The ways, in the order of the table.
const (
	asSystem = iota
	byHand
	asUser
	byCheckingHand
	overHTTP
)

// A result is what came of a question in a place.
type result struct {
	question
	roots, links int
	ways         []*way
	wrong        error // how the answers of Weft and by hand differ
}

// ways are all there are to ask a question in a view.
func (v *view) ways(ctx context.Context, q question, s *service) []*way {
	var plain, checked [][]statement
	for _, variant := range q.variants {
		plain, checked = append(plain, variant.hand(v.hand)), append(checked, variant.hand(v.checking))
	}
	run := func(h *hand, written [][]statement) func(int) error {
		return func(i int) error {
			_, err := h.do(ctx, q.variants[i].query.ConceptIDs, written[i])
			return err
		}
	}
	return []*way{
		asSystem:       {name: "Weft", ask: func(i int) error { _, err := query.Run(ctx, v.system, q.variants[i].query); return err }},
		byHand:         {name: "by hand", ask: run(v.hand, plain)},
		asUser:         {name: "Weft, as a user", ask: func(i int) error { _, err := query.Run(ctx, v.user, q.variants[i].query); return err }},
		byCheckingHand: {name: "by hand, checking", ask: run(v.checking, checked)},
		overHTTP:       {name: "HTTP", ask: func(i int) error { _, err := s.post("/api/freeschema-query", q.variants[i].body); return err }},
	}
}

// measure compares the answers, and then asks every way by turns, until each was asked so often or took so long.
func (v *view) measure(ctx context.Context, q question, s *service, o options) result {
	r := result{question: q, ways: v.ways(ctx, q, s)}
	for i, variant := range q.variants {
		for _, who := range []struct {
			name string
			same func() (query.Answer, error)
		}{
			{"the system", func() (query.Answer, error) { return variant.same(ctx, v.system, v.hand) }},
			{"a user", func() (query.Answer, error) { return variant.same(ctx, v.user, v.checking) }},
		} {
			answer, err := who.same()
			if err != nil && r.wrong == nil {
				r.wrong = fmt.Errorf("variant %d, as %s: %w", i, who.name, err)
			}
			r.roots, r.links = max(r.roots, len(answer.Roots)), max(r.links, len(answer.Links))
			if o.explain && i == 0 && answer.Plan != nil {
				note("%s, as %s:\n%s", q.name, who.name, answer.Plan)
			}
		}
	}
	for _, w := range r.ways {
		w.err = w.ask(0) // so that it is prepared
	}
	began := time.Now()
	for n := 0; n < o.rounds && (n < 2 || time.Since(began) < o.most); n++ {
		for _, w := range r.ways {
			w.turn(n % len(q.variants))
		}
	}
	for _, w := range r.ways {
		slices.Sort(w.took)
	}
	return r
}

// turn asks a variant once, unless something went wrong before.
func (w *way) turn(variant int) {
	if w.err != nil {
		return
	}
	start := time.Now()
	w.err = w.ask(variant)
	w.took = append(w.took, time.Since(start))
}

func (w *way) median() time.Duration { return w.took[len(w.took)/2] }

func (w *way) p95() time.Duration { return w.took[min(len(w.took)-1, len(w.took)*95/100)] }
