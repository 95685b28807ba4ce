package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/store/sqlite"
	"github.com/weft-graph/weft/wire"
)

func TestWhatBelongsToAUser(t *testing.T) {
	store, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	c := call(t, servertest.Serve(t, store))
	var sent synced
	c.raw2sync(plain, &sent)
	if _, err := store.Write(t.Context(), graph.Batch{
		Sender:   graph.Sender{User: 1001},
		Concepts: []graph.ConceptDraft{{TypeName: "the_name", Value: "Ben", Access: graph.Public}},
	}); err != nil {
		t.Fatal(err)
	}
	var concepts []wire.Concept
	c.raw("/api/get_all_concepts_of_user", "user_id=999", &concepts)
	seen := map[wire.Text]bool{}
	for _, concept := range concepts {
		seen[concept.CharacterValue] = true
	}
	if !seen["Ann & Co"] || !seen["the_phonebook"] || seen["Ben"] {
		t.Errorf("everybody's are %v", seen)
	}
	ids, after := map[wire.Int]bool{}, ""
	for range sent.Connections {
		response, err := http.Post(c.url+"/api/get_all_connections_of_user?inpage=1", asForm, strings.NewReader("user_id=999&after="+after))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		var some []wire.Connection
		c.raw("/api/get_all_connections_of_user?inpage=1", "user_id=999&after="+after, &some)
		if after = response.Header.Get("X-Weft-After"); len(some) != 1 || after == "" {
			t.Fatalf("a page holds %+v, and goes on at %q", some, after)
		}
		ids[some[0].ID] = true
	}
	var rest []wire.Connection
	c.raw("/api/get_all_connections_of_user", "user_id=999&after="+after, &rest)
	if len(ids) != len(sent.Connections) || len(rest) != 0 {
		t.Errorf("the pages hold %v, and then %+v", ids, rest)
	}
	for body, status := range map[string]int{
		"user_id=1001": http.StatusForbidden, "user_id=999&after=a": http.StatusBadRequest, "user_id=999&after=1": http.StatusBadRequest,
		"user_id=999&inpage=0": http.StatusBadRequest, "": http.StatusBadRequest,
	} {
		var e wire.Error
		if got := c.do(http.MethodPost, "/api/get_all_connections_of_user", asForm, strings.NewReader(body), &e); got != status {
			t.Errorf("%q: %d %+v; want %d", body, got, e, status)
		}
	}
}
