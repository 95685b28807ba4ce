package manual

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// A blockRenderer writes headings with links to themselves, code samples with the name of their language, and alternatives.
type blockRenderer struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (blockRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, writeHeading)
	r.Register(ast.KindFencedCodeBlock, writeCode)
	r.Register(kindAlternatives, writeAlternatives)
}

func writeHeading(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	h := node.(*ast.Heading)
	level := string(rune('0' + h.Level))
	id, _ := h.AttributeString("id")
	name, _ := id.([]byte)
	if entering {
		write(w, "<h"+level+` id="`, string(name), `">`)
		return ast.WalkContinue, nil
	}
	label := util.EscapeHTML([]byte("Link to " + plainText(h, source)))
	write(w, ` <a class="anchor" href="#`, string(name), `" aria-label="`, string(label), `">#</a></h`+level+">\n")
	return ast.WalkContinue, nil
}

func writeCode(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	code := node.(*ast.FencedCodeBlock)
	write(w, `<figure class="code">`)
	if language := languageOf(code, source); language != "" {
		write(w, "<figcaption>", language, "</figcaption>")
	}
	write(w, `<pre tabindex="0"><code>`, string(util.EscapeHTML(code.Lines().Value(source))), "</code></pre></figure>\n")
	return ast.WalkSkipChildren, nil
}

func writeAlternatives(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		write(w, `<div class="alternatives">`)
	} else {
		write(w, "</div>\n")
	}
	return ast.WalkContinue, nil
}

// write writes to a buffer. The buffer keeps its first error until it is flushed.
func write(w util.BufWriter, parts ...string) {
	for _, part := range parts {
		_, _ = w.WriteString(part)
	}
}
