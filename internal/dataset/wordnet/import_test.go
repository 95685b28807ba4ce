package wordnet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/memory"
)

func TestImport(t *testing.T) {
	store := memory.New()
	if _, err := Import(t.Context(), store, slice, nil); err != nil {
		t.Fatal(err)
	}
	links := dump(t, store)
	for _, want := range []string{
		"dog -the_word_s_sense-> dog%1:05:00::",
		"dog -the_word_s_sense-> dog%2:38:00::",
		"dog -the_word_s_noun_form-> dogges",
		"run -the_word_s_verb_form-> ran",
		"A -the_word_s_sense-> a%1:10:00::",
		"a -the_word_s_sense-> a%1:10:00::",
		"domestic dog -the_word_s_sense-> domestic_dog%1:05:00::",
		"00000945-n -the_synset_gloss-> the animal that barks",
		"00000945-n -the_synset_s_example-> the dog slept by the door",
		"00000945-n -the_synset_s_sense-> domestic_dog%1:05:00::",
		"00000532-v -the_synset_s_frame-> 2",
		"race%2:38:01:: -the_sense_s_frame-> 8",
		"asleep%3:00:00:: -the_sense_marker-> p",
		"dog%1:05:00:: -the_sense_frequency-> 42",
		"00000590-a -the_synset_s_sense-> dozing%5:00:00:asleep(p):00",
		"00000297-a -the_synset_s_sense-> fleet%5:00:01:quick:00",
		"quick%3:00:00:: -the_sense_s_antonym-> slow%3:00:00::",
		"quickly%4:02:00:: -the_sense_s_pertainym-> quick%3:00:00::",
	} {
		if !slices.Contains(links, want) {
			t.Errorf("missing: %s", want)
		}
	}
	if n := len(slices.Compact(links)); n != len(links) {
		t.Errorf("%d links are stored twice; want none", len(links)-n)
	}
	if slices.ContainsFunc(links, func(l string) bool { return strings.Contains(l, "kine") }) {
		t.Error("imported a form of a word that the database does not have")
	}
	checkEveryPointer(t, links)
	if err := store.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// checkEveryPointer checks that each pointer of the files is a link, in one of the two directions.
func checkEveryPointer(t *testing.T, links []string) {
	t.Helper()
	c, err := readCatalog(slice)
	if err != nil {
		t.Fatal(err)
	}
	all := map[Key]Synset{}
	for _, pos := range PartsOfSpeech {
		for s, err := range Synsets(slice, pos) {
			if err != nil {
				t.Fatal(err)
			}
			all[s.Key] = s
		}
	}
	name := func(k Key, word int) (string, string) {
		if word == 0 {
			return k.String(), "the_synset_s_"
		}
		return c.senseKey(all[k], all[k].Words[word-1]), "the_sense_s_"
	}
	symbols := map[string]bool{}
	for key, s := range all {
		for _, p := range s.Pointers {
			symbols[p.Symbol] = true
			from, typ := name(key, p.From)
			to, _ := name(p.Target, p.To)
			relation := relations[p.Symbol]
			if relation.name == "" {
				from, to, relation = to, from, relations[relation.inverse]
			}
			if link := from + " -" + typ + relation.name + "-> " + to; !slices.Contains(links, link) {
				t.Errorf("pointer %s of %s is not imported: %s", p.Symbol, key, link)
			}
		}
	}
	for symbol := range relations {
		if !symbols[symbol] {
			t.Errorf("the slice has no pointer %s", symbol)
		}
	}
}

func TestSensesAreInOrderOfUse(t *testing.T) {
	store := memory.New()
	if _, err := Import(t.Context(), store, slice, nil); err != nil {
		t.Fatal(err)
	}
	word := findOne(t, store, "the_word", "dog")
	links, err := store.Links(t.Context(), graph.Links{Of: []graph.ID{word.ID}, Types: []graph.ID{findOne(t, store, "", "the_word_s_sense").ID}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range links {
		senses, err := store.Concepts(t.Context(), []graph.ID{l.To})
		if err != nil || len(senses) != 1 {
			t.Fatal(senses, err)
		}
		if c := senses[0]; c.Owner != graph.System || c.Access != graph.Public {
			t.Errorf("%q belongs to %d with access %d; want the system's, public", c.Value, c.Owner, c.Access)
		}
		got = append(got, senses[0].Value)
	}
	want := []string{"dog%1:05:00::", "dog%1:18:00::", "dog%2:38:00::"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the senses of dog (-want +got):\n%s", diff)
	}
}

func TestImportTwiceAddsNothing(t *testing.T) {
	store := memory.New()
	first, err := Import(t.Context(), store, slice, nil)
	if err != nil {
		t.Fatal(err)
	}
	if first.Added != first.Concepts+first.Connections || first.Added == 0 {
		t.Errorf("the first run added %d records; want all of %d concepts and %d connections", first.Added, first.Concepts, first.Connections)
	}
	before, _ := store.LastSeq(t.Context())
	second, err := Import(t.Context(), store, slice, nil)
	if err != nil {
		t.Fatal(err)
	}
	if after, _ := store.LastSeq(t.Context()); second.Added != 0 || after != before {
		t.Errorf("the second run reports %d added, and wrote %d batches; want none", second.Added, after-before)
	}
	if first.Added = 0; first != second {
		t.Errorf("the second run counts %+v; want %+v, as in the first run", second, first)
	}
}

func TestImportResumesAfterFailure(t *testing.T) {
	clean := memory.New()
	if _, err := importBatches(t.Context(), clean, slice, 20, nil); err != nil {
		t.Fatal(err)
	}
	want := dump(t, clean)
	batches, _ := clean.LastSeq(t.Context())
	if batches < 10 {
		t.Fatalf("only %d batches; want 10 or more", batches)
	}
	for after := range int(batches) {
		broken := &failingStore{Store: memory.New(), batchesLeft: after}
		if _, err := importBatches(t.Context(), broken, slice, 20, nil); !errors.Is(err, errPowerFailure) {
			t.Fatalf("after %d batches: %v; want %v", after, err, errPowerFailure)
		}
		if _, err := importBatches(t.Context(), broken.Store, slice, 20, nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, dump(t, broken.Store)); diff != "" {
			t.Fatalf("interrupted after %d of %d batches (-uninterrupted +resumed):\n%s", after, batches, diff)
		}
	}
}

func TestImportRejectsOtherContents(t *testing.T) {
	store := memory.New()
	if _, err := Import(t.Context(), store, slice, nil); err != nil {
		t.Fatal(err)
	}
	_, err := Import(t.Context(), store, damagedSlice(t, "data.noun", "whatever", "anything"), nil)
	if graph.KindOf(err) != graph.Conflict {
		t.Errorf("other contents: %v; want a conflict", err)
	}
}

var errPowerFailure = errors.New("power failure")

// A failingStore is a store that fails after some batches.
type failingStore struct {
	graph.Store
	batchesLeft int
}

func (b *failingStore) Write(ctx context.Context, batch graph.Batch) (graph.Receipt, error) {
	if b.batchesLeft--; b.batchesLeft < 0 {
		return graph.Receipt{}, errPowerFailure
	}
	return b.Store.Write(ctx, batch)
}

// dump returns every link between imported concepts as "from -type-> to", sorted.
func dump(t *testing.T, store graph.Store) []string {
	t.Helper()
	names := map[graph.ID]string{}
	var all []graph.ID
	for _, typ := range Types {
		concepts, err := store.ConceptsByType(t.Context(), findOne(t, store, "", typ).ID, graph.Page{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range concepts {
			names[c.ID] = c.Value
			all = append(all, c.ID)
		}
	}
	links, err := store.Links(t.Context(), graph.Links{Of: all})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, l := range links {
		types, err := store.Concepts(t.Context(), []graph.ID{l.Type})
		if err != nil || len(types) != 1 {
			t.Fatal(types, err)
		}
		lines = append(lines, fmt.Sprintf("%s -%s-> %s", names[l.From], types[0].Value, names[l.To]))
	}
	slices.Sort(lines)
	return lines
}

// findOne returns the only concept with this value and type; "" matches every type.
func findOne(t *testing.T, store graph.Store, typ, value string) graph.Concept {
	t.Helper()
	key := graph.ValueKey{Value: value}
	if typ != "" {
		key.Type = findOne(t, store, "", typ).ID
	}
	found, err := store.ConceptsByValue(t.Context(), []graph.ValueKey{key})
	if err != nil || len(found) != 1 {
		t.Fatalf("%s %q: %v, %v; want one concept", typ, value, found, err)
	}
	return found[0]
}
