package server_test

import (
	"encoding/xml"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/content"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/server/servertest"
)

const public = "https://weft.test"

// sharing serves the site under a public address.
func sharing(t *testing.T, store graph.Store) *servertest.Server {
	t.Helper()
	pages, err := server.Pages(store, built, server.PageOptions{PublicURL: public})
	if err != nil {
		t.Fatal(err)
	}
	return servertest.Serve(t, store, func(o *server.Options) { o.Pages = pages })
}

func TestSearchEnginesFindThePages(t *testing.T) {
	s := sharing(t, seeded(t))
	site, err := content.Load()
	if err != nil {
		t.Fatal(err)
	}
	answer, text := get(t, "GET", s.URL+"/sitemap.xml")
	listed := sitemapIn(t, text)
	for _, p := range site.Pages {
		changed, found := listed[public+p.Slug]
		if want := p.Slug != "/404" && !p.Guarded; found != want {
			t.Errorf("%s is listed: %v; want %v", p.Slug, found, want)
		}
		if _, err := time.Parse(time.RFC3339, changed); found && err != nil {
			t.Errorf("%s changed at %q", p.Slug, changed)
		}
	}
	if answer.Header.Get("Content-Type") != "application/xml" || len(listed) == 0 {
		t.Errorf("it is %v %s", answer.Header, text)
	}
	_, text = get(t, "GET", s.URL+"/robots.txt")
	if !strings.Contains(text, "\nSitemap: "+public+"/sitemap.xml\n") || !strings.Contains(text, "\nDisallow: /api/\n") {
		t.Errorf("robots are told %s", text)
	}
}

func sitemapIn(t *testing.T, text string) map[string]string {
	t.Helper()
	var sitemap struct {
		XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		URLs    []struct {
			Loc     string `xml:"loc"`
			Lastmod string `xml:"lastmod"`
		} `xml:"url"`
	}
	if err := xml.Unmarshal([]byte(text), &sitemap); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	listed := map[string]string{}
	for _, u := range sitemap.URLs {
		listed[u.Loc] = u.Lastmod
	}
	return listed
}

func TestAPageSaysHowToShareIt(t *testing.T) {
	store := seeded(t)
	for name, c := range map[string]struct{ url, site string }{
		"under its public address":         {sharing(t, store).URL, public},
		"under the address it is asked at": {serve(t, store, built).URL, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if c.site == "" {
				c.site = c.url
			}
			for path, slug := range map[string]string{"/about": "/about", "/freeschema-data-fabric": "/"} {
				drawn := map[string]string{"/about": "/og/about.png", "/": "/og/index.png"}[slug]
				_, body := get(t, "GET", c.url+path)
				for _, want := range []string{
					`<link rel="canonical" href="` + c.site + slug + `">`, `<meta property="og:url" content="` + c.site + slug + `">`,
					`<meta property="og:image" content="` + c.site + drawn + `">`, `<meta property="og:image:width" content="1200">`,
					`<meta name="twitter:card" content="summary_large_image">`,
				} {
					if !strings.Contains(body, want) {
						t.Errorf("%s does not have %s", path, want)
					}
				}
			}
		})
	}
	t.Run("whatever name it is asked at, it is not told under another", func(t *testing.T) {
		s := serve(t, store, built)
		for _, host := range []string{"a.test", "b.test", "c.test", "d.test", "e.test", "f.test", "a.test"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/about", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Host = host
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			text := make([]byte, 64<<10)
			n, _ := answer.Body.Read(text)
			answer.Body.Close()
			if !strings.Contains(string(text[:n]), `href="http://`+host+`/about"`) {
				t.Errorf("%s is told %s", host, text[:n])
			}
		}
	})
}

func TestPicturesOfPages(t *testing.T) {
	s := sharing(t, seeded(t))
	for _, path := range []string{"/og/index.png", "/og/about.png"} {
		answer, body := get(t, "GET", s.URL+path)
		drawn, err := png.Decode(strings.NewReader(body))
		if err != nil || drawn.Bounds().Dx() != 1200 || drawn.Bounds().Dy() != 630 || answer.Header.Get("Content-Type") != "image/png" {
			t.Errorf("%s is %d %v, %v", path, answer.StatusCode, answer.Header, err)
		}
		again, body := get(t, "GET", s.URL+path, "If-None-Match", answer.Header.Get("ETag"))
		if again.StatusCode != http.StatusNotModified || body != "" {
			t.Errorf("%s is sent again: %d", path, again.StatusCode)
		}
	}
	for _, path := range []string{"/og/nothing.png", "/og/a/b/c.png", "/og/.png", "/og/%00.png", "/og/" + strings.Repeat("x", 5000) + ".png"} {
		if answer, body := get(t, "GET", s.URL+path); answer.StatusCode != http.StatusNotFound && path != "/og/.png" || answer.StatusCode >= 500 {
			t.Errorf("%s is %d %.200s", path, answer.StatusCode, body)
		}
	}
}

// Whose pages are served changes with who is an admin, at once.
func TestPagesOfAdmins(t *testing.T) {
	h := newHouse(t, nil)
	page := func(who, slug string, access graph.Access) {
		body := h.widget(who, "Page of "+who, access)
		h.record(who, "the_page", access, []string{"the_page_slug=" + slug, "the_page_title=Title"}, map[string]graph.ID{"the_page_body": body})
	}
	another, err := h.accounts.Add(t.Context(), account.Person{Email: "carol@example.org", Password: "correct horse"}, true)
	if err != nil {
		t.Fatal(err)
	}
	h.users["carol"] = another.ID
	page("carol", "/carols", graph.Public)
	page("carol", "/hidden", graph.Private)
	page(stranger, "/bobs", graph.Public)
	check := func(want ...string) {
		t.Helper()
		listed := sitemapIn(t, second(get(t, "GET", h.url+"/sitemap.xml")))
		for _, slug := range []string{"/carols", "/hidden", "/bobs"} {
			status := map[bool]int{true: http.StatusOK, false: http.StatusNotFound}[slices.Contains(want, slug)]
			for _, path := range []string{slug, "/api/v1/pages?slug=" + slug, "/og" + slug + ".png"} {
				if answer, _ := get(t, "GET", h.url+path); answer.StatusCode != status {
					t.Errorf("%s is %d; want %d", path, answer.StatusCode, status)
				}
			}
			if _, found := listed[h.url+slug]; found != slices.Contains(want, slug) {
				t.Errorf("%s is listed: %v", slug, found)
			}
		}
	}
	check("/carols")
	if _, err := h.accounts.SetDisabled(t.Context(), another.ID, true); err != nil {
		t.Fatal(err)
	}
	check()
	if _, err := h.accounts.SetDisabled(t.Context(), another.ID, false); err != nil {
		t.Fatal(err)
	}
	check("/carols")
	if _, err := h.accounts.SetAdmin(t.Context(), another.ID, false); err != nil {
		t.Fatal(err)
	}
	check()
}

func second(_ head, body string) string { return body }
