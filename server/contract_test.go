package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/wire"
)

// A caller speaks to a server as the contract's client does.
type caller struct {
	t       *testing.T
	url     string
	headers map[string]string
}

func call(t *testing.T, s *servertest.Server) caller {
	return caller{t: t, url: s.URL, headers: map[string]string{"X-Session-Id": "998", "Randomizer": "424242"}}
}

// in is the same caller for a subtest.
func (c caller) in(t *testing.T) caller {
	c.t = t
	return c
}

// do returns the status and the decoded body.
func (c caller) do(method, path, kind string, body io.Reader, into any) int {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, body)
	if err != nil {
		c.t.Fatal(err)
	}
	for name, value := range c.headers {
		r.Header.Set(name, value)
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		c.t.Fatalf("%s %s answered %s: %v", method, path, answer, err)
	}
	return response.StatusCode
}

func (c caller) ok(method, path, kind string, body io.Reader, into any) {
	c.t.Helper()
	var answer json.RawMessage
	if status := c.do(method, path, kind, body, &answer); status != http.StatusOK {
		c.t.Fatalf("%s %s: %d %s", method, path, status, answer)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		c.t.Fatalf("%s %s answered %s: %v", method, path, answer, err)
	}
}

func (c caller) json(path string, body, into any) {
	c.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	c.ok(http.MethodPost, path, asJSON, bytes.NewReader(text), into)
}

// raw joins fields the way clients do, without encoding them.
func (c caller) raw(path, body string, into any) {
	c.t.Helper()
	c.ok(http.MethodPost, path, asForm, strings.NewReader(body), into)
}

func (c caller) multipart(path string, fields map[string]string, into any) {
	c.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			c.t.Fatal(err)
		}
	}
	w.Close()
	c.ok(http.MethodPost, path, w.FormDataContentType(), &body, into)
}

func (c caller) get(path string, into any) {
	c.t.Helper()
	c.ok(http.MethodGet, path, "", nil, into)
}

// synced is the answer to a sync.
type synced struct {
	Concepts    []wire.Concept
	Connections []wire.Connection
}

// real is the record that a ghost became.
func (s synced) real(t *testing.T, ghost wire.Int) wire.Concept {
	t.Helper()
	for _, c := range s.Concepts {
		if c.GhostID == ghost {
			return c
		}
	}
	t.Fatalf("the answer has no record for ghost %d", ghost)
	return wire.Concept{}
}

// plain is a composition and its value as a client without transactions sends them: without their types,
// and the record that stands twice in the client's list twice.
const plain = `{"concepts":[
	{"id":-104,"ghostId":-104,"userId":10267,"typeId":-103,"categoryId":4,"typeCharacter":"the_phonebook","characterValue":"","isComposition":true,"accessId":4,"isTemp":true,"entryTimeStamp":"2025-01-02T03:04:05.678Z"},
	{"id":-108,"ghostId":-108,"userId":10267,"typeId":-107,"categoryId":4,"typeCharacter":"the_name","characterValue":"Ann & Co","isComposition":false,"accessId":4,"isTemp":true,"entryTimeStamp":"2025-01-02T03:04:05.678Z"},
	{"id":-104,"ghostId":-104,"userId":10267,"typeId":-103,"categoryId":4,"typeCharacter":"the_phonebook","characterValue":"","isComposition":true,"accessId":4}],
	"connections":[
	{"id":-211,"ghostId":-211,"ofTheConceptId":-104,"toTheConceptId":-108,"userId":999,"typeId":-104,"orderId":1,"accessId":4,"typeCharacter":"","entryTimeStamp":"1/2/2025 3:04:05 AM"},
	{"id":-212,"ghostId":-212,"ofTheConceptId":-104,"toTheConceptId":-108,"userId":999,"typeId":-300,"orderId":1000,"accessId":4,"typeCharacter":"the_phonebook_s_name"}]}`

func TestSync(t *testing.T) {
	s := servertest.Start(t)
	c := call(t, s)
	var first synced
	c.raw2sync(plain, &first)
	head, name := first.real(t, -104), first.real(t, -108)

	t.Run("records come back with real ids, real types and their ghosts", func(t *testing.T) {
		if len(first.Concepts) != 2 || len(first.Connections) != 2 {
			t.Fatalf("%d concepts and %d connections; want 2 and 2", len(first.Concepts), len(first.Connections))
		}
		if head.ID < 1 || head.TypeID < 1 || head.Type == nil || head.Type.CharacterValue != "the_phonebook" ||
			!head.IsComposition || head.IsTemp || head.UserID != 999 || head.CategoryID != 4 || head.TypeCharacter != "the_phonebook" {
			t.Errorf("the composition became %+v", head)
		}
		if name.CharacterValue != "Ann & Co" || name.Type == nil || name.Type.CharacterValue != "the_name" {
			t.Errorf("the value became %+v", name)
		}
		if got := name.EntryTimeStamp.Time().UnixMilli(); got != 1735787045678 {
			t.Errorf("its stamp is %d", got)
		}
		internal, link := first.Connections[0], first.Connections[1]
		if internal.OfTheConceptID != head.ID || internal.ToTheConceptID != name.ID || internal.TypeID != head.ID || internal.OrderID != 1 {
			t.Errorf("the internal connection became %+v", internal)
		}
		if link.TypeID < 1 || link.TypeID == head.ID || link.OrderID != 1000 || link.GhostID != -212 {
			t.Errorf("the link became %+v", link)
		}
	})
	t.Run("the same request again makes nothing and answers the same", func(t *testing.T) {
		c := c.in(t)
		before := lastSeq(t, s.Store)
		var again synced
		c.raw2sync(plain, &again)
		if diff := cmp.Diff(first, again, cmp.Comparer(sameTime)); diff != "" {
			t.Error(diff)
		}
		if seq := lastSeq(t, s.Store); seq != before {
			t.Errorf("change %d was made", seq)
		}
	})
	t.Run("another session means other records by the same ghosts", func(t *testing.T) {
		other := call(t, s)
		other.headers["X-Session-Id"] = "1234"
		var theirs synced
		other.raw2sync(plain, &theirs)
		if theirs.real(t, -104).ID == head.ID {
			t.Error("two sessions made one composition")
		}
		if theirs.real(t, -108).ID != name.ID {
			t.Error("equal shared values are two concepts")
		}
	})
	t.Run("a later request may refer to ghosts of an earlier one, and remove in one go", func(t *testing.T) {
		c := c.in(t)
		var edit synced
		c.raw2sync(fmt.Sprintf(`{"concepts":[{"id":-120,"categoryId":4,"typeCharacter":"the_name","characterValue":"Bea"}],
			"connections":[{"id":-220,"ofTheConceptId":-104,"toTheConceptId":-120,"typeId":-104,"orderId":1}],
			"removeConnections":[%d]}`, first.Connections[0].ID), &edit)
		var inside []wire.Connection
		c.multipart("/api/get_all_connections_of_composition", map[string]string{"composition_id": fmt.Sprint(head.ID)}, &inside)
		if len(inside) != 1 || inside[0].ToTheConceptID != edit.real(t, -120).ID {
			t.Errorf("inside the record is %+v", inside)
		}
	})
	t.Run("a connection to a ghost nobody sent is refused by name, with all that came along", func(t *testing.T) {
		c := c.in(t)
		before := lastSeq(t, s.Store)
		var e wire.Error
		status := c.do(http.MethodPost, "/api/v1/local-concepts", asJSON, strings.NewReader(
			`{"concepts":[{"id":-130,"categoryId":4,"typeCharacter":"the_name","characterValue":"Cid"}],
			"connections":[{"id":-230,"ofTheConceptId":-130,"toTheConceptId":-999,"typeId":16}]}`), &e)
		if status != http.StatusBadRequest || !strings.Contains(e.Message, "-999") {
			t.Errorf("answered %d %+v", status, e)
		}
		if seq := lastSeq(t, s.Store); seq != before {
			t.Error("something was written")
		}
	})
	t.Run("a connection whose ends become one concept is left out of the answer", func(t *testing.T) {
		c := c.in(t)
		var one synced
		c.raw2sync(`{"concepts":[{"id":-140,"categoryId":4,"typeCharacter":"the_name","characterValue":"Dee"},
			{"id":-141,"categoryId":4,"typeCharacter":"the_name","characterValue":"Dee"}],
			"connections":[{"id":-240,"ofTheConceptId":-140,"toTheConceptId":-141,"typeId":16}]}`, &one)
		if len(one.Connections) != 0 || one.real(t, -140).ID != one.real(t, -141).ID {
			t.Errorf("answered %+v", one)
		}
	})
	t.Run("a local id is translated, without a randomizer too", func(t *testing.T) {
		c := c.in(t)
		var got wire.Concept
		delete(c.headers, "Randomizer")
		c.raw("/api/v1/local-concepts-translate", "id=-104", &got)
		if got.ID != head.ID || got.GhostID != -104 {
			t.Errorf("-104 is %+v; want %d", got, head.ID)
		}
		c.raw("/api/v1/local-concepts-translate", "id=-777", &got)
		if got.ID != 0 {
			t.Errorf("-777 is %+v; want nothing", got)
		}
	})
	if err := s.Store.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func sameTime(a, b wire.Time) bool { return a.Time().Equal(b.Time()) }

func (c caller) raw2sync(body string, into *synced) {
	c.t.Helper()
	c.ok(http.MethodPost, "/api/v1/local-concepts", asJSON, strings.NewReader(body), into)
}

func TestReading(t *testing.T) {
	s := servertest.Start(t)
	c := call(t, s)
	var sent synced
	c.raw2sync(plain, &sent)
	head, name, link := sent.real(t, -104), sent.real(t, -108), sent.Connections[1]

	one := func(t *testing.T, got wire.Concept, want wire.Int) {
		t.Helper()
		if got.ID != want || want != 0 && got.Type == nil || want == 0 && got.UserID != 0 {
			t.Errorf("answered %+v; want concept %d with its type", got, want)
		}
	}
	t.Run("one concept by id, in every encoding", func(t *testing.T) {
		c := c.in(t)
		var a, b, d, e wire.Concept
		c.multipart("/api/getConcept", map[string]string{"id": fmt.Sprint(name.ID)}, &a)
		c.raw("/api/getConcept", fmt.Sprintf("id=%d", name.ID), &b)
		c.json("/api/getConcept", map[string]any{"id": name.ID}, &d)
		c.ok(http.MethodPost, fmt.Sprintf("/api/getConcept?id=%d", name.ID), "", nil, &e)
		for _, got := range []wire.Concept{a, b, d, e} {
			one(t, got, name.ID)
		}
	})
	t.Run("what is not there is a concept whose id is 0", func(t *testing.T) {
		c := c.in(t)
		var got wire.Concept
		for _, id := range []string{"404404", "0", "-104"} {
			c.multipart("/api/getConcept", map[string]string{"id": id}, &got)
			one(t, got, 0)
		}
		c.multipart("/api/get_concept_by_character_value", map[string]string{"character_value": "nobody"}, &got)
		one(t, got, 0)
		var link wire.Connection
		c.multipart("/api/get-connection-by-id", map[string]string{"id": "404404"}, &link)
		if link.ID != 0 {
			t.Errorf("answered %+v", link)
		}
	})
	t.Run("many concepts by id, each once, without those that are not there", func(t *testing.T) {
		c := c.in(t)
		var got []wire.Concept
		c.json("/api/get_concept_bulk", []any{name.ID, head.ID, fmt.Sprint(name.ID), 404404, -5}, &got)
		if len(got) != 2 || got[0].ID != name.ID || got[1].ID != head.ID || got[1].Type == nil {
			t.Errorf("answered %+v", got)
		}
	})
	t.Run("by value, with a raw & in it", func(t *testing.T) {
		c := c.in(t)
		var got wire.Concept
		c.raw("/api/get_concept_by_character_value", "character_value=Ann & Co", &got)
		one(t, got, name.ID)
	})
	t.Run("by value the bare word comes first, then the type", func(t *testing.T) {
		c := c.in(t)
		c.raw2sync(`{"concepts":[{"id":-150,"categoryId":4,"typeCharacter":"the_word","characterValue":"name"}]}`, &synced{})
		var got wire.Concept
		c.multipart("/api/get_concept_by_character_value", map[string]string{"character_value": "name"}, &got)
		if got.TypeID != 51 || got.CategoryID != 1 {
			t.Errorf("name is %+v; want the bare word", got)
		}
		c.multipart("/api/get_concept_by_character_value", map[string]string{"character_value": "the_phonebook_s_name"}, &got)
		one(t, got, link.TypeID)
	})
	t.Run("by value and type", func(t *testing.T) {
		c := c.in(t)
		var got wire.Concept
		c.json("/api/get_concept_by_character_and_type", map[string]any{"character_value": "Ann & Co", "type_id": name.TypeID}, &got)
		one(t, got, name.ID)
		c.json("/api/get_concept_by_character_and_type", map[string]any{"character_value": "Ann & Co", "type_id": "51"}, &got)
		one(t, got, 0)
	})
	t.Run("by value and category", func(t *testing.T) {
		c := c.in(t)
		var got wire.Concept
		c.raw("/api/get_concept_by_character_and_category_direct", "character_value=Ann & Co&category_id=4", &got)
		one(t, got, name.ID)
		c.raw("/api/get_concept_by_character_and_category_direct", "character_value=the_phonebook_s_name&category_id=1", &got)
		one(t, got, link.TypeID)
	})
	t.Run("the ids of types by name", func(t *testing.T) {
		c := c.in(t)
		var ids []wire.Int
		c.json("/api/get_type_concept_by_character_bulk", []string{"the_name", "the_nothing", "the_phonebook"}, &ids)
		if diff := cmp.Diff([]wire.Int{name.TypeID, head.TypeID}, ids); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("all of a type", func(t *testing.T) {
		c := c.in(t)
		var got []wire.Concept
		c.ok(http.MethodPost, "/api/get_all_concepts_by_type", asForm, strings.NewReader(url.Values{"type": {"the_phonebook"}, "user_id": {"999"}}.Encode()), &got)
		if len(got) != 1 || got[0].ID != head.ID {
			t.Errorf("answered %+v", got)
		}
		c.raw("/api/get_all_concepts_by_type", "type=the_nothing&user_id=999", &got)
		if len(got) != 0 {
			t.Errorf("answered %+v", got)
		}
	})
	t.Run("connections by id", func(t *testing.T) {
		c := c.in(t)
		var a wire.Connection
		c.multipart("/api/get-connection-by-id", map[string]string{"id": fmt.Sprint(link.ID)}, &a)
		var list []wire.Connection
		c.json("/api/get_connection_bulk", []any{link.ID, 404404}, &list)
		for _, got := range append(list, a) {
			if got.ID != link.ID || got.OfTheConceptID != head.ID || got.ToTheConceptID != name.ID || got.TypeID != link.TypeID {
				t.Errorf("answered %+v", got)
			}
		}
	})
	t.Run("connections at a concept, both ways", func(t *testing.T) {
		c := c.in(t)
		for path, want := range map[string]int{
			fmt.Sprintf("/api/get-all-linkers-from-concept?conceptId=%d", head.ID): 2,
			fmt.Sprintf("/api/get-all-linkers-to-concept?conceptId=%d", name.ID):   2,
			fmt.Sprintf("/api/get-all-linkers-to-concept?conceptId=%d", head.ID):   0,
		} {
			var got []wire.Connection
			c.get(path, &got)
			if len(got) != want {
				t.Errorf("%s answered %d; want %d", path, len(got), want)
			}
		}
		for path, form := range map[string]string{
			"/api/get-link-connections":         fmt.Sprintf("typeId=%d&ofTheConceptId=%d&userId=999&inpage=10&page=1", link.TypeID, head.ID),
			"/api/get-link-reverse-connections": fmt.Sprintf("typeId=%d&toTheConceptId=%d&userId=999&inpage=10&page=1", link.TypeID, name.ID),
		} {
			var got []wire.Connection
			c.raw(path, form, &got)
			if len(got) != 1 || got[0].ID != link.ID {
				t.Errorf("%s answered %+v", path, got)
			}
		}
	})
	t.Run("the inside of compositions", func(t *testing.T) {
		c := c.in(t)
		var got []wire.Connection
		c.json("/api/get_all_connections_of_composition_bulk", []any{head.ID, name.ID}, &got)
		if len(got) != 1 || got[0].TypeID != head.ID {
			t.Errorf("answered %+v", got)
		}
	})
	t.Run("a query", func(t *testing.T) {
		c := c.in(t)
		var got wire.Answer
		c.json("/api/freeschema-query", map[string]any{
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
	t.Run("what a client asks when it starts, with a slash too many", func(t *testing.T) {
		c := c.in(t)
		var config struct {
			Success bool
			Servers []string
			Session int64
		}
		c.ok(http.MethodPost, "//api/v1/config?application=a%20b", "", nil, &config)
		if !config.Success || config.Servers == nil || config.Session < 1000 || config.Session > 1<<53 {
			t.Errorf("answered %+v", config)
		}
		var fixed []wire.Concept
		c.get("/api/get-preloaded-concepts", &fixed)
		if len(fixed) != len(graph.Fixed()) || fixed[0].Type == nil {
			t.Errorf("answered %d fixed concepts", len(fixed))
		}
		var health struct{ Status string }
		if c.get("/api/health", &health); health.Status != "ok" {
			t.Errorf("answered %+v", health)
		}
	})
}

func TestMakingATypeTwiceMakesOne(t *testing.T) {
	c := call(t, servertest.Start(t))
	var a, b wire.Concept
	c.raw("/api/make_the_type_concept", "type=the_person_name", &a)
	c.raw("/api/make_the_type_concept", "type=the_person_name", &b)
	if a.ID < 1 || a.ID != b.ID || a.TypeID == 4 || a.CharacterValue != "the_person_name" {
		t.Errorf("made %+v, then %+v", a, b)
	}
	c.raw("/api/make_the_type_concept", "type=the_connection", &a)
	if a.ID != 16 {
		t.Errorf("the_connection is %d; want 16", a.ID)
	}
}

func TestRemoving(t *testing.T) {
	s := servertest.Start(t)
	c := call(t, s)
	var sent synced
	c.raw2sync(plain, &sent)
	remove := func(t *testing.T, path string, want bool, f func(into any)) {
		t.Helper()
		var got struct {
			Success bool
			Message string
		}
		if f(&got); got.Success != want || got.Message == "" {
			t.Errorf("%s answered %+v; want %v", path, got, want)
		}
	}
	id := func(n wire.Int) map[string]string { return map[string]string{"id": fmt.Sprint(n)} }
	remove(t, "a type", false, func(into any) { c.multipart("/api/delete_concept", id(sent.Concepts[0].TypeID), into) })
	remove(t, "a connection", true, func(into any) { c.multipart("/api/delete_connection", id(sent.Connections[0].ID), into) })
	remove(t, "it again", true, func(into any) { c.multipart("/api/delete_connection", id(sent.Connections[0].ID), into) })
	remove(t, "several", true, func(into any) {
		c.json("/api/delete_connection_bulk", []wire.Int{sent.Connections[0].ID, sent.Connections[1].ID}, into)
	})
	remove(t, "a concept", true, func(into any) { c.multipart("/api/delete_concept", id(sent.Concepts[0].ID), into) })
	left, err := s.Store.Concepts(t.Context(), []graph.ID{graph.ID(sent.Concepts[0].ID), graph.ID(sent.Concepts[1].ID)})
	if err != nil || len(left) != 1 {
		t.Errorf("left are %+v, %v; want the value alone", left, err)
	}
}

func TestWhereNobodyWritesUnsigned(t *testing.T) {
	c := call(t, servertest.Start(t, func(o *server.Options) { o.AnonymousWrites = false }))
	for path, body := range map[string]string{
		"/api/v1/local-concepts":              plain,
		"/api/v1/local-concepts-without-auth": plain,
		"/api/make_the_type_concept":          `{"type":"the_new"}`,
		"/api/delete_concept":                 `{"id":51}`,
		"/api/delete_connection":              `{"id":1}`,
		"/api/delete_connection_bulk":         `[1]`,
	} {
		var e wire.Error
		if status := c.do(http.MethodPost, path, asJSON, strings.NewReader(body), &e); status != http.StatusUnauthorized || e.Kind != graph.Unauthorized {
			t.Errorf("%s answered %d %+v", path, status, e)
		}
	}
	var typ wire.Concept
	if c.raw("/api/make_the_type_concept", "type=the_connection", &typ); typ.ID != 16 {
		t.Errorf("a type that is there is %+v; finding it is everybody's", typ)
	}
}

func TestATokenNobodyCanCheckIsRefused(t *testing.T) {
	c := call(t, servertest.Start(t))
	c.headers["Authorization"] = "Bearer TOKEN"
	var e wire.Error
	if status := c.do(http.MethodPost, "/api/getConcept", asForm, strings.NewReader("id=1"), &e); status != http.StatusUnauthorized {
		t.Errorf("answered %d %+v", status, e)
	}
	c.headers["Authorization"] = "Bearer"
	var the wire.Concept
	if c.raw("/api/getConcept", "id=1", &the); the.CharacterValue != "the" {
		t.Errorf("without a token answered %+v", the)
	}
}

func TestTheOutside(t *testing.T) {
	s := servertest.Start(t)
	ask := func(method, path string) (int, http.Header) {
		r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", "https://elsewhere.test")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode, response.Header
	}
	t.Run("browsers of other origins may ask, with the headers they send", func(t *testing.T) {
		status, header := ask(http.MethodOptions, "/api/v1/local-concepts")
		allowed := strings.ToLower(header.Get("Access-Control-Allow-Headers"))
		for _, name := range []string{"authorization", "content-type", "accept", "x-session-id", "randomizer"} {
			if !strings.Contains(allowed, name) {
				t.Errorf("%s is not among %s", name, allowed)
			}
		}
		if status != http.StatusNoContent || header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("answered %d %v", status, header)
		}
	})
	t.Run("what is not there is 404, and the wrong method 405", func(t *testing.T) {
		for path, want := range map[string]int{"/api/nothing": 404, "/nothing": 404, "/api/getConcept": 405} {
			if got, _ := ask(http.MethodGet, path); got != want {
				t.Errorf("%s is %d; want %d", path, got, want)
			}
		}
		if _, header := ask(http.MethodGet, "/api/getConcept"); header.Get("Allow") != http.MethodPost {
			t.Errorf("allowed is %q; want POST", header.Get("Allow"))
		}
	})
	t.Run("long answers are compressed for those who ask, short ones and streams are not", func(t *testing.T) {
		for _, row := range []struct{ method, path, body, want string }{
			{http.MethodPost, "/api/get_concept_bulk", manyConcepts(t, s), "gzip"},
			{http.MethodPost, "/api/get_concept_bulk", "[1]", ""},
			{http.MethodGet, "/api/v1/events", "", ""},
		} {
			r, err := http.NewRequestWithContext(t.Context(), row.method, s.URL+row.path, strings.NewReader(row.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept-Encoding", "gzip")
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if got := response.Header.Get("Content-Encoding"); got != row.want || response.StatusCode != http.StatusOK {
				t.Errorf("%s is encoded as %q (%s); want %q", row.path, got, response.Status, row.want)
			}
		}
	})
	t.Run("every answer has an id of its own", func(t *testing.T) {
		_, a := ask(http.MethodGet, "/api/health")
		_, b := ask(http.MethodGet, "/api/health")
		if id := a.Get("X-Request-Id"); id == "" || id == b.Get("X-Request-Id") {
			t.Errorf("two requests are both %q", id)
		}
	})
	t.Run("the pages are whoever serves them", func(t *testing.T) {
		s := servertest.Start(t, func(o *server.Options) {
			o.Pages = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "page "+r.URL.Path) })
		})
		response, err := http.Get(s.URL + "/about")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if body, err := io.ReadAll(response.Body); err != nil || string(body) != "page /about" {
			t.Errorf("answered %q, %v", body, err)
		}
	})
}

// manyConcepts makes a hundred concepts and returns their ids as a request for them.
func manyConcepts(t *testing.T, s *servertest.Server) string {
	t.Helper()
	batch := graph.Batch{Sender: graph.Sender{User: graph.Anonymous}}
	for i := range 100 {
		batch.Concepts = append(batch.Concepts, graph.ConceptDraft{TypeName: "the_name", Value: fmt.Sprint("name ", i)})
	}
	receipt, err := s.Store.Write(t.Context(), batch)
	if err != nil {
		t.Fatal(err)
	}
	var ids []graph.ID
	for _, c := range receipt.Concepts {
		ids = append(ids, c.ID)
	}
	text, err := json.Marshal(ids)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
