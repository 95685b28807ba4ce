package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/wire"
)

func TestUsageRanksTheRecordsThatACallerMayRead(t *testing.T) {
	store := inSQLite(t)
	s := serveWithTelemetry(t, store)
	guest := newCaller(t, s)
	ann := guest.withToken(servertest.SignUp(t, s.URL, "ann@example.org"))
	bob := guest.withToken(servertest.SignUp(t, s.URL, "bob@example.org"))
	var me struct{ UserID graph.ID }
	ann.get("/api/auth/me", &me)
	receipt, err := store.Write(t.Context(), graph.Batch{
		Sender: graph.Sender{User: me.UserID},
		Concepts: []graph.ConceptDraft{
			{LocalID: -1, TypeName: "the_name", Value: "public", Access: graph.Public},
			{LocalID: -2, TypeName: "the_name", Value: "also public", Access: graph.Public},
			{LocalID: -3, TypeName: "the_name", Value: "private"},
		},
		Connections: []graph.ConnectionDraft{{From: -1, To: -2, TypeName: "the_name_s_name", Access: graph.Public}},
	})
	if err != nil {
		t.Fatal(err)
	}
	id := func(i int) string { return receipt.Concepts[i].ID.String() }
	link := receipt.Connections[0].ID
	const path = "/api/v1/access-tracker/"
	reportUses := func(c caller, concepts object) {
		t.Helper()
		var result struct{ Success bool }
		c.postJSON(path+"sync-access-tracker", object{"concepts": concepts, "connections": object{link.String(): 1}}, &result)
		if !result.Success {
			t.Error("the uses are not counted")
		}
	}
	reportUses(ann, object{id(0): 1, id(1): 3, id(2): 9, "404404": 50, "undefined": 3, "-7": 5})
	reportUses(bob, object{id(0): 1, id(2): 1_000}) // Bob cannot see record 2

	names := func(c caller, path string) (values []string) {
		t.Helper()
		var got struct{ Data []wire.Concept }
		c.get(path, &got)
		for _, concept := range got.Data {
			if concept.Type == nil || concept.Type.CharacterValue != "the_name" {
				t.Errorf("%+v has no type", concept)
			}
			values = append(values, string(concept.CharacterValue))
		}
		return values
	}
	for who, row := range map[string]struct {
		caller caller
		want   []string
	}{
		"Ann":   {ann, []string{"private", "also public", "public"}},
		"Bob":   {bob, []string{"public", "also public"}},
		"guest": {guest, []string{"also public", "public"}},
	} {
		if diff := cmp.Diff(row.want, names(row.caller, path+"list-concepts-file")); diff != "" {
			t.Errorf("%s:\n%s", who, diff)
		}
		if diff := cmp.Diff(row.want[:1], names(row.caller, path+"list-concepts-file?top=1")); diff != "" {
			t.Errorf("the records used most by %s:\n%s", who, diff)
		}
	}
	bob.get("/api/auth/me", &me)
	for _, key := range []string{"track/all/concepts", fmt.Sprintf("track/own/%d/concepts", me.UserID)} {
		table, err := kv.In(store).Get(t.Context(), key)
		if err != nil || len(table) != 1 || !strings.Contains(string(table[0].Value), id(0)) || strings.Contains(string(table[0].Value), id(2)) {
			t.Errorf("%s is %v, %v; want no private records of Ann", key, table, err)
		}
	}
	var links struct{ Data []wire.Connection }
	guest.get(path+"list-connections-file", &links)
	if len(links.Data) != 1 || graph.ID(links.Data[0].ID) != link {
		t.Errorf("the connections = %+v; want only %d", links, link)
	}
	var preloaded []wire.Concept
	bob.get("/api/get-preloaded-concepts", &preloaded)
	last := preloaded[len(preloaded)-2:]
	if len(preloaded) != len(graph.Fixed())+2 || last[0].CharacterValue != "public" || last[1].CharacterValue != "also public" {
		t.Errorf("%d concepts are preloaded, the last are %+v; want the fixed ones, and then \"public\" and \"also public\"", len(preloaded), last)
	}
	for body, want := range map[string]int{`{"concepts":{"1":1}}`: 401, "[]": 401} {
		if got := guest.status(http.MethodPost, path+"sync-access-tracker", body); got != want {
			t.Errorf("%s from a guest: status %d; want %d", body, got, want)
		}
	}
	var tooMany strings.Builder
	for i := range 10_001 {
		fmt.Fprintf(&tooMany, `,"%d":1`, i)
	}
	for body, want := range map[string]int{`{"concepts":[]}`: 400, `{"concepts":{"1":{}}}`: 400, `{"concepts":{` + tooMany.String()[1:] + "}}": 413, "{}": 200} {
		if got := ann.status(http.MethodPost, path+"sync-access-tracker", body); got != want {
			t.Errorf("%.40s: status %d; want %d", body, got, want)
		}
	}
	if got := ann.status(http.MethodGet, path+"list-concepts-file?top=x", ""); got != http.StatusBadRequest {
		t.Errorf("top=x: status %d; want 400", got)
	}
}
