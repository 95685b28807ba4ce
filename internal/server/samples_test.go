package server_test

import (
	"net/http"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/race"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

func TestSamples(t *testing.T) {
	race.Skip(t, "one request at a time, with many records")
	for name, open := range map[string]func(*testing.T) (graph.Store, error){
		"memory": func(*testing.T) (graph.Store, error) { return memory.New(), nil },
		"sqlite": func(t *testing.T) (graph.Store, error) { return sqlite.Open(t.Context(), t.TempDir()) },
	} {
		t.Run(name, func(t *testing.T) {
			store, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { store.Close() })
			s := servertest.Serve(t, store)
			admin := newCaller(t, s).withToken(servertest.Admin(t, s, "boss@example.org"))
			checkSample(t, s, admin, "shop")
			checkSample(t, s, admin, "shop")
			checkSample(t, s, admin, "words")
		})
	}
}

// checkSample adds a sample and removes it.
func checkSample(t *testing.T, s *servertest.Server, admin caller, sample string) {
	t.Helper()
	before := countInstances(t, s.Store)
	added := admin.mustPost("/api/v1/samples", object{"name": sample})
	if n, _ := added["records"].(float64); n < 300 || added["access"] != "private" {
		t.Errorf("%s: added %v", sample, added)
	}
	admin.mustFailPost(http.StatusConflict, "/api/v1/samples", object{"name": sample})
	if err := s.Store.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if status, body := admin.send(http.MethodDelete, "/api/v1/samples/"+sample, nil); status != http.StatusOK {
		t.Errorf("%s: removing is refused: %d %v", sample, status, body)
	}
	for typ, n := range countInstances(t, s.Store) {
		if n != before[typ] {
			t.Errorf("%s: %d instances of %s remain; want %d, as before", sample, n, typ, before[typ])
		}
	}
	admin.mustFail(http.StatusNotFound, http.MethodDelete, "/api/v1/samples/"+sample, nil)
}

// countInstances returns the number of instances of each type of the samples, and of stored schemas.
func countInstances(t *testing.T, store graph.Store) map[string]int {
	t.Helper()
	types, err := graph.TypesNamed(t.Context(), store, "the_order", "the_customer", "the_product", "the_line", "the_category",
		"the_name", "the_price", "the_number", "the_city", "the_weft_schema", "the_word", "the_sense", "the_synset", "the_gloss", "the_example", "the_wordnet")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for name, typ := range types {
		if counts[name], err = store.CountByType(t.Context(), typ.ID, 0); err != nil {
			t.Fatal(err)
		}
	}
	return counts
}

func TestRemovingASampleKeepsValuesOfOtherRecords(t *testing.T) {
	s := servertest.Start(t, func(o *server.Options) { o.AnonymousWrites = false })
	admin := newCaller(t, s).withToken(servertest.Admin(t, s, "boss@example.org"))
	admin.mustPost("/api/v1/samples", object{"name": "shop"})
	own := admin.mustPost("/api/v1/local-concepts", object{
		"atomic": true,
		"concepts": []object{
			{"id": -1, "categoryId": 4, "typeCharacter": "the_shelf", "isComposition": true},
			{"id": -2, "categoryId": 4, "typeCharacter": "the_city", "characterValue": "Graz"},
		},
		"connections": []object{{"id": -11, "ofTheConceptId": -1, "toTheConceptId": -2, "typeId": -1}},
	})
	city := own["concepts"].([]any)[1].(object)["id"].(float64)
	if status, body := admin.send(http.MethodDelete, "/api/v1/samples/shop", nil); status != http.StatusOK {
		t.Fatalf("removing is refused: %d %v", status, body)
	}
	found, err := s.Store.Concepts(t.Context(), []graph.ID{graph.ID(city)})
	if err != nil || len(found) != 1 || found[0].Value != "Graz" {
		t.Errorf("the city of the other record = %v, %v; want Graz", found, err)
	}
}

func TestOnlyAdminsAddSamples(t *testing.T) {
	s := servertest.Start(t)
	guest := newCaller(t, s)
	user := guest.withToken(servertest.SignUp(t, s.URL, ann))
	for _, row := range []struct {
		caller caller
		status int
	}{{guest, http.StatusUnauthorized}, {user, http.StatusForbidden}} {
		row.caller.mustFail(row.status, http.MethodGet, "/api/v1/samples", nil)
		row.caller.mustFailPost(row.status, "/api/v1/samples", object{"name": "shop"})
		row.caller.mustFail(row.status, http.MethodDelete, "/api/v1/samples/shop", nil)
	}
	admin := guest.withToken(servertest.Admin(t, s, "boss@example.org"))
	admin.mustFailPost(http.StatusBadRequest, "/api/v1/samples", object{"name": "zoo"})
	admin.mustFailPost(http.StatusBadRequest, "/api/v1/samples", object{"name": "shop", "access": "everybody"})
}
