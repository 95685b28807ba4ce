package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/wire"
)

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
	t.Run("a record that is real already keeps the ghost it comes with, and a repeated connection is told once", func(t *testing.T) {
		c := c.in(t)
		link := first.Connections[1]
		var got synced
		c.raw2sync(fmt.Sprintf(`{"concepts":[{"id":%[1]d,"ghostId":-108},{"id":%[2]d,"ghostId":%[2]d}],"connections":[%[3]s,%[3]s]}`, name.ID, head.ID,
			`{"id":-212,"ghostId":-212,"ofTheConceptId":-104,"toTheConceptId":-108,"typeId":-300,"typeCharacter":"the_phonebook_s_name"}`), &got)
		if len(got.Concepts) != 2 || got.real(t, -108).ID != name.ID || got.real(t, head.ID).ID != head.ID {
			t.Errorf("the concepts are %+v", got.Concepts)
		}
		if len(got.Connections) != 1 || got.Connections[0].ID != link.ID {
			t.Errorf("the connections are %+v; want %+v once", got.Connections, link)
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
	t.Run("sessions that begin alike are two, and one without measure is refused", func(t *testing.T) {
		long := strings.Repeat("7", 99)
		var a, b synced
		for last, into := range map[string]*synced{"1": &a, "2": &b} {
			other := call(t, s)
			other.headers["X-Session-Id"] = long + last
			other.raw2sync(plain, into)
		}
		if a.real(t, -104).ID == b.real(t, -104).ID {
			t.Error("two sessions made one composition")
		}
		c := call(t, s)
		c.headers["X-Session-Id"] = long + "12"
		var e wire.Error
		if status := c.do(http.MethodPost, "/api/v1/local-concepts", asJSON, strings.NewReader(plain), &e); status != http.StatusBadRequest {
			t.Errorf("answered %d %+v", status, e)
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
	t.Run("ids of another store are refused, and its own are not", func(t *testing.T) {
		c := c.in(t)
		var health wire.Ready
		c.get("/api/health", &health)
		if health.Store == "" {
			t.Fatal("the store has no identity")
		}
		const body = `{"concepts":[{"id":-135,"categoryId":4,"typeCharacter":"the_name","characterValue":"Eve"}],"store":%q}`
		var made synced
		c.raw2sync(fmt.Sprintf(body, health.Store), &made)
		var e wire.Error
		status := c.do(http.MethodPost, "/api/v1/local-concepts", asJSON, strings.NewReader(fmt.Sprintf(body, "another")), &e)
		if status != http.StatusConflict || !strings.Contains(e.Message, "another") {
			t.Errorf("answered %d %+v", status, e)
		}
	})
	t.Run("near misses are refused and say what is missing", func(t *testing.T) {
		c := c.in(t)
		before := lastSeq(t, s.Store)
		for body, says := range map[string]string{
			`{"concept":[{"id":-1}]}`: "neither concepts nor connections",
			`{"concepts":[{"id":-136,"typeCharacter":"the_name","characterValue":"Fay"}]}`: "categoryId",
		} {
			var e wire.Error
			status := c.do(http.MethodPost, "/api/v1/local-concepts", asJSON, strings.NewReader(body), &e)
			if status != http.StatusBadRequest || !strings.Contains(e.Message, says) {
				t.Errorf("%s was answered %d %+v", body, status, e)
			}
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

// Clients send up to 2,000 records at once, and more in parts of 1,000: the concepts first, then the connections.
func TestBatchesAsLargeAsClientsSend(t *testing.T) {
	records := func(base, concepts, connections int) (heads, links []map[string]any) {
		for i := range concepts {
			heads = append(heads, map[string]any{"id": -base - i, "ghostId": -base - i, "categoryId": 4, "typeCharacter": "the_part", "isComposition": true})
		}
		for i := range connections {
			links = append(links, map[string]any{
				"id": -base - i, "ofTheConceptId": -base - i, "toTheConceptId": -base - i - 1, "typeCharacter": "the_part_s_next", "orderId": 1000,
			})
		}
		return heads, links
	}
	c := call(t, servertest.Start(t))
	send := func(concepts, connections []map[string]any) {
		t.Helper()
		var got synced
		c.json("/api/v1/local-concepts", map[string]any{"concepts": concepts, "connections": connections}, &got)
		if len(got.Concepts) != len(concepts) || len(got.Connections) != len(connections) {
			t.Errorf("%d and %d records became %d and %d", len(concepts), len(connections), len(got.Concepts), len(got.Connections))
		}
	}
	heads, links := records(10_000, 1100, 900)
	send(heads, links)
	heads, links = records(20_000, 1200, 900)
	none := []map[string]any{}
	send(heads[:1000], none)
	send(heads[1000:], none)
	send(none, links)
}

func TestALocalIDIsTranslatedWithinItsSession(t *testing.T) {
	s := servertest.Start(t)
	ask := func(session, randomizer string) caller {
		c := call(t, s)
		c.headers = map[string]string{"X-Session-Id": session}
		if randomizer != "" {
			c.headers["Randomizer"] = randomizer
		}
		return c
	}
	var first, other synced
	ask("1000001", "7").raw2sync(plain, &first)
	ask("1000002", "8").raw2sync(plain, &other)
	for session, want := range map[string]wire.Int{"1000001": first.real(t, -104).ID, "1000002": other.real(t, -104).ID, "1000003": 0} {
		var got wire.Concept
		if ask(session, "").raw("/api/v1/local-concepts-translate", "id=-104", &got); got.ID != want {
			t.Errorf("in session %s it is %d; want %d", session, got.ID, want)
		}
	}
	ask("1000001", "9").raw2sync(plain, &other)
	var got wire.Concept
	if ask("1000001", "").raw("/api/v1/local-concepts-translate", "id=-104", &got); got.ID != 0 {
		t.Errorf("in a session of two browsers it is %d; want nothing", got.ID)
	}
}
