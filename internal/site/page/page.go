package page

import (
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// Texts shown in place of a page or widget that does not exist.
const (
	InvalidPage   = "Invalid or Page doesn't exist"
	InvalidWidget = "Invalid or Widget doesn't exist"
)

// A Page is a loaded page. The browser's renderer starts from its JSON:
//
//	{ "page": { "id", "slug", "title", … }, "widget": { "id", "name", "html", "css", "children", … } | null }
type Page struct {
	Settings Settings `json:"page"`
	Body     *Widget  `json:"widget"` // nil when the page has none

	dependencies map[graph.ID]bool // records whose change may change the page
}

// IsAffectedBy reports whether a change may have altered the page after the page was loaded.
func (p Page) IsAffectedBy(change graph.Change) bool {
	return change.Wide || slices.ContainsFunc(change.Concepts, func(id graph.ID) bool { return p.dependencies[id] })
}

// NormalizeSlug returns the slug under which a path is looked up: "/about" for "/About/", "/" for "".
func NormalizeSlug(path string) string {
	return "/" + strings.ToLower(strings.Trim(path, "/"))
}
