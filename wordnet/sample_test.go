package wordnet

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/memory"
)

// Reading checks that all a pointer leads to is there.
func TestTheSampleIsClosed(t *testing.T) {
	files, err := Sample()
	if err != nil {
		t.Fatal(err)
	}
	c, err := readCatalog(files)
	if err != nil {
		t.Fatal(err)
	}
	if n := c.synsets(); n < 1500 || n > 3500 {
		t.Errorf("it has %d synsets", n)
	}
	if len(zipped) > 1<<20 {
		t.Errorf("it has %d bytes", len(zipped))
	}
	roots := 0
	for s, err := range Synsets(files, Noun) {
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(s.Pointers, func(p Pointer) bool { return slices.Contains(above, p.Symbol) }) {
			roots++
		}
	}
	if roots != 1 {
		t.Errorf("%d nouns have nothing above them; want entity alone", roots)
	}
	inside, err := files.Open("LICENSE")
	if err != nil {
		t.Error(err)
	} else {
		inside.Close()
	}
}

func TestTheSampleIsImportedOnce(t *testing.T) {
	store := memory.New()
	n, err := ImportSample(t.Context(), store)
	if err != nil || n < 3000 {
		t.Fatalf("%d words, %v", n, err)
	}
	before, _ := store.LastSeq(t.Context())
	if again, err := ImportSample(t.Context(), store); err != nil || again != 0 {
		t.Errorf("a second time: %d words, %v", again, err)
	}
	if after, _ := store.LastSeq(t.Context()); before != 1 || after != before {
		t.Errorf("the store changed %d times, and %d more", before, after-before)
	}
	one(t, store, "the_synset", "02084071-n")
	one(t, store, "the_sense", "dog%1:05:00::")
	if err := store.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// Whatever came first, the whole is there once. Here the whole is the sample, and the sample an excerpt of that.
func TestTheWholeOnTopOfTheSample(t *testing.T) {
	sample, err := Sample()
	if err != nil {
		t.Fatal(err)
	}
	made, err := Excerpt(sample, []Key{{Noun, 2084071}, {Verb, 1518942}, {Noun, 3689157}})
	if err != nil {
		t.Fatal(err)
	}
	part := fstest.MapFS{}
	for name, data := range made {
		part[name] = &fstest.MapFile{Data: data}
	}
	alone, onTop := memory.New(), memory.New()
	if _, err := Import(t.Context(), alone, sample, nil); err != nil {
		t.Fatal(err)
	}
	if n, err := importExcerpt(t.Context(), onTop, part); err != nil || n < 10 {
		t.Fatalf("%d words, %v", n, err)
	}
	dog := one(t, onTop, "the_word", "dog")
	mine := connectTo(t, onTop, dog.ID)
	for range 2 {
		if _, err := Import(t.Context(), onTop, sample, nil); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(dump(t, alone), dump(t, onTop)); diff != "" {
		t.Errorf("what is there (-alone +on top)\n%.2000s", diff)
	}
	for _, typ := range Types {
		if a, b := count(t, alone, typ), count(t, onTop, typ); a != b {
			t.Errorf("there are %d of %s; want %d", b, typ, a)
		}
	}
	if one(t, onTop, "the_word", "dog").ID != dog.ID {
		t.Error("dog is another concept now")
	}
	if left, err := onTop.Connections(t.Context(), []graph.ID{mine}); err != nil || len(left) != 1 {
		t.Errorf("what somebody connected to dog is %v, %v", left, err)
	}
	if err := onTop.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func count(t *testing.T, store graph.Store, typ string) int {
	t.Helper()
	n, err := store.CountByType(t.Context(), one(t, store, "", typ).ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// connectTo connects somebody's record with a concept.
func connectTo(t *testing.T, store graph.Store, to graph.ID) graph.ID {
	t.Helper()
	receipt, err := store.Write(t.Context(), graph.Batch{
		Sender:      graph.Sender{User: 7},
		Concepts:    []graph.ConceptDraft{{Ghost: -1, Kind: graph.DraftComposition, TypeName: "the_pet"}},
		Connections: []graph.ConnectionDraft{{From: -1, To: to, TypeName: "the_pet_s_kind"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return receipt.Connections[0].ID
}
