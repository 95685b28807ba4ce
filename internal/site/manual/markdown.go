package manual

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// newDocument renders a Markdown file. Its first heading is the title, its first paragraph the summary. The HTML is
// sanitised like HTML of an unknown author, so that a mistake in a file cannot become a script.
func newDocument(slug, markdown string, links linkTargets) (*document, error) {
	source := []byte(markdown)
	md := goldmark.New(
		goldmark.WithExtensions(extension.Table),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(blockRenderer{}, 100))),
	)
	root := md.Parser().Parse(text.NewReader(source))
	links.resolve(root, source)
	groupAlternatives(root, source)
	d := &document{slug: slug, markdown: markdown}
	d.describe(root, source)
	var b bytes.Buffer
	if err := md.Renderer().Render(&b, source, root); err != nil {
		return nil, err
	}
	d.body = withSiteMark(withScrollableTables(sanitizer.Sanitize(b.String())))
	return d, nil
}

// describe sets the title, the summary, the headings and the sections of a page, and removes the title from its body.
func (d *document) describe(root ast.Node, source []byte) {
	if h, ok := root.FirstChild().(*ast.Heading); ok && h.Level == 1 {
		d.title = plainText(h, source)
		root.RemoveChild(root, h)
	}
	current := section{page: d}
	for node := root.FirstChild(); node != nil; node = node.NextSibling() {
		h, isHeading := node.(*ast.Heading)
		if !isHeading {
			text := plainText(node, source)
			if node.Kind() == ast.KindParagraph && d.summary == "" {
				d.summary = firstSentences(text)
			}
			current.text += text + " "
			continue
		}
		d.sections = append(d.sections, current.normalized())
		id, _ := h.AttributeString("id")
		name, _ := id.([]byte)
		current = section{page: d, id: string(name), heading: plainText(h, source)}
		d.headings = append(d.headings, heading{h.Level, current.id, current.heading})
	}
	d.sections = append(d.sections, current.normalized())
}

// maxSummary is the maximum length of a summary in bytes. A longer first sentence is kept completely.
const maxSummary = 150

// firstSentences returns the sentences at the start of text that fit into a summary.
func firstSentences(text string) string {
	text = strings.TrimSpace(text)
	end := 0
	for {
		i := strings.Index(text[end:], ". ")
		if i < 0 && (end == 0 || len(text) <= maxSummary) {
			return text
		}
		if i < 0 || end > 0 && end+i+1 > maxSummary {
			return strings.TrimSpace(text[:end])
		}
		end += i + 2
	}
}

// plainText returns the text of a node without markup.
func plainText(node ast.Node, source []byte) string {
	var b strings.Builder
	// The function never returns an error, so Walk does not.
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock && n != node {
				b.WriteByte(' ')
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			b.Write(n.Lines().Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// linkTargets are the targets of links to files.
type linkTargets struct {
	titles  map[string]string // of the pages, by slug
	sources string            // the folder with the source files; "" if it is not known
}

// resolve replaces links to files with links to pages or to the sources. If sources is "", links to other files are removed. If the
// text of a link to a page is the name of the file, the title of the page replaces it.
func (t linkTargets) resolve(root ast.Node, source []byte) {
	var links []*ast.Link
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.Link); ok && entering {
			links = append(links, link)
		}
		return ast.WalkContinue, nil
	})
	for _, link := range links {
		to := string(link.Destination)
		if strings.HasPrefix(to, "#") || strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
			continue
		}
		file, anchor, hasAnchor := strings.Cut(to, "#")
		slug := strings.TrimSuffix(file, ".md")
		title, isPage := t.titles[slug]
		switch {
		case isPage:
			if plainText(link, source) == file {
				link.RemoveChildren(link)
				link.AppendChild(link, ast.NewString([]byte(title)))
			}
			link.Destination = []byte(Path + "/" + slug)
			if hasAnchor {
				link.Destination = []byte(Path + "/" + slug + "#" + anchor)
			}
		case t.sources != "":
			link.Destination = []byte(t.sources + "/" + path.Join("docs", file))
		default:
			unwrap(link)
		}
	}
}

// unwrap replaces a node with its children.
func unwrap(node ast.Node) {
	parent := node.Parent()
	for child := node.FirstChild(); child != nil; child = node.FirstChild() {
		node.RemoveChild(node, child)
		parent.InsertBefore(parent, node, child)
	}
	parent.RemoveChild(parent, node)
}

// alternatives is a block of equivalent code samples in different languages. The page shows them as tabs.
type alternatives struct{ ast.BaseBlock }

var kindAlternatives = ast.NewNodeKind("Alternatives")

// Kind implements ast.Node.
func (*alternatives) Kind() ast.NodeKind { return kindAlternatives }

// Dump implements ast.Node.
func (n *alternatives) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// groupAlternatives groups two or more consecutive code samples into one block if they are in different languages that can be
// alternatives.
func groupAlternatives(root ast.Node, source []byte) {
	for node := root.FirstChild(); node != nil; node = node.NextSibling() {
		row := rowOfAlternatives(node, source)
		if len(row) < 2 {
			continue
		}
		group := &alternatives{}
		root.InsertBefore(root, node, group)
		for _, sample := range row {
			group.AppendChild(group, sample)
		}
		node = group
	}
}

// rowOfAlternatives returns the consecutive code samples that begin at a node, while each is in a different language and these
// languages can be alternatives.
func rowOfAlternatives(node ast.Node, source []byte) (row []ast.Node) {
	seen := map[string]bool{}
	for ; node != nil; node = node.NextSibling() {
		code, ok := node.(*ast.FencedCodeBlock)
		if !ok {
			break
		}
		language := languageOf(code, source)
		if !slices.Contains([]string{"TypeScript", "Go", "curl"}, language) || seen[language] {
			break
		}
		seen[language] = true
		row = append(row, node)
	}
	return row
}

// languageOf returns the label of a code sample, or "" if its language is unknown.
func languageOf(code *ast.FencedCodeBlock, source []byte) string {
	language := string(code.Language(source))
	if language == "sh" && strings.HasPrefix(string(code.Lines().Value(source)), "curl ") {
		return "curl"
	}
	return languages[language]
}

var languages = map[string]string{
	"ts": "TypeScript", "tsx": "TypeScript", "js": "JavaScript", "go": "Go", "sh": "Shell", "html": "HTML", "css": "CSS", "json": "JSON",
	"yaml": "YAML", "ini": "INI", "sql": "SQL",
}

// sanitizer allows the elements that Markdown and blockRenderer produce.
var sanitizer = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("h1", "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "blockquote", "hr", "br", "em", "strong", "del",
		"code", "pre", "table", "thead", "tbody", "tr", "th", "td", "a", "div", "figure", "figcaption", "picture", "img")
	p.AllowAttrs("id").OnElements("h1", "h2", "h3", "h4", "h5", "h6")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^(anchor|alternatives|code)$`)).OnElements("a", "div", "figure")
	p.AllowAttrs("aria-label").OnElements("a", "pre")
	p.AllowAttrs("tabindex").Matching(regexp.MustCompile(`^0$`)).OnElements("pre")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("href", "title").OnElements("a")
	p.AllowStandardURLs()
	p.AllowRelativeURLs(true)
	p.RequireNoFollowOnLinks(false)
	return p
}()

// withScrollableTables makes wide tables scrollable, so that the page does not scroll horizontally.
func withScrollableTables(html string) string {
	html = strings.ReplaceAll(html, "<table>", `<div class="scroll" tabindex="0"><table>`)
	return strings.ReplaceAll(html, "</table>", "</table></div>")
}

// siteMark takes the place of the address of the site in rendered HTML. It does not occur in any text.
const siteMark = "\x00"

// withSiteMark replaces the address of the server in code samples with siteMark.
func withSiteMark(html string) string {
	var b strings.Builder
	for {
		start := strings.Index(html, "<pre")
		if start < 0 {
			return b.String() + html
		}
		end := start + strings.Index(html[start:], "</pre>")
		b.WriteString(html[:start] + strings.ReplaceAll(html[start:end], exampleAddress, siteMark))
		html = html[end:]
	}
}
