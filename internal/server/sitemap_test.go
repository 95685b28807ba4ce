package server_test

import (
	"encoding/xml"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/site/content"
)

const publicURL = "https://weft.test"

// serveWithPublicURL serves the site with a public URL.
func serveWithPublicURL(t *testing.T, store graph.Store) *servertest.Server {
	t.Helper()
	pages, err := server.Pages(store, builtSite, server.PageOptions{PublicURL: publicURL})
	if err != nil {
		t.Fatal(err)
	}
	return servertest.Serve(t, store, func(o *server.Options) { o.Pages = pages })
}

func TestSitemapAndRobots(t *testing.T) {
	s := serveWithPublicURL(t, seededStore(t))
	site, err := content.Load()
	if err != nil {
		t.Fatal(err)
	}
	response, text := get(t, "GET", s.URL+"/sitemap.xml")
	listed := sitemapIn(t, text)
	for _, p := range site.Pages {
		changed, found := listed[publicURL+p.Slug]
		if want := p.Slug != "/404" && !p.Guarded; found != want {
			t.Errorf("%s is listed: %v; want %v", p.Slug, found, want)
		}
		if _, err := time.Parse(time.RFC3339, changed); found && err != nil {
			t.Errorf("the last change of %s = %q; want a time of RFC 3339", p.Slug, changed)
		}
	}
	if response.Header.Get("Content-Type") != "application/xml" || len(listed) == 0 {
		t.Errorf("the sitemap = %v %s; want XML that lists pages", response.Header, text)
	}
	_, text = get(t, "GET", s.URL+"/robots.txt")
	if !strings.Contains(text, "\nSitemap: "+publicURL+"/sitemap.xml\n") || !strings.Contains(text, "\nDisallow: /api/\n") {
		t.Errorf("robots.txt = %s; want the address of the sitemap, and no access to /api/", text)
	}
}

// sitemapIn returns the time of the last change of each URL in a sitemap.
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

func TestPageHasShareMetadata(t *testing.T) {
	store := seededStore(t)
	for name, c := range map[string]struct{ url, site string }{
		"with a public URL":               {serveWithPublicURL(t, store).URL, publicURL},
		"with the address of the request": {servePages(t, store, builtSite).URL, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if c.site == "" {
				c.site = c.url
			}
			for path, slug := range map[string]string{"/about": "/about", "/freeschema-data-fabric": "/"} {
				card := map[string]string{"/about": "/og/about.png", "/": "/og/index.png"}[slug]
				_, body := get(t, "GET", c.url+path)
				for _, want := range []string{
					`<link rel="canonical" href="` + c.site + slug + `">`, `<meta property="og:url" content="` + c.site + slug + `">`,
					`<meta property="og:image" content="` + c.site + card + `">`, `<meta property="og:image:width" content="1200">`,
					`<meta name="twitter:card" content="summary_large_image">`,
				} {
					if !strings.Contains(body, want) {
						t.Errorf("%s does not have %s", path, want)
					}
				}
			}
		})
	}
	t.Run("a page cached for one host is not served to another", func(t *testing.T) {
		s := servePages(t, store, builtSite)
		for _, host := range []string{"a.test", "b.test", "c.test", "d.test", "e.test", "f.test", "a.test"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/about", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Host = host
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			text := make([]byte, 64<<10)
			n, _ := response.Body.Read(text)
			response.Body.Close()
			if !strings.Contains(string(text[:n]), `href="http://`+host+`/about"`) {
				t.Errorf("%s gets %s", host, text[:n])
			}
		}
	})
}

func TestShareCardsOfPagesAreServed(t *testing.T) {
	s := serveWithPublicURL(t, seededStore(t))
	for _, path := range []string{"/og/index.png", "/og/about.png"} {
		response, body := get(t, "GET", s.URL+path)
		picture, err := png.Decode(strings.NewReader(body))
		if err != nil || picture.Bounds().Dx() != 1200 || picture.Bounds().Dy() != 630 || response.Header.Get("Content-Type") != "image/png" {
			t.Errorf("%s: status %d, headers %v, %v; want a PNG of 1200 × 630 pixels", path, response.StatusCode, response.Header, err)
		}
		cached, body := get(t, "GET", s.URL+path, "If-None-Match", response.Header.Get("ETag"))
		if cached.StatusCode != http.StatusNotModified || body != "" {
			t.Errorf("%s: status %d if nothing changed; want 304 without a body", path, cached.StatusCode)
		}
	}
	for _, path := range []string{"/og/nothing.png", "/og/a/b/c.png", "/og/.png", "/og/%00.png", "/og/" + strings.Repeat("x", 5000) + ".png"} {
		if response, body := get(t, "GET", s.URL+path); response.StatusCode != http.StatusNotFound && path != "/og/.png" || response.StatusCode >= 500 {
			t.Errorf("%s: status %d %.200s; want 404, or for /og/.png any status below 500", path, response.StatusCode, body)
		}
	}
}

// The pages of admins are part of the site. If a user becomes an admin, or loses the role, the pages must change
// immediately.
func TestPagesOfAdminsAreServed(t *testing.T) {
	f := newAccessFixture(t, nil)
	writePage := func(callerName, slug string, access graph.Access) {
		body := f.writeWidget(callerName, "Page of "+callerName, access)
		f.writeRecord(callerName, "the_page", access, []string{"the_page_slug=" + slug, "the_page_title=Title"}, map[string]graph.ID{"the_page_body": body})
	}
	carol, err := f.accounts.Add(t.Context(), account.Person{Email: "carol@example.org", Password: "correct horse"}, true)
	if err != nil {
		t.Fatal(err)
	}
	f.users["carol"] = carol.ID
	writePage("carol", "/carols", graph.Public)
	writePage("carol", "/hidden", graph.Private)
	writePage(otherUser, "/bobs", graph.Public)
	checkServed := func(want ...string) {
		t.Helper()
		listed := sitemapIn(t, bodyOf(get(t, "GET", f.url+"/sitemap.xml")))
		for _, slug := range []string{"/carols", "/hidden", "/bobs"} {
			status := map[bool]int{true: http.StatusOK, false: http.StatusNotFound}[slices.Contains(want, slug)]
			for _, path := range []string{slug, "/api/v1/pages?slug=" + slug, "/og" + slug + ".png"} {
				if response, _ := get(t, "GET", f.url+path); response.StatusCode != status {
					t.Errorf("%s is %d; want %d", path, response.StatusCode, status)
				}
			}
			if _, found := listed[f.url+slug]; found != slices.Contains(want, slug) {
				t.Errorf("%s is listed = %v; want %v", slug, found, !found)
			}
		}
	}
	checkServed("/carols")
	if _, err := f.accounts.SetDisabled(t.Context(), carol.ID, true); err != nil {
		t.Fatal(err)
	}
	checkServed()
	if _, err := f.accounts.SetDisabled(t.Context(), carol.ID, false); err != nil {
		t.Fatal(err)
	}
	checkServed("/carols")
	if _, err := f.accounts.SetAdmin(t.Context(), carol.ID, false); err != nil {
		t.Fatal(err)
	}
	checkServed()
}

func bodyOf(_ head, body string) string { return body }
