package access_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
)

func TestChangesListOnlyPermittedRecords(t *testing.T) {
	for _, row := range []struct {
		name    string
		batch   func(w world, cow graph.ID) graph.Batch // sent by Ann
		caller  access.Caller
		seesAll bool // the caller receives the change as it is in the store; otherwise an empty change
	}{
		{name: "a private connection of a public record is hidden from other users", caller: stranger, batch: func(w world, cow graph.ID) graph.Batch {
			return graph.Batch{Connections: []graph.ConnectionDraft{{From: w.public, To: cow, TypeName: "the_note"}}}
		}},
		{name: "a public connection to a private record is hidden from other users", caller: stranger, batch: func(w world, _ graph.ID) graph.Batch {
			return graph.Batch{Connections: []graph.ConnectionDraft{{From: w.public, To: w.private, TypeName: "the_note", Access: graph.Public}}}
		}},
		{name: "the removal of a public connection to a private record is hidden from other users", caller: stranger, batch: func(w world, _ graph.ID) graph.Batch {
			return graph.Batch{RemoveConnections: []graph.ID{w.links["public→private"]}}
		}},
		{name: "a private connection is listed for its owner", caller: owner, seesAll: true, batch: func(w world, cow graph.ID) graph.Batch {
			return graph.Batch{Connections: []graph.ConnectionDraft{{From: w.public, To: cow, TypeName: "the_note"}}}
		}},
		{name: "the removal of a private connection is hidden from other users", caller: stranger, batch: func(w world, _ graph.ID) graph.Batch {
			return graph.Batch{RemoveConnections: []graph.ID{w.links["private→secret"]}}
		}},
		{name: "the removal of a private record is hidden from other users", caller: stranger, batch: func(w world, _ graph.ID) graph.Batch {
			return graph.Batch{RemoveConcepts: []graph.ID{w.secret}}
		}},
		{name: "the removal of a private record is listed for admins", caller: admin, seesAll: true, batch: func(w world, _ graph.ID) graph.Batch {
			return graph.Batch{RemoveConcepts: []graph.ID{w.secret}}
		}},
		{name: "the removal of a public record is listed for other users", caller: stranger, batch: func(w world, _ graph.ID) graph.Batch {
			return graph.Batch{RemoveConcepts: []graph.ID{w.public}}
		}, seesAll: true},
		{name: "a wide change of private records is hidden from other users", caller: stranger, batch: wide(graph.Private)},
		{name: "a wide change of public records is listed for other users", caller: stranger, seesAll: true, batch: wide(graph.Public)},
		{name: "a wide change of notes is hidden from a key for the_text", caller: narrow, batch: wide(graph.Public)},
		{name: "a new instance of the_text is listed for a key for the_text", caller: narrow, seesAll: true, batch: func(w world, _ graph.ID) graph.Batch {
			return graph.Batch{Concepts: []graph.ConceptDraft{{TypeName: "the_text", Value: "fresh"}}}
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			_, _, cow := w.values(t)
			b := row.batch(w, cow)
			b.Sender = graph.Sender{User: ann}
			if len(b.RemoveConcepts) == 1 && b.RemoveConcepts[0] == w.public { // leave the record connected to public records only
				write(t, w, graph.Batch{Sender: b.Sender, RemoveConnections: []graph.ID{w.links["public→private"], w.links["public→secret"]}})
			}
			seq := write(t, w, b).Seq
			got, err := access.New(w, access.Rules{}).As(row.caller).Changes(t.Context(), seq-1, 0)
			if err != nil || len(got) != 1 {
				t.Fatalf("%d changes, %v; want 1", len(got), err)
			}
			var want graph.Change
			if row.seesAll {
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

// wide returns a function that creates a batch of more notes than a change can list, so that the change is Wide.
func wide(access graph.Access) func(world, graph.ID) graph.Batch {
	return func(world, graph.ID) graph.Batch {
		var b graph.Batch
		for range graph.MaxChangeIDs + 1 {
			b.Concepts = append(b.Concepts, graph.ConceptDraft{Kind: graph.DraftComposition, TypeName: "the_note", Access: access})
		}
		return b
	}
}
