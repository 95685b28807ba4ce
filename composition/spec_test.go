package composition_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/spec"
	"github.com/weft-graph/weft/internal/store/memory"
)

func TestBuildCases(t *testing.T) {
	type given struct {
		Type  string          `json:"type"`
		Value json.RawMessage `json:"value"`
		// If Deep is not 0, the value is replaced by this number of nested records.
		Deep int `json:"deep"`
	}
	type want struct {
		Concepts    []concept `json:"concepts"`
		Connections [][2]int  `json:"connections"` // from and to, as indexes of concepts
	}
	spec.RunCases(t, "build", func(t *testing.T, c spec.Case) {
		g := spec.Given[given](t, c)
		v, err := composition.Parse(g.Value)
		if g.Deep > 0 {
			v, err = nested(g.Deep), nil
		}
		var b graph.Batch
		var main graph.ID
		if err == nil {
			main, err = composition.Build(&b, g.Type, v, &composition.LocalIDs{})
		}
		if c.WantsError(t, err) {
			if len(b.Concepts)+len(b.Connections) > 0 {
				t.Errorf("a rejected record left %d drafts", len(b.Concepts)+len(b.Connections))
			}
			return
		}
		got := want{Concepts: []concept{}, Connections: [][2]int{}}
		for i, d := range b.Concepts {
			if d.LocalID != graph.ID(-1-i) {
				t.Errorf("concept %d has local id %d", i, d.LocalID)
			}
			got.Concepts = append(got.Concepts, conceptOf(d))
		}
		for i, d := range b.Connections {
			if d.LocalID != graph.ID(-1-i) || d.Type != main {
				t.Errorf("connection %d has local id %d and type %d; want local id %d and the main concept %d as the type", i, d.LocalID, d.Type, -1-i, main)
			}
			got.Connections = append(got.Connections, [2]int{int(-1 - d.From), int(-1 - d.To)})
		}
		if diff := cmp.Diff(spec.Want[want](t, c), got); diff != "" {
			t.Error(diff)
		}
	})
}

// A concept is a draft in the form of the cases: kind, type, value.
type concept [3]string

func conceptOf(d graph.ConceptDraft) concept {
	kinds := map[graph.DraftKind]string{graph.DraftValue: "value", graph.DraftComposition: "composition"}
	return concept{kinds[d.Kind], d.TypeName, d.Value}
}

// nested returns depth nested records.
func nested(depth int) composition.Value {
	v := composition.TextValue("at the bottom")
	for range depth {
		v = composition.RecordValue(composition.Member{Key: "in", Value: v})
	}
	return v
}

func TestReadCases(t *testing.T) {
	type given struct {
		Graph spec.Graph `json:"graph"`
		ID    graph.ID   `json:"id"`
		Shape string     `json:"shape"`
	}
	shapes := map[string]composition.Shape{
		"": composition.Plain, "withId": composition.WithID, "withIds": composition.WithIDs, "listed": composition.WithCreated,
	}
	spec.RunCases(t, "read", func(t *testing.T, c spec.Case) {
		g := spec.Given[given](t, c)
		store := spec.Seed(t, memory.New(), g.Graph)
		values, err := composition.Read(t.Context(), store, []graph.ID{store.RealID(g.ID)}, shapes[g.Shape])
		if c.WantsError(t, err) {
			return
		}
		got := "null"
		if len(values) > 0 {
			got = store.CaseJSON(values[0].String())
		}
		checkJSON(t, c, got)
	})
}

// checkJSON compares JSON with the expected result of a case, including the order of keys.
func checkJSON(t *testing.T, c spec.Case, got string) {
	t.Helper()
	want, err := composition.Parse(c.Want)
	if err != nil {
		t.Fatal(err)
	}
	if got != want.String() {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestPatchCases(t *testing.T) {
	type given struct {
		Graph   spec.Graph        `json:"graph"`
		Main    graph.ID          `json:"main"`
		Of      graph.ID          `json:"of"`
		Access  graph.Access      `json:"access"`
		Changes composition.Value `json:"changes"`
	}
	type want struct {
		Concepts    []concept         `json:"concepts"`
		Connections [][2]string       `json:"connections"` // an existing id, or "#" and the index of a new concept
		Remove      []graph.ID        `json:"remove"`
		Access      [][]graph.Access  `json:"access"` // access of the concepts and connections; missing if all are private
		Reads       composition.Value `json:"reads"`
	}
	spec.RunCases(t, "patch", func(t *testing.T, c spec.Case) {
		g := spec.Given[given](t, c)
		store := spec.Seed(t, memory.New(), g.Graph)
		b := graph.Batch{Sender: graph.Sender{User: 7, Randomizer: 1}}
		main := store.RealID(g.Main)
		patch := composition.Patch{Main: main, Record: store.RealID(g.Of), Fields: g.Changes, Access: g.Access}
		err := patch.AppendTo(t.Context(), &b, store, &composition.LocalIDs{})
		if c.WantsError(t, err) {
			return
		}
		got := want{Concepts: []concept{}, Connections: [][2]string{}, Remove: store.CaseIDs(b.RemoveConnections)}
		for _, d := range b.Concepts {
			got.Concepts = append(got.Concepts, conceptOf(d))
		}
		end := func(id graph.ID) string {
			if id.IsLocal() {
				return fmt.Sprintf("#%d", -1-id)
			}
			return store.CaseID(id).String()
		}
		for _, d := range b.Connections {
			got.Connections = append(got.Connections, [2]string{end(d.From), end(d.To)})
		}
		got.Access = accessOf(b)
		if _, err := store.Write(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		values, err := composition.Read(t.Context(), store, []graph.ID{main}, composition.Plain)
		if err != nil || len(values) != 1 {
			t.Fatalf("reading it back: %v, %v", values, err)
		}
		got.Reads = values[0]
		if diff := cmp.Diff(spec.Want[want](t, c), got); diff != "" {
			t.Error(diff)
		}
	})
}

// accessOf returns the access of the concepts and of the connections in a batch, or nil if all are private.
func accessOf(b graph.Batch) [][]graph.Access {
	concepts, connections := []graph.Access{}, []graph.Access{}
	for _, d := range b.Concepts {
		concepts = append(concepts, d.Access)
	}
	for _, d := range b.Connections {
		connections = append(connections, d.Access)
	}
	isOpen := func(a graph.Access) bool { return a != 0 && a != graph.Private }
	if !slices.ContainsFunc(slices.Concat(concepts, connections), isOpen) {
		return nil
	}
	return [][]graph.Access{concepts, connections}
}

func TestPatchRemovesFields(t *testing.T) {
	store := memory.New()
	b := graph.Batch{Sender: graph.Sender{User: 7, Randomizer: 1}}
	ids := &composition.LocalIDs{}
	person, err := composition.Parse([]byte(`{"name": "Ann", "home": {"city": "Oslo"}, "age": "30"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := composition.Build(&b, "the_person", person, ids); err != nil {
		t.Fatal(err)
	}
	receipt, err := store.Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	main := receipt.Concepts[0].ID
	b = graph.Batch{Sender: b.Sender}
	patch := composition.Patch{
		Main: main, Removed: []string{"the_home", "age", "name", "unknown"},
		Fields: composition.RecordValue(composition.Member{Key: "name", Value: composition.TextValue("Ann")}),
	}
	if err := patch.AppendTo(t.Context(), &b, store, ids); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	left, err := composition.Read(t.Context(), store, []graph.ID{main}, composition.Plain)
	if err != nil || len(left) != 1 || left[0].String() != `{"the_person":{"name":"Ann"}}` {
		t.Errorf("the record = %v, %v; want only the name Ann", left, err)
	}
}

func TestIncrement(t *testing.T) {
	type given struct{ Text, By string }
	spec.RunCases(t, "increment", func(t *testing.T, c spec.Case) {
		g := spec.Given[given](t, c)
		got, err := composition.Increment(g.Text, g.By)
		if c.WantsError(t, err) {
			return
		}
		if want := spec.Want[string](t, c); got != want {
			t.Errorf("got %q, error %v, want %q", got, err, want)
		}
	})
}
