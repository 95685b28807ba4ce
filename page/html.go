package page

import (
	"regexp"
	"slices"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// CleanHTML returns what of a stored text may stand in a page: rich text, structure, tables, forms that
// post to this site, images of this site and inline SVG drawings. Scripts, handlers, style attributes,
// data attributes, the marks of builders and addresses with other schemes than http, https, mailto and tel
// are left out. Every
// element is closed, so that the text cannot end the element it is put in. The error is Invalid, for
// elements nested too deep.
func CleanHTML(text string) (string, error) {
	nodes, err := parseFragment(static.Sanitize(text))
	if err != nil {
		return "", err
	}
	for _, node := range nodes {
		for e := range elements(node) {
			e.Attr = slices.DeleteFunc(withoutMarks(e.Attr), func(a html.Attribute) bool { return takesName(e, a) })
		}
	}
	return renderNodes(nodes)
}

// withoutMarks takes out the classes by which builders mark what is selected, dragged and dropped.
func withoutMarks(attributes []html.Attribute) []html.Attribute {
	for i, a := range attributes {
		if a.Key != "class" {
			continue
		}
		classes := strings.Fields(a.Val)
		kept := slices.DeleteFunc(slices.Clone(classes), func(class string) bool { return slices.Contains(marks, class) })
		switch {
		case len(kept) == 0 && len(classes) > 0:
			return slices.Delete(attributes, i, i+1)
		case len(kept) < len(classes):
			attributes[i].Val = strings.Join(kept, " ")
		}
		break
	}
	return attributes
}

var marks = []string{"widget_container", "hover-element", "wb-block", "wb-initial-empty", "widget_selected"}

// takesName says whether an attribute takes a name from the application. The name of a form stands in front of what
// the document itself has under it, as in document.querySelector.
func takesName(e *html.Node, a html.Attribute) bool {
	switch a.Key {
	case "id":
		return ourNames.MatchString(a.Val)
	case "name":
		return e.DataAtom == atom.Form || ourNames.MatchString(a.Val)
	}
	return false
}

// The application finds its own elements by these names.
var ourNames = regexp.MustCompile(`(?i)^(app|root|weft-.*)$`)

var static = staticPolicy()

func staticPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	allowText(p)
	allowLinksAndImages(p)
	allowTables(p)
	allowForms(p)
	allowDrawings(p)
	return p
}

func allowText(p *bluemonday.Policy) {
	plain := words(`a abbr address article aside b bdi bdo blockquote br button caption cite code col colgroup
		dd del details dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i ins kbd li
		main mark nav ol p pre q rp rt ruby s samp section small span strong sub summary sup table tbody td
		tfoot th thead time tr u ul var wbr`)
	p.AllowElements(plain...)
	p.AllowNoAttrs().OnElements(plain...)
	p.AllowAttrs("class", "id", "lang", "title").Globally()
	p.AllowAttrs("dir").Matching(oneOf("ltr", "rtl", "auto")).Globally()
	p.AllowAttrs("hidden").Matching(oneOf("", "hidden")).Globally()
	p.AllowAttrs("tabindex").Matching(oneOf("0", "-1")).Globally()
	p.AllowAttrs("role").Matching(nameOnly).Globally()
	p.AllowAttrs(aria...).Globally()
	p.AllowAttrs("open").OnElements("details")
	p.AllowAttrs("name").Matching(nameOnly).OnElements("details")
	p.AllowAttrs("datetime").OnElements("time", "del", "ins")
	p.AllowAttrs("start").Matching(number).OnElements("ol")
	p.AllowAttrs("reversed").OnElements("ol")
	p.AllowAttrs("type").Matching(bluemonday.ListType).OnElements("ol", "ul", "li")
	p.AllowAttrs("value").Matching(number).OnElements("li")
}

func allowLinksAndImages(p *bluemonday.Policy) {
	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(true)
	p.AllowURLSchemes("http", "https", "mailto", "tel")
	p.AllowAttrs("href").Matching(linkAddress).OnElements("a")
	p.AllowAttrs("hreflang").Matching(nameOnly).OnElements("a")
	p.AllowAttrs("cite").OnElements("blockquote", "q", "del", "ins")
	p.AllowElements("img")
	p.AllowAttrs("src").Matching(imageAddress).OnElements("img")
	p.AllowAttrs("alt").OnElements("img")
	p.AllowAttrs("width", "height").Matching(number).OnElements("img")
	p.AllowAttrs("loading").Matching(oneOf("lazy", "eager")).OnElements("img")
	p.AllowAttrs("decoding").Matching(oneOf("async", "sync", "auto")).OnElements("img")
	p.AllowDataURIImages()
}

func allowTables(p *bluemonday.Policy) {
	p.AllowAttrs("colspan", "rowspan").Matching(number).OnElements("td", "th")
	p.AllowAttrs("scope").Matching(oneOf("row", "col", "rowgroup", "colgroup")).OnElements("th")
	p.AllowAttrs("headers").OnElements("td", "th")
	p.AllowAttrs("span").Matching(number).OnElements("col", "colgroup")
}

// allowForms lets a form post to this site and nowhere else.
func allowForms(p *bluemonday.Policy) {
	fields := words(`form button datalist fieldset input label legend meter optgroup option output progress select textarea`)
	p.AllowElements(fields...)
	p.AllowNoAttrs().OnElements(fields...)
	p.AllowAttrs(words(`name value label disabled required readonly placeholder autocomplete checked selected multiple
		minlength maxlength pattern min max step rows cols list`)...).OnElements(fields...)
	p.AllowAttrs(words(`fieldtype datatype typeconcept unique file accept`)...).OnElements("input", "select", "textarea")
	p.AllowAttrs("action").Matching(localPath).OnElements("form")
	p.AllowAttrs("method").Matching(oneOf("get", "post")).OnElements("form")
	p.AllowAttrs("novalidate").OnElements("form")
	p.AllowAttrs("type").Matching(fieldType).OnElements("input", "button")
	p.AllowAttrs("for").Matching(nameOnly).OnElements("label", "output")
}

// allowDrawings admits shapes, gradients and masks. What changes attributes, embeds HTML or fetches
// (animate, set, foreignObject, image, filter) is not on the list.
func allowDrawings(p *bluemonday.Policy) {
	shapes := words(`svg g defs symbol use path circle ellipse line polyline polygon rect text tspan title desc
		clippath mask pattern marker lineargradient radialgradient stop`)
	p.AllowElements(shapes...)
	p.AllowNoAttrs().OnElements(shapes...)
	p.AllowAttrs(words(`viewbox width height x y x1 y1 x2 y2 dx dy cx cy r rx ry fx fy d points offset
		preserveaspectratio pathlength gradientunits gradienttransform spreadmethod clippathunits maskunits
		maskcontentunits patternunits patterncontentunits patterntransform markerwidth markerheight markerunits
		refx refy orient transform opacity fill-opacity fill-rule clip-rule stop-opacity stroke-width
		stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset
		vector-effect shape-rendering text-anchor dominant-baseline font-size font-weight font-family
		letter-spacing xmlns focusable`)...).Matching(drawn).OnElements(shapes...)
	p.AllowAttrs(words(`fill stroke color stop-color clip-path mask marker-start marker-mid marker-end`)...).
		Matching(paint).OnElements(shapes...)
	p.AllowAttrs("href").Matching(fragment).OnElements("use")
}

func words(list string) []string { return strings.Fields(list) }

func oneOf(values ...string) *regexp.Regexp {
	return regexp.MustCompile(`^(?i:` + strings.Join(values, "|") + `)$`)
}

var (
	number       = regexp.MustCompile(`^-?[0-9]{1,5}$`)
	nameOnly     = regexp.MustCompile(`^[\w -]*$`)
	fragment     = regexp.MustCompile(`^#[\w-]+$`)
	localPath    = regexp.MustCompile(`^/([\w.~%-][\w./~%?=&-]*)?$`)
	linkAddress  = regexp.MustCompile(`^(?i:(https?|mailto|tel):.*|[/?#].*|[^:]*)$`)
	imageAddress = regexp.MustCompile(`^(/[\w.~%-][\w./~%?=&-]*|data:image/(png|jpe?g|gif|webp|avif);base64,.*)$`)
	fieldType    = oneOf(words(`text email url tel search number date time checkbox radio range color file submit reset button`)...)
	drawn        = regexp.MustCompile(`^[\w\s.,:;%()'"/+#-]*$`)
	paint        = regexp.MustCompile(`^(?i:[\w#-]+|(rgb|rgba|hsl|hsla|oklch|oklab|lch|lab|var|color-mix)\([\w\s.,%()/#+-]*\)|url\(#[\w-]+\))$`)
	aria         = words(`aria-activedescendant aria-atomic aria-busy aria-checked aria-colcount aria-colindex aria-colspan
		aria-controls aria-current aria-describedby aria-details aria-disabled aria-errormessage aria-expanded
		aria-flowto aria-haspopup aria-hidden aria-invalid aria-keyshortcuts aria-label aria-labelledby aria-level
		aria-live aria-modal aria-multiline aria-multiselectable aria-orientation aria-owns aria-placeholder
		aria-posinset aria-pressed aria-readonly aria-relevant aria-required aria-roledescription aria-rowcount
		aria-rowindex aria-rowspan aria-selected aria-setsize aria-sort aria-valuemax aria-valuemin aria-valuenow
		aria-valuetext`)
)
