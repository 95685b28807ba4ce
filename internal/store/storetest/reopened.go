package storetest

import (
	"fmt"
	"testing"

	"github.com/weft-graph/weft/graph"
)

// RunReopened checks that a store selects the same records after it was closed and opened again. The function place
// chooses a new, empty place and returns a function that opens the store there. The test closes the store.
func RunReopened(t *testing.T, place func(t *testing.T) (open func() graph.Store)) {
	open := place(t)
	s := open()
	w := writeMeadow(t, s)
	flowers := write(t, s, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{value(-1, "the_flower", longer), value(-2, "the_flower", "3.00")}})
	write(t, s, graph.Batch{Sender: alice, RemoveConcepts: w.ids("poppy", "hive")})
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatalf("closing: %v", err)
		}
		s = open()
		w.selector = selectorOf(t, s)
		w.want(t, "connections", graph.Linked{Types: w.ids("the_bee_s_flower"), Direction: graph.In}, "rose", "daisy")
		w.want(t, "holders", graph.Holders{}, "maja", "willi")
		for text, expected := range map[string][]graph.ID{
			longer: idsOf(flowers.Concepts[:1]), "3": idsOf(flowers.Concepts[1:]), "ROSE": w.ids("rose"), "poppy": nil,
		} {
			flower := graph.Instances{Type: w.id("the_flower"), Where: &graph.Predicate{Op: graph.Equal, Text: text}}
			w.wantIDs(t, fmt.Sprintf("%.20q", text), flower, expected...)
		}
		sizes := read[[]graph.Size](t)(sizerOf(t, s).Sizes(t.Context(), w.ids("the_flower", "the_bee_s_flower")))
		want(t, "sizes", sizes, []graph.Size{{Instances: 4}, {Links: 3}})
		want(t, "a value found again", idsOf(write(t, s, graph.Batch{Sender: bob, Concepts: []graph.ConceptDraft{
			{TypeName: "the_flower", Value: "rose", Owner: alice.User},
		}}).Concepts), w.ids("rose"))
	}
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("Check: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
}
