package manual_test

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/net/html"

	"github.com/weft-graph/weft/docs"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/manual"
)

const site = "https://weft.example.org"

func TestEveryFileIsAPage(t *testing.T) {
	files, err := fs.Glob(docs.Files, "*.md")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{manual.Path}
	for _, file := range files {
		want = append(want, manual.Path+"/"+strings.TrimSuffix(file, ".md"))
	}
	got := manual.Paths()
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the navigation has %v; want %v", got, want)
	}
}

// Every link within the documentation leads to a page, and to a heading that the page has.
func TestLinksBetweenPages(t *testing.T) {
	m := manual.New(docs.Files, manual.Options{})
	ids := map[string]bool{manual.Path + "/search": true}
	var links []string
	for _, path := range manual.Paths() {
		ids[path] = true
		for node := range render(t, m, path).Descendants() {
			for _, a := range node.Attr {
				switch {
				case a.Key == "id":
					ids[path+"#"+a.Val] = true
				case a.Key == "href" && strings.HasPrefix(a.Val, "#"):
					links = append(links, path+a.Val)
				case a.Key == "href" && (a.Val == manual.Path || strings.HasPrefix(a.Val, manual.Path+"/")):
					links = append(links, strings.TrimSuffix(a.Val, ".md"))
				case a.Key == "href" && !strings.HasPrefix(a.Val, "/") && !strings.Contains(a.Val, "://"):
					t.Errorf("%s links to %s, which is neither a page nor another site", path, a.Val)
				}
			}
		}
	}
	if len(links) < 200 {
		t.Fatalf("found only %d links", len(links))
	}
	for _, link := range links {
		if !ids[link] {
			t.Errorf("a link leads to %s, which does not exist", link)
		}
	}
}

// small is documentation whose page install has the given text.
func small(text string) fstest.MapFS {
	files := fstest.MapFS{}
	for _, path := range manual.Paths()[1:] {
		files[strings.TrimPrefix(path, manual.Path+"/")+".md"] = &fstest.MapFile{Data: []byte("# Other\n")}
	}
	files["install.md"] = &fstest.MapFile{Data: []byte("# Installing\n\nFirst.\n\n" + text)}
	return files
}

func TestPagesAreSanitised(t *testing.T) {
	m := manual.New(small("<script>alert(1)</script>\n\n[a](javascript:alert(2)) <b onclick=x>b</b>\n\n<img src=x onerror=alert(3)>\n"), manual.Options{})
	text := renderText(t, m, "/docs/install")
	for _, wrong := range []string{"<script>alert", "javascript:", "onclick", "onerror"} {
		if strings.Contains(text, wrong) {
			t.Errorf("the page contains %q, which must be removed", wrong)
		}
	}
}

func TestAlternativesAreTabs(t *testing.T) {
	for text, want := range map[string]int{
		"```ts\na\n```\n```go\nb\n```\n```sh\ncurl c\n```\n": 1,
		"```ts\na\n```\n\n```ts\nb\n```\n":                   0,
		"```sh\nnpm a\n```\n\n```ts\nb\n```\n":               0,
		"```ts\na\n```\n\nText.\n\n```go\nb\n```\n":          0,
	} {
		m := manual.New(small(text), manual.Options{})
		if got := strings.Count(renderText(t, m, "/docs/install"), `class="alternatives"`); got != want {
			t.Errorf("%q has %d groups of alternatives; want %d", text, got, want)
		}
	}
}

func TestExamplesHaveTheAddressOfTheSite(t *testing.T) {
	m := manual.New(small("At `http://127.0.0.1:8080`:\n\n```sh\ncurl http://127.0.0.1:8080/x\n```\n"), manual.Options{})
	page, err := m.Page("install")
	if err != nil {
		t.Fatal(err)
	}
	for site, want := range map[string]string{site: "curl https://weft.example.org/x", `http://"><b>`: "curl http://&#34;&gt;&lt;b&gt;/x"} {
		text := string(page.For(site).HTML)
		if !strings.Contains(text, want) || strings.Count(text, "http://127.0.0.1:8080") != 1 {
			t.Errorf("the page for %s has no %q, or changes text next to the link", site, want)
		}
	}
	text, err := m.Markdown("install", site)
	if err != nil || !strings.Contains(text, "\ncurl https://weft.example.org/x\n") || !strings.Contains(text, "At `http://127.0.0.1:8080`") {
		t.Errorf("the Markdown = %q, %v; want the address of the site in commands, and the example address in the text", text, err)
	}
}

func TestLinksToSources(t *testing.T) {
	text := "See [the code](../web/x.ts) and [query.md](query.md#a).\n"
	without := renderText(t, manual.New(small(text), manual.Options{}), "/docs/install")
	with := renderText(t, manual.New(small(text), manual.Options{Links: manual.Links{Sources: "https://git.example.org"}}), "/docs/install")
	if !strings.Contains(without, "See the code and") || !strings.Contains(with, `<a href="https://git.example.org/web/x.ts">the code</a>`) {
		t.Error("a file of the sources is linked wrongly")
	}
	if !strings.Contains(with, `<a href="/docs/query#a">Other</a>`) {
		t.Error("a link to a page does not have its title")
	}
}

func TestFirstPageNamesOnlyWhatTheOperatorSet(t *testing.T) {
	bare := renderText(t, manual.New(docs.Files, manual.Options{}), "/docs")
	set := renderText(t, manual.New(docs.Files, manual.Options{Links: manual.Links{
		Downloads: "https://example.org/get", Packages: "https://example.org/npm", Sources: "https://git.example.org",
	}}), "/docs")
	if strings.Contains(bare, ">Downloads<") || strings.Contains(bare, ">Source code<") || !strings.Contains(bare, `href="/packages/"`) {
		t.Error("without settings the page names an address, or does not name the packages of this server")
	}
	for _, address := range []string{"https://example.org/get", "https://example.org/npm", "https://git.example.org"} {
		if !strings.Contains(set, `<a href="`+address+`"`) {
			t.Errorf("the page does not link to %s", address)
		}
	}
}

func TestSearch(t *testing.T) {
	m := manual.New(docs.Files, manual.Options{})
	for query, want := range map[string]string{
		"set and replace link": `href="/docs/client#set-and-replace-a-link"`,
		"TRANSACTIONS":         `<mark>`,
		"--anonymous-writes":   `href="/docs/operations`,
		"zzzz no such word":    "No section has all of these words",
		"":                     `<ol role="list" class="hits">`,
		"<script>":             "results for “&lt;script&gt;”",
		"İstanbul \xff":        "0 results",
	} {
		page, err := m.SearchPage(query)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(page.For(site).HTML); !strings.Contains(text, want) || strings.Count(text, "<mark>") > 400 {
			t.Errorf("the results for %q lack %q", query, want)
		}
	}
	page, err := m.SearchPage(strings.Repeat("a ", 100_000))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(page.For(site).HTML); strings.Count(text, "<li><a href=\"/docs/") > 50 || len(text) > 200_000 {
		t.Errorf("a long query returns %d bytes", len(text))
	}
}

func TestMissingPage(t *testing.T) {
	m := manual.New(docs.Files, manual.Options{})
	if _, err := m.Page("nothing"); graph.KindOf(err) != graph.NotFound {
		t.Errorf("an unknown page: %v; want notFound", err)
	}
	if _, err := m.Markdown("../go", site); graph.KindOf(err) != graph.NotFound {
		t.Errorf("a path outside the manual as Markdown: %v; want notFound", err)
	}
	page, err := m.MissingPage("/docs/offline-outbox")
	if err != nil {
		t.Fatal(err)
	}
	if text := string(page.For(site).HTML); !strings.Contains(text, "results for “offline outbox”") {
		t.Error("the page does not search for the words of the address")
	}
}

func TestList(t *testing.T) {
	text, err := manual.New(docs.Files, manual.Options{}).List(site)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range manual.Paths()[1:] {
		if !strings.Contains(text, "("+site+path+".md): ") {
			t.Errorf("llms.txt does not list %s", path)
		}
	}
	for line := range strings.Lines(text) {
		if len(line) > 400 {
			t.Errorf("a line is too long: %s", line)
		}
	}
}

func renderText(t *testing.T, m *manual.Manual, path string) string {
	t.Helper()
	page, err := m.Page(strings.TrimPrefix(strings.TrimPrefix(path, manual.Path), "/"))
	if err != nil {
		t.Fatal(err)
	}
	document := page.For(site)
	if strings.Contains(document.Policy, "unsafe") || strings.Count(document.Policy, "'sha256-") != 2 {
		t.Errorf("the policy = %q; want two hashes and nothing unsafe", document.Policy)
	}
	return string(document.HTML)
}

func render(t *testing.T, m *manual.Manual, path string) *html.Node {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader([]byte(renderText(t, m, path))))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
