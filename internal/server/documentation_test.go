package server_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/weft-graph/weft/docs"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/site/manual"
	"github.com/weft-graph/weft/internal/store/memory"
)

func TestDocumentation(t *testing.T) {
	s := servertest.Serve(t, memory.New(), func(o *server.Options) { o.Manual = manual.New(docs.Files, manual.Options{}) })
	for path, want := range map[string]struct {
		status            int
		contentType, text string
	}{
		"/docs":                  {http.StatusOK, "text/html; charset=utf-8", "npx " + s.URL + "/packages/create-weft.tgz"},
		"/docs/install":          {http.StatusOK, "text/html; charset=utf-8", "create-weft.tgz my-app --server " + s.URL},
		"/docs/install/":         {http.StatusPermanentRedirect, "text/html; charset=utf-8", `"/docs/install"`},
		"/docs/install.md":       {http.StatusOK, "text/markdown; charset=utf-8", "npx " + s.URL + "/packages/create-weft.tgz"},
		"/docs/search?q=offline": {http.StatusOK, "text/html; charset=utf-8", "for “offline”"},
		"/docs/search":           {http.StatusOK, "text/html; charset=utf-8", "<h1>Search</h1>"},
		"/docs/nothing":          {http.StatusNotFound, "text/html; charset=utf-8", "Page not found"},
		"/docs/nothing.md":       {http.StatusNotFound, "text/html; charset=utf-8", "Page not found"},
		"/llms.txt":              {http.StatusOK, "text/plain; charset=utf-8", s.URL + "/docs/client.md"},
	} {
		response, body := get(t, "GET", s.URL+path)
		if got := response.Header.Get("Content-Type"); response.StatusCode != want.status || got != want.contentType || !strings.Contains(body, want.text) {
			t.Errorf("%s: status %d, type %s, %d bytes; want %v", path, response.StatusCode, got, len(body), want)
		}
	}
}

func TestDocumentationIsRevalidated(t *testing.T) {
	s := servertest.Serve(t, memory.New(), func(o *server.Options) { o.Manual = manual.New(docs.Files, manual.Options{}) })
	first, _ := get(t, "GET", s.URL+"/docs/client")
	second, _ := get(t, "GET", s.URL+"/docs/client", "If-None-Match", first.Header.Get("ETag"))
	if second.StatusCode != http.StatusNotModified {
		t.Errorf("status %d; want 304", second.StatusCode)
	}
}

// Each Host header is another site. The number of pages that the server keeps is limited.
func TestDocumentationForManySites(t *testing.T) {
	s := servertest.Serve(t, memory.New(), func(o *server.Options) { o.Manual = manual.New(docs.Files, manual.Options{}) })
	for i := range 250 {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/docs/install", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = "weft" + strings.Repeat("x", i)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || !strings.Contains(string(body), "npx http://"+request.Host+"/packages/") {
			t.Fatalf("the page for %s has another address", request.Host)
		}
	}
}

func TestServerWithoutDocumentation(t *testing.T) {
	s := servertest.Serve(t, memory.New())
	for _, path := range []string{"/docs", "/docs/install", "/docs/search?q=a", "/llms.txt"} {
		if response, body := get(t, "GET", s.URL+path); response.StatusCode != http.StatusNotFound || !strings.Contains(body, "no documentation") {
			t.Errorf("%s: status %d, %s; want 404, as the server has no documentation", path, response.StatusCode, body)
		}
	}
}
