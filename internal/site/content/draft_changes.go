package content

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// setLink makes the link to a record the only link of its relation. It drafts nothing if the store already has
// this link and no other link of the relation.
func (p *pushPlan) setLink(head graph.ID, relation string, to graph.ID) {
	stored := p.links[linkKey{head, relation}]
	if len(stored) == 1 && stored[0].To == to {
		return
	}
	p.removeLinks(stored...)
	p.addLink(head, relation, to)
}

// publishVersion makes a version the published version. An original without the_widget_latest is its own published
// version.
func (p *pushPlan) publishVersion(head, version graph.ID) {
	if version == head {
		p.removeLinks(p.links[linkKey{head, "the_widget_latest"}]...)
		return
	}
	p.setLink(head, "the_widget_latest", version)
}

// setText replaces all text values of a relation with one value. An empty value removes all of them.
func (p *pushPlan) setText(head graph.ID, typ, name, value string) {
	if value == "" {
		p.setTexts(head, typ, name, nil)
		return
	}
	p.setTexts(head, typ, name, []string{value})
}

// setTexts replaces the text values of a relation with values. It keeps links to values that do not change.
func (p *pushPlan) setTexts(head graph.ID, typ, name string, values []string) {
	values = slices.Clone(values)
	for _, link := range p.links[linkKey{head, typ + "_" + name}] {
		c := p.concepts[link.To]
		if i := slices.Index(values, c.Value); i >= 0 && !c.Composition {
			values = slices.Delete(values, i, i+1)
			continue
		}
		p.removeLinks(link)
	}
	for _, value := range values {
		p.addText(head, typ, name, value)
	}
}

// addToSite links the project to a page or an original, unless it is already linked.
func (p *pushPlan) addToSite(relation string, head graph.ID) {
	if !slices.ContainsFunc(p.links[linkKey{p.ids[projectKey], relation}], func(c graph.Connection) bool { return c.To == head }) {
		p.addLink(p.ids[projectKey], relation, head)
	}
}

// isInheritedRelation reports whether a new version of a widget inherits the links of this relation from the previous
// version. A version inherits links that no file contains, such as the link to its thumbnail.
func isInheritedRelation(relation string) bool {
	name, ok := strings.CutPrefix(relation, "the_widget_")
	if !ok || slices.Contains(notInherited, name) {
		return false
	}
	return !slices.ContainsFunc(Hooks, func(h Hook) bool { return h.Name == name }) &&
		!slices.ContainsFunc(widgetParts, func(part struct{ relation, typ string }) bool { return part.relation == relation })
}

// notInherited lists the relations whose links a new version does not inherit: the links to the contents of its
// files, and links that belong to one version or only to the original. The names lack the prefix "the_widget_".
var notInherited = []string{
	"name", "type", "html", "css", "version", "origin", "root", "s_copy", "recent", "latest", "timestamp", "clean", "folder_name", "seed",
}

func compareLinkKeys(a, b linkKey) int {
	return cmp.Or(cmp.Compare(a.head, b.head), cmp.Compare(a.relation, b.relation))
}
