package composition_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/vectors"
	"github.com/weft-graph/weft/store/memory"
)

func TestBuild(t *testing.T) {
	type given struct {
		Type  string          `json:"type"`
		Value json.RawMessage `json:"value"`
		// Deep is how many records to nest in each other instead.
		Deep int `json:"deep"`
	}
	type want struct {
		Concepts    []concept `json:"concepts"`
		Connections [][2]int  `json:"connections"` // from and to, as places in concepts
	}
	vectors.Each(t, "build", func(t *testing.T, c vectors.Case) {
		g := vectors.Given[given](t, c)
		v, err := composition.Parse(g.Value)
		if g.Deep > 0 {
			v, err = nested(g.Deep), nil
		}
		var b graph.Batch
		var main graph.ID
		if err == nil {
			main, err = composition.Build(&b, g.Type, v, &composition.Ghosts{})
		}
		if c.Refused(t, err) {
			if len(b.Concepts)+len(b.Connections) > 0 {
				t.Errorf("a refused record left %d drafts", len(b.Concepts)+len(b.Connections))
			}
			return
		}
		got := want{Concepts: []concept{}, Connections: [][2]int{}}
		for i, d := range b.Concepts {
			if d.Ghost != graph.ID(-1-i) {
				t.Errorf("concept %d has ghost %d", i, d.Ghost)
			}
			got.Concepts = append(got.Concepts, conceptOf(d))
		}
		for i, d := range b.Connections {
			if d.Ghost != graph.ID(-1-i) || d.Type != main {
				t.Errorf("connection %d has ghost %d and type %d; the main concept is %d", i, d.Ghost, d.Type, main)
			}
			got.Connections = append(got.Connections, [2]int{int(-1 - d.From), int(-1 - d.To)})
		}
		if diff := cmp.Diff(vectors.Want[want](t, c), got); diff != "" {
			t.Error(diff)
		}
	})
}

// A concept is a draft as a case writes it: kind, type, value.
type concept [3]string

func conceptOf(d graph.ConceptDraft) concept {
	kinds := map[graph.DraftKind]string{graph.DraftValue: "value", graph.DraftComposition: "composition"}
	return concept{kinds[d.Kind], d.TypeName, d.Value}
}

// nested is so many records, each in the other.
func nested(depth int) composition.Value {
	v := composition.TextValue("at the bottom")
	for range depth {
		v = composition.RecordValue(composition.Member{Key: "in", Value: v})
	}
	return v
}

func TestRead(t *testing.T) {
	type given struct {
		Graph vectors.Graph `json:"graph"`
		ID    graph.ID      `json:"id"`
		Shape string        `json:"shape"`
	}
	shapes := map[string]composition.Shape{
		"": composition.Plain, "withId": composition.WithID, "withIds": composition.WithIDs, "listed": composition.Listed,
	}
	vectors.Each(t, "read", func(t *testing.T, c vectors.Case) {
		g := vectors.Given[given](t, c)
		store := vectors.Seed(t, memory.New(), g.Graph)
		values, err := composition.Read(t.Context(), store, []graph.ID{store.Real(g.ID)}, shapes[g.Shape])
		if c.Refused(t, err) {
			return
		}
		got := "null"
		if len(values) > 0 {
			got = store.CaseJSON(values[0].String())
		}
		same(t, c, got)
	})
}

// same compares JSON with what a case wants, the order of keys included.
func same(t *testing.T, c vectors.Case, got string) {
	t.Helper()
	want, err := composition.Parse(c.Want)
	if err != nil {
		t.Fatal(err)
	}
	if got != want.String() {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestPatch(t *testing.T) {
	type given struct {
		Graph   vectors.Graph     `json:"graph"`
		Main    graph.ID          `json:"main"`
		Of      graph.ID          `json:"of"`
		Changes composition.Value `json:"changes"`
	}
	type want struct {
		Concepts    []concept         `json:"concepts"`
		Connections [][2]string       `json:"connections"` // an id that exists, or "#" and a place in concepts
		Remove      []graph.ID        `json:"remove"`
		Reads       composition.Value `json:"reads"`
	}
	vectors.Each(t, "patch", func(t *testing.T, c vectors.Case) {
		g := vectors.Given[given](t, c)
		store := vectors.Seed(t, memory.New(), g.Graph)
		b := graph.Batch{Sender: graph.Sender{User: 7, Randomizer: 1}}
		main := store.Real(g.Main)
		err := composition.Patch(t.Context(), store, &b, main, store.Real(g.Of), g.Changes, &composition.Ghosts{})
		if c.Refused(t, err) {
			return
		}
		got := want{Concepts: []concept{}, Connections: [][2]string{}, Remove: store.CaseIDs(b.RemoveConnections)}
		for _, d := range b.Concepts {
			got.Concepts = append(got.Concepts, conceptOf(d))
		}
		end := func(id graph.ID) string {
			if id.Local() {
				return fmt.Sprintf("#%d", -1-id)
			}
			return store.Case(id).String()
		}
		for _, d := range b.Connections {
			got.Connections = append(got.Connections, [2]string{end(d.From), end(d.To)})
		}
		if _, err := store.Write(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		values, err := composition.Read(t.Context(), store, []graph.ID{main}, composition.Plain)
		if err != nil || len(values) != 1 {
			t.Fatalf("reading it back: %v, %v", values, err)
		}
		got.Reads = values[0]
		if diff := cmp.Diff(vectors.Want[want](t, c), got); diff != "" {
			t.Error(diff)
		}
	})
}
