package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/race"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/wire"
)

func TestCreateWithReservedIDs(t *testing.T) {
	s := servertest.Start(t)
	c := newCaller(t, s)
	var ids, linkIDs []graph.ID
	c.get("/api/get_reserved_ids", &ids)
	c.get("/api/get_reserved_connection_ids", &linkIDs)
	if all := unique(append(ids, linkIDs...)); len(all) != 40 || all[0] < graph.FirstFree {
		t.Fatalf("reserved %v and %v; want 20 each, all different", ids, linkIDs)
	}
	head, name, link := ids[0], ids[1], linkIDs[0]
	var created []wire.Concept
	c.postJSON("/api/create_the_concept", []map[string]any{
		{"id": head, "categoryId": 4, "typeCharacter": "the_phonebook", "characterValue": "", "referentId": 0, "userId": 10267},
		{"ID": fmt.Sprint(name), "categoryId": 4, "typeCharacter": "the_name", "characterValue": "Ann", "referentId": 12, "unknown": []int{1}},
	}, &created)
	if len(created) != 2 || graph.ID(created[0].ID) != head || graph.ID(created[1].ID) != name || !bool(created[0].IsComposition) || created[1].UserID != 999 {
		t.Fatalf("created %+v", created)
	}
	connection := map[string]any{"id": link, "ofTheConceptId": head, "toTheConceptId": name, "typeId": head, "toUpdate": true, "isTemp": false}
	create := func(t *testing.T, path string, body any) []wire.Connection {
		t.Helper()
		var links []wire.Connection
		c.in(t).postJSON(path, body, &links)
		return links
	}
	t.Run("a concept keeps its reserved id, and sending it again creates nothing", func(t *testing.T) {
		for _, path := range []string{"/api/create_the_connection", "/api/create_the_connection_new"} {
			if got := create(t, path, []any{connection}); len(got) != 1 || graph.ID(got[0].ID) != link {
				t.Errorf("%s created %+v; want %d", path, got, link)
			}
		}
	})
	t.Run("an invented id is replaced by a real id, and sending it again creates nothing", func(t *testing.T) {
		for _, temporary := range []bool{true, false} {
			body := map[string]any{
				"id": 63_248_348, "ofTheConceptId": head, "toTheConceptId": name, "typeCharacter": fmt.Sprint("the_phonebook_name_", temporary),
				"isTemp": temporary, "applicationId": 7,
			}
			first, repeated := create(t, "/api/create_the_connection", []any{body}), create(t, "/api/create_the_connection", body)
			if len(first) != 1 || len(repeated) != 1 || first[0].ID == 63_248_348 || first[0].ID != repeated[0].ID {
				t.Errorf("created %+v, then %+v", first, repeated)
			}
		}
	})
	t.Run("an id of 0 is a new connection each time", func(t *testing.T) {
		body := []any{map[string]any{"id": 0, "ofTheConceptId": head, "toTheConceptId": name, "typeCharacter": "the_phonebook_s_name"}}
		first, repeated := create(t, "/api/create_the_connection", body), create(t, "/api/create_the_connection", body)
		if len(first) != 1 || len(repeated) != 1 || first[0].ID == repeated[0].ID || first[0].ID == 0 {
			t.Errorf("created %+v, then %+v", first, repeated)
		}
	})
	t.Run("the reserved id of an existing value becomes an alias", func(t *testing.T) {
		c, other := c.in(t), ids[2]
		var repeated []wire.Concept
		c.postJSON("/api/create_the_concept", map[string]any{"id": other, "categoryId": 4, "typeCharacter": "the_name", "characterValue": "Ann"}, &repeated)
		if len(repeated) != 1 || graph.ID(repeated[0].ID) != name || graph.ID(repeated[0].GhostID) != other {
			t.Fatalf("created %+v; want %d", repeated, name)
		}
		var one wire.Concept
		c.postMultipart("/api/getConcept", map[string]string{"id": fmt.Sprint(other)}, &one)
		var many []wire.Concept
		c.postJSON("/api/get_concept_bulk", []graph.ID{404, other, head}, &many)
		if graph.ID(one.ID) != name || len(many) != 2 || graph.ID(many[1].ID) != name || many[1].Type == nil {
			t.Errorf("%d is %+v, and in a list %+v; want %d", other, one, many, name)
		}
		var named wire.Concept
		c.postJSON("/api/make-name-from-frontend", map[string]any{"newConceptId": other, "referent": "Ann", "typeId": 1, "typeUserId": 5}, &named)
		if graph.ID(named.ID) != name {
			t.Errorf("make-name-from-frontend returned %+v; want the concept %d", named, name)
		}
		links := create(t, "/api/create_the_connection", []any{map[string]any{"id": linkIDs[1], "ofTheConceptId": head, "toTheConceptId": other, "typeId": head}})
		if len(links) != 1 || graph.ID(links[0].ToTheConceptID) != name {
			t.Errorf("linked %+v; want to %d", links, name)
		}
		var reverseLinks []wire.Connection
		c.postForm("/api/get-link-reverse-connections", fmt.Sprintf("typeId=%d&toTheConceptId=%d&userId=1", head, other), &reverseLinks)
		if len(reverseLinks) != 2 {
			t.Errorf("connections %+v lead to %d; want 2 connections", reverseLinks, other)
		}
	})
	t.Run("refuses an id that was not reserved", func(t *testing.T) {
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

// unique returns the ids without duplicates.
func unique(ids []graph.ID) []graph.ID {
	seen := map[graph.ID]bool{}
	var all []graph.ID
	for _, id := range ids {
		if !seen[id] {
			seen[id], all = true, append(all, id)
		}
	}
	return all
}

func TestConnectionWaitsForItsEnds(t *testing.T) {
	store := memory.New()
	handler := server.New(store, server.Options{AnonymousWrites: true})
	defer handler.Close()
	httpServer := httptest.NewServer(handler)
	defer httpServer.Close()
	c := newCaller(t, &servertest.Server{URL: httpServer.URL, Store: store})
	var ids []graph.ID
	c.get("/api/get_reserved_ids", &ids)
	concept := func(id graph.ID, text string) map[string]any {
		return map[string]any{"id": id, "categoryId": 4, "typeCharacter": "the_name", "characterValue": text}
	}
	connected := make(chan []wire.Connection)
	go func() {
		var links []wire.Connection
		body, _ := json.Marshal([]any{map[string]any{"id": 0, "ofTheConceptId": ids[0], "toTheConceptId": ids[1], "typeCharacter": "the_x"}})
		response, err := http.Post(httpServer.URL+"/api/create_the_connection", asJSON, bytes.NewReader(body))
		if err != nil {
			t.Error(err)
		} else {
			defer response.Body.Close()
			if err := json.NewDecoder(response.Body).Decode(&links); err != nil || response.StatusCode != http.StatusOK {
				t.Errorf("status %d, %v; want 200 and JSON", response.StatusCode, err)
			}
		}
		connected <- links
	}()
	for deadline := time.Now().Add(10 * time.Second); handler.WaitingRequests() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the connection does not wait")
		}
	}
	var created []wire.Concept
	c.postJSON("/api/create_the_concept", []any{concept(ids[0], "Ann")}, &created)
	c.postJSON("/api/create_the_concept", []any{concept(ids[1], "Ben")}, &created)
	links := <-connected
	if len(links) != 1 || graph.ID(links[0].OfTheConceptID) != ids[0] || graph.ID(links[0].ToTheConceptID) != ids[1] || handler.WaitingRequests() != 0 {
		t.Errorf("connected %+v; %d wait", links, handler.WaitingRequests())
	}
}

func TestConnectionWaitTimesOut(t *testing.T) {
	t.Parallel()
	c := newCaller(t, servertest.Start(t))
	var ids []graph.ID
	c.get("/api/get_reserved_ids", &ids)
	var e wire.Error
	body := fmt.Sprintf(`[{"id":0,"ofTheConceptId":%d,"toTheConceptId":1,"typeId":16}]`, ids[3])
	status := c.do(http.MethodPost, "/api/create_the_connection", asJSON, strings.NewReader(body), &e)
	if status != http.StatusNotFound || !strings.Contains(e.Message, ids[3].String()) {
		t.Errorf("%d %+v", status, e)
	}
}

// A client of the contract sends unrelated connections in one request.
func TestBadConnectionsAreLeftOutOfACreation(t *testing.T) {
	t.Parallel()
	c := newCaller(t, servertest.Start(t))
	var ids, linkIDs []graph.ID
	c.get("/api/get_reserved_ids", &ids)
	c.get("/api/get_reserved_connection_ids", &linkIDs)
	people := []any{}
	for i, name := range []string{"Ann", "Ben"} {
		people = append(people, map[string]any{"id": ids[i], "typeCharacter": "the_name", "characterValue": name, "categoryId": 4})
	}
	c.postJSON("/api/create_the_concept", people, new([]wire.Concept))
	link := func(id, from, to, typ graph.ID) any {
		return map[string]any{"id": id, "ofTheConceptId": from, "toTheConceptId": to, "typeId": typ}
	}
	good := link(linkIDs[0], ids[0], ids[1], ids[0])
	for what, bad := range map[string]any{
		"an end that does not exist": link(linkIDs[1], ids[0], ids[5], ids[0]),
		"an end under a local id":    link(linkIDs[1], ids[0], -77, ids[0]),
		"an id that exists":          link(1, ids[0], ids[1], ids[0]),
	} {
		t.Run(what, func(t *testing.T) {
			c := caller{t: t, url: c.url, headers: c.headers}
			var created []wire.Connection
			c.postJSON("/api/create_the_connection", []any{bad, good}, &created)
			isGood := func(c wire.Connection) bool {
				return graph.ID(c.OfTheConceptID) == ids[0] && graph.ID(c.ToTheConceptID) == ids[1]
			}
			if !slices.ContainsFunc(created, isGood) {
				t.Errorf("created %+v; want the good connection", created)
			}
			var e wire.Error
			body, err := json.Marshal([]any{link(linkIDs[2], ids[0], -77, ids[0])})
			if err != nil {
				t.Fatal(err)
			}
			if status := c.do(http.MethodPost, "/api/create_the_connection", asJSON, bytes.NewReader(body), &e); status < 400 || e.Message == "" {
				t.Errorf("a bad connection alone: status %d %+v; want a refusal with a message", status, e)
			}
		})
	}
}

func TestLongTextIsStoredUntilItsConceptArrives(t *testing.T) {
	s := servertest.Start(t)
	c := newCaller(t, s)
	text := strings.Repeat("ü", kv.MaxValue/2+1) // two parts
	countStored := func() int {
		entries, err := kv.In(s.Store).List(t.Context(), kv.Range{Prefix: "text/"})
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	var a, b wire.Character
	record := map[string]any{"id": 0, "userId": 10267, "data": text, "entryTimestamp": "1735787045678", "isNew": true}
	c.postJSON("/api/create_text_data", record, &a)
	c.postJSON("/api/create_text_data", record, &b)
	if a.ID == 0 || a.ID != b.ID || countStored() != 3 { // two parts, and the list of long values
		t.Errorf("ids %d, then %d; %d entries are stored", a.ID, b.ID, countStored())
	}
	var ids []graph.ID
	c.get("/api/get_reserved_ids", &ids)
	var created []wire.Concept
	c.postJSON("/api/create_the_concept", []any{map[string]any{"id": ids[0], "categoryId": 4, "referentId": 0, "typeCharacter": "the_text", "characterValue": text}}, &created)
	var found wire.Concept
	c.postMultipart("/api/getConcept", map[string]string{"id": ids[0].String()}, &found)
	if string(found.CharacterValue) != text || countStored() != 0 {
		t.Errorf("the concept holds %d bytes, and %d entries are stored", len(found.CharacterValue), countStored())
	}
	guest := newCaller(t, servertest.Start(t, func(o *server.Options) { o.AnonymousWrites = false }))
	var e wire.Error
	if status := guest.do(http.MethodPost, "/api/create_text_data", asJSON, strings.NewReader(`{"data":"a"}`), &e); status != http.StatusUnauthorized {
		t.Errorf("sending a long text as a guest: status %d %+v; want 401", status, e)
	}
}

func TestStoredTextsAreLimitedAndExpire(t *testing.T) {
	race.Skip(t, "one request at a time, with long values")
	s := servertest.Start(t)
	c := newCaller(t, s)
	send := func(text string) int {
		var e wire.Error
		return c.do(http.MethodPost, "/api/create_text_data", asJSON, strings.NewReader(fmt.Sprintf(`{"data":%q}`, text)), &e)
	}
	large := func(i int) string { return fmt.Sprintf("%04d", i) + strings.Repeat("a", graph.MaxTextBytes-4) }
	for i := range 16 {
		if status := send(large(i)); status != http.StatusOK {
			t.Fatalf("the status of creating text %d = %d; want 200", i, status)
		}
	}
	if repeated, another := send(large(3)), send("a"); repeated != http.StatusOK || another != http.StatusRequestEntityTooLarge {
		t.Errorf("beyond the maximum of bytes: status %d for a value that is already stored, %d for another value; want 200 and 413", repeated, another)
	}
	var ids []graph.ID
	c.get("/api/get_reserved_ids", &ids)
	c.postJSON("/api/create_the_concept", []any{map[string]any{"id": ids[0], "categoryId": 4, "typeCharacter": "the_text", "characterValue": large(3)}}, &[]wire.Concept{})
	for i := range 185 {
		if status := send(fmt.Sprint("short ", i)); status != http.StatusOK {
			t.Fatalf("short text %d, after the concept of a large text was created: status %d; want 200", i, status)
		}
	}
	if another := send("a"); another != http.StatusRequestEntityTooLarge {
		t.Errorf("beyond the maximum number of values: status %d; want 413", another)
	}
	entries, err := kv.In(s.Store).List(t.Context(), kv.Range{Prefix: "text/"})
	if err != nil || len(entries) != 1+15*4+185 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
	latest := time.Now().Add(31 * 24 * time.Hour)
	for _, e := range entries {
		if e.Expires.IsZero() || e.Expires.After(latest) {
			t.Errorf("%s expires at %v", e.Key, e.Expires)
		}
	}
}

func TestTextsAreFoundByValue(t *testing.T) {
	c := newCaller(t, servertest.Start(t))
	var sent synced
	c.postSync(plainBatch, &sent)
	var found, empty wire.Character
	c.postForm("/api/get_character_by_character", "character_value=Ann & Co", &found)
	c.postJSON("/api/create_character_data", map[string]any{"id": 0, "isNew": false, "userId": 0, "data": "0"}, &empty)
	if found.ID != sent.recordOf(t, -108).ID || found.Data != "Ann & Co" || empty.ID != 0 {
		t.Errorf("found %+v and %+v", found, empty)
	}
}

func TestPrototypeIsCreatedWithItsParts(t *testing.T) {
	s := servertest.Start(t)
	c := newCaller(t, s)
	var created, repeated wire.Concept
	c.postJSON("/api/create-prototype", map[string]any{
		"prototype": "the_person", "required": []string{"the_name"}, "optional": []string{"age"}, "field": "string",
		"childPrototypes": []any{map[string]any{"prototype": "address", "isCompositional": true, "options": []any{map[string]any{"type": "city", "value": "Oslo"}}}},
	}, &created)
	if created.CategoryID != 5124 || created.CharacterValue != "the_person" || created.Type == nil || created.Type.CharacterValue != "the_person" {
		t.Fatalf("created %+v", created)
	}
	var links []wire.Connection
	c.get(fmt.Sprintf("/api/get-all-linkers-from-concept?conceptId=%d", created.ID), &links)
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
		t.Errorf("the prototype is linked by %v, %v", diff, err)
	}
	c.postJSON("/api/create-prototype", map[string]any{"prototype": "the_person"}, &repeated)
	var people []wire.Concept
	c.postForm("/api/get_all_concepts_by_type", "type=the_person", &people)
	if repeated.ID == created.ID || len(people) != 0 {
		t.Errorf("the second prototype has the id %d, the instances are %+v; want an id other than %d and no instances", repeated.ID, people, created.ID)
	}
}
