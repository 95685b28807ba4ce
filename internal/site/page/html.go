package page

import (
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/weft-graph/weft/graph"
)

// CleanHTML returns the part of stored HTML that may be shown in a page: rich text, structure, tables, forms that post
// to this site, images of this site and inline SVG. It removes scripts, event handlers, style and data attributes, the
// classes that site builders add, and URLs with schemes other than http, https, mailto and tel. Every element is
// closed, so that the result cannot end the element that contains it. Cleaning the result again does not change it.
// The error is Invalid for elements that are nested too deeply, for more than maxNodes nodes, and for text that
// changes each time it is parsed and written.
func CleanHTML(text string) (string, error) {
	return defaultRules.clean(text, func(int) error { return nil })
}

// htmlRules determines which HTML is kept: the usual elements and attributes, and the elements and attributes that the
// Looks of the site allow.
type htmlRules struct {
	sanitizer *bluemonday.Policy
	looks     Looks
}

var defaultRules = newHTMLRules(Looks{})

func newHTMLRules(looks Looks) *htmlRules {
	p := bluemonday.NewPolicy()
	allowText(p)
	allowLinksAndImages(p, looks)
	allowTables(p)
	allowForms(p)
	allowDrawings(p)
	allowLooks(p, looks)
	return &htmlRules{p, looks}
}

// clean is like CleanHTML, but has a function that is called regularly with the number of bytes that were read or written since
// the last call. If the function returns an error, clean stops and returns this error.
func (r *htmlRules) clean(text string, pause func(bytes int) error) (string, error) {
	for range maxCleanPasses {
		sanitized, err := r.sanitize(text, pause)
		if err != nil {
			return "", err
		}
		cleaned, err := r.cleanParsed(sanitized, pause)
		if err != nil {
			return "", err
		}
		// Another pass would not change the text.
		if cleaned == text || cleaned == sanitized {
			return cleaned, nil
		}
		text = cleaned
	}
	return "", graph.Errorf(graph.Invalid, "the HTML is nested in a way that browsers read differently each time, such as a form inside a form or a table row outside a table")
}

// sanitize removes all parts of the HTML that the policy does not allow. It returns the HTML unchanged if only white
// space would change.
func (r *htmlRules) sanitize(text string, pause func(bytes int) error) (string, error) {
	if strings.TrimSpace(text) == "" {
		return text, nil
	}
	var sanitized strings.Builder
	err := r.sanitizer.SanitizeReaderToWriter(&pausingReader{text, pause}, &sanitized)
	return sanitized.String(), err
}

// maxCleanPasses is the maximum number of passes. The last pass only confirms that the HTML no longer changes;
// wrongly nested elements need further passes.
const maxCleanPasses = 6

// cleanParsed parses HTML, cleans its elements and renders it again.
func (r *htmlRules) cleanParsed(text string, pause func(bytes int) error) (string, error) {
	if err := checkNodes(text); err != nil {
		return "", err
	}
	nodes, err := parseReader(&pausingReader{text, pause})
	if err != nil {
		return "", err
	}
	root := element("div")
	for _, node := range nodes {
		root.AppendChild(node)
	}
	removeAll(foreignVoids(root))
	removeAll(r.prepareFrames(root))
	for e := range elements(root) {
		e.Attr = slices.DeleteFunc(removeBuilderClasses(e.Attr), func(a html.Attribute) bool { return isReservedName(e, a) })
		r.filterStyle(e)
	}
	cleaned := pausingBuilder{pause: pause}
	err = renderTo(&cleaned, slices.Collect(root.ChildNodes()))
	return cleaned.built.String(), err
}

// A pausingReader reads text in parts, and calls pause with the size of each part.
type pausingReader struct {
	rest  string
	pause func(bytes int) error
}

// Read implements io.Reader.
func (r *pausingReader) Read(b []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, r.pause(n)
}

// A pausingBuilder builds text from parts, and calls pause with the size of each part.
type pausingBuilder struct {
	built strings.Builder
	pause func(bytes int) error
}

// Write implements io.Writer.
func (b *pausingBuilder) Write(part []byte) (int, error) {
	n, _ := b.built.Write(part) // never fails
	return n, b.pause(n)
}

func removeAll(nodes []*html.Node) {
	for _, node := range nodes {
		if node.Parent != nil {
			node.Parent.RemoveChild(node)
		}
	}
}

// prepareFrames sets the attribute sandbox of all frames and removes their content. It returns the frames to remove: frames
// without an address, and frames whose content has tags, because old browsers show the content. The renderer in the browser
// removes the same frames.
func (r *htmlRules) prepareFrames(root *html.Node) (removed []*html.Node) {
	if r.looks.addresses == nil {
		return nil
	}
	for e := range elements(root) {
		if e.DataAtom != atom.Iframe {
			continue
		}
		if attribute(e, "src") == "" || e.FirstChild != nil && tagInText.MatchString(e.FirstChild.Data) {
			removed = append(removed, e)
		}
		clearNode(e)
		e.Attr = append(e.Attr, html.Attribute{Key: "sandbox", Val: frameSandbox})
	}
	return removed
}

// filterStyle removes the declarations that are not allowed from the attribute style of an element.
func (r *htmlRules) filterStyle(e *html.Node) {
	at := slices.IndexFunc(e.Attr, func(a html.Attribute) bool { return a.Key == "style" })
	if at < 0 {
		return
	}
	if e.Attr[at].Val = filterDeclarations(e.Attr[at].Val, r.looks); e.Attr[at].Val == "" {
		e.Attr = slices.Delete(e.Attr, at, at+1)
	}
}

// foreignVoids returns the elements of drawings (SVG) that have the name of a void element of HTML, such as
// input. The parser puts the elements that follow into such an element, but HTML cannot express a void element with
// contents. The renderer in the browser also removes the element and its contents.
func foreignVoids(root *html.Node) (found []*html.Node) {
	for e := range elements(root) {
		if e.Namespace != "" && slices.Contains(voidElements, e.Data) {
			found = append(found, e)
		}
	}
	return found
}

// CheckHTML returns an Invalid error if text that the author probably expects to see would not be shown: all of the
// text if it cannot be cleaned, or a part of a drawing.
func CheckHTML(text string) error {
	if _, err := CleanHTML(text); err != nil {
		return graph.Wrap(graph.Invalid, err, "none of it would be shown")
	}
	nodes, err := parseFragment(text)
	if err != nil {
		return err
	}
	for _, node := range nodes {
		if voids := foreignVoids(node); len(voids) > 0 {
			return graph.Errorf(graph.Invalid, "a drawing contains <%s>, which would not be shown, nor would anything after it in the drawing; close the svg element before it", voids[0].Data)
		}
	}
	return nil
}

// voidElements lists the elements of HTML that have no contents and no end tag.
var voidElements = words(`area base br col embed hr img input keygen link meta param source track wbr`)

// removeBuilderClasses removes the classes with which site builders mark selected and dragged elements.
func removeBuilderClasses(attributes []html.Attribute) []html.Attribute {
	for i, a := range attributes {
		if a.Key != "class" {
			continue
		}
		classes := strings.Fields(a.Val)
		remaining := slices.DeleteFunc(slices.Clone(classes), func(class string) bool { return slices.Contains(builderClasses, class) })
		switch {
		case len(remaining) == 0 && len(classes) > 0:
			return slices.Delete(attributes, i, i+1)
		case len(remaining) < len(classes):
			attributes[i].Val = strings.Join(remaining, " ")
		}
		break
	}
	return attributes
}

var builderClasses = []string{"widget_container", "hover-element", "wb-block", "wb-initial-empty", "widget_selected"}

// isReservedName reports whether an attribute is an id or name that the application uses. The name of a form is always
// reserved, because it hides the property of the document with that name, such as document.querySelector.
func isReservedName(e *html.Node, a html.Attribute) bool {
	switch a.Key {
	case "id":
		return reservedNames.MatchString(a.Val)
	case "name":
		return e.DataAtom == atom.Form || reservedNames.MatchString(a.Val)
	}
	return false
}

// The application finds its own elements by these ids.
var reservedNames = regexp.MustCompile(`(?i)^(app|root|weft-.*)$`)

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

func allowLinksAndImages(p *bluemonday.Policy, looks Looks) {
	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(true)
	p.AllowURLSchemes("http", "https", "mailto", "tel")
	p.AllowAttrs("href").Matching(linkAddress).OnElements("a")
	p.AllowAttrs("hreflang").Matching(nameOnly).OnElements("a")
	p.AllowAttrs("cite").OnElements("blockquote", "q", "del", "ins")
	p.AllowElements("img")
	p.AllowAttrs("src").Matching(imageAddressWith(looks)).OnElements("img")
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

// allowForms allows forms that post to this site.
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

// allowDrawings allows shapes, gradients and masks of SVG. Elements that change attributes, embed HTML or fetch
// (animate, set, foreignObject, image, filter) are not allowed.
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
		letter-spacing xmlns focusable`)...).Matching(drawingValue).OnElements(shapes...)
	p.AllowAttrs(words(`fill stroke color stop-color clip-path mask marker-start marker-mid marker-end`)...).
		Matching(paintValue).OnElements(shapes...)
	p.AllowAttrs("href").Matching(fragment).OnElements("use")
}

// allowLooks adds the looks that the operator allows. Further attributes of frames are set in prepareFrames.
func allowLooks(p *bluemonday.Policy, looks Looks) {
	if looks.Styles {
		p.AllowAttrs("style").Globally()
	}
	if looks.addresses == nil {
		return
	}
	p.AllowElements("iframe")
	p.AllowAttrs("src").Matching(looks.addresses).OnElements("iframe")
	p.AllowAttrs("width", "height").Matching(frameSize).OnElements("iframe")
	p.AllowAttrs("loading").Matching(oneOf("lazy", "eager")).OnElements("iframe")
	p.AllowAttrs("allowfullscreen").OnElements("iframe")
}

// imageAddressWith returns the pattern of the addresses of pictures: addresses of this site and of the listed
// hosts.
func imageAddressWith(looks Looks) *regexp.Regexp {
	if looks.addresses == nil {
		return imageAddress
	}
	return regexp.MustCompile(imageAddress.String() + "|" + looks.addresses.String())
}

func words(list string) []string { return strings.Fields(list) }

func oneOf(values ...string) *regexp.Regexp {
	return regexp.MustCompile(`^(?i:` + strings.Join(values, "|") + `)$`)
}

var (
	tagInText    = regexp.MustCompile(`(<|&lt;)[/\w!]`)
	frameSize    = regexp.MustCompile(`^[0-9]{1,5}%?$`)
	number       = regexp.MustCompile(`^-?[0-9]{1,5}$`)
	nameOnly     = regexp.MustCompile(`^[\w -]*$`)
	fragment     = regexp.MustCompile(`^#[\w-]+$`)
	localPath    = regexp.MustCompile(`^/([\w.~%-][\w./~%?=&-]*)?$`)
	linkAddress  = regexp.MustCompile(`^(?i:(https?|mailto|tel):.*|[/?#].*|[^:]*)$`)
	imageAddress = regexp.MustCompile(`^(/[\w.~%-][\w./~%?=&-]*|data:image/(png|jpe?g|gif|webp|avif);base64,.*)$`)
	fieldType    = oneOf(words(`text email url tel search number date time checkbox radio range color file submit reset button`)...)
	drawingValue = regexp.MustCompile(`^[\w\s.,:;%()'"/+#-]*$`)
	paintValue   = regexp.MustCompile(`^(?i:[\w#-]+|(rgb|rgba|hsl|hsla|oklch|oklab|lch|lab|var|color-mix)\([\w\s.,%()/#+-]*\)|url\(#[\w-]+\))$`)
	aria         = words(`aria-activedescendant aria-atomic aria-busy aria-checked aria-colcount aria-colindex aria-colspan
		aria-controls aria-current aria-describedby aria-details aria-disabled aria-errormessage aria-expanded
		aria-flowto aria-haspopup aria-hidden aria-invalid aria-keyshortcuts aria-label aria-labelledby aria-level
		aria-live aria-modal aria-multiline aria-multiselectable aria-orientation aria-owns aria-placeholder
		aria-posinset aria-pressed aria-readonly aria-relevant aria-required aria-roledescription aria-rowcount
		aria-rowindex aria-rowspan aria-selected aria-setsize aria-sort aria-valuemax aria-valuemin aria-valuenow
		aria-valuetext`)
)
