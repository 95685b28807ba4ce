package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/wire"
)

// synced is the response to a sync.
type synced struct {
	Concepts    []wire.Concept
	Connections []wire.Connection
}

// recordOf returns the record that a local id became.
func (s synced) recordOf(t *testing.T, localID wire.Int) wire.Concept {
	t.Helper()
	for _, c := range s.Concepts {
		if c.GhostID == localID {
			return c
		}
	}
	t.Fatalf("the response has no record for local id %d", localID)
	return wire.Concept{}
}

// plainBatch is a composition and its value as a client without transactions sends them: without their types, and with
// one record twice, as such a client sends it.
const plainBatch = `{"concepts":[
	{"id":-104,"ghostId":-104,"userId":10267,"typeId":-103,"categoryId":4,"typeCharacter":"the_phonebook","characterValue":"","isComposition":true,"accessId":4,"isTemp":true,"entryTimeStamp":"2025-01-02T03:04:05.678Z"},
	{"id":-108,"ghostId":-108,"userId":10267,"typeId":-107,"categoryId":4,"typeCharacter":"the_name","characterValue":"Ann & Co","isComposition":false,"accessId":4,"isTemp":true,"entryTimeStamp":"2025-01-02T03:04:05.678Z"},
	{"id":-104,"ghostId":-104,"userId":10267,"typeId":-103,"categoryId":4,"typeCharacter":"the_phonebook","characterValue":"","isComposition":true,"accessId":4}],
	"connections":[
	{"id":-211,"ghostId":-211,"ofTheConceptId":-104,"toTheConceptId":-108,"userId":999,"typeId":-104,"orderId":1,"accessId":4,"typeCharacter":"","entryTimeStamp":"1/2/2025 3:04:05 AM"},
	{"id":-212,"ghostId":-212,"ofTheConceptId":-104,"toTheConceptId":-108,"userId":999,"typeId":-300,"orderId":1000,"accessId":4,"typeCharacter":"the_phonebook_s_name"}]}`

func TestSync(t *testing.T) {
	s := servertest.Start(t)
	c := newCaller(t, s)
	var first synced
	c.postSync(plainBatch, &first)
	head, name := first.recordOf(t, -104), first.recordOf(t, -108)

	t.Run("returns real ids, real types and the local ids", func(t *testing.T) {
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
			t.Errorf("the time of the concept = %d; want 1735787045678", got)
		}
		internal, link := first.Connections[0], first.Connections[1]
		if internal.OfTheConceptID != head.ID || internal.ToTheConceptID != name.ID || internal.TypeID != head.ID || internal.OrderID != 1 {
			t.Errorf("the internal connection became %+v", internal)
		}
		if link.TypeID < 1 || link.TypeID == head.ID || link.OrderID != 1000 || link.GhostID != -212 {
			t.Errorf("the link became %+v", link)
		}
	})
	t.Run("a repeated request creates nothing and has the same response", func(t *testing.T) {
		c := c.in(t)
		before := lastSeq(t, s.Store)
		var repeated synced
		c.postSync(plainBatch, &repeated)
		if diff := cmp.Diff(first, repeated, cmp.Comparer(sameTime)); diff != "" {
			t.Error(diff)
		}
		if seq := lastSeq(t, s.Store); seq != before {
			t.Errorf("change %d was written", seq)
		}
	})
	t.Run("an existing record keeps its local id, and a repeated connection is returned once", func(t *testing.T) {
		c := c.in(t)
		link := first.Connections[1]
		var got synced
		c.postSync(fmt.Sprintf(`{"concepts":[{"id":%[1]d,"ghostId":-108},{"id":%[2]d,"ghostId":%[2]d}],"connections":[%[3]s,%[3]s]}`, name.ID, head.ID,
			`{"id":-212,"ghostId":-212,"ofTheConceptId":-104,"toTheConceptId":-108,"typeId":-300,"typeCharacter":"the_phonebook_s_name"}`), &got)
		if len(got.Concepts) != 2 || got.recordOf(t, -108).ID != name.ID || got.recordOf(t, head.ID).ID != head.ID {
			t.Errorf("the concepts = %+v; want 2, with the ids of the existing ones", got.Concepts)
		}
		if len(got.Connections) != 1 || got.Connections[0].ID != link.ID {
			t.Errorf("the connections are %+v; want only %+v", got.Connections, link)
		}
	})
	t.Run("the local ids of another session name other records", func(t *testing.T) {
		other := newCaller(t, s)
		other.headers["X-Session-Id"] = "1234"
		var others synced
		other.postSync(plainBatch, &others)
		if others.recordOf(t, -104).ID == head.ID {
			t.Error("two sessions created the same composition")
		}
		if others.recordOf(t, -108).ID != name.ID {
			t.Error("equal shared values became two concepts")
		}
	})
	t.Run("sessions with a common prefix differ, and an overlong session is refused", func(t *testing.T) {
		long := strings.Repeat("7", 99)
		var a, b synced
		for last, into := range map[string]*synced{"1": &a, "2": &b} {
			other := newCaller(t, s)
			other.headers["X-Session-Id"] = long + last
			other.postSync(plainBatch, into)
		}
		if a.recordOf(t, -104).ID == b.recordOf(t, -104).ID {
			t.Error("two sessions created the same composition")
		}
		c := newCaller(t, s)
		c.headers["X-Session-Id"] = long + "12"
		var e wire.Error
		if status := c.do(http.MethodPost, "/api/v1/local-concepts", asJSON, strings.NewReader(plainBatch), &e); status != http.StatusBadRequest {
			t.Errorf("status %d %+v; want 400", status, e)
		}
	})
	t.Run("a later request may use local ids of an earlier request, and remove records", func(t *testing.T) {
		c := c.in(t)
		var edit synced
		c.postSync(fmt.Sprintf(`{"concepts":[{"id":-120,"categoryId":4,"typeCharacter":"the_name","characterValue":"Bea"}],
			"connections":[{"id":-220,"ofTheConceptId":-104,"toTheConceptId":-120,"typeId":-104,"orderId":1}],
			"removeConnections":[%d]}`, first.Connections[0].ID), &edit)
		var internalLinks []wire.Connection
		c.postMultipart("/api/get_all_connections_of_composition", map[string]string{"composition_id": fmt.Sprint(head.ID)}, &internalLinks)
		if len(internalLinks) != 1 || internalLinks[0].ToTheConceptID != edit.recordOf(t, -120).ID {
			t.Errorf("the internal connections = %+v; want only the one to the new name", internalLinks)
		}
	})
	t.Run("the error names an unknown local id, and nothing of an atomic batch is written", func(t *testing.T) {
		c := c.in(t)
		before := lastSeq(t, s.Store)
		var e wire.Error
		status := c.do(http.MethodPost, "/api/v1/local-concepts", asJSON, strings.NewReader(
			`{"concepts":[{"id":-130,"categoryId":4,"typeCharacter":"the_name","characterValue":"Cid"}],
			"connections":[{"id":-230,"ofTheConceptId":-130,"toTheConceptId":-999,"typeId":16}],"atomic":true}`), &e)
		if status != http.StatusBadRequest || !strings.Contains(e.Message, "-999") {
			t.Errorf("status %d %+v; want 400 and a message that names -999", status, e)
		}
		if seq := lastSeq(t, s.Store); seq != before {
			t.Error("something was written")
		}
	})
	t.Run("refuses ids of another store only", func(t *testing.T) {
		c := c.in(t)
		var health wire.Ready
		c.get("/api/health", &health)
		if health.Store == "" {
			t.Fatal("the store has no identity")
		}
		const body = `{"concepts":[{"id":-135,"categoryId":4,"typeCharacter":"the_name","characterValue":"Eve"}],"store":%q}`
		var created synced
		c.postSync(fmt.Sprintf(body, health.Store), &created)
		var e wire.Error
		status := c.do(http.MethodPost, "/api/v1/local-concepts", asJSON, strings.NewReader(fmt.Sprintf(body, "another")), &e)
		if status != http.StatusConflict || !strings.Contains(e.Message, "another") {
			t.Errorf("status %d %+v; want 409 and a message that names the other store", status, e)
		}
	})
	t.Run("rejects incomplete records with the missing member", func(t *testing.T) {
		c := c.in(t)
		before := lastSeq(t, s.Store)
		for body, message := range map[string]string{
			`{"concept":[{"id":-1}]}`: "neither concepts nor connections",
			`{"concepts":[{"id":-136,"typeCharacter":"the_name","characterValue":"Fay"}]}`: "categoryId",
		} {
			var e wire.Error
			status := c.do(http.MethodPost, "/api/v1/local-concepts", asJSON, strings.NewReader(body), &e)
			if status != http.StatusBadRequest || !strings.Contains(e.Message, message) {
				t.Errorf("%s: status %d %+v; want 400 and %q", body, status, e, message)
			}
		}
		if seq := lastSeq(t, s.Store); seq != before {
			t.Error("something was written")
		}
	})
	t.Run("leaves a connection whose ends became one concept out of the response", func(t *testing.T) {
		c := c.in(t)
		var merged synced
		c.postSync(`{"concepts":[{"id":-140,"categoryId":4,"typeCharacter":"the_name","characterValue":"Dee"},
			{"id":-141,"categoryId":4,"typeCharacter":"the_name","characterValue":"Dee"}],
			"connections":[{"id":-240,"ofTheConceptId":-140,"toTheConceptId":-141,"typeId":16}]}`, &merged)
		if len(merged.Connections) != 0 || merged.recordOf(t, -140).ID != merged.recordOf(t, -141).ID {
			t.Errorf("response %+v", merged)
		}
	})
	t.Run("translates a local id, with and without a randomizer", func(t *testing.T) {
		c := c.in(t)
		var got wire.Concept
		delete(c.headers, "Randomizer")
		c.postForm("/api/v1/local-concepts-translate", "id=-104", &got)
		if got.ID != head.ID || got.GhostID != -104 {
			t.Errorf("-104 is %+v; want %d", got, head.ID)
		}
		c.postForm("/api/v1/local-concepts-translate", "id=-777", &got)
		if got.ID != 0 {
			t.Errorf("the local id -777 is %+v; want no concept", got)
		}
	})
	if err := s.Store.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func sameTime(a, b wire.Time) bool { return a.Time().Equal(b.Time()) }

// postSync posts a batch without encoding it.
func (c caller) postSync(body string, into *synced) {
	c.t.Helper()
	c.mustDo(http.MethodPost, "/api/v1/local-concepts", asJSON, strings.NewReader(body), into)
}

// Clients send up to 2,000 records in one request. They send more records in parts of 1,000, first the concepts and then
// the connections.
func TestBatchesOfTwoThousandRecordsAreAccepted(t *testing.T) {
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
	c := newCaller(t, servertest.Start(t))
	send := func(concepts, connections []map[string]any) {
		t.Helper()
		var got synced
		c.postJSON("/api/v1/local-concepts", map[string]any{"concepts": concepts, "connections": connections}, &got)
		if len(got.Concepts) != len(concepts) || len(got.Connections) != len(connections) {
			t.Errorf("the response has %d concepts and %d connections; want %d and %d, as sent", len(got.Concepts), len(got.Connections), len(concepts), len(connections))
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

func TestLocalIDIsTranslatedWithinItsSession(t *testing.T) {
	s := servertest.Start(t)
	callerIn := func(session, randomizer string) caller {
		c := newCaller(t, s)
		c.headers = map[string]string{"X-Session-Id": session}
		if randomizer != "" {
			c.headers["Randomizer"] = randomizer
		}
		return c
	}
	var first, other synced
	callerIn("1000001", "7").postSync(plainBatch, &first)
	callerIn("1000002", "8").postSync(plainBatch, &other)
	for session, want := range map[string]wire.Int{"1000001": first.recordOf(t, -104).ID, "1000002": other.recordOf(t, -104).ID, "1000003": 0} {
		var got wire.Concept
		if callerIn(session, "").postForm("/api/v1/local-concepts-translate", "id=-104", &got); got.ID != want {
			t.Errorf("in session %s the local id is %d; want %d", session, got.ID, want)
		}
	}
	callerIn("1000001", "9").postSync(plainBatch, &other)
	var got wire.Concept
	if callerIn("1000001", "").postForm("/api/v1/local-concepts-translate", "id=-104", &got); got.ID != 0 {
		t.Errorf("in a session that two browsers share, the local id is %d; want no concept", got.ID)
	}
}
