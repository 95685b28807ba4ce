package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/wire"
)

func TestALongListSaysThatItGoesOn(t *testing.T) {
	s := servertest.Start(t)
	b := graph.Batch{Sender: graph.Sender{User: graph.Anonymous}, Concepts: []graph.ConceptDraft{{Ghost: -1, TypeName: "the_hub", Value: "hub"}}}
	for i := range 10_001 {
		ghost := graph.ID(-2 - i)
		b.Concepts = append(b.Concepts, graph.ConceptDraft{Ghost: ghost, Kind: graph.DraftComposition, TypeName: "the_leaf"})
		b.Connections = append(b.Connections, graph.ConnectionDraft{From: -1, To: ghost, TypeName: "the_hub_s_leaf"})
	}
	made, err := s.Store.Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("%s/api/get-all-linkers-from-concept?conceptId=%d", s.URL, made.Concepts[0].ID)
	first, after := links(t, path)
	if len(first) != 10_000 || after != fmt.Sprint(first[9_999].ID) {
		t.Errorf("the first part has %d connections and goes on after %q", len(first), after)
	}
	rest, after := links(t, path+"&after="+after)
	if len(rest) != 1 || after != "" || graph.ID(rest[0].ID) != made.Connections[0].ID {
		t.Errorf("the rest is %+v and goes on after %q", rest, after)
	}
}

func links(t *testing.T, url string) (found []wire.Connection, after string) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&found); err != nil {
		t.Fatal(err)
	}
	return found, response.Header.Get("X-Weft-After")
}

func TestAListOfTooManyIsRefused(t *testing.T) {
	c := call(t, servertest.Start(t))
	for path, body := range map[string]string{
		"/api/get_concept_bulk":                   "[" + strings.Repeat("1,", 100_000) + "1]",
		"/api/get_type_concept_by_character_bulk": "[" + strings.Repeat(`"a",`, 2_000) + `"a"]`,
	} {
		var e wire.Error
		if status := c.do(http.MethodPost, path, asJSON, strings.NewReader(body), &e); status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s answered %d %+v", path, status, e)
		}
	}
}
