package wordnet

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/memory"
)

// Reading the catalog fails if the target of a pointer is missing.
func TestSampleHasNoDanglingPointers(t *testing.T) {
	files, err := Sample()
	if err != nil {
		t.Fatal(err)
	}
	c, err := readCatalog(files)
	if err != nil {
		t.Fatal(err)
	}
	if n := c.synsetCount(); n < 1500 || n > 3500 {
		t.Errorf("the sample has %d synsets; want 1,500 to 3,500", n)
	}
	if len(sampleZip) > 1<<20 {
		t.Errorf("the sample has %d bytes; want at most 1 MiB", len(sampleZip))
	}
	roots := 0
	for s, err := range Synsets(files, Noun) {
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(s.Pointers, func(p Pointer) bool { return slices.Contains(requiredRelations, p.Symbol) }) {
			roots++
		}
	}
	if roots != 1 {
		t.Errorf("%d nouns have no hypernym; want only entity", roots)
	}
	license, err := files.Open("LICENSE")
	if err != nil {
		t.Error(err)
	} else {
		license.Close()
	}
}

func TestImportSampleOnce(t *testing.T) {
	store := memory.New()
	n, err := ImportSample(t.Context(), store)
	if err != nil || n < 3000 {
		t.Fatalf("%d words, %v", n, err)
	}
	before, _ := store.LastSeq(t.Context())
	if second, err := ImportSample(t.Context(), store); err != nil || second != 0 {
		t.Errorf("a second time: %d words, %v", second, err)
	}
	if after, _ := store.LastSeq(t.Context()); before != 1 || after != before {
		t.Errorf("the store changed %d times, and %d more", before, after-before)
	}
	findOne(t, store, "the_synset", "02084071-n")
	findOne(t, store, "the_sense", "dog%1:05:00::")
	if err := store.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// An import over the sample has the same result as an import into an empty store. To save time, the sample takes the
// role of the whole WordNet here, and an excerpt of the sample takes the role of the sample.
func TestImportReplacesSample(t *testing.T) {
	sample, err := Sample()
	if err != nil {
		t.Fatal(err)
	}
	files, err := Excerpt(sample, []Key{{Noun, 2084071}, {Verb, 1518942}, {Noun, 3689157}})
	if err != nil {
		t.Fatal(err)
	}
	excerpt := fstest.MapFS{}
	for name, data := range files {
		excerpt[name] = &fstest.MapFile{Data: data}
	}
	fresh, store := memory.New(), memory.New()
	if _, err := Import(t.Context(), fresh, sample, nil); err != nil {
		t.Fatal(err)
	}
	if n, err := importExcerpt(t.Context(), store, excerpt); err != nil || n < 10 {
		t.Fatalf("%d words, %v", n, err)
	}
	dog := findOne(t, store, "the_word", "dog")
	connection := connectRecord(t, store, dog.ID)
	for range 2 {
		if _, err := Import(t.Context(), store, sample, nil); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(dump(t, fresh), dump(t, store)); diff != "" {
		t.Errorf("links (-empty store +over the sample)\n%.2000s", diff)
	}
	for _, typ := range Types {
		if a, b := count(t, fresh, typ), count(t, store, typ); a != b {
			t.Errorf("there are %d of %s; want %d", b, typ, a)
		}
	}
	if findOne(t, store, "the_word", "dog").ID != dog.ID {
		t.Error("the concept of dog was replaced")
	}
	if found, err := store.Connections(t.Context(), []graph.ID{connection}); err != nil || len(found) != 1 {
		t.Errorf("the connection of a user to dog = %v, %v; want it kept", found, err)
	}
	if err := store.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func count(t *testing.T, store graph.Store, typ string) int {
	t.Helper()
	n, err := store.CountByType(t.Context(), findOne(t, store, "", typ).ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// connectRecord connects a record of a user to a concept and returns the id of the connection.
func connectRecord(t *testing.T, store graph.Store, to graph.ID) graph.ID {
	t.Helper()
	receipt, err := store.Write(t.Context(), graph.Batch{
		Sender:      graph.Sender{User: 7},
		Concepts:    []graph.ConceptDraft{{LocalID: -1, Kind: graph.DraftComposition, TypeName: "the_pet"}},
		Connections: []graph.ConnectionDraft{{From: -1, To: to, TypeName: "the_pet_s_kind"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return receipt.Connections[0].ID
}
