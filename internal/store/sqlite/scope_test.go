package sqlite_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// Opening a store of an older version must add the scopes of its connections, and continue a migration that was
// interrupted.
func TestMigratedStoreReadsAsAViewer(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	ids := writeMixedHub(t, s)
	want := readAsViewers(t, s, ids)
	if len(want[1]) == len(want[2]) || len(want[0]) == 0 {
		t.Fatalf("the viewers see %v", want)
	}
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for what, interrupted := range map[string]string{
		"from the version before": ``,
		"interrupted at the start": `alter table connection add column scope integer not null default 0;
			alter table concept add column scope integer generated always as (iif(owner = 999 or access = 5, 0, iif(access = 3, -1, owner))) virtual;
			create table scoped (source integer not null, type integer not null, id integer not null);
			insert into scoped values (0, 0, 0); pragma user_version = 7`,
	} {
		execute(t, dir, withoutScopes+interrupted)
		s = open(t, dir)
		if err := s.Check(t.Context()); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if diff := cmp.Diff(want, readAsViewers(t, s, ids)); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", what, diff)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Check finds connections with a wrong scope.
func TestCheckFindsAWrongScope(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	writeMixedHub(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	execute(t, dir, `update connection set scope = 0`)
	s = open(t, dir)
	if err := s.Check(t.Context()); err == nil {
		t.Error("Check finds nothing wrong")
	}
}

// writeMixedHub writes connections from and to one concept, with all combinations of scopes, and returns the ids of the concepts.
func writeMixedHub(t *testing.T, s *sqlite.Store) []graph.ID {
	t.Helper()
	b := graph.Batch{Sender: sender(1), Concepts: []graph.ConceptDraft{
		{LocalID: -1, TypeName: "the_hub", Value: "hub", Access: graph.Public},
	}}
	for _, owner := range []graph.ID{3001, 3002} {
		for _, access := range []graph.Access{graph.Public, graph.Private, graph.Admin} {
			id := -graph.ID(len(b.Concepts)) - 1
			b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: id, Kind: graph.DraftComposition, TypeName: "the_leaf", Owner: owner, Access: access})
			for _, linkOwner := range []graph.ID{3001, 3002} {
				for _, linkAccess := range []graph.Access{graph.Public, graph.Private, graph.Admin} {
					b.Connections = append(b.Connections,
						graph.ConnectionDraft{From: -1, To: id, TypeName: "the_hub_s_leaf", Owner: linkOwner, Access: linkAccess},
						graph.ConnectionDraft{From: id, To: -1, TypeName: "the_leaf_s_hub", Owner: linkOwner, Access: linkAccess})
				}
			}
		}
	}
	receipt, err := s.Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]graph.ID, len(receipt.Concepts))
	for i, c := range receipt.Concepts {
		ids[i] = c.ID
	}
	return ids
}

// readAsViewers returns the ids of the connections and concepts that a guest and three users see.
func readAsViewers(t *testing.T, s *sqlite.Store, ids []graph.ID) (seen [][]graph.ID) {
	t.Helper()
	for _, viewer := range []graph.ID{graph.Anonymous, 3001, 3003, 3002} {
		var found []graph.ID
		for _, direction := range []graph.Direction{graph.Out, graph.In} {
			links, err := s.VisibleLinks(t.Context(), viewer, graph.Links{Of: ids[:1], Direction: direction})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range links {
				found = append(found, c.ID)
			}
		}
		selected, err := s.Select(t.Context(), graph.Selection{Viewer: viewer, Set: graph.Linked{
			Types: typesAt(t, s, ids[0]), Far: graph.IDs(ids[:1]),
		}})
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, slices.Concat(found, selected))
	}
	return seen
}

func typesAt(t *testing.T, s *sqlite.Store, of graph.ID) (types []graph.ID) {
	t.Helper()
	counts, err := s.CountLinks(t.Context(), graph.Links{Of: []graph.ID{of}, Direction: graph.In})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range counts {
		types = append(types, c.Type)
	}
	return types
}
