package page

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"

	"github.com/weft-graph/weft/graph"
)

// CheckCSS returns an Invalid error for CSS that could end its style element or its @scope block, load from another
// site, or affect other widgets. Style rules, conditional rules and keyframes are allowed; fonts and layers are not,
// because they apply to the whole document. Escapes are allowed in strings only, because elsewhere they can hide a
// name.
func CheckCSS(text string) error {
	return cssRules{}.check(text)
}

// cssRules determines which CSS is kept: the CSS that every site allows, pictures of the listed hosts and, if
// hasFonts is true, @font-face.
type cssRules struct {
	looks    Looks
	hasFonts bool
}

// check returns the error of CheckCSS under these rules.
func (r cssRules) check(text string) error {
	tokens, err := lexCSS(text)
	if err != nil {
		return err
	}
	for _, token := range tokens {
		if err := r.checkToken(token); err != nil {
			return err
		}
	}
	return nil
}

// filter returns the part of stored CSS that may be shown: without the declarations and rules for which check would
// return an error. The warnings tell the author of the CSS which parts were left out. If the boundaries of the rules
// cannot be found, all CSS is left out.
func (r cssRules) filter(text string) (kept string, warnings []string) {
	tokens, err := lexCSS(text)
	if err != nil {
		return "", []string{err.Error()}
	}
	f := cssFilter{rules: r, tokens: tokens}
	for f.at < len(tokens) {
		f.filterItem()
	}
	if len(f.warnings) == 0 {
		return text, nil
	}
	kept = strings.TrimSpace(f.kept.String())
	if err := r.check(kept); err != nil {
		return "", append(f.warnings, err.Error())
	}
	return kept, f.warnings
}

// A cssToken is a token of CSS and its position in bytes.
type cssToken struct {
	kind css.TokenType
	text []byte
	at   int
}

// lexCSS returns the tokens of CSS whose brackets, strings and comments are closed.
func lexCSS(text string) ([]cssToken, error) {
	if err := graph.CheckText("CSS", text); err != nil {
		return nil, err
	}
	if i := strings.Index(strings.ToLower(text), "</style"); i >= 0 {
		return nil, graph.Errorf(graph.Invalid, "CSS closes its style element at byte %d", i)
	}
	// A string that is open at the end becomes a bad string at the first line end, or at the second if a backslash
	// escapes the first.
	lexer := css.NewLexer(parse.NewInputString(text + "\n\n"))
	var tokens []cssToken
	var open []css.TokenType
	for at := 0; ; {
		kind, data := lexer.Next()
		if kind == css.ErrorToken {
			break
		}
		if err := checkClosed(kind, data); err != nil {
			return nil, graph.Wrap(graph.Invalid, err, "CSS at byte %d", at)
		}
		var balanced bool
		if open, balanced = bracket(open, kind); !balanced {
			return nil, graph.Errorf(graph.Invalid, "CSS has an unmatched %s at byte %d", data, at)
		}
		if len(open) > maxNesting {
			return nil, graph.Errorf(graph.Invalid, "CSS is nested deeper than %d at byte %d", maxNesting, at)
		}
		tokens = append(tokens, cssToken{kind, data, at})
		at += len(data)
	}
	if len(open) > 0 {
		return nil, graph.Errorf(graph.Invalid, "CSS leaves %d brackets open", len(open))
	}
	return tokens, nil
}

// maxNesting is the maximum depth of nested brackets.
const maxNesting = 64

// checkClosed returns an error for a string, URL or comment that does not end.
func checkClosed(kind css.TokenType, token []byte) error {
	switch kind {
	case css.BadStringToken:
		return fmt.Errorf("the string %.40q is not closed on its line", token)
	case css.BadURLToken:
		return fmt.Errorf("%.40q is not an address", token)
	case css.CommentToken:
		if len(token) < len("/**/") || !bytes.HasSuffix(token, []byte("*/")) {
			return fmt.Errorf("the comment %.40q is not closed", token)
		}
	default: // a token of this kind has no closing part
	}
	return nil
}

// checkToken returns an Invalid error for a token that is not allowed in stored CSS.
func (r cssRules) checkToken(t cssToken) error {
	if err := r.checkText(t.kind, t.text); err != nil {
		return graph.Wrap(graph.Invalid, err, "CSS at byte %d", t.at)
	}
	return nil
}

// checkText returns an error for a token that is not allowed, even if it is closed.
func (r cssRules) checkText(kind css.TokenType, token []byte) error {
	if kind != css.StringToken && kind != css.CommentToken && bytes.ContainsRune(token, '\\') {
		return fmt.Errorf("%.40q is written with an escape", token)
	}
	switch kind {
	case css.AtKeywordToken:
		if name := strings.ToLower(string(token)); !slices.Contains(atRules, name) && (name != fontFace || !r.hasFonts) {
			return fmt.Errorf("%.40s is not allowed", token)
		}
	case css.FunctionToken:
		if slices.Contains(loaders, strings.ToLower(string(token))) {
			return fmt.Errorf("%.40s may load from elsewhere", token)
		}
	case css.URLToken:
		if address := addressIn(token); !localURL.MatchString(address) && !r.looks.allows(address) {
			return fmt.Errorf("the address %.40q is not an address of this site", address)
		}
	default: // other tokens are harmless
	}
	return nil
}

// A cssFilter copies CSS item by item, without the items that are not allowed. An item is a declaration, a statement, or a rule with the items in its block.
type cssFilter struct {
	rules    cssRules
	isNested bool // inside a block
	tokens   []cssToken
	at       int // the next token
	kept     strings.Builder
	warnings []string
}

// maxWarnings is the maximum number of warnings about the CSS of one widget.
const maxWarnings = 20

// filterItem copies the item at f.at, and moves f.at past it. It leaves out a rule that is not allowed, together
// with the block of the rule.
func (f *cssFilter) filterItem() {
	start := f.at
	var failure error
	for depth := 0; f.at < len(f.tokens); f.at++ {
		token := f.tokens[f.at]
		if failure == nil {
			failure = f.rules.checkToken(token)
		}
		if failure == nil && f.isNested && isFontFace(token) {
			failure = graph.Errorf(graph.Invalid, "CSS at byte %d: @font-face is not allowed inside a block", token.at)
		}
		switch token.kind {
		case css.LeftParenthesisToken, css.FunctionToken, css.LeftBracketToken:
			depth++
		case css.RightParenthesisToken, css.RightBracketToken:
			depth--
		case css.LeftBraceToken:
			if depth == 0 {
				f.filterBlock(start, failure)
				return
			}
			depth++
		case css.RightBraceToken:
			if depth == 0 { // the end of the block that the item is in
				f.keep(f.tokens[start:f.at], failure)
				return
			}
			depth--
		case css.SemicolonToken:
			if depth == 0 {
				f.at++
				f.keep(f.tokens[start:f.at], failure)
				return
			}
		default: // a token inside the item
		}
	}
	f.keep(f.tokens[start:], failure)
}

// filterBlock copies a rule, whose prelude is between start and the brace at f.at, with the items in its block.
func (f *cssFilter) filterBlock(start int, failure error) {
	f.at++
	f.keep(f.tokens[start:f.at], failure)
	if failure == nil {
		defer func(before bool) { f.isNested = before }(f.isNested)
		f.isNested = true
		for f.tokens[f.at].kind != css.RightBraceToken {
			f.filterItem()
		}
		f.keep(f.tokens[f.at:f.at+1], nil)
		f.at++
		return
	}
	for depth := 1; depth > 0; f.at++ {
		switch f.tokens[f.at].kind {
		case css.LeftBraceToken:
			depth++
		case css.RightBraceToken:
			depth--
		default: // a token inside the block
		}
	}
}

// keep copies tokens if failure is nil. Otherwise it adds failure to the warnings.
func (f *cssFilter) keep(tokens []cssToken, failure error) {
	if failure == nil {
		for _, token := range tokens {
			f.kept.Write(token.text)
		}
	} else if len(f.warnings) < maxWarnings {
		f.warnings = append(f.warnings, failure.Error())
	}
}

// fontFace is the at-rule of fonts.
const fontFace = "@font-face"

func isFontFace(t cssToken) bool {
	return t.kind == css.AtKeywordToken && strings.EqualFold(string(t.text), fontFace)
}

// filterDeclarations returns the allowed declarations of an attribute style, each with a semicolon. If all declarations
// are allowed, it returns the attribute unchanged. An attribute with a block is left out completely.
func filterDeclarations(text string, looks Looks) string {
	tokens, err := lexCSS(text)
	isBlock := func(t cssToken) bool { return t.kind == css.LeftBraceToken || t.kind == css.AtKeywordToken }
	if err != nil || slices.ContainsFunc(tokens, isBlock) {
		return ""
	}
	f := cssFilter{rules: cssRules{looks: looks}, tokens: tokens}
	for f.at < len(tokens) {
		f.filterItem()
	}
	if len(f.warnings) == 0 {
		return text
	}
	return strings.TrimSpace(f.kept.String())
}

// splitFonts separates the @font-face rules of filtered CSS, which apply to the whole document, from the other
// CSS.
func splitFonts(text string) (fonts, rest string) {
	if !strings.Contains(strings.ToLower(text), fontFace) {
		return "", text
	}
	tokens, err := lexCSS(text)
	if err != nil {
		return "", text
	}
	var in, out strings.Builder
	depth, isFont := 0, false
	for _, token := range tokens {
		isFont = isFont || depth == 0 && isFontFace(token)
		if isFont {
			in.Write(token.text)
		} else {
			out.Write(token.text)
		}
		switch token.kind {
		case css.LeftBraceToken:
			depth++
		case css.RightBraceToken:
			depth--
			isFont = isFont && depth > 0
		default: // other tokens do not change the depth
		}
	}
	return in.String(), strings.TrimSpace(out.String())
}

var atRules = []string{"@container", "@keyframes", "@media", "@starting-style", "@supports"}

// loaders lists functions that accept URLs as plain strings, or paint other elements of the document.
var loaders = []string{"element(", "image(", "image-set(", "-webkit-image-set(", "paint(", "src("}

// Browsers remove tabs and line ends from URLs and treat "\" as "/", so only plain characters are allowed.
var localURL = regexp.MustCompile(
	`^(/[\w.~%-][\w./~%-]*|(?i:data:image/(png|jpeg|gif|webp|avif|svg\+xml))[;,][^"\\{}*<>\x00-\x1f]*)$`)

// addressIn returns the URL in url(…), without quotes.
func addressIn(token []byte) string {
	inner := bytes.TrimSuffix(token[len("url("):], []byte(")"))
	inner = bytes.Trim(inner, " \t\r\n\f")
	if n := len(inner); n >= 2 && (inner[0] == '"' || inner[0] == '\'') && inner[n-1] == inner[0] {
		inner = inner[1 : n-1]
	}
	return string(inner)
}

// bracket returns the stack of open brackets after a token of this kind, and false for a closing bracket that does not
// match the last open bracket.
func bracket(open []css.TokenType, kind css.TokenType) ([]css.TokenType, bool) {
	switch kind {
	case css.LeftBraceToken, css.LeftBracketToken, css.LeftParenthesisToken:
		return append(open, kind), true
	case css.FunctionToken:
		return append(open, css.LeftParenthesisToken), true
	case css.RightBraceToken:
		return pop(open, css.LeftBraceToken)
	case css.RightBracketToken:
		return pop(open, css.LeftBracketToken)
	case css.RightParenthesisToken:
		return pop(open, css.LeftParenthesisToken)
	default:
		return open, true
	}
}

func pop(open []css.TokenType, want css.TokenType) ([]css.TokenType, bool) {
	if len(open) == 0 || open[len(open)-1] != want {
		return open, false
	}
	return open[:len(open)-1], true
}

// scoped limits checked CSS to the elements of one widget. Fonts are not limited.
func scoped(id graph.ID, text string) string {
	fonts, rest := splitFonts(text)
	if fonts != "" {
		fonts += "\n"
	}
	return fmt.Sprintf("%s@scope ([data-widget=\"%d\"]) {\n%s\n}", fonts, id, rest)
}
