package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// A store of an older version has values but no index of them. Selections must find the values before and after
// they are indexed.
func TestMigratedStoreSelects(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for w := range writers {
		for n := range 50 {
			if _, err := s.Write(t.Context(), note(w, n)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := s.Write(t.Context(), graph.Batch{Sender: sender(1), Concepts: []graph.ConceptDraft{
		{TypeName: "the_text_1", Value: strings.Repeat("long ", 100) + "note 7"},
		{TypeName: "the_text_1", Value: ""},
		{TypeName: "the_text_1", Value: "hidden", Access: graph.Admin},
	}}); err != nil {
		t.Fatal(err)
	}
	want, wantSizes := findNotes(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	execute(t, dir, withoutScopes+`drop table size; drop table hidden; drop table value_key; drop table value_term; drop table value_text;
		drop table indexed; drop table waiting; pragma user_version = 5;
		create index concept_hidden on concept (type, access, owner) where category = 4 and owner <> 999 and access <> 5`)
	s = open(t, dir)
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{{"migrated", s.Check}, {"indexed", s.Settle}, {"checked", s.Check}} {
		if err := step.do(t.Context()); err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		got, gotSizes := findNotes(t, s)
		if diff := cmp.Diff(want, got) + cmp.Diff(wantSizes, gotSizes); diff != "" {
			t.Errorf("%s: found (-want +got):\n%s", step.what, diff)
		}
	}
}

// withoutScopes is SQL that returns a store to version 6, which has no scopes of connections and no positions.
const withoutScopes = `drop index concept_type_scope; drop index connection_source_scope; drop index connection_target_scope;
	drop index connection_type_scope; drop index connection_target;
	alter table concept drop column position;
	alter table concept drop column scope; alter table connection drop column scope;
	create index connection_target on connection (target, type, id, source, "order", owner, access, created);
	create index connection_type on connection (type, id);
	delete from hidden where instances = 0; alter table hidden drop column links; alter table size drop column hidden_links;
	create table key_6 (type integer not null, key blob not null, id integer not null, scope integer not null, primary key (type, key, id)) without rowid;
	insert into key_6 select type, key, id, scope from value_key; drop table value_key; alter table key_6 rename to value_key;
	pragma user_version = 6;`

// findNotes returns the notes found by several selections, and the sizes of the types of the notes.
func findNotes(t *testing.T, s *sqlite.Store) ([][]graph.ID, []graph.Size) {
	t.Helper()
	names := []string{"the_text_1", "the_note_1", "the_note_text"}
	types, err := graph.TypesNamed(t.Context(), s, names...)
	if err != nil {
		t.Fatal(err)
	}
	var ids []graph.ID
	for _, name := range names {
		ids = append(ids, types[name].ID)
	}
	sizes, err := s.Sizes(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	var found [][]graph.ID
	for _, p := range []graph.Predicate{
		{Op: graph.Equal, Text: "NOTE 7"},
		{Op: graph.Like, Text: "%NOTE 7%"},
		{Op: graph.Like, Text: "% 7"},
		{Op: graph.Less, Text: "note 2"},
		{Op: graph.GreaterOrEqual, Text: "note 8"},
		{Op: graph.NotEqual, Text: "note 7"},
		{Op: graph.Equal, Text: ""},
		{Op: graph.Less, Text: "l"},
		{Op: graph.Greater, Text: strings.Repeat("long ", 40)},
	} {
		for _, typ := range []graph.ID{ids[0], 0} {
			for _, viewer := range []graph.ID{0, sender(1).User, sender(2).User} {
				set := graph.Linked{Types: ids[2:], Far: graph.Instances{Type: typ, Where: &p}}
				matching, err := s.Select(t.Context(), graph.Selection{Set: set.Far, Viewer: viewer})
				if err != nil {
					t.Fatal(err)
				}
				linked, err := s.Select(t.Context(), graph.Selection{Set: set, Viewer: viewer})
				if err != nil {
					t.Fatal(err)
				}
				found = append(found, matching, linked)
			}
		}
	}
	return found, sizes
}

func TestCheckFindsDamage(t *testing.T) {
	for name, damage := range map[string]string{
		"a size":           `update size set instances = instances + 1 where type = (select max(type) from size)`,
		"a size of links":  `update size set links = links + 1 where links > 0`,
		"a lost size":      `delete from size where instances > 0`,
		"a hidden scope":   `update hidden set scope = scope + 1`,
		"a lost key":       `delete from value_key where id = (select min(id) from value_key)`,
		"a wrong key":      `update value_key set key = 'x' where id = (select min(id) from value_key)`,
		"a wrong scope":    `update value_key set scope = 0`,
		"one key too many": `insert into value_key values (1, 'x', 1, 0)`,
		"a lost text":      `delete from value_text where rowid = (select min(id) from value_key)`,
		"a wrong text": `delete from value_text where rowid = (select min(id) from value_key);
			insert into value_text (rowid, value, type) select min(id), 'something else', '' from value_key`,
		"a waiting entry for a missing concept":  `insert into waiting values (7, 8)`,
		"a waiting entry for an indexed concept": `insert into waiting select type, id from value_key limit 1`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir)
			if _, err := s.Write(t.Context(), note(0, 0)); err != nil {
				t.Fatal(err)
			}
			if err := s.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := s.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			execute(t, dir, damage)
			r, err := sqlite.OpenReader(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if err := r.Check(t.Context()); err == nil {
				t.Error("Check finds no error")
			}
		})
	}
}

// A selection must find a value even if its reserved id is lower than the ids that are already indexed.
func TestSelectFindsLowIDs(t *testing.T) {
	s := open(t, t.TempDir())
	by := graph.Sender{User: 1001}
	reserved, err := s.Reserve(t.Context(), by.User, 2)
	if err != nil {
		t.Fatal(err)
	}
	write := func(drafts ...graph.ConceptDraft) []graph.Concept {
		t.Helper()
		receipt, err := s.Write(t.Context(), graph.Batch{Sender: by, Concepts: drafts})
		if err != nil {
			t.Fatal(err)
		}
		return receipt.Concepts
	}
	settle := func() {
		t.Helper()
		if err := s.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	high := write(graph.ConceptDraft{TypeName: "the_name", Value: "Hanna"})[0]
	settle()
	low := write(graph.ConceptDraft{ID: reserved[0], TypeName: "the_name", Value: "Anna"})[0]
	find := func(when string, want ...graph.ID) {
		t.Helper()
		for _, p := range []graph.Predicate{{Op: graph.Like, Text: "%ANN%"}, {Op: graph.Greater, Text: "a"}} {
			set := graph.Instances{Type: low.Type, Where: &p}
			got, err := s.Select(t.Context(), graph.Selection{Set: set})
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s, %s: %v\n%s", when, p.Op, err, diff)
			}
		}
		if err := s.Check(t.Context()); err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	find("waiting", low.ID, high.ID)
	settle()
	find("indexed", low.ID, high.ID)
	other := write(graph.ConceptDraft{ID: reserved[1], TypeName: "the_name", Value: "Susanne"})[0]
	find("another waiting", low.ID, other.ID, high.ID)
	for _, id := range []graph.ID{other.ID, low.ID} {
		if _, err := s.Write(t.Context(), graph.Batch{Sender: by, RemoveConcepts: []graph.ID{id}}); err != nil {
			t.Fatal(err)
		}
	}
	find("removed", high.ID)
	settle()
	find("settled", high.ID)
}

// execute changes a store that is not open.
func execute(t *testing.T, dir, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "weft.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statements); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", statements, err))
	}
}

// A connection caches the segments of the full-text index, which change with every write.
func TestCheckRefreshesTheFullTextIndex(t *testing.T) {
	s := open(t, t.TempDir())
	for round := range 40 {
		batch := graph.Batch{Sender: graph.Sender{User: 1001, Randomizer: int64(round)}}
		for i := range 50 {
			text := strings.Repeat(fmt.Sprintf("thread %d of round %d, ", i, round), 10)
			batch.Concepts = append(batch.Concepts, graph.ConceptDraft{TypeName: "the_text", Value: text})
		}
		if _, err := s.Write(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
		if err := s.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Check(t.Context()); err != nil {
			t.Fatalf("after %d batches: %v", round+1, err)
		}
	}
}

// Values that are shortened for the index must be found by every part of them, and by nothing else.
func TestLongValuesAreFoundByTheirParts(t *testing.T) {
	s := open(t, t.TempDir())
	text := strings.Repeat("the first half. ", 5_000) + "Größe 水火! " + strings.Repeat("and the other one ", 5_000)
	batch := graph.Batch{Sender: sender(1), Concepts: []graph.ConceptDraft{{TypeName: "the_text", Value: text}, {TypeName: "the_text", Value: "short"}}}
	if _, err := s.Write(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	for pattern, want := range map[string]int{"%half. größe 水火!%": 1, "%火! and%": 1, "%the first%other one%": 1, "%half. and%": 0, "%short%": 1} {
		found, err := s.Select(t.Context(), graph.Selection{Set: graph.Instances{Where: &graph.Predicate{Op: graph.Like, Text: pattern}}})
		if err != nil || len(found) != want {
			t.Errorf("%q finds %d values (%v); want %d", pattern, len(found), err, want)
		}
	}
}
