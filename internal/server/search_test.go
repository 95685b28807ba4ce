package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/wire"
)

// roomsBatch creates a hall with a chair, and an attic.
const roomsBatch = `{"concepts":[
	{"id":-1,"categoryId":4,"typeCharacter":"the_room","isComposition":true},
	{"id":-2,"categoryId":4,"typeCharacter":"the_label","characterValue":"Hall & Stairs"},
	{"id":-3,"categoryId":4,"typeCharacter":"the_chair","isComposition":true},
	{"id":-4,"categoryId":4,"typeCharacter":"the_legs","characterValue":"4"},
	{"id":-5,"categoryId":4,"typeCharacter":"the_room","isComposition":true},
	{"id":-6,"categoryId":4,"typeCharacter":"the_connection","characterValue":"the_room_s_seat_s"}],
	"connections":[
	{"id":-11,"ofTheConceptId":-1,"toTheConceptId":-2,"typeId":-1},
	{"id":-12,"ofTheConceptId":-3,"toTheConceptId":-4,"typeId":-3},
	{"id":-13,"ofTheConceptId":-1,"toTheConceptId":-3,"typeCharacter":"the_room_s_chair","orderId":1000},
	{"id":-14,"ofTheConceptId":-1,"toTheConceptId":-3,"typeId":-6,"orderId":1000}]}`

func TestSearches(t *testing.T) {
	c := newCaller(t, servertest.Start(t))
	var sent synced
	c.postSync(roomsBatch, &sent)
	hall, chair, attic := graph.ID(sent.recordOf(t, -1).ID), graph.ID(sent.recordOf(t, -3).ID), graph.ID(sent.recordOf(t, -5).ID)
	link := func(i int) graph.ID { return graph.ID(sent.Connections[i].ID) }
	steps := []map[string]any{{
		"composition": hall, "type": "", "linker": "", "inpage": 10, "page": 1, "listLinkers": []string{}, "fullLinkers": []string{"the_room_s_chair"},
		"textSearch": "", "logic": "or", "reverse": false, "doFilter": false, "filterSearches": []any{}, "selectors": []any{}, "ofCompositions": []any{hall},
	}}
	checkEqual := func(t *testing.T, want, got any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	t.Run("follows linkers", func(t *testing.T) {
		for _, path := range []string{"/api/Connection/search-link-multiple-all-ccs", "/api/Connection/search-link-multiple-all"} {
			var got wire.SearchResult
			c.in(t).postJSON(path, steps, &got)
			checkEqual(t, wire.SearchResult{
				CompositionIDs: []graph.ID{hall, chair}, InternalConnections: []graph.ID{link(0), link(1)}, Linkers: []graph.ID{link(2)},
				Reverse: []graph.ID{}, MainCompositionIDs: []graph.ID{hall},
			}, got)
		}
	})
	t.Run("searches recursively for text", func(t *testing.T) {
		var got wire.RecursiveSearchResult
		c.in(t).postJSON("/api/recursivesearch-concept-connection", map[string]any{"composition": hall, "listLinkers": []string{"seat"}, "textSearch": "stairs"}, &got)
		checkEqual(t, wire.RecursiveSearchResult{CompositionIDs: []graph.ID{hall}, InternalConnections: []graph.ID{link(0)}, ExternalConnections: []graph.ID{link(3)}}, got)
	})
	t.Run("searches by words without percent-encoding, then follows all linkers", func(t *testing.T) {
		for _, path := range []string{"/api/search-all-with-linker-ccs", "/api-search-compositions-internal-clean-ccs"} {
			var got wire.SearchResult
			c.in(t).postJSON(path+"?search=hall%20&%20st&type=the_room&inpage=10&page=1", []map[string]any{{"type": "the_room", "inpage": 10, "page": 1}}, &got)
			checkEqual(t, wire.SearchResult{
				CompositionIDs: []graph.ID{hall, chair}, InternalConnections: []graph.ID{link(0), link(1)}, Linkers: []graph.ID{link(3), link(2)},
				Reverse: []graph.ID{}, MainCompositionIDs: []graph.ID{hall},
			}, got)
		}
	})
	t.Run("returns ids and concepts by words", func(t *testing.T) {
		c := c.in(t)
		words := "?composition=the_room&search=&internalComposition=&type=the_room&inpage=10&page=1"
		for _, path := range []string{"/api-search-compositions-internal-clean-ccs", "/api/search-composition-internal-authenticated-ccs"} {
			var got []graph.ID
			c.get(path+words, &got)
			checkEqual(t, []graph.ID{attic, hall}, got)
			c.get(path+"?composition=none&search=unknown&internalComposition=none&type=the_room&inpage=10&page=1", &got)
			checkEqual(t, []graph.ID{}, got)
		}
		var concepts []wire.Concept
		c.get("/api/search-compositions?"+url.Values{"type": {"the_room"}, "search": {"hall & "}, "composition": {"the_room"}}.Encode(), &concepts)
		if len(concepts) != 1 || graph.ID(concepts[0].ID) != hall || concepts[0].Type == nil {
			t.Errorf("found %+v", concepts)
		}
	})
	t.Run("returns the contents of compositions", func(t *testing.T) {
		var got []wire.CompositionContent
		c.in(t).postJSON("/api/view-api-internal-data-ccs-id-bulk", []graph.ID{attic, hall, hall, 404}, &got)
		if len(got) != 1 || got[0].ID != hall || len(got[0].Concepts) != 2 || len(got[0].Connections) != 1 || graph.ID(got[0].Connections[0].TypeID) != hall {
			t.Errorf("response %+v", got)
		}
	})
	t.Run("an empty result has lists", func(t *testing.T) {
		var got map[string]any
		c.in(t).postJSON("/api/Connection/search-link-multiple-all-ccs", []any{map[string]any{"composition": 404}}, &got)
		for _, member := range []string{"compositionIds", "internalConnections", "linkers", "reverse"} {
			if list, ok := got[member].([]any); !ok || len(list) != 0 {
				t.Errorf("%s is %v; want an empty list", member, got[member])
			}
		}
	})
}

func TestConnectionsBetweenTwoConceptsAreFound(t *testing.T) {
	c := newCaller(t, servertest.Start(t))
	var sent synced
	c.postSync(roomsBatch, &sent)
	hall, label, chair := sent.recordOf(t, -1).ID, sent.recordOf(t, -2).ID, sent.recordOf(t, -3).ID
	var got []wire.LinksBetween
	c.postJSON("/api/get-connection-between", []map[string]any{
		{"ofTheConceptId": hall, "toTheConceptId": chair, "type": "the_room_s_chair"},
		{"OFTHECONCEPTID": chair, "toTheConceptId": fmt.Sprint(hall), "type": "the_room_s_chair", "reverse": true},
		{"ofTheConceptId": hall, "toTheConceptId": chair, "oldType": "the_room_s_seat_s"},
		{"ofTheConceptId": hall, "toTheConceptId": label, "typeId": hall},
		{"typeId": hall, "isComposition": true},
		{"ofTheConceptId": hall, "toTheConceptId": chair, "type": "the_nothing"},
		{"ofTheConceptId": hall, "toTheConceptId": chair},
	}, &got)
	want := [][]int{{2}, {2}, {3}, {0}, {0}, {}, {}}
	if len(got) != len(want) {
		t.Fatalf("response %+v", got)
	}
	for i, list := range want {
		ids := []graph.ID{}
		for _, n := range list {
			ids = append(ids, graph.ID(sent.Connections[n].ID))
		}
		if diff := cmp.Diff(ids, got[i].ConnectionIDs); diff != "" {
			t.Errorf("pair %d: %s", i, diff)
		}
	}
	if got[0].TypeID != sent.Connections[2].TypeID || got[0].Type != "the_room_s_chair" {
		t.Errorf("the type of the first pair = %+v; want the_room_s_chair, id %d", got[0], sent.Connections[2].TypeID)
	}

	var links []wire.Connection
	c.postMultipart("/api/get-composition-connection-between-two-concepts",
		map[string]string{"ofConceptId": fmt.Sprint(hall), "mainKey": fmt.Sprint(hall), "toConceptId": fmt.Sprint(label)}, &links)
	if len(links) != 1 || links[0].ID != sent.Connections[0].ID {
		t.Errorf("the connections inside the hall = %+v; want only %d", links, sent.Connections[0].ID)
	}
	c.postMultipart("/api/get-composition-connection-between-two-concepts",
		map[string]string{"ofConceptId": fmt.Sprint(hall), "mainKey": "0", "toConceptId": fmt.Sprint(label)}, &links)
	if len(links) != 0 {
		t.Errorf("the connections of a type that does not exist = %+v; want none", links)
	}
	c.postJSON("/api/get-connection-by-types", map[string]any{"ofTheConceptId": hall, "connectionTypes": []string{"the_room_s_chair", "the_nothing"}}, &links)
	if len(links) != 1 || links[0].ID != sent.Connections[2].ID {
		t.Errorf("of types: %+v", links)
	}
	c.postJSON("/api/get-connection-by-types", map[string]any{"ofTheConceptId": hall, "connectionTypes": []string{"the_room_s_seat_s"}}, &links)
	if len(links) != 1 || links[0].ID != sent.Connections[3].ID {
		t.Errorf("the connections of a legacy linker = %+v; want only %d", links, sent.Connections[3].ID)
	}
	c.postJSON("/api/get-connection-by-types", map[string]any{"connectionTypes": []string{"the_nothing"}}, &links)
	if len(links) != 0 {
		t.Errorf("the connections without a concept, of a type that does not exist = %+v; want none", links)
	}
}

func TestConnectionFromARemovedConceptIsRefused(t *testing.T) {
	c := newCaller(t, servertest.Start(t))
	var sent synced
	c.postSync(roomsBatch, &sent)
	id := fmt.Sprint(sent.recordOf(t, -5).ID)
	c.postMultipart("/api/delete_concept", map[string]string{"id": id}, &map[string]any{})
	var e wire.Error
	status := c.do(http.MethodPost, "/api/v1/local-concepts", asJSON,
		strings.NewReader(`{"connections":[{"id":-99,"ofTheConceptId":`+id+`,"toTheConceptId":-2,"typeCharacter":"the_room_s_label"}]}`), &e)
	if status != http.StatusNotFound || e.Kind != graph.NotFound {
		t.Errorf("%d %+v; want notFound", status, e)
	}
	var links []wire.Connection
	c.postJSON("/api/v1/local-connections", []map[string]any{
		{"id": -98, "ofTheConceptId": -1, "toTheConceptId": -4, "typeCharacter": "the_room_s_legs", "applicationId": 424242, "type": map[string]any{"id": 0}},
	}, &links)
	if len(links) != 1 || links[0].OfTheConceptID != sent.recordOf(t, -1).ID {
		t.Errorf("connected %+v", links)
	}
}
