package main

import (
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/query"
)

func TestNoteExplainsHowToReadFurtherRecords(t *testing.T) {
	for shown, want := range map[int]string{
		0:                     "0 of 20000; ask for more with inpage\n",
		10:                    "10 of 20000; ask for more with inpage\n",
		query.MaxPageSize:     "10000 of 20000; ask for more with page\n",
		2 * query.MaxPageSize: "",
	} {
		var out strings.Builder
		a := query.Answer{Roots: make([]graph.ID, shown), Total: 2 * query.MaxPageSize}
		if err := printNotes(t.Context(), &out, memory.New(), query.Query{ConceptIDs: []graph.ID{1}}, a); err != nil || out.String() != want {
			t.Errorf("with %d records shown, the note is %q (%v); want %q", shown, out.String(), err, want)
		}
	}
}

func TestNoteStatesALowerBoundOfTheRecords(t *testing.T) {
	var out strings.Builder
	a := query.Answer{Roots: make([]graph.ID, 10), Total: 10, AtLeast: true}
	const want = "10 of at least 10; ask for more with inpage\n"
	if err := printNotes(t.Context(), &out, memory.New(), query.Query{ConceptIDs: []graph.ID{1}}, a); err != nil || out.String() != want {
		t.Errorf("the note is %q (%v); want %q", out.String(), err, want)
	}
}

func TestNotesNameUnusedAndUnknownFilters(t *testing.T) {
	for logic, want := range map[string]string{
		"a AND NOT (b OR a)": "",
		"a AND c EXAND d": `the logic names "c", but there is no such filter` + "\n" + `the logic names "d", but there is no such filter` + "\n" +
			`filter "b" has no effect: the logic does not name it` + "\n",
		"": `filter "a" has no effect: the logic does not name it` + "\n" + `filter "b" has no effect: the logic does not name it` + "\n",
	} {
		var out strings.Builder
		q := query.Query{ConceptIDs: []graph.ID{1}, Logic: logic, Filters: []query.Filter{{Name: "a"}, {Name: "b"}, {Name: "b"}}}
		if err := printNotes(t.Context(), &out, memory.New(), q, query.Answer{}); err != nil || out.String() != want {
			t.Errorf("for the logic %q, the note is %q (%v); want %q", logic, out.String(), err, want)
		}
	}
}

func TestNotesSuggestNamesForUnknownTypes(t *testing.T) {
	store := memory.New()
	b := graph.Batch{Sender: graph.Sender{User: 7}, Concepts: []graph.ConceptDraft{{TypeName: "the_town", Value: "Larkfield"}}}
	if _, err := store.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	q := query.Query{Type: "the_town", Filters: []query.Filter{{Name: "a", Type: "town"}, {Name: "a", Type: "village"}}, Logic: "a"}
	const suggestion, unknown = "the query names town; did you mean the_town?\n", "the query names village, an unknown type\n"
	for found, want := range []string{suggestion + unknown, unknown} {
		var out strings.Builder
		a := query.Answer{Roots: make([]graph.ID, found), Total: found}
		if err := printNotes(t.Context(), &out, store, q, a); err != nil || out.String() != want {
			t.Errorf("with %d records found, the note is %q (%v); want %q", found, out.String(), err, want)
		}
	}
}
