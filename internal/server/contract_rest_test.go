package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server/servertest"
)

func TestASchemaQueryWithoutAStartFindsNothing(t *testing.T) {
	c := newCaller(t, servertest.Start(t))
	for _, body := range []object{{}, {"type": "", "conceptIds": []int{}, "outputFormat": 6}, {"outputFormat": 3}, {"explain": true}} {
		answer := c.mustPost("/api/freeschema-query", body)
		for _, list := range []string{"mainCompositionIds", "linkers", "reverse", "conceptIds", "internalConnections", "countinfo"} {
			if got, ok := answer[list].([]any); !ok || len(got) > 0 {
				t.Errorf("%v: %s is %v; want an empty list", body, list, answer[list])
			}
		}
		if answer["mainCount"] != 0.0 {
			t.Errorf("%v: mainCount is %v; want 0", body, answer["mainCount"])
		}
	}
}

func TestUnsupportedMembersOfQueriesAndSearchesAreRefused(t *testing.T) {
	c := newCaller(t, servertest.Start(t))
	filter := func(member string, value any) object {
		f := object{"name": "a", "type": "the_text", "search": "x", "logicoperator": "=", "composition": true, "index": 0}
		f[member] = value
		return object{"type": "the_note", "filterLogic": "a", "filters": []object{f}}
	}
	c.mustPost("/api/freeschema-query", filter("index", 0))
	for want, body := range map[string]object{
		"composition false": filter("composition", false),
		"index 2":           filter("index", 2),
		"index 3":           {"type": "the_note", "freeschemaQueries": []object{{"typeConnection": "the_note_s_tag", "filters": []object{{"name": "b", "index": 3}}}}},
	} {
		if e := c.mustFailPost(http.StatusBadRequest, "/api/freeschema-query", body); !strings.Contains(e.Message, want) {
			t.Errorf("%v is refused with %q; want %q in it", body, e.Message, want)
		}
	}
	search := func(member string, value any) object {
		q := object{"composition": 0, "logic": "or", "selectors": []string{}, "filterSearches": []any{}, "doFilter": false}
		maps.Copy(q, object{member: value})
		return q
	}
	for _, logic := range []string{"", "or", "AND"} {
		c.mustPost("/api/recursivesearch-concept-connection", search("logic", logic))
	}
	for want, body := range map[string]object{
		"selectors": search("selectors", []string{"the_note_s_tag"}),
		"logic":     search("logic", "xor"),
	} {
		if e := c.mustFailPost(http.StatusBadRequest, "/api/recursivesearch-concept-connection", body); !strings.Contains(e.Message, want) {
			t.Errorf("%v is refused with %q; want %q in it", body, e.Message, want)
		}
	}
}

func TestAPageIsFoundByItsID(t *testing.T) {
	s := servePages(t, seededStore(t), builtSite)
	var about struct{ Page struct{ ID graph.ID } }
	_, body := get(t, "GET", s.URL+"/api/v1/pages?slug=/about")
	if err := json.Unmarshal([]byte(body), &about); err != nil {
		t.Fatal(err)
	}
	for range 2 { // first from the store, then from the cache
		response, byID := get(t, "GET", fmt.Sprintf("%s/api/v1/pages?id=%d", s.URL, about.Page.ID))
		if response.StatusCode != http.StatusOK || byID != body {
			t.Errorf("by its id, the page is %d %.200s; want %.200s", response.StatusCode, byID, body)
		}
	}
	for id, status := range map[string]int{
		"99999": http.StatusNotFound, graph.Word.String(): http.StatusNotFound,
		"": http.StatusBadRequest, "x": http.StatusBadRequest, "-1": http.StatusBadRequest, "0": http.StatusBadRequest,
	} {
		if response, body := get(t, "GET", s.URL+"/api/v1/pages?id="+id); response.StatusCode != status {
			t.Errorf("id %q: status %d %.200s; want %d", id, response.StatusCode, body, status)
		}
	}
}

func TestThePositionOfAConceptIsKept(t *testing.T) {
	c := newCaller(t, servertest.Start(t))
	sent := object{
		"id": -1, "ghostId": -1, "typeCharacter": "the_note", "characterValue": "", "categoryId": 4, "isComposition": true,
		"accessId": 4, "x": 120.25, "y": -45,
	}
	plain := object{"id": -2, "ghostId": -2, "typeCharacter": "the_text", "characterValue": "plain", "categoryId": 4, "x": 0, "y": 0}
	receipt := c.mustPost("/api/v1/local-concepts", object{"concepts": []object{sent, plain}, "connections": []any{}})
	written := receipt["concepts"].([]any)[0].(object)
	checkPosition := func(what string, concept object) {
		t.Helper()
		if concept["x"] != 120.25 || concept["y"] != -45.0 {
			t.Errorf("%s has the position %v, %v", what, concept["x"], concept["y"])
		}
	}
	checkPosition("the receipt", written)
	var byID object
	c.postForm("/api/getConcept", fmt.Sprintf("id=%.0f", written["id"]), &byID)
	checkPosition("the concept read by its id", byID)
	found := c.mustPost("/api/freeschema-query", object{"type": "the_note"})
	var read []object
	c.postJSON("/api/get_concept_bulk", found["mainCompositionIds"], &read)
	if len(read) != 1 {
		t.Fatalf("the query found %v", found)
	}
	checkPosition("the concept found by a query", read[0])
	if other := receipt["concepts"].([]any)[1].(object); other["x"] != nil {
		t.Errorf("a concept without a position has the x coordinate %v; want none", other["x"])
	}
	sent["x"] = "left"
	if e := c.mustFailPost(http.StatusBadRequest, "/api/v1/local-concepts", object{"concepts": []object{sent}}); !strings.Contains(e.Message, "x") {
		t.Errorf("a position that is not a number is refused with %q; want a message that names x", e.Message)
	}
}
