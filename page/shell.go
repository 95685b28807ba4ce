package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/picture"
)

// Ids of the elements in which the browser finds the page it was sent.
const (
	appID  = "app"
	dataID = "weft-page"
)

// A Shell is the document around every page: what the site's build made, with places to fill.
type Shell struct {
	start, middle, end string   // the head's filling goes before middle, the page's after it
	scripts, styles    []string // sources allowed, for the Content-Security-Policy
}

// Bare is the index of a site that was not built: pages can be read, and that is all.
const Bare = `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
	`<meta name="viewport" content="width=device-width, initial-scale=1"></head><body></body></html>`

// NewShell makes a shell of a built index.html. Its title, description and keywords give way to those
// of the pages. Its sheets, and the scripts that the first paint waits for, are written into the document
// where file knows their text by their address, so that nobody waits for another trip.
func NewShell(index []byte, file func(address string) string) (*Shell, error) {
	doc, err := html.Parse(bytes.NewReader(index))
	if err != nil {
		return nil, graph.Wrap(graph.Internal, err, "the site's index.html cannot be read")
	}
	s := &Shell{scripts: []string{"'self'"}, styles: []string{"'self'"}}
	bringIn(doc, file)
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

// bringIn writes files of the site into the document that would load them. The link to a sheet stays,
// switched off: by it, parts of the site that are loaded later see that the sheet is here.
func bringIn(doc *html.Node, file func(address string) string) {
	var links []*html.Node
	for node := range doc.Descendants() {
		switch {
		case node.DataAtom == atom.Link && attribute(node, "rel") == "stylesheet":
			links = append(links, node)
		case node.DataAtom == atom.Script && attribute(node, "type") == "":
			if text := file(attribute(node, "src")); fits(text) {
				node.Attr = nil
				node.AppendChild(&html.Node{Type: html.TextNode, Data: text})
			}
		}
	}
	for _, link := range links {
		if text := file(attribute(link, "href")); fits(text) {
			sheet := element("style")
			sheet.AppendChild(&html.Node{Type: html.TextNode, Data: text})
			link.Parent.InsertBefore(sheet, link)
			link.Attr = append(link.Attr, html.Attribute{Key: "disabled"})
		}
	}
}

// fits says whether there is a text that can stand in an element without ending it.
func fits(text string) bool {
	return text != "" && !strings.Contains(text, "</")
}

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
			s.scripts = append(s.scripts, HashSource(node.FirstChild.Data))
		case node.DataAtom == atom.Style && node.FirstChild != nil:
			s.styles = append(s.styles, HashSource(node.FirstChild.Data))
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
		property := attribute(node, "property")
		return name == "description" || name == "keywords" || name == "twitter:card" ||
			strings.HasPrefix(property, "og:") && property != "og:site_name"
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
// the browser's renderer, and its static HTML, so that it can be read before any script ran. The site is
// where people reach it, without a slash at the end; "" leaves out what needs whole addresses.
func (s *Shell) Fill(p Page, site string, libraries Libraries) (Document, error) {
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
	writeHead(&b, p.Settings, site)
	styles := strings.Join(s.styles, " ")
	if drawn.CSS != "" {
		b.WriteString("<style data-weft>" + drawn.CSS + "</style>")
		styles += " " + HashSource(drawn.CSS)
	}
	b.WriteString(`<script type="application/json" id="` + dataID + `">`)
	b.Write(data)
	b.WriteString("</script>")
	b.WriteString(s.middle)
	b.WriteString(`<div class="fspage">` + drawn.HTML + `</div>`)
	b.WriteString(s.end)
	return Document{HTML: b.Bytes(), Policy: s.policy(styles, libraries)}, nil
}

// outline is a page without the texts that the document shows: the browser finds them there. A page of which
// something runs is whole, because code is never in the document.
func (p Page) outline() Page {
	if p.Body != nil && !p.Body.runs() {
		p.Body = &Widget{ID: p.Body.ID, Name: p.Body.Name, Root: p.Body.Root, Documented: p.Body.Documented, Children: []Child{}}
	}
	return p
}

func writeHead(b *bytes.Buffer, s Settings, site string) {
	title := html.EscapeString(s.DocumentTitle())
	b.WriteString("<title>" + title + "</title>")
	writeMeta(b, "name", "description", s.MetaDescription)
	writeMeta(b, "name", "keywords", s.MetaKeywords)
	writeMeta(b, "property", "og:type", "website")
	writeMeta(b, "property", "og:title", s.DocumentTitle())
	writeMeta(b, "property", "og:description", s.MetaDescription)
	if site == "" || s.Slug == "" {
		return
	}
	address := site + (&url.URL{Path: s.Slug}).EscapedPath()
	b.WriteString(`<link rel="canonical" href="` + html.EscapeString(address) + `">`)
	writeMeta(b, "property", "og:url", address)
	writeMeta(b, "property", "og:image", site+PictureAddress(s.Slug))
	writeMeta(b, "property", "og:image:width", strconv.Itoa(picture.Width))
	writeMeta(b, "property", "og:image:height", strconv.Itoa(picture.Height))
	writeMeta(b, "property", "og:image:alt", s.DocumentTitle())
	writeMeta(b, "name", "twitter:card", "summary_large_image")
}

// PictureAddress is where the picture of a page is. That of the home page is called index.
func PictureAddress(slug string) string {
	if slug == "/" {
		slug = "/index"
	}
	return "/og" + (&url.URL{Path: slug}).EscapedPath() + ".png"
}

// PictureSlug is the slug of the page of which a picture is, by its path below /og.
func PictureSlug(path string) string {
	slug := NormalSlug(strings.TrimSuffix(path, ".png"))
	if slug == "/index" {
		return "/"
	}
	return slug
}

func writeMeta(b *bytes.Buffer, kind, name, content string) {
	if content != "" {
		b.WriteString(`<meta ` + kind + `="` + name + `" content="` + html.EscapeString(content) + `">`)
	}
}

// policy lets a page use this site and the libraries of its operator, and nothing else. The page's own CSS is named by its hash, which,
// unlike a nonce, stays right when a cache gives the page out again.
func (s *Shell) policy(styles string, libraries Libraries) string {
	return "default-src 'none'; script-src " + strings.Join(s.scripts, " ") + libraries.Scripts() +
		"; style-src " + styles + libraries.Styles() +
		"; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'" +
		"; frame-src 'self'" +
		"; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}

// HashSource names a script or style in a Content-Security-Policy by what it says.
func HashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
