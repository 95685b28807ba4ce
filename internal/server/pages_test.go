package server_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/net/html"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/race"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/site/content"
	"github.com/weft-graph/weft/internal/site/page"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/wire"
)

// builtSite is a small built site.
var builtSite = fstest.MapFS{
	"index.html": {Data: []byte(`<!doctype html><html lang="en"><head><title>Weft</title>` +
		`<meta name="description" content=""><script>theme()</script><!--weft:head-->` +
		`<script type="module" crossorigin src="/assets/index-DW82rxeF.js"></script></head>` +
		`<body><a href="#content">Skip</a><div id="app"><!--weft:page--></div></body></html>`)},
	"assets/index-DW82rxeF.js":    {Data: []byte(strings.Repeat("theme()\n", 100))},
	"assets/index-DW82rxeF.js.br": {Data: []byte("the smallest")},
	"assets/manifest.json":        {Data: []byte(`{}`)},
	"favicon.svg":                 {Data: []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)},
	".keep":                       {Data: []byte(`x`)},
}

// servePages serves the pages of a store inside the documents of a built site.
func servePages(t testing.TB, store graph.Store, site fs.FS) *servertest.Server {
	t.Helper()
	handler, err := server.Pages(store, site, server.PageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return servertest.Serve(t, store, func(o *server.Options) { o.Pages = handler })
}

// seededStore returns a store with the built-in site.
func seededStore(t testing.TB) graph.Store {
	t.Helper()
	store := memory.New()
	if err := content.Seed(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	return store
}

// get sends a request without following redirects. The headers are alternately names and values.
func get(t *testing.T, method, url string, headers ...string) (head, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", "identity")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return head{response.Status, response.StatusCode, response.Header, response.ContentLength}, string(body)
}

func TestSeededPagesAreReadableWithoutScripts(t *testing.T) {
	race.Skip(t, "one request at a time, for every page")
	site, err := content.Load()
	if err != nil {
		t.Fatal(err)
	}
	store := seededStore(t)
	for name, files := range map[string]fs.FS{"built": builtSite, "not built": fstest.MapFS{".keep": {}}} {
		s := servePages(t, store, files)
		for _, p := range site.Pages {
			for _, slug := range append([]string{p.Slug}, p.Also...) {
				t.Run(slug+" of a site that is "+name, func(t *testing.T) {
					response, body := get(t, "GET", s.URL+slug)
					if response.StatusCode != http.StatusOK {
						t.Fatalf("status %d; want 200", response.StatusCode)
					}
					checkDocument(t, body, p)
				})
			}
		}
	}
}

// checkDocument checks the parts of a page's document that readers, search engines and the browser library use.
func checkDocument(t *testing.T, body string, p content.Page) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	metas := map[string]string{}
	var app, data *html.Node
	for node := range doc.Descendants() {
		switch {
		case node.Data == "title" && node.Parent.Data == "head":
			titles = append(titles, node.FirstChild.Data)
		case node.Data == "meta":
			metas[attribute(node, "name")+attribute(node, "property")] = attribute(node, "content")
		case attribute(node, "id") == "app":
			app = node
		case attribute(node, "id") == "weft-page":
			data = node
		}
	}
	if !slices.Equal(titles, []string{p.MetaTitle}) {
		t.Errorf("titles are %q; want %q", titles, p.MetaTitle)
	}
	for name, want := range map[string]string{
		"description": p.MetaDescription, "keywords": p.MetaKeywords,
		"og:title": p.MetaTitle, "og:description": p.MetaDescription, "og:type": "website",
	} {
		if metas[name] != want {
			t.Errorf("%s is %q; want %q", name, metas[name], want)
		}
	}
	site, err := content.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range site.Widgets {
		if w.Folder == p.Body && !strings.Contains(textOf(app), headline(t, w.HTML)) {
			t.Errorf("the first response does not show %q", headline(t, w.HTML))
		}
	}
	var got page.Page
	if err := json.Unmarshal([]byte(data.FirstChild.Data), &got); err != nil {
		t.Fatal(err)
	}
	if got.Settings.Title != p.Title || got.Body == nil || got.Body.ID == 0 {
		t.Errorf("the data = %+v; want the title %q and a body with an id", got, p.Title)
	}
}

func headline(t *testing.T, stored string) string {
	doc, err := html.Parse(strings.NewReader(stored))
	if err != nil {
		t.Fatal(err)
	}
	for node := range doc.Descendants() {
		if node.Data == "h1" {
			return textOf(node)
		}
	}
	t.Fatalf("no headline in %.80q", stored)
	return ""
}

func textOf(node *html.Node) string {
	var b strings.Builder
	for descendant := range node.Descendants() {
		if descendant.Type == html.TextNode {
			b.WriteString(descendant.Data)
		}
	}
	return b.String()
}

func attribute(node *html.Node, key string) string {
	for _, a := range node.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func TestPages(t *testing.T) {
	s := servePages(t, seededStore(t), builtSite)

	t.Run("an unknown address shows the stored 404 page", func(t *testing.T) {
		response, body := get(t, "GET", s.URL+"/no-such-page")
		if response.StatusCode != http.StatusNotFound || !strings.Contains(body, "<title>Not found | Weft</title>") {
			t.Errorf("status %d, %.300s; want 404 and the page Not found", response.StatusCode, body)
		}
	})
	t.Run("redirects to the normal form of an address", func(t *testing.T) {
		response, _ := get(t, "GET", s.URL+"/About/?q=1")
		if got := response.Header.Get("Location"); response.StatusCode != http.StatusPermanentRedirect || got != "/about?q=1" {
			t.Errorf("status %d to %q; want 308 to /about?q=1", response.StatusCode, got)
		}
	})
	t.Run("an unchanged page is 304", func(t *testing.T) {
		first, _ := get(t, "GET", s.URL+"/about")
		response, body := get(t, "GET", s.URL+"/about", "If-None-Match", first.Header.Get("ETag"))
		if response.StatusCode != http.StatusNotModified || body != "" {
			t.Errorf("status %d with %d bytes; want 304 without bytes", response.StatusCode, len(body))
		}
	})
	t.Run("HEAD is GET without a body", func(t *testing.T) {
		full, text := get(t, "GET", s.URL+"/about")
		head, body := get(t, "HEAD", s.URL+"/about")
		if body != "" || head.ContentLength != int64(len(text)) || head.Header.Get("ETag") != full.Header.Get("ETag") {
			t.Errorf("HEAD: %d bytes, Content-Length %d, ETag %q; want 0 bytes, %d, %q", len(body), head.ContentLength, head.Header.Get("ETag"), len(text), full.Header.Get("ETag"))
		}
	})
	t.Run("a page is gzipped for clients that accept it", func(t *testing.T) {
		_, plain := get(t, "GET", s.URL+"/")
		response, body := get(t, "GET", s.URL+"/", "Accept-Encoding", "br;q=1, gzip;q=0.8")
		if response.Header.Get("Content-Encoding") != "gzip" {
			t.Fatalf("the content encoding = %q; want gzip", response.Header.Get("Content-Encoding"))
		}
		unzip, err := gzip.NewReader(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(unzip); err != nil || string(got) != plain {
			t.Errorf("the unzipped text differs (%v)", err)
		}
		if response, _ := get(t, "GET", s.URL+"/", "Accept-Encoding", "gzip;q=0"); response.Header.Get("Content-Encoding") != "" {
			t.Error("gzipped for a client that does not accept it")
		}
	})
	t.Run("a Brotli file of the build is sent to clients that accept it", func(t *testing.T) {
		for codings, want := range map[string]string{"gzip, br": "br", "gzip, br;q=0": "gzip", "": ""} {
			response, body := get(t, "GET", s.URL+"/assets/index-DW82rxeF.js", "Accept-Encoding", codings)
			if got := response.Header.Get("Content-Encoding"); got != want || (want == "br") != (body == "the smallest") {
				t.Errorf("%q: encoding %q, %d bytes", codings, got, len(body))
			}
		}
		if response, _ := get(t, "GET", s.URL+"/assets/index-DW82rxeF.js.br"); response.StatusCode != http.StatusNotFound {
			t.Errorf("the .br file itself has status %d; want 404", response.StatusCode)
		}
	})
	t.Run("refuses POST to a page", func(t *testing.T) {
		if response, _ := get(t, "POST", s.URL+"/about"); response.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("status %d; want 405", response.StatusCode)
		}
	})
	t.Run("the policy of a page allows only this site", func(t *testing.T) {
		response, body := get(t, "GET", s.URL+"/")
		policy := response.Header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%q is not in the policy %s", want, policy)
			}
		}
		if strings.Contains(policy, "unsafe") {
			t.Errorf("the policy = %s; want nothing unsafe", policy)
		}
		if response.Header.Get("X-Content-Type-Options") != "nosniff" || response.Header.Get("Referrer-Policy") == "" {
			t.Errorf("the headers = %v; want nosniff and a Referrer-Policy", response.Header)
		}
		if strings.Count(policy, "'sha256-") != 2 || !strings.Contains(body, "<style data-weft>") {
			t.Errorf("want a hash for the template's script and one for the page's CSS: %s", policy)
		}
	})
}

func TestPageIsServedAsJSON(t *testing.T) {
	s := servePages(t, seededStore(t), builtSite)
	response, body := get(t, "GET", s.URL+"/api/v1/pages?slug=/freeschema-data-fabric")
	var got page.Page
	if err := json.Unmarshal([]byte(body), &got); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v, %.200s; want 200 and JSON", response.StatusCode, err, body)
	}
	if got.Settings.Slug != "/" || got.Body.Name != "Home" || len(got.Body.Children) == 0 {
		t.Errorf("the data = %+v; want the page / with the widget Home and its children", got)
	}
	response, body = get(t, "GET", s.URL+"/api/v1/pages?slug=/no-such-page")
	var e wire.Error
	if err := json.Unmarshal([]byte(body), &e); err != nil || response.StatusCode != http.StatusNotFound ||
		e.Kind != graph.NotFound || e.StatusText == "" || e.RequestID != response.Header.Get("X-Request-Id") {
		t.Errorf("status %d, %s; want 404, notFound, with the id of the request", response.StatusCode, body)
	}
	if response, _ := get(t, "POST", s.URL+"/api/v1/pages?slug=/"); response.StatusCode != http.StatusNotFound && response.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d; want 404 or 405", response.StatusCode)
	}
}

func TestSiteFiles(t *testing.T) {
	s := servePages(t, memory.New(), builtSite)
	for _, c := range []struct{ name, path, kind, cache string }{
		{"a file named by its hash is cached forever", "/assets/index-DW82rxeF.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"},
		{"any other file is revalidated", "/assets/manifest.json", "application/json; charset=utf-8", "no-cache"},
		{"a picture has its type", "/favicon.svg", "image/svg+xml", "no-cache"},
	} {
		t.Run(c.name, func(t *testing.T) {
			response, _ := get(t, "GET", s.URL+c.path)
			if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != c.kind || response.Header.Get("Cache-Control") != c.cache {
				t.Errorf("status %d, %v; want 200, the type %q, the cache control %q", response.StatusCode, response.Header, c.kind, c.cache)
			}
		})
	}
	for name, path := range map[string]string{
		"folders are not listed":        "/assets/",
		"hidden files are not served":   "/.keep",
		"paths cannot leave the site":   "/assets/..%2f..%2fgo.mod",
		"the template is not a page":    "/index.html",
		"an unknown address is invalid": "/nowhere",
	} {
		t.Run(name, func(t *testing.T) {
			response, body := get(t, "GET", s.URL+path)
			if response.StatusCode != http.StatusNotFound || !strings.Contains(body, html.EscapeString(page.InvalidPage)) {
				t.Errorf("status %d, %.200s; want 404 and the page for invalid addresses", response.StatusCode, body)
			}
		})
	}
}

// A page must show each change of its records, even if many other records have changed in the meantime.
func TestPageReloadsAfterAChange(t *testing.T) {
	store := memory.New()
	s := servePages(t, store, builtSite)
	site := fstest.MapFS{
		"pages/a.json":          {Data: []byte(`{"slug": "/a", "title": "A", "body": "a"}`)},
		"widgets/a/widget.json": {Data: []byte(`{"name": "A"}`)},
		"widgets/a/widget.html": {Data: []byte(`<p>first</p>`)},
	}
	checkPage := func(status int, text string) {
		t.Helper()
		response, body := get(t, "GET", s.URL+"/a")
		if response.StatusCode != status || !strings.Contains(body, text) {
			t.Fatalf("status %d; want %d with %q in %s", response.StatusCode, status, text, body)
		}
	}
	seed := func() {
		t.Helper()
		loaded, err := content.LoadFrom(site)
		if err != nil {
			t.Fatal(err)
		}
		if err := loaded.Seed(t.Context(), store); err != nil {
			t.Fatal(err)
		}
	}
	checkPage(http.StatusNotFound, "Invalid or Page")
	seed()
	checkPage(http.StatusOK, "<p>first</p>")
	site["widgets/a/widget.html"] = &fstest.MapFile{Data: []byte(`<p>second</p>`)}
	seed()
	checkPage(http.StatusOK, "<p>second</p>")
	writeNotes := func(n int) {
		t.Helper()
		note := graph.ConceptDraft{Kind: graph.DraftComposition, TypeName: "the_note"}
		for range n {
			if _, err := store.Write(t.Context(), graph.Batch{Sender: graph.Sender{User: graph.Anonymous}, Concepts: []graph.ConceptDraft{note}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	writeNotes(1)
	checkPage(http.StatusOK, "<p>second</p>")
	writeNotes(2000)
	site["widgets/a/widget.html"] = &fstest.MapFile{Data: []byte(`<p>third</p>`)}
	seed()
	checkPage(http.StatusOK, "<p>third</p>")
	delete(site, "pages/a.json")
	seed()
	checkPage(http.StatusNotFound, "Invalid or Page")
}

func BenchmarkPage(b *testing.B) {
	handler, err := server.Pages(seededStore(b), builtSite, server.PageOptions{})
	if err != nil {
		b.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			b.Fatal(w.Code)
		}
	}
}

// BenchmarkPageReload measures the first request after a change to a page.
func BenchmarkPageReload(b *testing.B) {
	store := seededStore(b)
	shell, err := page.NewShell([]byte(page.EmptyIndex), func(string) string { return "" })
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p, err := page.Load(b.Context(), store, page.Policy{}, "/")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := shell.Fill(p, "https://weft.test", page.Policy{}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestUnavailablePageIsNotLogged(t *testing.T) {
	var log bytes.Buffer
	pages, err := server.Pages(inSQLite(t), builtSite, server.PageOptions{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	pages.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/about", nil))
	if w.Code != http.StatusServiceUnavailable || log.Len() != 0 {
		t.Errorf("status %d, and logged %s; want 503, and nothing in the log", w.Code, log.String())
	}
}
