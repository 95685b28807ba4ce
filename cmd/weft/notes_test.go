package main

import (
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/store/memory"
)

func TestNote(t *testing.T) {
	for shown, want := range map[int]string{
		0:                     "0 of 20000; ask for more with inpage\n",
		10:                    "10 of 20000; ask for more with inpage\n",
		query.MaxPageSize:     "10000 of 20000; ask for more with page\n",
		2 * query.MaxPageSize: "",
	} {
		var out strings.Builder
		a := query.Answer{Roots: make([]graph.ID, shown), Total: 2 * query.MaxPageSize}
		if err := note(t.Context(), &out, memory.New(), query.Query{ConceptIDs: []graph.ID{1}}, a); err != nil || out.String() != want {
			t.Errorf("of %d it says %q (%v); want %q", shown, out.String(), err, want)
		}
	}
}

func TestANoteOfWhatWasNotCounted(t *testing.T) {
	var out strings.Builder
	a := query.Answer{Roots: make([]graph.ID, 10), Total: 10, AtLeast: true}
	const want = "10 of at least 10; ask for more with inpage\n"
	if err := note(t.Context(), &out, memory.New(), query.Query{ConceptIDs: []graph.ID{1}}, a); err != nil || out.String() != want {
		t.Errorf("it says %q (%v); want %q", out.String(), err, want)
	}
}

func TestANoteOfWhatTheLogicLeavesOut(t *testing.T) {
	for logic, want := range map[string]string{
		"a AND NOT (b OR a)": "",
		"a AND c EXAND d": `the logic names "c", which is no filter` + "\n" + `the logic names "d", which is no filter` + "\n" +
			`filter "b" does nothing: the logic does not name it` + "\n",
		"": `filter "a" does nothing: the logic does not name it` + "\n" + `filter "b" does nothing: the logic does not name it` + "\n",
	} {
		var out strings.Builder
		q := query.Query{ConceptIDs: []graph.ID{1}, Logic: logic, Filters: []query.Filter{{Name: "a"}, {Name: "b"}, {Name: "b"}}}
		if err := note(t.Context(), &out, memory.New(), q, query.Answer{}); err != nil || out.String() != want {
			t.Errorf("of %q it says %q (%v); want %q", logic, out.String(), err, want)
		}
	}
}

func TestANoteOfTypesThatFindNothing(t *testing.T) {
	store := memory.New()
	b := graph.Batch{Sender: graph.Sender{User: 7}, Concepts: []graph.ConceptDraft{{TypeName: "the_town", Value: "Larkfield"}}}
	if _, err := store.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	q := query.Query{Type: "the_town", Filters: []query.Filter{{Name: "a", Type: "town"}, {Name: "a", Type: "village"}}, Logic: "a"}
	const meant, unmade = "the query names town; did you mean the_town?\n", "the query names village, a type nobody made\n"
	for found, want := range []string{meant + unmade, unmade} {
		var out strings.Builder
		a := query.Answer{Roots: make([]graph.ID, found), Total: found}
		if err := note(t.Context(), &out, store, q, a); err != nil || out.String() != want {
			t.Errorf("of %d it says %q (%v); want %q", found, out.String(), err, want)
		}
	}
}

func TestNamesIn(t *testing.T) {
	q := query.Query{
		Type: "the_a", Selectors: []string{query.Self, "the_b"},
		Hops: []query.Query{
			{Connection: "the_c", Selectors: []string{"the_b"}},
			{Connection: "old", Legacy: true},
			{Connection: query.Self},
		},
		Filters: []query.Filter{
			{Type: "the_d"}, {Type: query.FieldType, Search: "the_e"}, {Type: query.FieldID, Search: "1"}, {Type: ""},
		},
	}
	if got := strings.Join(namesIn(q), " "); got != "the_a the_b the_c the_d the_e" {
		t.Error(got)
	}
}
