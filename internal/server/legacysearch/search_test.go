package legacysearch_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/everystore"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/internal/server/legacysearch"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main{M: m}) }

// A house has two rooms; the hall has a chair with a red back. A legacy linker connects a guest with the hall.
type house struct {
	graph.Store
	hall, attic, chair, guest graph.ID
	label, legs, back, red    graph.ID // connections inside
	hasChair, likes           graph.ID
	inAttic                   graph.ID
}

// writeHouse writes a house to a store.
func writeHouse(t *testing.T, store graph.Store) house {
	t.Helper()
	head := func(localID graph.ID, typ string) graph.ConceptDraft {
		return graph.ConceptDraft{LocalID: localID, Kind: graph.DraftComposition, TypeName: typ}
	}
	value := func(localID graph.ID, typ, text string) graph.ConceptDraft {
		return graph.ConceptDraft{LocalID: localID, TypeName: typ, Value: text}
	}
	receipt, err := store.Write(t.Context(), graph.Batch{
		Sender: graph.Sender{User: 7},
		Concepts: []graph.ConceptDraft{
			head(-1, "the_room"), value(-2, "the_label", "Hall & Stairs"), head(-3, "the_chair"), value(-4, "the_legs", "4"),
			head(-5, "back"), value(-6, "the_color", "red"), head(-7, "the_room"), value(-8, "the_label", "Attic"),
			head(-9, "the_guest"), value(-10, "the_connection", "the_guest_s_like_s"),
		},
		Connections: []graph.ConnectionDraft{
			{From: -1, To: -2, Type: -1},
			{From: -3, To: -4, Type: -3},
			{From: -3, To: -5, Type: -3},
			{From: -5, To: -6, Type: -3},
			{From: -1, To: -3, TypeName: "the_room_s_chair"},
			{From: -9, To: -1, Type: -10},
			{From: -7, To: -8, Type: -7},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	c, l := receipt.Concepts, receipt.Connections
	return house{
		Store: store, hall: c[0].ID, chair: c[2].ID, attic: c[6].ID, guest: c[8].ID,
		label: l[0].ID, legs: l[1].ID, back: l[2].ID, red: l[3].ID, hasChair: l[4].ID, likes: l[5].ID, inAttic: l[6].ID,
	}
}

func (h house) graph() legacysearch.Graph {
	return legacysearch.Graph{Reader: h, Find: func(ctx context.Context, q query.Query) (query.Answer, error) { return query.Run(ctx, h, q) }}
}

func onEveryStore(t *testing.T, test func(*testing.T, house)) {
	everystore.Run(t, func(t *testing.T, store graph.Store) { test(t, writeHouse(t, store)) })
}

func TestFollowFindsWhatTheStepsLeadTo(t *testing.T) {
	onEveryStore(t, testFollow)
}

func testFollow(t *testing.T, h house) {
	inChair := []graph.ID{h.legs, h.back, h.red}
	for _, row := range []struct {
		name  string
		from  []graph.ID
		steps []legacysearch.Step
		want  legacysearch.Result
	}{
		{"without steps, finds the start", []graph.ID{h.hall}, nil, legacysearch.Result{Compositions: []graph.ID{h.hall}, Internal: []graph.ID{h.label}}},
		{"follows a linker by its name", []graph.ID{h.hall}, []legacysearch.Step{{Names: []string{"the_room_s_chair"}}}, legacysearch.Result{
			Compositions: []graph.ID{h.hall, h.chair}, Internal: append([]graph.ID{h.label}, inChair...), Links: []graph.ID{h.hasChair},
		}},
		{"follows a linker backwards, by a suffix of its name", []graph.ID{h.chair}, []legacysearch.Step{{Suffixes: []string{"chair"}, Reverse: true}}, legacysearch.Result{
			Compositions: []graph.ID{h.chair, h.hall}, Internal: append(inChair, h.label), Links: []graph.ID{h.hasChair}, Reverse: []graph.ID{h.hasChair},
		}},
		{"follows a legacy linker by a suffix, then all linkers", []graph.ID{h.guest}, []legacysearch.Step{{Suffixes: []string{"like"}}, {}}, legacysearch.Result{
			Compositions: []graph.ID{h.guest, h.hall, h.chair}, Internal: append([]graph.ID{h.label}, inChair...), Links: []graph.ID{h.likes, h.hasChair},
		}},
		{"finds only compositions that contain the text", []graph.ID{h.hall}, []legacysearch.Step{{Text: "RED"}}, legacysearch.Result{
			Compositions: []graph.ID{h.hall, h.chair}, Internal: append([]graph.ID{h.label}, inChair...), Links: []graph.ID{h.hasChair},
		}},
		{"stops when no composition contains the text", []graph.ID{h.hall}, []legacysearch.Step{{Text: "blue"}, {}}, legacysearch.Result{
			Compositions: []graph.ID{h.hall}, Internal: []graph.ID{h.label},
		}},
		{"ignores a linker that does not exist", []graph.ID{h.hall}, []legacysearch.Step{{Names: []string{"the_room_s_table"}}}, legacysearch.Result{
			Compositions: []graph.ID{h.hall}, Internal: []graph.ID{h.label},
		}},
		{"finds nothing from an unknown start", []graph.ID{404}, []legacysearch.Step{{}}, legacysearch.Result{}},
	} {
		got, err := legacysearch.Follow(t.Context(), h.graph(), row.from, row.steps)
		if diff := cmp.Diff(row.want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", row.name, err, diff)
		}
	}
	if _, err := legacysearch.Follow(t.Context(), h.graph(), []graph.ID{h.hall}, make([]legacysearch.Step, legacysearch.MaxSteps+1)); graph.KindOf(err) != graph.TooLarge {
		t.Errorf("too many steps: %v", err)
	}
}

func TestFollowRepeatedlySelectsByText(t *testing.T) {
	onEveryStore(t, testFollowRepeatedly)
}

func testFollowRepeatedly(t *testing.T, h house) {
	for text, want := range map[string][]graph.ID{"": {h.guest, h.hall, h.chair}, "red": {h.chair}, "stairs": {h.hall}, "blue": nil} {
		got, err := legacysearch.FollowRepeatedly(t.Context(), h.graph(), []graph.ID{h.guest}, legacysearch.Step{Text: text})
		if diff := cmp.Diff(want, got.Compositions, cmpopts.EquateEmpty()); diff != "" || err != nil || len(got.Links) != 2 {
			t.Errorf("search %q around the guest: %v, links %v\n%s", text, err, got.Links, diff)
		}
		if text == "stairs" && !cmp.Equal(got.Internal, []graph.ID{h.label}) {
			t.Errorf("internal connections for %q: %v", text, got.Internal)
		}
	}
}

func TestFindCompositionsSelectsByTypeAndText(t *testing.T) {
	onEveryStore(t, testFindCompositions)
}

func testFindCompositions(t *testing.T, h house) {
	for _, row := range []struct {
		search legacysearch.TextSearch
		want   []graph.ID
	}{
		{legacysearch.TextSearch{Types: []string{"the_room"}, Text: "hall &"}, []graph.ID{h.hall}},
		{legacysearch.TextSearch{Types: []string{"the_room"}, Text: "a"}, []graph.ID{h.attic, h.hall}},
		{legacysearch.TextSearch{Types: []string{"the_room"}}, []graph.ID{h.attic, h.hall}},
		{legacysearch.TextSearch{Types: []string{"the_room"}, Text: "a", Fields: []string{"the_label"}, Page: 2, PageSize: 1}, []graph.ID{h.hall}},
		{legacysearch.TextSearch{Types: []string{"the_room"}, Text: "a", Fields: []string{"the_legs"}}, nil},
		{legacysearch.TextSearch{Types: []string{"the_room"}, Text: "a", Fields: []string{"the_nothing"}}, []graph.ID{h.attic, h.hall}},
		{legacysearch.TextSearch{Types: []string{"the_chair"}, Text: "red", Fields: []string{"back"}}, []graph.ID{h.chair}},
		{legacysearch.TextSearch{Types: []string{"the_chair"}, Text: "4", Fields: []string{"back"}}, nil},
		{legacysearch.TextSearch{Types: []string{"the_chair"}, Text: "red", Fields: []string{"the_chair"}}, []graph.ID{h.chair}},
		{legacysearch.TextSearch{Types: []string{"the_nothing"}, Text: "a"}, nil},
		{legacysearch.TextSearch{Types: []string{"the_nothing", "the_room"}, Fields: []string{"the_nothing", "the_room"}, Text: "a"}, []graph.ID{h.attic, h.hall}},
	} {
		if row.search.PageSize == 0 {
			row.search.PageSize = 10
		}
		got, err := legacysearch.FindCompositions(t.Context(), h.graph(), row.search)
		if diff := cmp.Diff(row.want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("%+v: %v\n%s", row.search, err, diff)
		}
	}
}

// Only the oldest of many rooms contains the text. The search for this room must not read all rooms.
func TestRareTextIsFoundThroughTheIndex(t *testing.T) {
	const rooms = 6_000
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		b := graph.Batch{Sender: graph.Sender{User: 7}, Concepts: []graph.ConceptDraft{
			{LocalID: -1, TypeName: "the_label", Value: "with a needle in it"}, {LocalID: -2, TypeName: "the_label", Value: "hay"},
		}}
		for i := range graph.ID(rooms) {
			label := graph.ID(-2)
			if i == 0 {
				label = -1
			}
			b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: -3 - i, Kind: graph.DraftComposition, TypeName: "the_room"})
			b.Connections = append(b.Connections, graph.ConnectionDraft{From: -3 - i, To: label, Type: -3 - i})
		}
		receipt, err := store.Write(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		g := legacysearch.Graph{Reader: store, Find: func(ctx context.Context, q query.Query) (query.Answer, error) {
			a, err := query.Run(ctx, store, q)
			rows += a.Plan.Rows()
			return a, err
		}}
		got, err := legacysearch.FindCompositions(t.Context(), g, legacysearch.TextSearch{Types: []string{"the_room"}, Text: "a NEEDLE", PageSize: 10})
		if diff := cmp.Diff([]graph.ID{receipt.Concepts[2].ID}, got); diff != "" || err != nil || rows > rooms/2 {
			t.Errorf("%d rows, %v\n%s", rows, err, diff)
		}
	})
}

// Of a thousand chairs with something red, only the oldest and the newest have a red back.
func TestTextInARecordIsFoundBeyondManyCandidates(t *testing.T) {
	const chairs = 1_001
	store, b := memory.New(), graph.Batch{Sender: graph.Sender{User: 7}}
	for i := range graph.ID(chairs) {
		chair, back, color := -3*i-1, -3*i-2, -3*i-3
		b.Concepts = append(b.Concepts,
			graph.ConceptDraft{LocalID: chair, Kind: graph.DraftComposition, TypeName: "the_chair"},
			graph.ConceptDraft{LocalID: back, Kind: graph.DraftComposition, TypeName: "back"},
			graph.ConceptDraft{LocalID: color, TypeName: "the_color", Value: fmt.Sprint("red ", i)})
		of := chair
		if i == 0 || i == chairs-1 {
			of = back
		}
		b.Connections = append(b.Connections,
			graph.ConnectionDraft{From: chair, To: back, Type: chair}, graph.ConnectionDraft{From: of, To: color, Type: chair})
	}
	receipt, err := store.Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	oldest, newest := receipt.Concepts[0].ID, receipt.Concepts[3*(chairs-1)].ID
	for page, want := range map[int][]graph.ID{1: {newest}, 2: {oldest}, 3: nil} {
		got, err := legacysearch.FindCompositions(t.Context(), house{Store: store}.graph(),
			legacysearch.TextSearch{Types: []string{"the_chair"}, Fields: []string{"back"}, Text: "red", Page: page, PageSize: 1})
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("page %d: %v\n%s", page, err, diff)
		}
	}
}

func TestStepsFromContractQueries(t *testing.T) {
	queries := []wire.SearchQuery{
		{Composition: 5, OfCompositions: []wire.Int{5, 0, 6}, FullLinkers: []wire.Text{"the_a_b"}, Inpage: 20_000, Page: 2},
		{ListLinkers: []wire.Text{"b"}, Linker: "c", Reverse: true, TextSearch: "x", Inpage: 10, Page: 1},
	}
	if diff := cmp.Diff([]graph.ID{5, 6}, legacysearch.StartIDs(queries)); diff != "" {
		t.Error(diff)
	}
	steps, err := legacysearch.Steps(queries)
	want := []legacysearch.Step{
		{Names: []string{"the_a_b"}, Page: 2, PageSize: query.MaxPageSize},
		{Suffixes: []string{"b", "c"}, Reverse: true, Page: 1, PageSize: 10, Text: "x"},
	}
	if diff := cmp.Diff(want, steps); diff != "" || err != nil {
		t.Error(err, diff)
	}
	q := steps[1].Query([]graph.ID{5}, steps[1].Linkers([]graph.Concept{
		{ID: 1, Category: 1, Value: "the_a_b"},
		{ID: 2, Category: 1, Value: "the_ab"},
		{ID: 3, Category: 4, Type: graph.TypeConnection, Value: "the_a_s_c_s"},
		{ID: 4, Category: 4, Composition: true, Value: ""},
	}))
	hop := func(name string, legacy bool) query.Query {
		return query.Query{
			Connection: name, Legacy: legacy, Reverse: true, Limit: true, Page: 1, PageSize: 10, Selectors: []string{query.Self},
			Name: "far", Hops: []query.Query{{Connection: query.Self, Name: "inside"}},
		}
	}
	contains := func(on string) query.Filter {
		return query.Filter{Name: "text", On: on, Op: graph.Like, Search: "%x%"}
	}
	if diff := cmp.Diff(query.Query{
		ConceptIDs: []graph.ID{5}, PageSize: 1, Hops: []query.Query{hop("the_a_b", false), hop("the_a_s_c_s", true)},
		Filters: []query.Filter{contains("far"), contains("inside")}, Logic: "text",
	}, q); diff != "" {
		t.Error(diff)
	}
	var filtered wire.SearchQuery
	if err := wire.Decode([]byte(`{"dofilter": true, "filterSearches": [{"a": 1}]}`), &filtered); err != nil {
		t.Fatal(err)
	}
	if _, err := legacysearch.Steps([]wire.SearchQuery{filtered}); graph.KindOf(err) != graph.Invalid || !strings.Contains(err.Error(), "filter") {
		t.Errorf("query with a filter: %v", err)
	}
}

func TestCancelledSearchFails(t *testing.T) {
	h := writeHouse(t, memory.New())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := legacysearch.FindCompositions(ctx, h.graph(), legacysearch.TextSearch{Types: []string{"the_room"}, Text: "a", PageSize: 1}); err == nil {
		t.Error("a cancelled search succeeds")
	}
}
