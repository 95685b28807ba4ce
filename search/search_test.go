package search_test

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
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/search"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main{M: m}) }

// A house has two rooms; the hall has a chair with a red back. A guest likes the hall in the old way.
type house struct {
	graph.Store
	hall, attic, chair, guest graph.ID
	label, legs, back, red    graph.ID // connections inside
	hasChair, likes           graph.ID
	inAttic                   graph.ID
}

func build(t *testing.T, store graph.Store) house {
	t.Helper()
	head := func(ghost graph.ID, typ string) graph.ConceptDraft {
		return graph.ConceptDraft{Ghost: ghost, Kind: graph.DraftComposition, TypeName: typ}
	}
	value := func(ghost graph.ID, typ, text string) graph.ConceptDraft {
		return graph.ConceptDraft{Ghost: ghost, TypeName: typ, Value: text}
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

func (h house) graph() search.Graph {
	return search.Graph{Reader: h, Find: func(ctx context.Context, q query.Query) (query.Answer, error) { return query.Run(ctx, h, q) }}
}

func onEveryStore(t *testing.T, test func(*testing.T, house)) {
	everystore.Run(t, func(t *testing.T, store graph.Store) { test(t, build(t, store)) })
}

func TestFollow(t *testing.T) {
	onEveryStore(t, testFollow)
}

func testFollow(t *testing.T, h house) {
	inChair := []graph.ID{h.legs, h.back, h.red}
	for _, row := range []struct {
		name  string
		from  []graph.ID
		steps []search.Step
		want  search.Found
	}{
		{"no step finds where it starts", []graph.ID{h.hall}, nil, search.Found{Compositions: []graph.ID{h.hall}, Inside: []graph.ID{h.label}}},
		{"a linker by its name", []graph.ID{h.hall}, []search.Step{{Names: []string{"the_room_s_chair"}}}, search.Found{
			Compositions: []graph.ID{h.hall, h.chair}, Inside: append([]graph.ID{h.label}, inChair...), Links: []graph.ID{h.hasChair},
		}},
		{"backwards, by the end of its name", []graph.ID{h.chair}, []search.Step{{Suffixes: []string{"chair"}, Reverse: true}}, search.Found{
			Compositions: []graph.ID{h.chair, h.hall}, Inside: append(inChair, h.label), Links: []graph.ID{h.hasChair}, Reverse: []graph.ID{h.hasChair},
		}},
		{"a legacy linker by the end of its name, then all there are", []graph.ID{h.guest}, []search.Step{{Suffixes: []string{"like"}}, {}}, search.Found{
			Compositions: []graph.ID{h.guest, h.hall, h.chair}, Inside: append([]graph.ID{h.label}, inChair...), Links: []graph.ID{h.likes, h.hasChair},
		}},
		{"only what holds a text", []graph.ID{h.hall}, []search.Step{{Text: "RED"}}, search.Found{
			Compositions: []graph.ID{h.hall, h.chair}, Inside: append([]graph.ID{h.label}, inChair...), Links: []graph.ID{h.hasChair},
		}},
		{"nothing holds a text", []graph.ID{h.hall}, []search.Step{{Text: "blue"}, {}}, search.Found{
			Compositions: []graph.ID{h.hall}, Inside: []graph.ID{h.label},
		}},
		{"a name nobody made", []graph.ID{h.hall}, []search.Step{{Names: []string{"the_room_s_table"}}}, search.Found{
			Compositions: []graph.ID{h.hall}, Inside: []graph.ID{h.label},
		}},
		{"what is not there", []graph.ID{404}, []search.Step{{}}, search.Found{}},
	} {
		got, err := search.Follow(t.Context(), h.graph(), row.from, row.steps)
		if diff := cmp.Diff(row.want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", row.name, err, diff)
		}
	}
	if _, err := search.Follow(t.Context(), h.graph(), []graph.ID{h.hall}, make([]search.Step, search.MaxSteps+1)); graph.KindOf(err) != graph.TooLarge {
		t.Errorf("too many steps: %v", err)
	}
}

func TestAround(t *testing.T) {
	onEveryStore(t, testAround)
}

func testAround(t *testing.T, h house) {
	for text, want := range map[string][]graph.ID{"": {h.guest, h.hall, h.chair}, "red": {h.chair}, "stairs": {h.hall}, "blue": nil} {
		got, err := search.Around(t.Context(), h.graph(), []graph.ID{h.guest}, search.Step{Text: text})
		if diff := cmp.Diff(want, got.Compositions, cmpopts.EquateEmpty()); diff != "" || err != nil || len(got.Links) != 2 {
			t.Errorf("around the guest, what holds %q: %v, links %v\n%s", text, err, got.Links, diff)
		}
		if text == "stairs" && !cmp.Equal(got.Inside, []graph.ID{h.label}) {
			t.Errorf("inside what holds %q: %v", text, got.Inside)
		}
	}
}

func TestCompositions(t *testing.T) {
	onEveryStore(t, testCompositions)
}

func testCompositions(t *testing.T, h house) {
	for _, row := range []struct {
		text search.Text
		want []graph.ID
	}{
		{search.Text{Types: []string{"the_room"}, Text: "hall &"}, []graph.ID{h.hall}},
		{search.Text{Types: []string{"the_room"}, Text: "a"}, []graph.ID{h.attic, h.hall}},
		{search.Text{Types: []string{"the_room"}}, []graph.ID{h.attic, h.hall}},
		{search.Text{Types: []string{"the_room"}, Text: "a", Fields: []string{"the_label"}, Page: 2, PageSize: 1}, []graph.ID{h.hall}},
		{search.Text{Types: []string{"the_room"}, Text: "a", Fields: []string{"the_legs"}}, nil},
		{search.Text{Types: []string{"the_room"}, Text: "a", Fields: []string{"the_nothing"}}, []graph.ID{h.attic, h.hall}},
		{search.Text{Types: []string{"the_chair"}, Text: "red", Fields: []string{"back"}}, []graph.ID{h.chair}},
		{search.Text{Types: []string{"the_chair"}, Text: "4", Fields: []string{"back"}}, nil},
		{search.Text{Types: []string{"the_chair"}, Text: "red", Fields: []string{"the_chair"}}, []graph.ID{h.chair}},
		{search.Text{Types: []string{"the_nothing"}, Text: "a"}, nil},
		{search.Text{Types: []string{"the_nothing", "the_room"}, Fields: []string{"the_nothing", "the_room"}, Text: "a"}, []graph.ID{h.attic, h.hall}},
	} {
		if row.text.PageSize == 0 {
			row.text.PageSize = 10
		}
		got, err := search.Compositions(t.Context(), h.graph(), row.text)
		if diff := cmp.Diff(row.want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("%+v: %v\n%s", row.text, err, diff)
		}
	}
}

// The oldest of many rooms holds a rare text. To find it not all of them are looked at.
func TestARareTextIsFoundInItsIndex(t *testing.T) {
	const rooms = 6_000
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		b := graph.Batch{Sender: graph.Sender{User: 7}, Concepts: []graph.ConceptDraft{
			{Ghost: -1, TypeName: "the_label", Value: "with a needle in it"}, {Ghost: -2, TypeName: "the_label", Value: "hay"},
		}}
		for i := range graph.ID(rooms) {
			label := graph.ID(-2)
			if i == 0 {
				label = -1
			}
			b.Concepts = append(b.Concepts, graph.ConceptDraft{Ghost: -3 - i, Kind: graph.DraftComposition, TypeName: "the_room"})
			b.Connections = append(b.Connections, graph.ConnectionDraft{From: -3 - i, To: label, Type: -3 - i})
		}
		receipt, err := store.Write(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		g := search.Graph{Reader: store, Find: func(ctx context.Context, q query.Query) (query.Answer, error) {
			a, err := query.Run(ctx, store, q)
			rows += a.Plan.Rows()
			return a, err
		}}
		got, err := search.Compositions(t.Context(), g, search.Text{Types: []string{"the_room"}, Text: "a NEEDLE", PageSize: 10})
		if diff := cmp.Diff([]graph.ID{receipt.Concepts[2].ID}, got); diff != "" || err != nil || rows > rooms/2 {
			t.Errorf("%d rows, %v\n%s", rows, err, diff)
		}
	})
}

// Of a thousand chairs with something red only the oldest and the newest have a red back.
func TestARecordIsFoundBehindManyThatAlmostFit(t *testing.T) {
	const chairs = 1_001
	store, b := memory.New(), graph.Batch{Sender: graph.Sender{User: 7}}
	for i := range graph.ID(chairs) {
		chair, back, color := -3*i-1, -3*i-2, -3*i-3
		b.Concepts = append(b.Concepts,
			graph.ConceptDraft{Ghost: chair, Kind: graph.DraftComposition, TypeName: "the_chair"},
			graph.ConceptDraft{Ghost: back, Kind: graph.DraftComposition, TypeName: "back"},
			graph.ConceptDraft{Ghost: color, TypeName: "the_color", Value: fmt.Sprint("red ", i)})
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
		got, err := search.Compositions(t.Context(), house{Store: store}.graph(),
			search.Text{Types: []string{"the_chair"}, Fields: []string{"back"}, Text: "red", Page: page, PageSize: 1})
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("page %d: %v\n%s", page, err, diff)
		}
	}
}

func TestStepsOfTheContract(t *testing.T) {
	queries := []wire.SearchQuery{
		{Composition: 5, OfCompositions: []wire.Int{5, 0, 6}, FullLinkers: []wire.Text{"the_a_b"}, Inpage: 20_000, Page: 2},
		{ListLinkers: []wire.Text{"b"}, Linker: "c", Reverse: true, TextSearch: "x", Inpage: 10, Page: 1},
	}
	if diff := cmp.Diff([]graph.ID{5, 6}, search.Start(queries)); diff != "" {
		t.Error(diff)
	}
	steps, err := search.Steps(queries)
	want := []search.Step{
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
	holds := func(on string) query.Filter {
		return query.Filter{Name: "text", On: on, Op: graph.Like, Search: "%x%"}
	}
	if diff := cmp.Diff(query.Query{
		ConceptIDs: []graph.ID{5}, PageSize: 1, Hops: []query.Query{hop("the_a_b", false), hop("the_a_s_c_s", true)},
		Filters: []query.Filter{holds("far"), holds("inside")}, Logic: "text",
	}, q); diff != "" {
		t.Error(diff)
	}
	var filtered wire.SearchQuery
	if err := wire.Decode([]byte(`{"dofilter": true, "filterSearches": [{"a": 1}]}`), &filtered); err != nil {
		t.Fatal(err)
	}
	if _, err := search.Steps([]wire.SearchQuery{filtered}); graph.KindOf(err) != graph.Invalid || !strings.Contains(err.Error(), "filter") {
		t.Errorf("a filter: %v", err)
	}
}

func TestASearchEndsWithItsContext(t *testing.T) {
	h := build(t, memory.New())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := search.Compositions(ctx, h.graph(), search.Text{Types: []string{"the_room"}, Text: "a", PageSize: 1}); err == nil {
		t.Error("it goes on")
	}
}
