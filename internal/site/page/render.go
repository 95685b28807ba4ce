package page

import (
	"io"
	"iter"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/weft-graph/weft/graph"
)

// Placeholder is the class of an element into which a child widget is placed.
const Placeholder = "added-widget-container"

// A Rendering is a page as static HTML and CSS, before any script runs.
type Rendering struct {
	HTML string // the body widget, its children in their placeholders
	CSS  string // the page's settings, then the CSS of each widget inside @scope
}

// Render renders a page. The HTML of each widget is wrapped in a host, <div data-widget="id">, to which its CSS is
// scoped; the hosts of children are placed in their placeholders.
func Render(p Page) (Rendering, error) {
	if p.Body == nil {
		return Rendering{HTML: notice(InvalidPage), CSS: p.Settings.css()}, nil
	}
	r := renderer{styles: []string{p.Settings.css()}}
	host, err := r.host(*p.Body)
	if err != nil {
		return Rendering{}, err
	}
	text, err := renderNodes([]*html.Node{host})
	return Rendering{HTML: text, CSS: joinStyles(r.styles)}, err
}

type renderer struct{ styles []string }

// host returns a widget with its children inside its host element.
func (r *renderer) host(w Widget) (*html.Node, error) {
	text := w.HTML
	if w.Name == "" {
		text, w.CSS, w.Children = notice(InvalidWidget), "", nil
	}
	nodes, err := parseFragment(text)
	if err != nil {
		return nil, err
	}
	host := element("div", html.Attribute{Key: "data-widget", Val: w.ID.String()})
	for _, node := range nodes {
		host.AppendChild(node)
	}
	if w.CSS != "" {
		r.styles = append(r.styles, scoped(w.ID, w.CSS))
	}
	return host, r.placeChildren(host, w)
}

// placeChildren puts the children of a widget into the placeholders of its own HTML. A child without a placeholder is not
// shown.
func (r *renderer) placeChildren(host *html.Node, w Widget) error {
	placeholders := map[string]*html.Node{}
	for e := range elements(host) {
		if id := attribute(e, "id"); id != "" && placeholders[id] == nil && isPlaceholder(e) {
			placeholders[id] = e
		}
	}
	for _, child := range w.Children {
		place := placeholders[child.Wrapper]
		if place == nil {
			continue
		}
		inner, err := r.host(child.Widget)
		if err != nil {
			return err
		}
		if w.Trust == Trusted && child.Widget.Trust != Trusted {
			inner = r.contain(inner)
		}
		clearNode(place)
		place.AppendChild(inner)
		delete(placeholders, child.Wrapper)
	}
	return nil
}

// contain puts a less trusted widget into a box, so that the widget cannot draw outside the box. Its CSS cannot
// change the box, because the box is not in the scope of that CSS.
func (r *renderer) contain(host *html.Node) *html.Node {
	box := element("div", html.Attribute{Key: "data-contained"})
	box.AppendChild(host)
	r.styles = append(r.styles, "[data-contained] { contain: layout paint !important; display: block !important }")
	return box
}

// joinStyles joins styles. It leaves out empty styles, and repeated styles, because a widget may occur in two
// places.
func joinStyles(styles []string) string {
	var unique []string
	for _, style := range styles {
		if style != "" && !slices.Contains(unique, style) {
			unique = append(unique, style)
		}
	}
	return strings.Join(unique, "\n")
}

func isPlaceholder(e *html.Node) bool {
	return slices.Contains(strings.Fields(attribute(e, "class")), Placeholder)
}

func element(name string, attributes ...html.Attribute) *html.Node {
	return &html.Node{Type: html.ElementNode, Data: name, DataAtom: atom.Lookup([]byte(name)), Attr: attributes}
}

func clearNode(e *html.Node) {
	for e.FirstChild != nil {
		e.RemoveChild(e.FirstChild)
	}
}

func attribute(e *html.Node, key string) string {
	for _, a := range e.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// elements yields a node if it is an element, and every element below it.
func elements(node *html.Node) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		if node.Type == html.ElementNode && !yield(node) {
			return
		}
		for descendant := range node.Descendants() {
			if descendant.Type == html.ElementNode && !yield(descendant) {
				return
			}
		}
	}
}

func parseFragment(text string) ([]*html.Node, error) { return parseReader(strings.NewReader(text)) }

func parseReader(text io.Reader) ([]*html.Node, error) {
	nodes, err := html.ParseFragment(text, element("div"))
	if err != nil {
		return nil, graph.Wrap(graph.Invalid, err, "the HTML cannot be parsed")
	}
	return nodes, nil
}

func renderNodes(nodes []*html.Node) (string, error) {
	var b strings.Builder
	err := renderTo(&b, nodes)
	return b.String(), err
}

func renderTo(w io.Writer, nodes []*html.Node) error {
	for _, node := range nodes {
		if err := html.Render(w, node); err != nil {
			return graph.Wrap(graph.Internal, err, "HTML cannot be written")
		}
	}
	return nil
}

func notice(text string) string { return "<h4>" + html.EscapeString(text) + "</h4>" }

// css returns the rules of the page's element, whose class is "fspage". The width overrides the type. Values other than a
// length or a list of fonts are ignored.
func (s Settings) css() string {
	var rules []string
	switch s.Type {
	case "fixed":
		rules = append(rules, "width: 1200px; max-width: 100%; margin: 0 auto")
	case "fluid":
		rules = append(rules, "width: 100%; padding: 0")
	}
	if length.MatchString(s.Width) {
		rules = append(rules, "width: "+withUnit(s.Width)+" !important")
	}
	if length.MatchString(s.FontSize) {
		rules = append(rules, "font-size: "+withUnit(s.FontSize))
	}
	if fontFamily.MatchString(s.FontFamily) {
		rules = append(rules, "font-family: "+s.FontFamily)
	}
	if len(rules) == 0 {
		return ""
	}
	return ".fspage { " + strings.Join(rules, "; ") + " }"
}

func withUnit(length string) string {
	if last := length[len(length)-1]; '0' <= last && last <= '9' {
		return length + "px"
	}
	return length
}

var (
	length     = regexp.MustCompile(`^[0-9]{1,5}(\.[0-9]{1,3})?(px|%|rem|em|vw|ch)?$`)
	fontFamily = regexp.MustCompile(`^[\w -]+(, *[\w -]+)*$`)
)

// Placeholders lists the ids of the elements in stored HTML into which child widgets are placed.
func Placeholders(stored string) ([]string, error) {
	nodes, err := parseFragment(stored)
	var ids []string
	for _, node := range nodes {
		for e := range elements(node) {
			if id := attribute(e, "id"); id != "" && isPlaceholder(e) {
				ids = append(ids, id)
			}
		}
	}
	return ids, err
}
