package composition_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/memory"
)

// values generates values that Build accepts, nested up to depth levels.
func values(depth int) *rapid.Generator[composition.Value] {
	scalar := rapid.OneOf(
		rapid.Map(rapid.SampledFrom([]string{"", "a", "b", "Ann", strings.Repeat("x", 300)}), composition.TextValue),
		rapid.Just(composition.Value{}),
		rapid.Just(composition.Value{Kind: composition.Bool, Text: "true"}),
		rapid.Just(composition.Value{Kind: composition.Number, Text: "-1.5"}),
	)
	if depth == 0 {
		return scalar
	}
	return rapid.OneOf(scalar, records(depth), rapid.Custom(func(t *rapid.T) composition.Value {
		return composition.ListValue(rapid.SliceOfN(values(depth-1), 0, 4).Draw(t, "items")...)
	}))
}

// records generates records that Build accepts, nested up to depth levels.
func records(depth int) *rapid.Generator[composition.Value] {
	keys := rapid.SampledFrom([]string{"a", "b", "name", "the_c", "0", "1", "12", "in_the_x", "__proto__", "_", ""})
	return rapid.Custom(func(t *rapid.T) composition.Value {
		record := composition.RecordValue()
		for _, key := range rapid.SliceOfNDistinct(keys, 0, 5, func(k string) string { return k }).Draw(t, "keys") {
			record.Members = append(record.Members, composition.Member{Key: key, Value: values(depth-1).Draw(t, "value")})
		}
		return record
	})
}

func TestRandomRecords(t *testing.T) {
	t.Run("a written record reads back by the documented rules", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			v := records(3).Draw(t, "record")
			store, main := writeRecord(t, v)
			if got, want := readBack(t, store, main), expected(v).String(); got != want {
				t.Fatalf("%s\nreads as %s\nwant     %s", v, got, want)
			}
		})
	})
	t.Run("a patched record reads as if its fields had been replaced", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			v, changes := records(2).Draw(t, "record"), records(2).Draw(t, "changes")
			store, main := writeRecord(t, v)
			b := graph.Batch{Sender: graph.Sender{User: 7, Randomizer: 2}}
			if err := (composition.Patch{Main: main, Fields: changes}).AppendTo(t.Context(), &b, store, &composition.LocalIDs{}); err != nil {
				t.Fatal(err)
			}
			if _, err := store.Write(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			if err := store.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := expected(applyChanges(v, changes)).String()
			if got := readBack(t, store, main); got != want {
				t.Fatalf("%s\nwith %s\nreads as %s\nwant     %s", v, changes, got, want)
			}
			links, err := store.Links(t.Context(), graph.Links{Of: []graph.ID{main}, Types: []graph.ID{main}})
			if err != nil || len(links) != len(applyChanges(v, changes).Members) {
				t.Fatalf("the main concept has %d connections; want %d; %v", len(links), len(applyChanges(v, changes).Members), err)
			}
		})
	})
}

// writeRecord writes a record to a new store and returns the store and the main concept.
func writeRecord(t *rapid.T, v composition.Value) (graph.Store, graph.ID) {
	b := graph.Batch{Sender: graph.Sender{User: 7, Randomizer: 1}}
	if _, err := composition.Build(&b, "the_record", v, &composition.LocalIDs{}); err != nil {
		t.Fatal(err)
	}
	store := memory.New()
	receipt, err := store.Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return store, receipt.Concepts[0].ID
}

// readBack returns the record of a main concept as JSON.
func readBack(t *rapid.T, store graph.Store, main graph.ID) string {
	read, err := composition.Read(t.Context(), store, []graph.ID{main}, composition.Plain)
	if err != nil || len(read) != 1 {
		t.Fatalf("reading back: %v, %v; want one record", read, err)
	}
	return read[0].Get("the_record").String()
}

// applyChanges returns v with fields replaced. A changed field moves to the end; an unchanged one keeps its position.
func applyChanges(v, changes composition.Value) composition.Value {
	out := composition.RecordValue(slices.Clone(v.Members)...)
	for _, change := range changes.Members {
		old := out.Get(change.Key)
		exists := slices.ContainsFunc(out.Members, func(m composition.Member) bool { return m.Key == change.Key })
		if exists && !old.IsNested() && !change.Value.IsNested() && expected(old).Text == expected(change.Value).Text {
			continue
		}
		out.Members = slices.DeleteFunc(out.Members, func(m composition.Member) bool { return m.Key == change.Key })
		out.Members = append(out.Members, change)
	}
	return out
}
