package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/wire"
)

// A partlySynced is the response to a sync of a client of the contract.
type partlySynced struct {
	synced
	Refused []wire.RefusedConnection
}

// mixedBatch is a note with two connections to its text, one of them by name, and two connections to concepts that do not exist.
const mixedBatch = `"concepts":[
	{"id":-1,"ghostId":-1,"typeId":-9,"categoryId":4,"typeCharacter":"the_note","characterValue":"","isComposition":true,"accessId":4},
	{"id":-2,"ghostId":-2,"typeId":-9,"categoryId":4,"typeCharacter":"the_text","characterValue":"hello","accessId":4}],
	"connections":[
	{"id":-11,"ghostId":-11,"ofTheConceptId":-1,"toTheConceptId":-2,"typeId":-1,"orderId":1,"accessId":4},
	{"id":-12,"ghostId":-12,"ofTheConceptId":-1,"toTheConceptId":-7,"typeId":-1,"orderId":1,"accessId":4},
	{"id":-13,"ghostId":-13,"ofTheConceptId":-1,"toTheConceptId":90000,"typeId":-1,"orderId":1,"accessId":4},
	{"id":-14,"ghostId":-14,"ofTheConceptId":-1,"toTheConceptId":-2,"typeId":-300,"orderId":1000,"accessId":4,"typeCharacter":"the_note_s_text"}]`

func TestGoodRecordsAreWrittenDespiteBadConnections(t *testing.T) {
	for name, store := range map[string]graph.Store{"memory": nil, "sqlite": inSQLite(t)} {
		t.Run(name, func(t *testing.T) {
			s := servertest.Start(t)
			if store != nil {
				s = servertest.Serve(t, store)
			}
			c := newCaller(t, s).withToken(servertest.SignUp(t, s.URL, ann))
			var first, again partlySynced
			c.mustDo(http.MethodPost, "/api/v1/local-concepts", asJSON, strings.NewReader("{"+mixedBatch+"}"), &first)
			if len(first.Concepts) != 2 || len(first.Connections) != 2 || first.Connections[0].GhostID != -11 || first.Connections[1].GhostID != -14 {
				t.Fatalf("the response has %+v; want both concepts, and the connections -11 and -14", first.synced)
			}
			if r := first.Refused; len(r) != 2 || r[0].GhostID != -12 || r[0].Message == "" || r[0].Kind == "" || r[1].GhostID != -13 || r[1].ToTheConceptID != 90000 || r[1].Kind != graph.NotFound {
				t.Errorf("refused are %+v; want -12 and -13 with reasons", r)
			}
			var inside []wire.Connection
			c.postMultipart("/api/get_all_connections_of_composition", map[string]string{"composition_id": fmt.Sprint(first.recordOf(t, -1).ID)}, &inside)
			if len(inside) != 1 {
				t.Errorf("the note has %d connections; want only the connection to its text", len(inside))
			}
			c.mustDo(http.MethodPost, "/api/v1/local-concepts", asJSON, strings.NewReader("{"+mixedBatch+"}"), &again)
			if len(again.Connections) != 2 || again.Connections[0].ID != first.Connections[0].ID || again.recordOf(t, -1).ID != first.recordOf(t, -1).ID {
				t.Errorf("after sending the batch again, the response is %+v; want the same records", again.synced)
			}
		})
	}
}

func TestAtomicBatchesAreRefusedAsAWhole(t *testing.T) {
	s := servertest.Start(t)
	c := newCaller(t, s).withToken(servertest.SignUp(t, s.URL, ann))
	identity, err := s.Store.Identity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for what, member := range map[string]string{
		"declared atomic": `"atomic":true`, "with a store": fmt.Sprintf(`"store":%q`, identity), "with removals": `"removeConnections":[90001]`,
	} {
		before := lastSeq(t, s.Store)
		if status, response := c.sendAny(http.MethodPost, "/api/v1/local-concepts", rawJSON("{"+mixedBatch+","+member+"}")); status != http.StatusBadRequest && status != http.StatusNotFound {
			t.Errorf("a batch %s: status %d %s; want a refusal", what, status, response)
		}
		if got := lastSeq(t, s.Store); got != before {
			t.Errorf("the last change after a refused batch %s = %d; want %d as before", what, got, before)
		}
	}
}

func TestABatchOfBadConnectionsOnlyIsRefused(t *testing.T) {
	s := servertest.Start(t)
	c := newCaller(t, s)
	for _, n := range []int{1, 3} {
		connections := make([]string, n)
		for i := range connections {
			connections[i] = fmt.Sprintf(`{"id":%d,"ofTheConceptId":90001,"toTheConceptId":90002,"typeCharacter":"the_note_s_text"}`, -11-i)
		}
		body := `{"concepts":[],"connections":[` + strings.Join(connections, ",") + `]}`
		if status, response := c.sendAny(http.MethodPost, "/api/v1/local-concepts", rawJSON(body)); status != http.StatusNotFound {
			t.Errorf("%d bad connections: status %d %s; want 404", n, status, response)
		}
	}
}

func TestTheSearchForBadConnectionsIsBounded(t *testing.T) {
	s := servertest.Start(t)
	c := newCaller(t, s)
	connections := make([]string, 1990)
	for i := range connections {
		connections[i] = fmt.Sprintf(`{"id":%d,"ofTheConceptId":-1,"toTheConceptId":90002,"typeCharacter":"the_note_s_text"}`, -11-i)
	}
	var got partlySynced
	c.mustDo(http.MethodPost, "/api/v1/local-concepts", asJSON, strings.NewReader(
		`{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_note","isComposition":true}],"connections":[`+strings.Join(connections, ",")+`]}`), &got)
	if len(got.Refused) != len(connections) || len(got.Concepts) != 1 {
		t.Errorf("%d connections were refused and %d concepts written; want %d and 1", len(got.Refused), len(got.Concepts), len(connections))
	}
}

// rawJSON returns a body that is already JSON.
func rawJSON(text string) any { return json.RawMessage(text) }
