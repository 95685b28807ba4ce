package page

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/weft-graph/weft/graph"
)

// maxNodes limits the nodes of parsed HTML. Text of graph.MaxTextBytes without repeated formatting has fewer.
const maxNodes = 3 << 20

// checkNodes returns an Invalid error for HTML whose tree would be huge. It is called before the HTML is parsed.
func checkNodes(text string) error {
	if countNodes(text) > maxNodes {
		return graph.Errorf(graph.Invalid, "HTML of %d bytes has more than %d nodes: formatting elements such as <b> are not closed", len(text), maxNodes)
	}
	return nil
}

// countNodes returns an upper bound of the nodes and attributes that parsing text creates. The result exceeds maxNodes for HTML that
// must not be parsed. A parser repeats a formatting element that was not closed, such as <b>, in every following block, so that
// short HTML can have a huge tree.
func countNodes(text string) int {
	nodes, isRepeating := 0, false // isRepeating: the next node may repeat all open formatting elements
	var formats openFormats
	for tokens := html.NewTokenizer(strings.NewReader(text)); ; {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return nodes
		}
		if kind != html.EndTagToken {
			nodes++
			if isRepeating {
				nodes += formats.count
				isRepeating = false
			}
		}
		if kind == html.StartTagToken || kind == html.EndTagToken {
			raw := string(tokens.Raw())
			name, _ := tokens.TagName()
			if kind == html.StartTagToken {
				nodes += strings.Count(raw, "=") // attributes
				formats.start(string(name), raw)
				isRepeating = isRepeating || !formattingElements[string(name)]
			} else {
				formats.end(string(name))
				isRepeating = true
			}
		}
		if nodes > maxNodes || formats.count > maxOpenElements {
			return maxNodes + 1
		}
	}
}

const (
	// maxOpenElements is the depth at which the parser gives up.
	maxOpenElements = 512
	// maxEqualFormats is the number of times that a parser repeats a formatting element with the same attributes.
	maxEqualFormats = 3
)

// openFormats holds the formatting elements that were not closed, and the table cells and captions that contain them.
// An end tag in a cell does not close elements that were opened before the cell.
type openFormats struct {
	stack []openFormat
	equal map[string]int // formatting elements on the stack, by tag with attributes
	count int            // number of formatting elements
}

type openFormat struct {
	name, tag string
	isCell    bool
}

func (f *openFormats) start(name, tag string) {
	isFormat := formattingElements[name]
	switch {
	case !isFormat && !tableCells[name], isFormat && f.equal[tag] >= maxEqualFormats:
		return
	case isFormat:
		if f.equal == nil {
			f.equal = map[string]int{}
		}
		f.equal[tag]++
		f.count++
	}
	f.stack = append(f.stack, openFormat{name, tag, !isFormat})
}

func (f *openFormats) end(name string) {
	isCell := tableCells[name]
	if !isCell && !formattingElements[name] {
		return
	}
	for i := len(f.stack) - 1; i >= max(0, len(f.stack)-2*maxOpenElements); i-- {
		open := f.stack[i]
		switch {
		case open.name == name:
			f.stack = slices.Delete(f.stack, i, i+1)
			if !isCell {
				f.equal[open.tag]--
				f.count--
			}
			return
		case open.isCell && !isCell:
			return
		}
	}
}

var (
	formattingElements = setOf("a b big code em font i nobr s small strike strong tt u")
	tableCells         = setOf("td th caption applet object marquee template")
)

func setOf(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range words(list) {
		set[word] = true
	}
	return set
}
