package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/wire"
)

func TestGuestsCannotWriteByDefault(t *testing.T) {
	c := newCaller(t, servertest.Start(t, func(o *server.Options) { o.AnonymousWrites = false }))
	for path, body := range map[string]string{
		"/api/v1/local-concepts":              plainBatch,
		"/api/v1/local-concepts-without-auth": plainBatch,
		"/api/make_the_type_concept":          `{"type":"the_new"}`,
		"/api/delete_concept":                 `{"id":51}`,
		"/api/delete_connection":              `{"id":1}`,
		"/api/delete_connection_bulk":         `[1]`,
	} {
		var e wire.Error
		if status := c.do(http.MethodPost, path, asJSON, strings.NewReader(body), &e); status != http.StatusUnauthorized || e.Kind != graph.Unauthorized {
			t.Errorf("%s: status %d %+v; want 401, unauthorized", path, status, e)
		}
	}
	var typ wire.Concept
	if c.postForm("/api/make_the_type_concept", "type=the_connection", &typ); typ.ID != 16 {
		t.Errorf("an existing type is %+v; want any caller to find it", typ)
	}
}

func TestTokenIsRefusedWithoutAccounts(t *testing.T) {
	c := newCaller(t, servertest.Start(t))
	c.headers["Authorization"] = "Bearer TOKEN"
	var e wire.Error
	if status := c.do(http.MethodPost, "/api/getConcept", asForm, strings.NewReader("id=1"), &e); status != http.StatusUnauthorized {
		t.Errorf("status %d %+v; want 401", status, e)
	}
	c.headers["Authorization"] = "Bearer"
	var concept wire.Concept
	if c.postForm("/api/getConcept", "id=1", &concept); concept.CharacterValue != "the" {
		t.Errorf("without a token: response %+v", concept)
	}
}

func TestMiddlewareAndRouting(t *testing.T) {
	s := servertest.Start(t)
	send := func(method, path string) (int, http.Header) {
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
	t.Run("allows cross-origin requests with the headers of clients", func(t *testing.T) {
		status, header := send(http.MethodOptions, "/api/v1/local-concepts")
		allowed := strings.ToLower(header.Get("Access-Control-Allow-Headers"))
		for _, name := range []string{"authorization", "content-type", "accept", "x-session-id", "randomizer"} {
			if !strings.Contains(allowed, name) {
				t.Errorf("%s is not among %s", name, allowed)
			}
		}
		if status != http.StatusNoContent || header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("status %d %v; want 204, for every origin", status, header)
		}
	})
	t.Run("an unknown path is 404 and a wrong method 405", func(t *testing.T) {
		for path, want := range map[string]int{"/api/nothing": 404, "/nothing": 404, "/api/getConcept": 405} {
			if got, _ := send(http.MethodGet, path); got != want {
				t.Errorf("%s is %d; want %d", path, got, want)
			}
		}
		if _, header := send(http.MethodGet, "/api/getConcept"); header.Get("Allow") != http.MethodPost {
			t.Errorf("allowed is %q; want POST", header.Get("Allow"))
		}
	})
	t.Run("compresses long responses on request, but not short ones or streams", func(t *testing.T) {
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
	t.Run("every response has its own id", func(t *testing.T) {
		_, a := send(http.MethodGet, "/api/health")
		_, b := send(http.MethodGet, "/api/health")
		if id := a.Get("X-Request-Id"); id == "" || id == b.Get("X-Request-Id") {
			t.Errorf("two requests both have the id %q", id)
		}
	})
	t.Run("passes other paths to the handler of pages", func(t *testing.T) {
		s := servertest.Start(t, func(o *server.Options) {
			o.Pages = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "page "+r.URL.Path) })
		})
		response, err := http.Get(s.URL + "/about")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if body, err := io.ReadAll(response.Body); err != nil || string(body) != "page /about" {
			t.Errorf("response %q, %v", body, err)
		}
	})
}

// manyConcepts creates a hundred concepts and returns a request body with their ids.
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
