package composition_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/memory"
)

func TestManyCompositionsInOneCall(t *testing.T) {
	const n = 200
	store := memory.New()
	b := graph.Batch{Sender: graph.Sender{User: 7}}
	localIDs := &composition.LocalIDs{}
	mainIndexes := make([]int, n) // of the main concepts in the batch
	for i := range n {
		mainIndexes[i] = len(b.Concepts)
		record := fmt.Sprintf(`{"name":"n%d","home":{"city":"Oslo","lines":["%d","y"]}}`, i, i%7)
		v, err := composition.Parse([]byte(record))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := composition.Build(&b, "the_person", v, localIDs); err != nil {
			t.Fatal(err)
		}
	}
	receipt, err := store.Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]graph.ID, n)
	for i, index := range mainIndexes {
		ids[i] = receipt.Concepts[index].ID
	}
	t.Run("Read returns the same as one call per composition", func(t *testing.T) {
		together, err := composition.Read(t.Context(), store, ids, composition.Plain)
		if err != nil || len(together) != n {
			t.Fatalf("%d records, %v; want %d", len(together), err, n)
		}
		for i, id := range ids {
			alone, err := composition.Read(t.Context(), store, []graph.ID{id}, composition.Plain)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := together[i].String(), alone[0].String(); got != want {
				t.Fatalf("composition %d is %s in a batch and %s on its own", i, got, want)
			}
		}
	})
	t.Run("Connections returns every connection once, in order of id", func(t *testing.T) {
		found, err := composition.Connections(t.Context(), store, ids)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(receipt.Connections, found); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("Read leaves out unknown ids", func(t *testing.T) {
		read, err := composition.Read(t.Context(), store, []graph.ID{ids[1], 1 << 40, ids[0]}, composition.WithID)
		if err != nil || len(read) != 2 || read[0].Get("id").Text != ids[1].String() {
			t.Errorf("%v, %v; want the records %d and %d", read, err, ids[1], ids[0])
		}
	})
}
