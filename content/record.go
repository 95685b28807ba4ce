package content

// A record is a composite of the site: a head and its links.
type record struct {
	key   string // where it comes from; the same key is the same concept for good
	typ   string
	links []link
}

// A link leads to a value, or to another record.
type link struct {
	relation string
	leaf     leaf
	to       string // key of the record, "" for a value
}

type leaf struct{ typ, value string }

func (l leaf) key() string { return l.typ + "\x00" + l.value }

// projectKey is the record that holds the pages together, so that one without a file is found.
const projectKey = "site"

// ownedThrough are the relations whose target goes when the link goes.
var ownedThrough = []string{"the_project_s_page", "the_widget_s_child"}

// relations are all that records use.
var relations = []string{
	"the_project_name", "the_project_s_page",
	"the_page_slug", "the_page_s_slug", "the_page_title", "the_page_meta_title", "the_page_meta_description",
	"the_page_meta_keywords", "the_page_type", "the_page_width", "the_page_font_size",
	"the_page_font_family", "the_page_body",
	"the_widget_name", "the_widget_html", "the_widget_css", "the_widget_s_child",
	"the_child_widget_wrapper", "the_child_widget_info",
}

func (s Site) records() []record {
	project := record{key: projectKey, typ: "the_project"}
	project.text("the_project_name", "the_name", "site")
	var all []record
	for _, w := range s.Widgets {
		all = append(all, w.records()...)
	}
	for _, p := range s.Pages {
		all = append(all, p.record())
		project.link("the_project_s_page", p.File)
	}
	return append(all, project)
}

func (p Page) record() record {
	r := record{key: p.File, typ: "the_page"}
	r.text("the_page_slug", "the_slug", p.Slug)
	for _, slug := range p.Also {
		r.text("the_page_s_slug", "the_slug", slug)
	}
	r.text("the_page_title", "the_title", p.Title)
	r.text("the_page_meta_title", "the_meta_title", p.MetaTitle)
	r.text("the_page_meta_description", "the_meta_description", p.MetaDescription)
	r.text("the_page_meta_keywords", "the_meta_keywords", p.MetaKeywords)
	r.text("the_page_type", "the_type", p.Type)
	r.text("the_page_width", "the_width", p.Width)
	r.text("the_page_font_size", "the_font_size", p.FontSize)
	r.text("the_page_font_family", "the_font_family", p.FontFamily)
	r.link("the_page_body", widgetKey(p.Body))
	return r
}

// records are the widget and the places it has for others.
func (w Widget) records() []record {
	r := record{key: widgetKey(w.Folder), typ: "the_widget"}
	r.text("the_widget_name", "the_name", w.Name)
	r.text("the_widget_html", "the_html", w.HTML)
	r.text("the_widget_css", "the_css", w.CSS)
	var places []record
	for _, child := range w.Children {
		place := record{key: r.key + " " + child.Wrapper, typ: "the_child_widget"}
		place.text("the_child_widget_wrapper", "the_wrapper", child.Wrapper)
		place.link("the_child_widget_info", widgetKey(child.Widget))
		places = append(places, place)
		r.link("the_widget_s_child", place.key)
	}
	return append(places, r)
}

func widgetKey(folder string) string { return "widgets/" + folder }

func (r *record) text(relation, typ, value string) {
	if value != "" {
		r.links = append(r.links, link{relation: relation, leaf: leaf{typ, value}})
	}
}

func (r *record) link(relation, key string) {
	r.links = append(r.links, link{relation: relation, to: key})
}
