package content

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// resolved is the widget with children named by id.
func (p *pushing) resolved(w Widget) Widget {
	w.Children = slices.Clone(w.Children)
	for i, child := range w.Children {
		inner, _ := p.site.widget(child.Widget)
		w.Children[i].Widget = named(p.at[inner.key()])
	}
	return w.inOrder()
}

// same says whether two widgets, named by id, would be the same files.
func (w Widget) same(other Widget) (bool, error) {
	w.ID, other.ID = 0, 0
	one, err := w.files()
	if err != nil {
		return false, err
	}
	two, err := other.files()
	return maps.Equal(one, two), err
}

func (p Page) same(other Page) (bool, error) {
	p.ID, other.ID = 0, 0
	one, err := writeJSON(p)
	if err != nil {
		return false, err
	}
	two, err := writeJSON(other)
	return one == two, err
}

// print sums up what the files of a widget say.
func (w Widget) print() string {
	files, err := w.inOrder().files()
	if err != nil {
		return ""
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all = append(all, name, files[name])
	}
	return sum(all...)
}

func (p Page) print() string {
	text, err := writeJSON(p.inOrder())
	if err != nil {
		return ""
	}
	return sum(text)
}

func sum(texts ...string) string {
	h := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(h[:16])
}

// setLink makes a link the only one of its kind.
func (p *pushing) setLink(head graph.ID, relation string, to graph.ID) {
	stored := p.links[place{head, relation}]
	if len(stored) == 1 && stored[0].To == to {
		return
	}
	p.remove(stored...)
	p.link(head, relation, to)
}

// show publishes a version; an original that names none shows itself.
func (p *pushing) show(head, version graph.ID) {
	if version == head {
		p.remove(p.links[place{head, "the_widget_latest"}]...)
		return
	}
	p.setLink(head, "the_widget_latest", version)
}

// setText makes a text the only one of its kind, or none if it is empty.
func (p *pushing) setText(head graph.ID, typ, name, value string) {
	if value == "" {
		p.setTexts(head, typ, name, nil)
		return
	}
	p.setTexts(head, typ, name, []string{value})
}

func (p *pushing) setTexts(head graph.ID, typ, name string, values []string) {
	values = slices.Clone(values)
	for _, link := range p.links[place{head, typ + "_" + name}] {
		c := p.concepts[link.To]
		if i := slices.Index(values, c.Value); i >= 0 && !c.Composition {
			values = slices.Delete(values, i, i+1)
			continue
		}
		p.remove(link)
	}
	for _, value := range values {
		p.text(head, typ, name, value)
	}
}

// join lets the site know a page or an original.
func (p *pushing) join(relation string, head graph.ID) {
	if !slices.ContainsFunc(p.links[place{p.at[projectKey], relation}], func(c graph.Connection) bool { return c.To == head }) {
		p.link(p.at[projectKey], relation, head)
	}
}

// carried says whether a relation of a widget is one that files do not show, such as a thumbnail.
func carried(relation string) bool {
	name, ok := strings.CutPrefix(relation, "the_widget_")
	if !ok || slices.Contains(shown, name) {
		return false
	}
	return !slices.ContainsFunc(Hooks, func(h Hook) bool { return h.Name == name }) &&
		!slices.ContainsFunc(parts, func(part struct{ relation, typ string }) bool { return part.relation == relation })
}

// shown are what files show of a widget, and what is about one version only.
var shown = []string{
	"name", "type", "html", "css", "version", "origin", "root", "s_copy", "recent", "latest", "timestamp", "clean", "folder_name", "seed",
}

func byRelation(a, b place) int {
	return cmp.Or(cmp.Compare(a.head, b.head), cmp.Compare(a.relation, b.relation))
}
