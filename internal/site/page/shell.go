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
	"github.com/weft-graph/weft/internal/site/sharecard"
)

// Ids of the elements in which the browser's renderer finds the page.
const (
	appID  = "app"
	dataID = "weft-page"
)

// A Shell is the HTML document around every page: the index.html of the site's build, with places for the page.
type Shell struct {
	start, middle, end string   // the page's head goes between start and middle, its body between middle and end
	scripts, styles    []string // allowed sources, for the Content-Security-Policy
}

// EmptyIndex is the index.html of a site that was not built: pages are readable, but have no style and no applications.
const EmptyIndex = `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
	`<meta name="viewport" content="width=device-width, initial-scale=1"></head><body></body></html>`

// NewShell builds a shell from a built index.html. Fill replaces title, description and keywords with the values of a
// page. For the URL of a style sheet or blocking script, file returns the contents of the file, or "" if the file
// should not be inlined. An inlined file saves a round trip before the first paint.
func NewShell(index []byte, file func(address string) string) (*Shell, error) {
	doc, err := html.Parse(bytes.NewReader(index))
	if err != nil {
		return nil, graph.Wrap(graph.Internal, err, "the site's index.html cannot be parsed")
	}
	s := &Shell{scripts: []string{"'self'"}, styles: []string{"'self'"}}
	inlineFiles(doc, file)
	head, app := s.prepare(doc)
	head.AppendChild(&html.Node{Type: html.CommentNode, Data: placeMark})
	app.AppendChild(&html.Node{Type: html.CommentNode, Data: placeMark})
	text, err := renderNodes([]*html.Node{doc})
	if err != nil {
		return nil, err
	}
	parts := strings.Split(text, "<!--"+placeMark+"-->")
	s.start, s.middle, s.end = parts[0], parts[1], parts[2]
	return s, nil
}

// placeMark is the comment that marks a place to fill while the shell is built.
const placeMark = "weft:filling"

// inlineFiles replaces references to style sheets and scripts with the contents of the files. The link to a style
// sheet remains, disabled, so that parts of the site that are loaded later detect that the style sheet is present.
func inlineFiles(doc *html.Node, file func(address string) string) {
	var links []*html.Node
	for node := range doc.Descendants() {
		switch {
		case node.DataAtom == atom.Link && attribute(node, "rel") == "stylesheet":
			links = append(links, node)
		case node.DataAtom == atom.Script && attribute(node, "type") == "":
			if text := file(attribute(node, "src")); isInlinable(text) {
				node.Attr = nil
				node.AppendChild(&html.Node{Type: html.TextNode, Data: text})
			}
		}
	}
	for _, link := range links {
		if text := file(attribute(link, "href")); isInlinable(text) {
			sheet := element("style")
			sheet.AppendChild(&html.Node{Type: html.TextNode, Data: text})
			link.Parent.InsertBefore(sheet, link)
			link.Attr = append(link.Attr, html.Attribute{Key: "disabled"})
		}
	}
}

// isInlinable reports whether text is not empty and cannot close the style or script element that would contain it.
func isInlinable(text string) bool {
	return text != "" && !strings.Contains(text, "</")
}

// prepare removes the build's own title and metadata, and returns the head and the emptied element of the application.
func (s *Shell) prepare(doc *html.Node) (head, app *html.Node) {
	var removed []*html.Node
	var body *html.Node
	for node := range doc.Descendants() {
		switch {
		case node.DataAtom == atom.Head && head == nil:
			head = node
		case node.DataAtom == atom.Body && body == nil:
			body = node
		case node.Type == html.CommentNode, isPageMeta(node):
			removed = append(removed, node)
		case node.DataAtom == atom.Script && node.FirstChild != nil:
			s.scripts = append(s.scripts, HashSource(node.FirstChild.Data))
		case node.DataAtom == atom.Style && node.FirstChild != nil:
			s.styles = append(s.styles, HashSource(node.FirstChild.Data))
		case attribute(node, "id") == appID:
			app = node
		}
	}
	for _, node := range removed {
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
		return node.Parent.DataAtom == atom.Head // SVG drawings also have titles
	case atom.Meta:
		name := attribute(node, "name")
		property := attribute(node, "property")
		return name == "description" || name == "keywords" || name == "twitter:card" ||
			strings.HasPrefix(property, "og:") && property != "og:site_name"
	default:
		return false
	}
}

// A Document is a page ready to send, with the same bytes for every visitor.
type Document struct {
	HTML   []byte
	Policy string // value of the header Content-Security-Policy for the document
}

// Fill puts a page into the shell: title and meta tags, CSS, settings and body id for the browser's renderer, and
// static HTML, so that the page is readable before any script runs. site is the public URL of the site without a
// trailing slash; "" omits the tags that need absolute URLs.
func (s *Shell) Fill(p Page, site string, policy Policy) (Document, error) {
	rendering, err := Render(p)
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
	if rendering.CSS != "" {
		b.WriteString("<style data-weft>" + rendering.CSS + "</style>")
		styles += " " + HashSource(rendering.CSS)
	}
	b.WriteString(`<script type="application/json" id="` + dataID + `">`)
	b.Write(data)
	b.WriteString("</script>")
	b.WriteString(s.middle)
	b.WriteString(`<div class="fspage">` + rendering.HTML + `</div>`)
	b.WriteString(s.end)
	return Document{HTML: b.Bytes(), Policy: s.policy(styles, policy)}, nil
}

// outline returns the page without the text that the document already shows; the browser reads this text from the
// document. A page with code is returned unchanged, because its code is not in the document.
func (p Page) outline() Page {
	if p.Body != nil && !p.Body.hasCode() {
		body := p.Body.outline()
		p.Body = &body
	}
	return p
}

// outline returns a widget without text. It keeps only the children that have documentation, or that contain a
// widget with documentation.
func (w Widget) outline() Widget {
	out := Widget{ID: w.ID, Name: w.Name, Root: w.Root, Documented: w.Documented, Children: []Child{}}
	for _, child := range w.Children {
		if widget := child.Widget.outline(); widget.Documented || len(widget.Children) > 0 {
			out.Children = append(out.Children, Child{child.Wrapper, widget})
		}
	}
	return out
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
	writeMeta(b, "property", "og:image", site+ShareCardPath(s.Slug))
	writeMeta(b, "property", "og:image:width", strconv.Itoa(sharecard.Width))
	writeMeta(b, "property", "og:image:height", strconv.Itoa(sharecard.Height))
	writeMeta(b, "property", "og:image:alt", s.DocumentTitle())
	writeMeta(b, "name", "twitter:card", "summary_large_image")
}

// ShareCardPath returns the path of the share image of a page. The image of the home page is called index.
func ShareCardPath(slug string) string {
	if slug == "/" {
		slug = "/index"
	}
	return "/og" + (&url.URL{Path: slug}).EscapedPath() + ".png"
}

// ShareCardSlug returns the slug of the page whose share image has a path below /og.
func ShareCardSlug(path string) string {
	slug := NormalizeSlug(strings.TrimSuffix(path, ".png"))
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

// policy returns the Content-Security-Policy of a page. It allows this site, and the libraries and looks that the operator
// permits. The CSS of the page is allowed by its hash, which, unlike a nonce, remains valid when a cache serves the page again.
func (s *Shell) policy(styles string, policy Policy) string {
	styleAttributes, hosts := "", policy.Looks.sources()
	if policy.Looks.Styles {
		styleAttributes = "; style-src-attr 'unsafe-inline'"
	}
	return "default-src 'none'; script-src " + strings.Join(s.scripts, " ") + policy.Libraries.Scripts() +
		"; style-src " + styles + policy.Libraries.Styles() + styleAttributes +
		"; img-src 'self' data:" + hosts + "; font-src 'self'" + hosts + "; connect-src 'self'; manifest-src 'self'; worker-src 'self'" +
		"; frame-src 'self'" + hosts +
		"; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}

// HashSource returns the source for a Content-Security-Policy that allows an inline script or style by its hash.
func HashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
