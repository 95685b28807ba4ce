package page

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/weft-graph/weft/graph"
)

// Placeholder is the class of an element that waits for a child.
const Placeholder = "added-widget-container"

// A Drawing is what a page looks like before any script ran.
type Drawing struct {
	HTML string // the body widget, its children in their placeholders
	CSS  string // the page's settings, then the CSS of each widget inside @scope
}

// Render draws a page. Each widget's HTML stands in a host, <div data-widget="id">, to which its CSS is
// bound; the hosts of children stand in their placeholders.
func Render(p Page) (Drawing, error) {
	if p.Body == nil {
		return Drawing{HTML: notice(InvalidPage), CSS: p.Settings.css()}, nil
	}
	r := renderer{styles: []string{p.Settings.css()}}
	host, err := r.host(*p.Body)
	if err != nil {
		return Drawing{}, err
	}
	text, err := renderNodes([]*html.Node{host})
	return Drawing{HTML: text, CSS: joinStyles(r.styles)}, err
}

type renderer struct{ styles []string }

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
	return host, r.place(host, w)
}

// place puts the children of a widget into the placeholders of host's own HTML. Those without one are not shown.
func (r *renderer) place(host *html.Node, w Widget) error {
	waiting := map[string]*html.Node{}
	for e := range elements(host) {
		if id := attribute(e, "id"); id != "" && waiting[id] == nil && isPlaceholder(e) {
			waiting[id] = e
		}
	}
	for _, child := range w.Children {
		place := waiting[child.Wrapper]
		if place == nil {
			continue
		}
		inner, err := r.host(child.Widget)
		if err != nil {
			return err
		}
		if w.Trust == Trusted && child.Widget.Trust != Trusted {
			inner = r.contained(inner)
		}
		clearNode(place)
		place.AppendChild(inner)
		delete(waiting, child.Wrapper)
	}
	return nil
}

// contained puts what is less trusted into a box that it draws over nothing outside of, whatever its style says:
// the box is not in its scope.
func (r *renderer) contained(host *html.Node) *html.Node {
	box := element("div", html.Attribute{Key: "data-contained"})
	box.AppendChild(host)
	r.styles = append(r.styles, "[data-contained] { contain: layout paint !important; display: block !important }")
	return box
}

// joinStyles leaves out what is empty or was there before: a widget may stand in two places.
func joinStyles(styles []string) string {
	var kept []string
	for _, style := range styles {
		if style != "" && !slices.Contains(kept, style) {
			kept = append(kept, style)
		}
	}
	return strings.Join(kept, "\n")
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

// elements yields a node, when it is one, and every element below it.
func elements(node *html.Node) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		if node.Type == html.ElementNode && !yield(node) {
			return
		}
		for below := range node.Descendants() {
			if below.Type == html.ElementNode && !yield(below) {
				return
			}
		}
	}
}

func parseFragment(text string) ([]*html.Node, error) {
	nodes, err := html.ParseFragment(strings.NewReader(text), element("div"))
	if err != nil {
		return nil, graph.Wrap(graph.Invalid, err, "HTML of %d bytes cannot be read", len(text))
	}
	return nodes, nil
}

func renderNodes(nodes []*html.Node) (string, error) {
	var b strings.Builder
	for _, node := range nodes {
		if err := html.Render(&b, node); err != nil {
			return "", graph.Wrap(graph.Internal, err, "HTML cannot be written")
		}
	}
	return b.String(), nil
}

func notice(text string) string { return "<h4>" + html.EscapeString(text) + "</h4>" }

// css is the look of the page's element, whose class is "fspage". Width beats type. What is not a length
// or a list of fonts is left out.
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

// Placeholders lists the ids of the elements in stored HTML that wait for a child.
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
