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

func TestLongListHasACursor(t *testing.T) {
	s := servertest.Start(t)
	b := graph.Batch{Sender: graph.Sender{User: graph.Anonymous}, Concepts: []graph.ConceptDraft{{LocalID: -1, TypeName: "the_hub", Value: "hub"}}}
	for i := range 10_001 {
		localID := graph.ID(-2 - i)
		b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: localID, Kind: graph.DraftComposition, TypeName: "the_leaf"})
		b.Connections = append(b.Connections, graph.ConnectionDraft{From: -1, To: localID, TypeName: "the_hub_s_leaf"})
	}
	receipt, err := s.Store.Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("%s/api/get-all-linkers-from-concept?conceptId=%d", s.URL, receipt.Concepts[0].ID)
	first, after := getConnections(t, path)
	if len(first) != 10_000 || after != fmt.Sprint(first[9_999].ID) {
		t.Errorf("the first page has %d connections and the cursor %q; want 10,000 and the id of the last", len(first), after)
	}
	rest, after := getConnections(t, path+"&after="+after)
	if len(rest) != 1 || after != "" || graph.ID(rest[0].ID) != receipt.Connections[0].ID {
		t.Errorf("the rest = %+v with the cursor %q; want connection %d and no cursor", rest, after, receipt.Connections[0].ID)
	}
}

// getConnections returns a page of connections and the cursor of the next page.
func getConnections(t *testing.T, url string) (found []wire.Connection, after string) {
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

func TestListOfTooManyIDsIsRefused(t *testing.T) {
	c := newCaller(t, servertest.Start(t))
	for path, body := range map[string]string{
		"/api/get_concept_bulk":                   "[" + strings.Repeat("1,", 100_000) + "1]",
		"/api/get_type_concept_by_character_bulk": "[" + strings.Repeat(`"a",`, 2_000) + `"a"]`,
	} {
		var e wire.Error
		if status := c.do(http.MethodPost, path, asJSON, strings.NewReader(body), &e); status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: status %d %+v; want 413", path, status, e)
		}
	}
}
