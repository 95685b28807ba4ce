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

// CheckCSS returns an Invalid error for CSS that could end its style element or its @scope block, load
// anything from elsewhere, or reach out of its widget: style rules, conditions around them and keyframes
// are allowed, fonts and layers are the document's. Escapes are allowed in strings only, because outside
// of them they serve to hide a name.
func CheckCSS(text string) error {
	if err := graph.CheckText("CSS", text); err != nil {
		return err
	}
	if i := strings.Index(strings.ToLower(text), "</style"); i >= 0 {
		return graph.Errorf(graph.Invalid, "CSS closes its style element at byte %d", i)
	}
	// A string that is still open at the end becomes a bad one at the first line end, or at the second
	// when a backslash takes the first.
	lexer := css.NewLexer(parse.NewInputString(text + "\n\n"))
	var open []css.TokenType
	for at := 0; ; {
		kind, token := lexer.Next()
		if kind == css.ErrorToken {
			break
		}
		if err := checkToken(kind, token); err != nil {
			return graph.Wrap(graph.Invalid, err, "CSS at byte %d", at)
		}
		var balanced bool
		if open, balanced = bracket(open, kind); !balanced {
			return graph.Errorf(graph.Invalid, "CSS has a %s too many at byte %d", token, at)
		}
		if len(open) > maxNesting {
			return graph.Errorf(graph.Invalid, "CSS is nested deeper than %d at byte %d", maxNesting, at)
		}
		at += len(token)
	}
	if len(open) > 0 {
		return graph.Errorf(graph.Invalid, "CSS leaves %d brackets open", len(open))
	}
	return nil
}

const maxNesting = 64

func checkToken(kind css.TokenType, token []byte) error {
	if kind != css.StringToken && kind != css.CommentToken && bytes.ContainsRune(token, '\\') {
		return fmt.Errorf("%.40q is written with an escape", token)
	}
	switch kind {
	case css.BadStringToken:
		return fmt.Errorf("the string %.40q is not closed on its line", token)
	case css.BadURLToken:
		return fmt.Errorf("%.40q is not an address", token)
	case css.CommentToken:
		if len(token) < len("/**/") || !bytes.HasSuffix(token, []byte("*/")) {
			return fmt.Errorf("the comment %.40q is not closed", token)
		}
	case css.AtKeywordToken:
		if !slices.Contains(atRules, strings.ToLower(string(token))) {
			return fmt.Errorf("%.40s is not allowed", token)
		}
	case css.FunctionToken:
		if slices.Contains(loaders, strings.ToLower(string(token))) {
			return fmt.Errorf("%.40s may load from elsewhere", token)
		}
	case css.URLToken:
		if address := addressIn(token); !localURL.MatchString(address) {
			return fmt.Errorf("the address %.40q is not one of this site", address)
		}
	default: // says nothing by itself
	}
	return nil
}

var atRules = []string{"@container", "@keyframes", "@media", "@starting-style", "@supports"}

// loaders take addresses as plain strings, or paint what is elsewhere in the document.
var loaders = []string{"element(", "image(", "image-set(", "-webkit-image-set(", "paint(", "src("}

// Browsers remove tabs and line ends from addresses and read "\" as "/", so only plain characters pass.
var localURL = regexp.MustCompile(
	`^(/[\w.~%-][\w./~%-]*|(?i:data:image/(png|jpeg|gif|webp|avif|svg\+xml))[;,][^"\\{}*<>\x00-\x1f]*)$`)

// addressIn takes the address out of url(…), with its quotes when it has them.
func addressIn(token []byte) string {
	inner := bytes.TrimSuffix(token[len("url("):], []byte(")"))
	inner = bytes.Trim(inner, " \t\r\n\f")
	if n := len(inner); n >= 2 && (inner[0] == '"' || inner[0] == '\'') && inner[n-1] == inner[0] {
		inner = inner[1 : n-1]
	}
	return string(inner)
}

// bracket keeps the stack of brackets that wait to be closed.
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

// scoped ties checked CSS to the elements of one widget.
func scoped(id graph.ID, text string) string {
	return fmt.Sprintf("@scope ([data-widget=\"%d\"]) {\n%s\n}", id, text)
}
