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

func TestRead(t *testing.T) {
	s := servertest.Start(t)
	c := newCaller(t, s)
	var sent synced
	c.postSync(plainBatch, &sent)
	head, name, link := sent.recordOf(t, -104), sent.recordOf(t, -108), sent.Connections[1]

	checkConcept := func(t *testing.T, got wire.Concept, want wire.Int) {
		t.Helper()
		if got.ID != want || want != 0 && got.Type == nil || want == 0 && got.UserID != 0 {
			t.Errorf("response %+v; want concept %d with its type", got, want)
		}
	}
	t.Run("finds a concept by id, in every encoding", func(t *testing.T) {
		c := c.in(t)
		var a, b, d, e wire.Concept
		c.postMultipart("/api/getConcept", map[string]string{"id": fmt.Sprint(name.ID)}, &a)
		c.postForm("/api/getConcept", fmt.Sprintf("id=%d", name.ID), &b)
		c.postJSON("/api/getConcept", map[string]any{"id": name.ID}, &d)
		c.mustDo(http.MethodPost, fmt.Sprintf("/api/getConcept?id=%d", name.ID), "", nil, &e)
		for _, got := range []wire.Concept{a, b, d, e} {
			checkConcept(t, got, name.ID)
		}
	})
	t.Run("a missing concept has id 0", func(t *testing.T) {
		c := c.in(t)
		var got wire.Concept
		for _, id := range []string{"404404", "0", "-104"} {
			c.postMultipart("/api/getConcept", map[string]string{"id": id}, &got)
			checkConcept(t, got, 0)
		}
		c.postMultipart("/api/get_concept_by_character_value", map[string]string{"character_value": "nobody"}, &got)
		checkConcept(t, got, 0)
		var link wire.Connection
		c.postMultipart("/api/get-connection-by-id", map[string]string{"id": "404404"}, &link)
		if link.ID != 0 {
			t.Errorf("response %+v", link)
		}
	})
	t.Run("finds concepts by ids, each once, without missing ones", func(t *testing.T) {
		c := c.in(t)
		var got []wire.Concept
		c.postJSON("/api/get_concept_bulk", []any{name.ID, head.ID, fmt.Sprint(name.ID), 404404, -5}, &got)
		if len(got) != 2 || got[0].ID != name.ID || got[1].ID != head.ID || got[1].Type == nil {
			t.Errorf("response %+v", got)
		}
	})
	t.Run("finds a value with a raw & in it", func(t *testing.T) {
		c := c.in(t)
		var got wire.Concept
		c.postForm("/api/get_concept_by_character_value", "character_value=Ann & Co", &got)
		checkConcept(t, got, name.ID)
	})
	t.Run("finds the plain word before the type by value", func(t *testing.T) {
		c := c.in(t)
		c.postSync(`{"concepts":[{"id":-150,"categoryId":4,"typeCharacter":"the_word","characterValue":"name"}]}`, &synced{})
		var got wire.Concept
		c.postMultipart("/api/get_concept_by_character_value", map[string]string{"character_value": "name"}, &got)
		if got.TypeID != 51 || got.CategoryID != 1 {
			t.Errorf("name is %+v; want the bare word", got)
		}
		c.postMultipart("/api/get_concept_by_character_value", map[string]string{"character_value": "the_phonebook_s_name"}, &got)
		checkConcept(t, got, link.TypeID)
	})
	t.Run("finds a concept by value and type", func(t *testing.T) {
		c := c.in(t)
		var got wire.Concept
		c.postJSON("/api/get_concept_by_character_and_type", map[string]any{"character_value": "Ann & Co", "type_id": name.TypeID}, &got)
		checkConcept(t, got, name.ID)
		for _, typ := range []any{"51", 0, "-103"} { // clients send 0 or a local id for a type that they did not find
			c.postJSON("/api/get_concept_by_character_and_type", map[string]any{"character_value": "Ann & Co", "type_id": typ}, &got)
			checkConcept(t, got, 0)
		}
	})
	t.Run("finds a concept by value and category", func(t *testing.T) {
		c := c.in(t)
		var got wire.Concept
		c.postForm("/api/get_concept_by_character_and_category_direct", "character_value=Ann & Co&category_id=4", &got)
		checkConcept(t, got, name.ID)
		c.postForm("/api/get_concept_by_character_and_category_direct", "character_value=the_phonebook_s_name&category_id=1", &got)
		checkConcept(t, got, link.TypeID)
		c.postForm("/api/get_concept_by_character_and_category_direct", "character_value=Ann & Co&category_id=0", &got)
		checkConcept(t, got, 0)
	})
	t.Run("finds the ids of types by name", func(t *testing.T) {
		c := c.in(t)
		var ids []wire.Int
		c.postJSON("/api/get_type_concept_by_character_bulk", []string{"the_name", "the_nothing", "the_phonebook"}, &ids)
		if diff := cmp.Diff([]wire.Int{name.TypeID, head.TypeID}, ids); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("lists the instances of a type", func(t *testing.T) {
		c := c.in(t)
		var got []wire.Concept
		c.mustDo(http.MethodPost, "/api/get_all_concepts_by_type", asForm, strings.NewReader(url.Values{"type": {"the_phonebook"}, "user_id": {"999"}}.Encode()), &got)
		if len(got) != 1 || got[0].ID != head.ID {
			t.Errorf("response %+v", got)
		}
		c.postForm("/api/get_all_concepts_by_type", "type=the_nothing&user_id=999", &got)
		if len(got) != 0 {
			t.Errorf("response %+v", got)
		}
	})
	t.Run("finds connections by id", func(t *testing.T) {
		c := c.in(t)
		var a wire.Connection
		c.postMultipart("/api/get-connection-by-id", map[string]string{"id": fmt.Sprint(link.ID)}, &a)
		var list []wire.Connection
		c.postJSON("/api/get_connection_bulk", []any{link.ID, 404404}, &list)
		for _, got := range append(list, a) {
			if got.ID != link.ID || got.OfTheConceptID != head.ID || got.ToTheConceptID != name.ID || got.TypeID != link.TypeID {
				t.Errorf("response %+v", got)
			}
		}
	})
	t.Run("lists the connections at a concept, in both directions", func(t *testing.T) {
		c := c.in(t)
		for path, want := range map[string]int{
			fmt.Sprintf("/api/get-all-linkers-from-concept?conceptId=%d", head.ID): 2,
			fmt.Sprintf("/api/get-all-linkers-to-concept?conceptId=%d", name.ID):   2,
			fmt.Sprintf("/api/get-all-linkers-to-concept?conceptId=%d", head.ID):   0,
		} {
			var got []wire.Connection
			c.get(path, &got)
			if len(got) != want {
				t.Errorf("%s: %d connections; want %d", path, len(got), want)
			}
		}
		for path, form := range map[string]string{
			"/api/get-link-connections":         fmt.Sprintf("typeId=%d&ofTheConceptId=%d&userId=999&inpage=10&page=1", link.TypeID, head.ID),
			"/api/get-link-reverse-connections": fmt.Sprintf("typeId=%d&toTheConceptId=%d&userId=999&inpage=10&page=1", link.TypeID, name.ID),
		} {
			var got []wire.Connection
			c.postForm(path, form, &got)
			if len(got) != 1 || got[0].ID != link.ID {
				t.Errorf("%s: response %+v", path, got)
			}
		}
	})
	t.Run("lists the connections inside compositions", func(t *testing.T) {
		c := c.in(t)
		var got []wire.Connection
		c.postJSON("/api/get_all_connections_of_composition_bulk", []any{head.ID, name.ID}, &got)
		if len(got) != 1 || got[0].TypeID != head.ID {
			t.Errorf("response %+v", got)
		}
	})
	t.Run("runs a query", func(t *testing.T) {
		c := c.in(t)
		var got wire.Answer
		c.postJSON("/api/freeschema-query", map[string]any{
			"TYPE": "the_phonebook", "inpage": 10, "page": 1, "outputFormat": 6, "filterLogic": "", "filters": []any{},
			"freeschemaQueries": []any{
				map[string]any{"typeConnection": "the_phonebook_s_name", "limit": true},
				map[string]any{"typeConnection": "self", "limit": true},
			},
		}, &got)
		want := wire.Answer{
			ConceptIDs: []graph.ID{graph.ID(name.ID), graph.ID(head.ID)}, Linkers: []graph.ID{graph.ID(sent.Connections[0].ID), graph.ID(link.ID)},
			InternalConnections: []graph.ID{}, Reverse: []graph.ID{}, MainCompositionIDs: []graph.ID{graph.ID(head.ID)},
			MainCount: 1, CountInfo: []string{fmt.Sprintf("%d_%d_1", head.ID, link.TypeID)},
		}
		if head.ID < name.ID {
			want.ConceptIDs[0], want.ConceptIDs[1] = want.ConceptIDs[1], want.ConceptIDs[0]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a query in a format with records returns records and ids", func(t *testing.T) {
		c := c.in(t)
		dataIn := func(format int) string {
			var got wire.Answer
			c.postJSON("/api/freeschema-query", map[string]any{
				"type": "the_phonebook", "selectors": []string{"the_phonebook_s_name"}, "outputFormat": format,
			}, &got)
			if len(got.Linkers) != 1 || len(got.MainCompositionIDs) != 1 {
				t.Errorf("format %d has no ids: %+v", format, got)
			}
			return string(got.Data)
		}
		want := fmt.Sprintf(`[{"the_phonebook":{"the_phonebook_s_name":[{"the_name":"Ann & Co"}]},"id":%d}]`, head.ID)
		if got := dataIn(1); got != want {
			t.Errorf("response %s; want %s", got, want)
		}
		for _, format := range []int{0, 5, 6, 99} {
			if got := dataIn(format); got != "" {
				t.Errorf("format %d has records: %s", format, got)
			}
		}
	})
	t.Run("an empty response has lists, and incomplete filter logic is rejected", func(t *testing.T) {
		c := c.in(t)
		var got map[string]any
		c.postJSON("/api/freeschema-query", map[string]any{"type": "the_nothing"}, &got)
		for _, member := range []string{"linkers", "reverse", "mainCompositionIds", "countinfo", "conceptIds", "internalConnections"} {
			if list, ok := got[member].([]any); !ok || len(list) != 0 {
				t.Errorf("%s is %v; want an empty list", member, got[member])
			}
		}
		var e wire.Error
		status := c.do(http.MethodPost, "/api/freeschema-query", asJSON,
			strings.NewReader(`{"type":"the_phonebook","filters":[{"type":"the_name","search":"Ann","name":"a"}],"filterlogic":"a AND"}`), &e)
		if status != http.StatusBadRequest || !strings.Contains(e.Message, "logic") || e.StatusText != e.Message {
			t.Errorf("incomplete logic: status %d %+v; want 400 and a message that names logic", status, e)
		}
	})
	t.Run("serves the requests of a starting client, with a doubled slash", func(t *testing.T) {
		c := c.in(t)
		var config struct {
			Success bool
			Servers []string
			Session int64
		}
		c.mustDo(http.MethodPost, "//api/v1/config?application=a%20b", "", nil, &config)
		if !config.Success || config.Servers == nil || config.Session < 1000 || config.Session > 1<<53 {
			t.Errorf("response %+v", config)
		}
		var fixed []wire.Concept
		c.get("/api/get-preloaded-concepts", &fixed)
		if len(fixed) != len(graph.Fixed()) || fixed[0].Type == nil {
			t.Errorf("%d fixed concepts", len(fixed))
		}
		var health struct{ Status string }
		if c.get("/api/health", &health); health.Status != "ok" {
			t.Errorf("response %+v", health)
		}
	})
}
