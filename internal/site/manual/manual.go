// Package manual presents the Markdown files of docs/ as pages: HTML with a table of contents, the original Markdown, a search,
// and llms.txt.
//
//	files ─▶ read ─▶ Manual ─▶ Page      HTML that was rendered once, with a mark in place of the address of the site
//	          │                ├▶ Markdown
//	          └─ sections ─────┴▶ Search
//
// All files are read at the first use and kept in memory, in less than 3 MB. A search reads the text of all pages
// once.
package manual

import (
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/look"
)

// Path is the address of the first page. All other pages are below it.
const Path = "/docs"

// A chapter is a group of pages in the navigation.
type chapter struct {
	name  string
	slugs []string
}

// chapters lists all pages in the order of the navigation. A test compares them with the files of docs/.
var chapters = []chapter{
	{"Start", []string{"tutorial", "install"}},
	{"Browser library", []string{"client", "client-queries", "client-recipes", "client-api"}},
	{"Go", []string{"go"}},
	{"Server", []string{"query", "http", "operations", "console", "security"}},
	{"Site", []string{"content", "widgets"}},
	{"The wire contract", []string{"migrating", "specification"}},
}

// Options are the operator's options.
type Options struct {
	// Site is the document of the site, index.html; nil means plain styling.
	Site []byte
	// Links are the addresses from which users obtain the product.
	Links Links
}

// Links are addresses without a slash at the end. An empty link is not shown, except that an empty Packages means this server.
type Links struct {
	Downloads string // a page with binaries for operating systems
	Packages  string // a page with the npm packages
	Sources   string // the folder with the source files, to which file names link
}

// A Manual is the documentation. Its methods may be called concurrently.
type Manual struct {
	files   fs.FS
	options Options
	read    func() (*content, error)
}

// New returns the manual of the Markdown files in a folder. They are read at the first use.
func New(files fs.FS, o Options) *Manual {
	m := &Manual{files: files, options: o}
	m.read = sync.OnceValues(m.readFiles)
	return m
}

// content is the manual after its files were read.
type content struct {
	pages    []*document // in the order of the navigation
	sections []section
	shell    shell
}

// A document is a page of the manual.
type document struct {
	slug, chapter  string
	title, summary string
	markdown       string
	body           string // sanitised HTML
	headings       []heading
	sections       []section
}

// A heading is an entry in the table of contents of a page.
type heading struct {
	Level    int
	ID, Text string
}

func (m *Manual) readFiles() (*content, error) {
	c := &content{shell: newShell(look.Of(m.options.Site))}
	links := linkTargets{titles: map[string]string{}, sources: m.options.Links.Sources}
	texts := map[string]string{}
	for _, slug := range slugs() {
		text, err := fs.ReadFile(m.files, slug+".md")
		if err != nil {
			return nil, graph.Wrap(graph.Internal, err, "the documentation cannot be read")
		}
		texts[slug] = string(text)
		title, _, _ := strings.Cut(texts[slug], "\n")
		links.titles[slug] = strings.TrimPrefix(title, "# ")
	}
	for _, chapter := range chapters {
		for _, slug := range chapter.slugs {
			d, err := newDocument(slug, texts[slug], links)
			if err != nil {
				return nil, graph.Wrap(graph.Internal, err, "the page %s of the documentation cannot be shown", slug)
			}
			d.chapter = chapter.name
			c.pages = append(c.pages, d)
			c.sections = append(c.sections, d.sections...)
		}
	}
	return c, nil
}

// find returns the page of a slug, or nil.
func (c *content) find(slug string) *document {
	i := slices.IndexFunc(c.pages, func(d *document) bool { return d.slug == slug })
	if i < 0 {
		return nil
	}
	return c.pages[i]
}

// Paths returns the addresses of all pages.
func Paths() []string {
	all := []string{Path}
	for _, slug := range slugs() {
		all = append(all, Path+"/"+slug)
	}
	return all
}

// slugs returns the names of all pages in the order of the navigation.
func slugs() (all []string) {
	for _, chapter := range chapters {
		all = append(all, chapter.slugs...)
	}
	return all
}

// exampleAddress is the server in the examples of the documentation.
const exampleAddress = "http://127.0.0.1:8080"

// Markdown returns a page as Markdown. The examples of the page use the address of the site. It returns a NotFound error for
// an unknown slug.
func (m *Manual) Markdown(slug, site string) (string, error) {
	c, err := m.read()
	if err != nil {
		return "", err
	}
	d := c.find(slug)
	if d == nil {
		return "", graph.Errorf(graph.NotFound, "no page %s/%s.md", Path, graph.Clip(slug))
	}
	var b strings.Builder
	inCode := false
	for line := range strings.Lines(d.markdown) {
		isFence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if inCode && !isFence {
			line = strings.ReplaceAll(line, exampleAddress, site)
		}
		b.WriteString(line)
		inCode = inCode != isFence
	}
	return b.String(), nil
}

// List returns the text of /llms.txt: every page with its address and a summary, for programs that read documentation. The
// format is described at https://llmstxt.org.
func (m *Manual) List(site string) (string, error) {
	c, err := m.read()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("# Weft\n\n> Weft is a backend in one binary for apps that keep working offline: a Go server with an embedded database, and a " +
		"TypeScript library for the browser that keeps a local copy of the data a page uses.\n")
	chapter := ""
	for _, d := range c.pages {
		if d.chapter != chapter {
			chapter = d.chapter
			b.WriteString("\n## " + chapter + "\n\n")
		}
		b.WriteString("- [" + d.title + "](" + site + Path + "/" + d.slug + ".md): " + d.summary + "\n")
	}
	b.WriteString("\n## HTTP API\n\n- [OpenAPI document](" + site + "/api/openapi.json): every operation of the HTTP API\n")
	return b.String(), nil
}
