package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/weft-graph/weft/graph"
)

// Ids of the elements in which the browser finds the page it was sent.
const (
	appID  = "app"
	dataID = "weft-page"
)

// A Shell is the document around every page: what the site's build made, with places to fill.
type Shell struct {
	start, middle, end string   // the head's filling goes before middle, the page's after it
	scripts            []string // sources allowed to run, for the Content-Security-Policy
}

// Bare is the index of a site that was not built: pages can be read, and that is all.
const Bare = `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
	`<meta name="viewport" content="width=device-width, initial-scale=1"></head><body></body></html>`

// NewShell makes a shell of a built index.html. Its title, description and keywords give way to those
// of the pages.
func NewShell(index []byte) (*Shell, error) {
	doc, err := html.Parse(bytes.NewReader(index))
	if err != nil {
		return nil, graph.Wrap(graph.Internal, err, "the site's index.html cannot be read")
	}
	s := &Shell{scripts: []string{"'self'"}}
	head, app := s.prepare(doc)
	head.AppendChild(&html.Node{Type: html.CommentNode, Data: filling})
	app.AppendChild(&html.Node{Type: html.CommentNode, Data: filling})
	text, err := renderNodes([]*html.Node{doc})
	if err != nil {
		return nil, err
	}
	parts := strings.Split(text, "<!--"+filling+"-->")
	s.start, s.middle, s.end = parts[0], parts[1], parts[2]
	return s, nil
}

const filling = "weft:filling"

// prepare clears the places to fill and returns the head and the element of the application.
func (s *Shell) prepare(doc *html.Node) (head, app *html.Node) {
	var drop []*html.Node
	var body *html.Node
	for node := range doc.Descendants() {
		switch {
		case node.DataAtom == atom.Head && head == nil:
			head = node
		case node.DataAtom == atom.Body && body == nil:
			body = node
		case node.Type == html.CommentNode, isPageMeta(node):
			drop = append(drop, node)
		case node.DataAtom == atom.Script && node.FirstChild != nil:
			s.scripts = append(s.scripts, hashSource(node.FirstChild.Data))
		case attribute(node, "id") == appID:
			app = node
		}
	}
	for _, node := range drop {
		node.Parent.RemoveChild(node)
	}
	if app == nil {
		app = element("div", html.Attribute{Key: "id", Val: appID})
		body.AppendChild(app)
	}
	clearNode(app)
	return head, app
}

func isPageMeta(node *html.Node) bool {
	switch node.DataAtom {
	case atom.Title:
		return node.Parent.DataAtom == atom.Head // drawings have titles too
	case atom.Meta:
		name := attribute(node, "name")
		return name == "description" || name == "keywords"
	default:
		return false
	}
}

// A Document is a page ready to be sent, the same bytes to everybody.
type Document struct {
	HTML   []byte
	Policy string // the Content-Security-Policy under which it works
}

// Fill puts a page into the shell: title and meta tags, its CSS, its settings and the id of its body for
// the browser's renderer, and its static HTML, so that it can be read before any script ran.
func (s *Shell) Fill(p Page) (Document, error) {
	drawn, err := Render(p)
	if err != nil {
		return Document{}, err
	}
	data, err := json.Marshal(p.outline()) // escapes <, > and &
	if err != nil {
		return Document{}, graph.Wrap(graph.Internal, err, "page %q cannot be written as JSON", p.Settings.Slug)
	}
	var b bytes.Buffer
	b.WriteString(s.start)
	writeHead(&b, p.Settings)
	styles := "'self'"
	if drawn.CSS != "" {
		b.WriteString("<style data-weft>" + drawn.CSS + "</style>")
		styles += " " + hashSource(drawn.CSS)
	}
	b.WriteString(`<script type="application/json" id="` + dataID + `">`)
	b.Write(data)
	b.WriteString("</script>")
	b.WriteString(s.middle)
	b.WriteString(`<div class="fspage">` + drawn.HTML + `</div>`)
	b.WriteString(s.end)
	return Document{HTML: b.Bytes(), Policy: s.policy(styles)}, nil
}

// outline is a page without the texts that the document shows: the browser finds them there.
func (p Page) outline() Page {
	if p.Body != nil {
		p.Body = &Widget{ID: p.Body.ID, Name: p.Body.Name, Children: []Child{}}
	}
	return p
}

func writeHead(b *bytes.Buffer, s Settings) {
	title := html.EscapeString(s.DocumentTitle())
	b.WriteString("<title>" + title + "</title>")
	writeMeta(b, "name", "description", s.MetaDescription)
	writeMeta(b, "name", "keywords", s.MetaKeywords)
	writeMeta(b, "property", "og:type", "website")
	writeMeta(b, "property", "og:title", s.DocumentTitle())
	writeMeta(b, "property", "og:description", s.MetaDescription)
}

func writeMeta(b *bytes.Buffer, kind, name, content string) {
	if content != "" {
		b.WriteString(`<meta ` + kind + `="` + name + `" content="` + html.EscapeString(content) + `">`)
	}
}

// policy lets a page use this site and nothing else. The page's own CSS is named by its hash, which,
// unlike a nonce, stays right when a cache gives the page out again.
func (s *Shell) policy(styles string) string {
	return "default-src 'none'; script-src " + strings.Join(s.scripts, " ") + "; style-src " + styles +
		"; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'" +
		"; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}

func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
