package composition_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/memory"
)

func TestManyAtOnce(t *testing.T) {
	const n = 200
	store := memory.New()
	b := graph.Batch{Sender: graph.Sender{User: 7}}
	ghosts := &composition.Ghosts{}
	heads := make([]int, n)
	for i := range n {
		heads[i] = len(b.Concepts)
		record := fmt.Sprintf(`{"name":"n%d","home":{"city":"Oslo","lines":["%d","y"]}}`, i, i%7)
		v, err := composition.Parse([]byte(record))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := composition.Build(&b, "the_person", v, ghosts); err != nil {
			t.Fatal(err)
		}
	}
	receipt, err := store.Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]graph.ID, n)
	for i, head := range heads {
		ids[i] = receipt.Concepts[head].ID
	}
	t.Run("many compositions read as each would alone", func(t *testing.T) {
		together, err := composition.Read(t.Context(), store, ids, composition.Plain)
		if err != nil || len(together) != n {
			t.Fatalf("%d records, %v", len(together), err)
		}
		for i, id := range ids {
			alone, err := composition.Read(t.Context(), store, []graph.ID{id}, composition.Plain)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := together[i].String(), alone[0].String(); got != want {
				t.Fatalf("composition %d is %s among others and %s alone", i, got, want)
			}
		}
	})
	t.Run("their connections are all there, by id, once", func(t *testing.T) {
		found, err := composition.Connections(t.Context(), store, ids)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(receipt.Connections, found); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("ids that name nothing are left out", func(t *testing.T) {
		read, err := composition.Read(t.Context(), store, []graph.ID{ids[1], 1 << 40, ids[0]}, composition.WithID)
		if err != nil || len(read) != 2 || read[0].Get("id").Text != ids[1].String() {
			t.Errorf("%v, %v", read, err)
		}
	})
}
