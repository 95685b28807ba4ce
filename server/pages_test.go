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

	"github.com/weft-graph/weft/content"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/page"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/wire"
)

// built stands for what the build of the site leaves behind.
var built = fstest.MapFS{
	"index.html": {Data: []byte(`<!doctype html><html lang="en"><head><title>Weft</title>` +
		`<meta name="description" content=""><script>theme()</script><!--weft:head-->` +
		`<script type="module" crossorigin src="/assets/index-DW82rxeF.js"></script></head>` +
		`<body><a href="#content">Skip</a><div id="app"><!--weft:page--></div></body></html>`)},
	"assets/index-DW82rxeF.js":    {Data: []byte(strings.Repeat("theme()\n", 100))},
	"assets/index-DW82rxeF.js.br": {Data: []byte("as small as it gets")},
	"assets/manifest.json":        {Data: []byte(`{}`)},
	"favicon.svg":                 {Data: []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)},
	".keep":                       {Data: []byte(`x`)},
}

func serve(t testing.TB, store graph.Store, site fs.FS) *servertest.Server {
	t.Helper()
	handler, err := server.Pages(store, site, server.PageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return servertest.Serve(t, store, func(o *server.Options) { o.Pages = handler })
}

func seeded(t testing.TB) graph.Store {
	t.Helper()
	store := memory.New()
	if err := content.Seed(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	return store
}

// get asks without following redirects and returns the answer with its body read.
// A head is an answer without its body.
type head struct {
	StatusCode    int
	ContentLength int64
	Header        http.Header
}

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
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return head{answer.StatusCode, answer.ContentLength, answer.Header}, string(body)
}

func TestEverySeededPageCanBeReadWithoutScripts(t *testing.T) {
	site, err := content.Load()
	if err != nil {
		t.Fatal(err)
	}
	store := seeded(t)
	for name, files := range map[string]fs.FS{"built": built, "not built": fstest.MapFS{".keep": {}}} {
		s := serve(t, store, files)
		for _, p := range site.Pages {
			for _, slug := range append([]string{p.Slug}, p.Also...) {
				t.Run(slug+" of a site that is "+name, func(t *testing.T) {
					answer, body := get(t, "GET", s.URL+slug)
					if answer.StatusCode != http.StatusOK {
						t.Fatalf("status %d", answer.StatusCode)
					}
					shows(t, body, p)
				})
			}
		}
	}
}

// shows checks what a reader, a search engine and the browser's renderer find in a first answer.
func shows(t *testing.T, body string, p content.Page) {
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
			t.Errorf("the first answer does not show %q", headline(t, w.HTML))
		}
	}
	var sent page.Page
	if err := json.Unmarshal([]byte(data.FirstChild.Data), &sent); err != nil {
		t.Fatal(err)
	}
	if sent.Settings.Title != p.Title || sent.Body == nil || sent.Body.ID == 0 {
		t.Errorf("the data is %+v", sent)
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
	for below := range node.Descendants() {
		if below.Type == html.TextNode {
			b.WriteString(below.Data)
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
	s := serve(t, seeded(t), built)

	t.Run("an unknown address shows the stored page for those", func(t *testing.T) {
		answer, body := get(t, "GET", s.URL+"/no-such-page")
		if answer.StatusCode != http.StatusNotFound || !strings.Contains(body, "<title>Not found: Weft</title>") {
			t.Errorf("status %d, %.300s", answer.StatusCode, body)
		}
	})
	t.Run("a page has one address", func(t *testing.T) {
		answer, _ := get(t, "GET", s.URL+"/About/?q=1")
		if got := answer.Header.Get("Location"); answer.StatusCode != http.StatusPermanentRedirect || got != "/about?q=1" {
			t.Errorf("status %d to %q", answer.StatusCode, got)
		}
	})
	t.Run("a page that did not change is not sent again", func(t *testing.T) {
		first, _ := get(t, "GET", s.URL+"/about")
		answer, body := get(t, "GET", s.URL+"/about", "If-None-Match", first.Header.Get("ETag"))
		if answer.StatusCode != http.StatusNotModified || body != "" {
			t.Errorf("status %d with %d bytes", answer.StatusCode, len(body))
		}
	})
	t.Run("HEAD is GET without a body", func(t *testing.T) {
		full, text := get(t, "GET", s.URL+"/about")
		head, body := get(t, "HEAD", s.URL+"/about")
		if body != "" || head.ContentLength != int64(len(text)) || head.Header.Get("ETag") != full.Header.Get("ETag") {
			t.Errorf("%d bytes, length %d of %d", len(body), head.ContentLength, len(text))
		}
	})
	t.Run("a page is gzipped for those who can read it", func(t *testing.T) {
		_, plain := get(t, "GET", s.URL+"/")
		answer, body := get(t, "GET", s.URL+"/", "Accept-Encoding", "br;q=1, gzip;q=0.8")
		if answer.Header.Get("Content-Encoding") != "gzip" {
			t.Fatalf("encoding %q", answer.Header.Get("Content-Encoding"))
		}
		unzip, err := gzip.NewReader(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(unzip); err != nil || string(got) != plain {
			t.Errorf("another text when unzipped (%v)", err)
		}
		if answer, _ := get(t, "GET", s.URL+"/", "Accept-Encoding", "gzip;q=0"); answer.Header.Get("Content-Encoding") != "" {
			t.Error("gzipped for somebody who cannot read it")
		}
	})
	t.Run("what the build made smallest is sent to those who can read it", func(t *testing.T) {
		for codings, want := range map[string]string{"gzip, br": "br", "gzip, br;q=0": "gzip", "": ""} {
			answer, body := get(t, "GET", s.URL+"/assets/index-DW82rxeF.js", "Accept-Encoding", codings)
			if got := answer.Header.Get("Content-Encoding"); got != want || (want == "br") != (body == "as small as it gets") {
				t.Errorf("%q: encoding %q, %d bytes", codings, got, len(body))
			}
		}
		if answer, _ := get(t, "GET", s.URL+"/assets/index-DW82rxeF.js.br"); answer.StatusCode != http.StatusNotFound {
			t.Errorf("it is a file of its own: status %d", answer.StatusCode)
		}
	})
	t.Run("nothing may be written to a page", func(t *testing.T) {
		if answer, _ := get(t, "POST", s.URL+"/about"); answer.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("status %d", answer.StatusCode)
		}
	})
	t.Run("only this site may do anything in a page", func(t *testing.T) {
		answer, body := get(t, "GET", s.URL+"/")
		policy := answer.Header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%q is not in the policy %s", want, policy)
			}
		}
		if strings.Contains(policy, "unsafe") {
			t.Errorf("the policy is %s", policy)
		}
		if answer.Header.Get("X-Content-Type-Options") != "nosniff" || answer.Header.Get("Referrer-Policy") == "" {
			t.Errorf("headers are %v", answer.Header)
		}
		if strings.Count(policy, "'sha256-") != 2 || !strings.Contains(body, "<style data-weft>") {
			t.Errorf("want a hash for the template's script and one for the page's CSS: %s", policy)
		}
	})
}

func TestPageData(t *testing.T) {
	s := serve(t, seeded(t), built)
	answer, body := get(t, "GET", s.URL+"/api/v1/pages?slug=/freeschema-data-fabric")
	var sent page.Page
	if err := json.Unmarshal([]byte(body), &sent); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v, %.200s", answer.StatusCode, err, body)
	}
	if sent.Settings.Slug != "/" || sent.Body.Name != "Home" || len(sent.Body.Children) == 0 {
		t.Errorf("the data is %+v", sent)
	}
	answer, body = get(t, "GET", s.URL+"/api/v1/pages?slug=/no-such-page")
	var e wire.Error
	if err := json.Unmarshal([]byte(body), &e); err != nil || answer.StatusCode != http.StatusNotFound ||
		e.Kind != graph.NotFound || e.StatusText == "" || e.RequestID != answer.Header.Get("X-Request-Id") {
		t.Errorf("status %d, %s", answer.StatusCode, body)
	}
	if answer, _ := get(t, "POST", s.URL+"/api/v1/pages?slug=/"); answer.StatusCode != http.StatusNotFound && answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST is status %d", answer.StatusCode)
	}
}

func TestSiteFiles(t *testing.T) {
	s := serve(t, memory.New(), built)
	for _, c := range []struct{ name, path, kind, cache string }{
		{"a file named by its content is kept for good", "/assets/index-DW82rxeF.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"},
		{"a file with a name of its own is asked for again", "/assets/manifest.json", "application/json; charset=utf-8", "no-cache"},
		{"a picture has its type", "/favicon.svg", "image/svg+xml", "no-cache"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer, _ := get(t, "GET", s.URL+c.path)
			if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != c.kind || answer.Header.Get("Cache-Control") != c.cache {
				t.Errorf("status %d, %v", answer.StatusCode, answer.Header)
			}
		})
	}
	for name, path := range map[string]string{
		"folders are not listed":        "/assets/",
		"hidden files are not served":   "/.keep",
		"nobody climbs out":             "/assets/..%2f..%2fgo.mod",
		"the template is not a page":    "/index.html",
		"without a stored page it says": "/nowhere",
	} {
		t.Run(name, func(t *testing.T) {
			answer, body := get(t, "GET", s.URL+path)
			if answer.StatusCode != http.StatusNotFound || !strings.Contains(body, html.EscapeString(page.InvalidPage)) {
				t.Errorf("status %d, %.200s", answer.StatusCode, body)
			}
		})
	}
}

// A page is made again when, and only when, what it shows was changed.
func TestPagesFollowTheStore(t *testing.T) {
	store := memory.New()
	s := serve(t, store, built)
	site := fstest.MapFS{
		"pages/a.json":          {Data: []byte(`{"slug": "/a", "title": "A", "body": "a"}`)},
		"widgets/a/widget.json": {Data: []byte(`{"name": "A"}`)},
		"widgets/a/widget.html": {Data: []byte(`<p>first</p>`)},
	}
	check := func(status int, text string) {
		t.Helper()
		answer, body := get(t, "GET", s.URL+"/a")
		if answer.StatusCode != status || !strings.Contains(body, text) {
			t.Fatalf("status %d; want %d with %q in %s", answer.StatusCode, status, text, body)
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
	check(http.StatusNotFound, "Invalid or Page")
	seed()
	check(http.StatusOK, "<p>first</p>")
	site["widgets/a/widget.html"] = &fstest.MapFile{Data: []byte(`<p>second</p>`)}
	seed()
	check(http.StatusOK, "<p>second</p>")
	notes := func(n int) {
		t.Helper()
		note := graph.ConceptDraft{Kind: graph.DraftComposition, TypeName: "the_note"}
		for range n {
			if _, err := store.Write(t.Context(), graph.Batch{Sender: graph.Sender{User: graph.Anonymous}, Concepts: []graph.ConceptDraft{note}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	notes(1)
	check(http.StatusOK, "<p>second</p>")
	notes(2000)
	site["widgets/a/widget.html"] = &fstest.MapFile{Data: []byte(`<p>third</p>`)}
	seed()
	check(http.StatusOK, "<p>third</p>")
	delete(site, "pages/a.json")
	seed()
	check(http.StatusNotFound, "Invalid or Page")
}

func BenchmarkPage(b *testing.B) {
	handler, err := server.Pages(seeded(b), built, server.PageOptions{})
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

// The work that a change to a page costs once.
func BenchmarkPageMadeAnew(b *testing.B) {
	store := seeded(b)
	shell, err := page.NewShell([]byte(page.Bare), func(string) string { return "" })
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p, err := page.Load(b.Context(), store, page.Policy{}, "/")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := shell.Fill(p, "https://weft.test", nil); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAPageThatIsUnavailableIsNoLineInTheLog(t *testing.T) {
	var log bytes.Buffer
	pages, err := server.Pages(inSQLite(t), built, server.PageOptions{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	ctx, giveUp := context.WithCancel(t.Context())
	giveUp()
	w := httptest.NewRecorder()
	pages.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/about", nil))
	if w.Code != http.StatusServiceUnavailable || log.Len() != 0 {
		t.Errorf("answered %d, and logged %s", w.Code, log.String())
	}
}
