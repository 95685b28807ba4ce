package page

import (
	"iter"
	"reflect"

	"github.com/weft-graph/weft/graph"
)

// Settings are the values of a page as stored; "" means that a value is missing. Each text setting is stored under the
// relation named by its tag, with the prefix "the_page_".
//
// This struct is the only list of the settings in Go. Loading, pushing and pulling, and the relations that are read,
// range over its tags (see Texts). To add a text setting, add it:
//
//	here                                        the JSON of GET /api/v1/pages
//	internal/site/content/content.go, Page      the file pages/<name>.json, with the same tag relation
//	web/react/src/page/page.ts, textSettings    the browser's copy
//	web/console/src/content                     page-settings.tsx and api.ts: the form of the console
//	docs/content.md                             the table of page files, and the table of records
//
// and use it: writeHead in shell.go and useDocumentSettings in web/react/src/page/stored-page.tsx for meta tags, css in
// render.go and pageCss in page.ts for layout. TestSettingsAreEverywhere in package content fails if one of the lists
// lacks a setting. The other tests are in load_test.go, internal/server/pages_test.go, web/react/test/stored-page.test.ts and
// web/e2e/console-content.test.ts.
type Settings struct {
	ID              graph.ID `json:"id"`
	Slug            string   `json:"slug" relation:"slug"`
	Title           string   `json:"title" relation:"title"`
	MetaTitle       string   `json:"metaTitle" relation:"meta_title"`
	MetaDescription string   `json:"metaDescription" relation:"meta_description"`
	MetaKeywords    string   `json:"metaKeywords" relation:"meta_keywords"`
	Type            string   `json:"type" relation:"type"` // "fixed" or "fluid"
	Width           string   `json:"width" relation:"width"`
	FontSize        string   `json:"fontSize" relation:"font_size"` // in px
	FontFamily      string   `json:"fontFamily" relation:"font_family"`
	Guarded         bool     `json:"guarded,omitempty"` // only for signed-in visitors; stored as the text "true"
}

// DocumentTitle returns the title of the HTML document: the meta title, or else the title.
func (s Settings) DocumentTitle() string {
	if s.MetaTitle != "" {
		return s.MetaTitle
	}
	return s.Title
}

// Texts yields the fields of a struct that have the tag relation: the relation, without the prefix "the_page_", and a
// pointer to the text. The argument is a pointer to Settings or content.Page.
func Texts(settings any) iter.Seq2[string, *string] {
	v := reflect.ValueOf(settings).Elem()
	return func(yield func(string, *string) bool) {
		for i := range v.NumField() {
			relation := v.Type().Field(i).Tag.Get("relation")
			if relation != "" && !yield(relation, v.Field(i).Addr().Interface().(*string)) {
				return
			}
		}
	}
}

// textRelationNames returns the relations of all text settings, without the prefix "the_page_".
func textRelationNames() []string {
	var names []string
	for name := range Texts(&Settings{}) {
		names = append(names, name)
	}
	return names
}
