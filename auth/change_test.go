package auth_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/graph"
)

func TestWhoHearsOfWhat(t *testing.T) {
	for _, row := range []struct {
		what   string
		batch  func(w world, cow graph.ID) graph.Batch // of Ann
		caller auth.Caller
		whole  bool // hears the change as it is in the store, and otherwise nothing
	}{
		{what: "a stranger, of a private connection at a public record", caller: stranger, batch: func(w world, cow graph.ID) graph.Batch {
			return graph.Batch{Connections: []graph.ConnectionDraft{{From: w.public, To: cow, TypeName: "the_note"}}}
		}},
		{what: "a stranger, of a public connection to a private record", caller: stranger, batch: func(w world, _ graph.ID) graph.Batch {
			return graph.Batch{Connections: []graph.ConnectionDraft{{From: w.public, To: w.private, TypeName: "the_note", Access: graph.Public}}}
		}},
		{what: "a stranger, of its removal", caller: stranger, batch: func(w world, _ graph.ID) graph.Batch {
			return graph.Batch{RemoveConnections: []graph.ID{w.links["public→private"]}}
		}},
		{what: "its owner", caller: owner, whole: true, batch: func(w world, cow graph.ID) graph.Batch {
			return graph.Batch{Connections: []graph.ConnectionDraft{{From: w.public, To: cow, TypeName: "the_note"}}}
		}},
		{what: "a stranger, of its end", caller: stranger, batch: func(w world, _ graph.ID) graph.Batch {
			return graph.Batch{RemoveConnections: []graph.ID{w.links["private→secret"]}}
		}},
		{what: "a stranger, of the end of a private record", caller: stranger, batch: func(w world, _ graph.ID) graph.Batch {
			return graph.Batch{RemoveConcepts: []graph.ID{w.secret}}
		}},
		{what: "an admin, of the same", caller: admin, whole: true, batch: func(w world, _ graph.ID) graph.Batch {
			return graph.Batch{RemoveConcepts: []graph.ID{w.secret}}
		}},
		{what: "a stranger, of the end of a public record", caller: stranger, batch: func(w world, _ graph.ID) graph.Batch {
			return graph.Batch{RemoveConcepts: []graph.ID{w.public}}
		}, whole: true},
		{what: "a stranger, of a great deal of what is private", caller: stranger, batch: wide(graph.Private)},
		{what: "a stranger, of a great deal of what is public", caller: stranger, whole: true, batch: wide(graph.Public)},
		{what: "a key for texts, of a note", caller: narrow, batch: wide(graph.Public)},
		{what: "a key for texts, of a text", caller: narrow, whole: true, batch: func(w world, _ graph.ID) graph.Batch {
			return graph.Batch{Concepts: []graph.ConceptDraft{{TypeName: "the_text", Value: "fresh"}}}
		}},
	} {
		t.Run(row.what, func(t *testing.T) {
			w := newWorld(t)
			_, _, cow := w.values(t)
			b := row.batch(w, cow)
			b.Sender = graph.Sender{User: ann}
			if len(b.RemoveConcepts) == 1 && b.RemoveConcepts[0] == w.public { // only what everybody reads hangs on it
				write(t, w, graph.Batch{Sender: b.Sender, RemoveConnections: []graph.ID{w.links["public→private"], w.links["public→secret"]}})
			}
			seq := write(t, w, b).Seq
			got, err := auth.New(w, auth.Rules{}).As(row.caller).Changes(t.Context(), seq-1, 0)
			if err != nil || len(got) != 1 {
				t.Fatalf("%d changes, %v", len(got), err)
			}
			var want graph.Change
			if row.whole {
				all, err := w.Changes(t.Context(), seq-1, 0)
				if err != nil {
					t.Fatal(err)
				}
				want = all[0]
			}
			ignored := cmpopts.IgnoreFields(graph.Change{}, "Seq", "At", "Parts")
			if diff := cmp.Diff(want, got[0], ignored, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// wide makes a batch of more notes than a change lists.
func wide(access graph.Access) func(world, graph.ID) graph.Batch {
	return func(world, graph.ID) graph.Batch {
		var b graph.Batch
		for range graph.MaxChangeIDs + 1 {
			b.Concepts = append(b.Concepts, graph.ConceptDraft{Kind: graph.DraftComposition, TypeName: "the_note", Access: access})
		}
		return b
	}
}
