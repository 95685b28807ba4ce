package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/wire"
)

func TestCreatingOnline(t *testing.T) {
	s := servertest.Start(t)
	c := call(t, s)
	var ids, linkIDs []graph.ID
	c.get("/api/get_reserved_ids", &ids)
	c.get("/api/get_reserved_connection_ids", &linkIDs)
	if all := once(append(ids, linkIDs...)); len(all) != 40 || all[0] < graph.FirstFree {
		t.Fatalf("reserved %v and %v; want 20 each, all different", ids, linkIDs)
	}
	head, name, link := ids[0], ids[1], linkIDs[0]
	var made []wire.Concept
	c.json("/api/create_the_concept", []map[string]any{
		{"id": head, "categoryId": 4, "typeCharacter": "the_phonebook", "characterValue": "", "referentId": 0, "userId": 10267},
		{"ID": fmt.Sprint(name), "categoryId": 4, "typeCharacter": "the_name", "characterValue": "Ann", "referentId": 12, "unknown": []int{1}},
	}, &made)
	if len(made) != 2 || graph.ID(made[0].ID) != head || graph.ID(made[1].ID) != name || !bool(made[0].IsComposition) || made[1].UserID != 999 {
		t.Fatalf("made %+v", made)
	}
	connection := map[string]any{"id": link, "ofTheConceptId": head, "toTheConceptId": name, "typeId": head, "toUpdate": true, "isTemp": false}
	create := func(t *testing.T, path string, body any) []wire.Connection {
		t.Helper()
		var links []wire.Connection
		c.in(t).json(path, body, &links)
		return links
	}
	t.Run("a reserved id is kept, and sending it again makes nothing new", func(t *testing.T) {
		for _, path := range []string{"/api/create_the_connection", "/api/create_the_connection_new"} {
			if got := create(t, path, []any{connection}); len(got) != 1 || graph.ID(got[0].ID) != link {
				t.Errorf("%s made %+v; want %d", path, got, link)
			}
		}
	})
	t.Run("an id that was made up becomes another, once", func(t *testing.T) {
		for _, temporary := range []bool{true, false} {
			body := map[string]any{
				"id": 63_248_348, "ofTheConceptId": head, "toTheConceptId": name, "typeCharacter": fmt.Sprint("the_phonebook_name_", temporary),
				"isTemp": temporary, "applicationId": 7,
			}
			first, again := create(t, "/api/create_the_connection", []any{body}), create(t, "/api/create_the_connection", body)
			if len(first) != 1 || len(again) != 1 || first[0].ID == 63_248_348 || first[0].ID != again[0].ID {
				t.Errorf("made %+v, then %+v", first, again)
			}
		}
	})
	t.Run("an id of 0 is a new connection each time", func(t *testing.T) {
		body := []any{map[string]any{"id": 0, "ofTheConceptId": head, "toTheConceptId": name, "typeCharacter": "the_phonebook_s_name"}}
		first, again := create(t, "/api/create_the_connection", body), create(t, "/api/create_the_connection", body)
		if len(first) != 1 || len(again) != 1 || first[0].ID == again[0].ID || first[0].ID == 0 {
			t.Errorf("made %+v, then %+v", first, again)
		}
	})
	t.Run("a value that was there gets the id as another name", func(t *testing.T) {
		c, other := c.in(t), ids[2]
		var again []wire.Concept
		c.json("/api/create_the_concept", map[string]any{"id": other, "categoryId": 4, "typeCharacter": "the_name", "characterValue": "Ann"}, &again)
		if len(again) != 1 || graph.ID(again[0].ID) != name || graph.ID(again[0].GhostID) != other {
			t.Fatalf("made %+v; want %d", again, name)
		}
		var one wire.Concept
		c.multipart("/api/getConcept", map[string]string{"id": fmt.Sprint(other)}, &one)
		var many []wire.Concept
		c.json("/api/get_concept_bulk", []graph.ID{404, other, head}, &many)
		if graph.ID(one.ID) != name || len(many) != 2 || graph.ID(many[1].ID) != name || many[1].Type == nil {
			t.Errorf("%d is %+v, and in a list %+v; want %d", other, one, many, name)
		}
		var named wire.Concept
		c.json("/api/make-name-from-frontend", map[string]any{"newConceptId": other, "referent": "Ann", "typeId": 1, "typeUserId": 5}, &named)
		if graph.ID(named.ID) != name {
			t.Errorf("its name is %+v", named)
		}
		links := create(t, "/api/create_the_connection", []any{map[string]any{"id": linkIDs[1], "ofTheConceptId": head, "toTheConceptId": other, "typeId": head}})
		if len(links) != 1 || graph.ID(links[0].ToTheConceptID) != name {
			t.Errorf("linked %+v; want to %d", links, name)
		}
		var arriving []wire.Connection
		c.raw("/api/get-link-reverse-connections", fmt.Sprintf("typeId=%d&toTheConceptId=%d&userId=1", head, other), &arriving)
		if len(arriving) != 2 {
			t.Errorf("%+v arrive at %d; want 2", arriving, other)
		}
	})
	t.Run("an id that nobody reserved is refused", func(t *testing.T) {
		var e wire.Error
		status := c.in(t).do(http.MethodPost, "/api/create_the_concept", asJSON,
			strings.NewReader(`[{"id":7000001,"categoryId":4,"typeCharacter":"the_name","characterValue":"Zed"}]`), &e)
		if status != http.StatusBadRequest || !strings.Contains(e.Message, "7000001") {
			t.Errorf("%d %+v", status, e)
		}
	})
	if err := s.Store.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func once(ids []graph.ID) []graph.ID {
	seen := map[graph.ID]bool{}
	var all []graph.ID
	for _, id := range ids {
		if !seen[id] {
			seen[id], all = true, append(all, id)
		}
	}
	return all
}

func TestAConnectionWaitsForItsEnds(t *testing.T) {
	store := memory.New()
	handler := server.New(store, server.Options{AnonymousWrites: true})
	defer handler.Close()
	listening := httptest.NewServer(handler)
	defer listening.Close()
	c := call(t, &servertest.Server{URL: listening.URL, Store: store})
	var ids []graph.ID
	c.get("/api/get_reserved_ids", &ids)
	concept := func(id graph.ID, text string) map[string]any {
		return map[string]any{"id": id, "categoryId": 4, "typeCharacter": "the_name", "characterValue": text}
	}
	connected := make(chan []wire.Connection)
	go func() {
		var links []wire.Connection
		body, _ := json.Marshal([]any{map[string]any{"id": 0, "ofTheConceptId": ids[0], "toTheConceptId": ids[1], "typeCharacter": "the_x"}})
		answer, err := http.Post(listening.URL+"/api/create_the_connection", asJSON, bytes.NewReader(body))
		if err != nil {
			t.Error(err)
		} else {
			defer answer.Body.Close()
			if err := json.NewDecoder(answer.Body).Decode(&links); err != nil || answer.StatusCode != http.StatusOK {
				t.Errorf("answered %d, %v", answer.StatusCode, err)
			}
		}
		connected <- links
	}()
	for deadline := time.Now().Add(10 * time.Second); handler.Waiting() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the connection does not wait")
		}
	}
	var made []wire.Concept
	c.json("/api/create_the_concept", []any{concept(ids[0], "Ann")}, &made)
	c.json("/api/create_the_concept", []any{concept(ids[1], "Ben")}, &made)
	links := <-connected
	if len(links) != 1 || graph.ID(links[0].OfTheConceptID) != ids[0] || graph.ID(links[0].ToTheConceptID) != ids[1] || handler.Waiting() != 0 {
		t.Errorf("connected %+v; %d wait", links, handler.Waiting())
	}
}

func TestAConnectionDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	c := call(t, servertest.Start(t))
	var ids []graph.ID
	c.get("/api/get_reserved_ids", &ids)
	var e wire.Error
	body := fmt.Sprintf(`[{"id":0,"ofTheConceptId":%d,"toTheConceptId":1,"typeId":16}]`, ids[3])
	status := c.do(http.MethodPost, "/api/create_the_connection", asJSON, strings.NewReader(body), &e)
	if status != http.StatusNotFound || !strings.Contains(e.Message, ids[3].String()) {
		t.Errorf("%d %+v", status, e)
	}
}

func TestALongTextIsKeptUntilItsConceptArrives(t *testing.T) {
	s := servertest.Start(t)
	c := call(t, s)
	text := strings.Repeat("ü", kv.MaxValue/2+1) // two parts
	kept := func() int {
		entries, err := kv.In(s.Store).List(t.Context(), kv.Range{Prefix: "text/"})
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	var a, b wire.Character
	record := map[string]any{"id": 0, "userId": 10267, "data": text, "entryTimestamp": "1735787045678", "isNew": true}
	c.json("/api/create_text_data", record, &a)
	c.json("/api/create_text_data", record, &b)
	if a.ID == 0 || a.ID != b.ID || kept() != 3 { // with the list
		t.Errorf("answered %d, then %d; %d entries are kept", a.ID, b.ID, kept())
	}
	var ids []graph.ID
	c.get("/api/get_reserved_ids", &ids)
	var made []wire.Concept
	c.json("/api/create_the_concept", []any{map[string]any{"id": ids[0], "categoryId": 4, "referentId": 0, "typeCharacter": "the_text", "characterValue": text}}, &made)
	var found wire.Concept
	c.multipart("/api/getConcept", map[string]string{"id": ids[0].String()}, &found)
	if string(found.CharacterValue) != text || kept() != 0 {
		t.Errorf("the concept holds %d bytes, and %d entries are kept", len(found.CharacterValue), kept())
	}
	closed := call(t, servertest.Start(t, func(o *server.Options) { o.AnonymousWrites = false }))
	var e wire.Error
	if status := closed.do(http.MethodPost, "/api/create_text_data", asJSON, strings.NewReader(`{"data":"a"}`), &e); status != http.StatusUnauthorized {
		t.Errorf("a stranger's text: %d %+v", status, e)
	}
}

func TestTextsThatWaitForTheirConceptsAreFewAndExpire(t *testing.T) {
	s := servertest.Start(t)
	c := call(t, s)
	send := func(text string) int {
		var e wire.Error
		return c.do(http.MethodPost, "/api/create_text_data", asJSON, strings.NewReader(fmt.Sprintf(`{"data":%q}`, text)), &e)
	}
	large := func(i int) string { return fmt.Sprintf("%04d", i) + strings.Repeat("a", graph.MaxText-4) }
	for i := range 16 {
		if status := send(large(i)); status != http.StatusOK {
			t.Fatalf("text %d: %d", i, status)
		}
	}
	if again, more := send(large(3)), send("a"); again != http.StatusOK || more != http.StatusRequestEntityTooLarge {
		t.Errorf("beyond the most bytes: one that is kept %d, another %d", again, more)
	}
	var ids []graph.ID
	c.get("/api/get_reserved_ids", &ids)
	c.json("/api/create_the_concept", []any{map[string]any{"id": ids[0], "categoryId": 4, "typeCharacter": "the_text", "characterValue": large(3)}}, &[]wire.Concept{})
	for i := range 185 {
		if status := send(fmt.Sprint("short ", i)); status != http.StatusOK {
			t.Fatalf("short text %d, when one large text has arrived: %d", i, status)
		}
	}
	if more := send("a"); more != http.StatusRequestEntityTooLarge {
		t.Errorf("beyond the most texts: %d", more)
	}
	entries, err := kv.In(s.Store).List(t.Context(), kv.Range{Prefix: "text/"})
	if err != nil || len(entries) != 1+15*4+185 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
	soon := time.Now().Add(31 * 24 * time.Hour)
	for _, e := range entries {
		if e.Expires.IsZero() || e.Expires.After(soon) {
			t.Errorf("%s expires at %v", e.Key, e.Expires)
		}
	}
}

func TestTextsByValue(t *testing.T) {
	c := call(t, servertest.Start(t))
	var sent synced
	c.raw2sync(plain, &sent)
	var found, empty wire.Character
	c.raw("/api/get_character_by_character", "character_value=Ann & Co", &found)
	c.json("/api/create_character_data", map[string]any{"id": 0, "isNew": false, "userId": 0, "data": "0"}, &empty)
	if found.ID != sent.real(t, -108).ID || found.Data != "Ann & Co" || empty.ID != 0 {
		t.Errorf("found %+v and %+v", found, empty)
	}
}

func TestAPrototypeIsMade(t *testing.T) {
	s := servertest.Start(t)
	c := call(t, s)
	var made, again wire.Concept
	c.json("/api/create-prototype", map[string]any{
		"prototype": "the_person", "required": []string{"the_name"}, "optional": []string{"age"}, "field": "string",
		"childPrototypes": []any{map[string]any{"prototype": "address", "isCompositional": true, "options": []any{map[string]any{"type": "city", "value": "Oslo"}}}},
	}, &made)
	if made.CategoryID != 5124 || made.CharacterValue != "the_person" || made.Type == nil || made.Type.CharacterValue != "the_person" {
		t.Fatalf("made %+v", made)
	}
	var links []wire.Connection
	c.get(fmt.Sprintf("/api/get-all-linkers-from-concept?conceptId=%d", made.ID), &links)
	var types []graph.ID
	for _, link := range links {
		types = append(types, graph.ID(link.TypeID))
	}
	concepts, err := s.Store.Concepts(t.Context(), types)
	names := map[string]bool{}
	for _, c := range concepts {
		names[c.Value] = true
	}
	want := map[string]bool{
		"the_prototype_of_the_person_requires": true, "the_prototype_of_the_person_optional": true,
		"the_prototype_of_the_person_requires_the_composition": true,
	}
	if diff := cmp.Diff(want, names); diff != "" || err != nil {
		t.Errorf("it is linked by %v, %v", diff, err)
	}
	c.json("/api/create-prototype", map[string]any{"prototype": "the_person"}, &again)
	var people []wire.Concept
	c.raw("/api/get_all_concepts_by_type", "type=the_person", &people)
	if again.ID == made.ID || len(people) != 0 {
		t.Errorf("again it is %d, and %+v are people", again.ID, people)
	}
}
