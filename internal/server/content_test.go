package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/site/content"
	"github.com/weft-graph/weft/internal/store/memory"
)

// A contentClient sends requests to the routes of the site's content.
type contentClient struct {
	t     *testing.T
	url   string
	token string
}

// send sends a request and decodes a response with status 200 into the result. It returns the status and the body.
func (c contentClient) send(method, path, body string, result any) (int, string) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && result != nil && response.StatusCode == http.StatusOK {
		err = json.Unmarshal(text, result)
	}
	if err != nil {
		c.t.Fatalf("%s: %v", text, err)
	}
	return response.StatusCode, string(text)
}

// withSite starts a server with the built-in site and returns clients of an admin, a user and a guest.
func withSite(t *testing.T) (admin, user, guest contentClient) {
	t.Helper()
	store := memory.New()
	if err := content.Seed(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	s := servertest.Serve(t, store, func(o *server.Options) { o.AnonymousWrites = false })
	u, err := s.Accounts.Add(t.Context(), account.Person{Email: "user@example.org", Password: "correct horse"}, false)
	if err != nil {
		t.Fatal(err)
	}
	token, err := s.Accounts.Token(t.Context(), u.ID)
	if err != nil {
		t.Fatal(err)
	}
	guest = contentClient{t, s.URL, ""}
	return contentClient{t, s.URL, servertest.Admin(t, s, "admin@example.org")}, contentClient{t, s.URL, token}, guest
}

// editOf returns the body of a request that saves a document with other HTML.
func editOf(t *testing.T, d content.WidgetDocument, html string) string {
	t.Helper()
	d.Files = maps.Clone(d.Files)
	d.Files["widget.html"] = html
	body, err := json.Marshal(map[string]any{"name": d.Name, "base": d.Version.Number, "files": d.Files})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestAWidgetIsSavedAsAVersionPublishedAndRolledBack(t *testing.T) {
	admin, _, guest := withSite(t)
	var before, saved, shown content.WidgetDocument
	guest.send("GET", "/api/v1/content/widget?name=about", "", &before)
	edited := strings.Replace(before.Files["widget.html"], "<h1", "<h1 data-edited", 1)
	if status, text := admin.send("POST", "/api/v1/content/widget", editOf(t, before, edited), &saved); status != 200 {
		t.Fatalf("status %d: %s; want 200", status, text)
	}
	if saved.Version.Number != before.Version.Number+1 || saved.Version.Published || saved.Files["widget.html"] != edited {
		t.Errorf("the saved version = %+v; want an unpublished version %d with the edited file", saved.Version, before.Version.Number+1)
	}
	for _, version := range []int{saved.Version.Number, before.Version.Number} {
		status, text := admin.send("POST", "/api/v1/content/publish", fmt.Sprintf(`{"name":"about","version":%d}`, version), nil)
		if guest.send("GET", fmt.Sprintf("/api/v1/content/widget?name=about&version=%d", version), "", &shown); status != 200 || !shown.Version.Published {
			t.Errorf("publishing version %d: status %d %s, %+v; want 200 and a published version", version, status, text, shown.Version)
		}
	}
	if diff := cmp.Diff(before.Files, shown.Files); len(shown.Versions) != 2 || diff != "" {
		t.Errorf("%d versions; rolling back returns other files (-before +now)\n%s", len(shown.Versions), diff)
	}
}

func TestAnEditOfAnOlderVersionIsRefused(t *testing.T) {
	admin, _, _ := withSite(t)
	var first, saved content.WidgetDocument
	admin.send("GET", "/api/v1/content/widget?name=about", "", &first)
	one, two := editOf(t, first, first.Files["widget.html"]+"<p>one</p>"), editOf(t, first, first.Files["widget.html"]+"<p>two</p>")
	if status, text := admin.send("POST", "/api/v1/content/widget", one, &saved); status != 200 {
		t.Fatalf("status %d: %s; want 200", status, text)
	}
	if status, text := admin.send("POST", "/api/v1/content/widget", two, nil); status != 409 || !strings.Contains(text, "version 1 was saved in the meantime") {
		t.Errorf("status %d: %s; want 409", status, text)
	}
}

func TestOnlyAdminsChangeTheSite(t *testing.T) {
	admin, user, guest := withSite(t)
	var about content.WidgetDocument
	var home content.PageDocument
	admin.send("GET", "/api/v1/content/widget?name=about", "", &about)
	admin.send("GET", "/api/v1/content/page?name=home", "", &home)
	home.Page.Title = "Another title"
	page, err := json.Marshal(map[string]any{"name": "home", "page": home.Page})
	if err != nil {
		t.Fatal(err)
	}
	widget := editOf(t, about, about.Files["widget.html"]+"<p>mine</p>")
	for path, body := range map[string]string{
		"/api/v1/content/widget": widget, "/api/v1/content/publish": `{"name":"about","version":0}`, "/api/v1/content/page": string(page),
	} {
		if status, text := guest.send("POST", path, body, nil); status != 401 {
			t.Errorf("%s as a guest: status %d %s; want 401", path, status, text)
		}
		if path == "/api/v1/content/publish" {
			continue // version 0 is published already, so nothing is written
		}
		if status, text := user.send("POST", path, body, nil); status != 403 {
			t.Errorf("%s as a user: status %d %s; want 403", path, status, text)
		}
		if status, text := admin.send("POST", path, body, nil); status != 200 {
			t.Errorf("%s as an admin: status %d %s; want 200", path, status, text)
		}
	}
	var list struct{ Items []content.Item }
	guest.send("GET", "/api/v1/content", "", &list)
	for _, item := range list.Items {
		if item.Kind == "page" && item.Name == "pages/home.json" && item.Title != "Another title" {
			t.Errorf("the title of the home page = %q; want \"Another title\"", item.Title)
		}
		if item.Kind == "widget" && item.Name != "about" && item.Newest != item.Published {
			t.Errorf("saving changed the widget %s", item.Name)
		}
	}
}

func TestBadEditsNameTheFileAndTheMember(t *testing.T) {
	admin, _, _ := withSite(t)
	for body, want := range map[string]string{
		`{"name":"about","files":{"widget.json":"{","widget.html":"<p>x</p>"}}`:                                           "widget.json: unexpected EOF",
		`{"name":"about","files":{"widget.json":"{\"name\":\"About\"}","widget.html":"<p>x</p>","widget.css":"p { } }"}}`: "widget.css: CSS has an unmatched }",
		`{"name":"about","files":{"widget.html":"<p>x</p>"}}`:                                                             "widget.json cannot be read",
		`{"name":"No such widget","files":{}}`:                                                                            "there is no widget",
	} {
		if status, text := admin.send("POST", "/api/v1/content/widget", body, nil); status != 400 && status != 404 || !strings.Contains(text, want) {
			t.Errorf("%s: status %d %s; want %q", body, status, text, want)
		}
	}
	var created content.WidgetDocument
	status, text := admin.send("POST", "/api/v1/content/widget", `{"name":"hello","files":{"widget.json":"{\"name\":\"Hello\"}","widget.html":"<p>x</p>"}}`, &created)
	if status != 200 || created.Title != "Hello" || created.Version.Number != 0 {
		t.Errorf("a new widget: status %d %s; want 200 and version 0 of Hello", status, text)
	}
}

func TestAPreviewShowsUnsavedFilesWithinTheCallersPermissions(t *testing.T) {
	admin, _, guest := withSite(t)
	var about content.WidgetDocument
	admin.send("GET", "/api/v1/content/widget?name=about", "", &about)
	var shown struct {
		Widget struct {
			HTML, CSS string
			Root      graph.ID
			Warnings  []string
		}
	}
	draft := fmt.Sprintf(`{"id":%d,"html":"<h1 onclick=\"x()\">Draft</h1><script>x()</script>","css":"@import url(https://example.org/x.css); h1 { color: red }"}`, about.Version.ID)
	if status, text := guest.send("POST", "/api/v1/widgets/preview", draft, &shown); status != 200 {
		t.Fatalf("status %d: %s; want 200", status, text)
	}
	if w := shown.Widget; w.HTML != "<h1>Draft</h1>" || strings.Contains(w.CSS, "import") || !strings.Contains(w.CSS, "color") || len(w.Warnings) == 0 || w.Root != about.ID {
		t.Errorf("the preview = %+v; want the draft of widget %d, its CSS without @import, and a warning", w, about.ID)
	}
	var after content.WidgetDocument
	admin.send("GET", "/api/v1/content/widget?name=about", "", &after)
	if diff := cmp.Diff(about, after); diff != "" {
		t.Errorf("the preview changed the widget (-before +after)\n%s", diff)
	}
}

func TestOnlyPreviewsOfPagesMayBeFramedAndOnlyByThisOrigin(t *testing.T) {
	store := memory.New()
	if err := content.Seed(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	pages, err := server.Pages(store, fstest.MapFS{}, server.PageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := servertest.Serve(t, store, func(o *server.Options) { o.Pages = pages })
	for path, want := range map[string][2]string{"/about": {"'none'", "DENY"}, "/about?preview": {"'self'", "SAMEORIGIN"}} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		policy, options := response.Header.Get("Content-Security-Policy"), response.Header.Get("X-Frame-Options")
		if !strings.HasSuffix(policy, "frame-ancestors "+want[0]) || options != want[1] {
			t.Errorf("%s: %s, and X-Frame-Options %s", path, policy, options)
		}
	}
}
