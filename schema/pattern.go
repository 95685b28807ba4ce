package schema

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// compilePattern compiles a pattern. Patterns are JavaScript regular expressions with the flag u, limited to syntax that runs in
// linear time and has the same meaning in every version:
//
//	abc  .  [a-z_]  [^0-9]  a|b  (…)  (?:…)  ^  $
//	* + ? {2} {2,} {2,5}                  also followed by ?; a count is at most 1000
//	\d \D \w \W \s \S \b \B               \S not in a character class
//	\n \r \t \f \v                        and \ before one of ^ $ \ . * + ? ( ) [ ] { } | /
//
// The canonical form has no backslash before a slash, although regular expression literals of JavaScript need one.
//
// Everything else is refused: flags, look-around, back references, named groups, \p, \x and \u, and an unescaped bracket in a
// character class. As in JavaScript, a dot does not match the four line ends, and \s matches all white space of JavaScript;
// the translation writes both as explicit character classes.
func compilePattern(pattern string) (*regexp.Regexp, error) {
	p := &patternParser{rest: pattern}
	if err := p.parseAlternatives(0); err != nil {
		return nil, err
	}
	if p.rest != "" {
		return nil, p.unsupported()
	}
	re, err := regexp.Compile(p.out.String())
	if err != nil { // repetition beyond the limit of package regexp
		return nil, graph.Errorf(graph.Invalid, "the pattern is too large")
	}
	return re, nil
}

const (
	anyButLineEnds = `[^\n\r\x{2028}\x{2029}]`
	// spaceRanges are the characters of \s in JavaScript.
	spaceRanges     = `\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	maxPatternDepth = 100
	syntaxChars     = `^$\.*+?()[]{}|/`
	maxRepeat       = 1000
)

// A patternParser translates a pattern to the syntax of package regexp.
type patternParser struct {
	rest string
	out  strings.Builder
}

// take consumes a prefix of the pattern and reports whether the pattern began with it.
func (p *patternParser) take(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	p.rest = rest
	return ok
}

func (p *patternParser) unsupported() error {
	if p.rest == "" {
		return graph.Errorf(graph.Invalid, "the pattern ends too early")
	}
	return graph.Errorf(graph.Invalid, "the pattern has unsupported syntax at %q", graph.Clip(p.rest))
}

func (p *patternParser) parseAlternatives(depth int) error {
	if depth > maxPatternDepth {
		return graph.Errorf(graph.Invalid, "the pattern is nested too deeply")
	}
	for {
		if err := p.parseSequence(depth); err != nil {
			return err
		}
		if !p.take("|") {
			return nil
		}
		p.out.WriteByte('|')
	}
}

func (p *patternParser) parseSequence(depth int) error {
	for p.rest != "" && p.rest[0] != '|' && p.rest[0] != ')' {
		isAssertion, err := p.parseAtom(depth)
		if err != nil {
			return err
		}
		if err := p.parseQuantifier(isAssertion); err != nil {
			return err
		}
	}
	return nil
}

// parseAtom parses an atom, which a quantifier may follow, or an assertion, which no quantifier may follow.
func (p *patternParser) parseAtom(depth int) (isAssertion bool, err error) {
	switch c := p.rest[0]; {
	case p.take("^"), p.take("$"):
		p.out.WriteByte(c)
		return true, nil
	case p.take("."):
		p.out.WriteString(anyButLineEnds)
	case p.take("(?:"), c == '(' && !strings.HasPrefix(p.rest, "(?") && p.take("("):
		p.out.WriteString("(?:")
		if err := p.parseAlternatives(depth + 1); err != nil {
			return false, err
		}
		if !p.take(")") {
			return false, p.unsupported()
		}
		p.out.WriteByte(')')
	case p.take("["):
		return false, p.parseClass()
	case c == '\\':
		return p.parseEscape()
	case strings.IndexByte(`*+?{}]()`, c) >= 0:
		return false, p.unsupported()
	default:
		p.writeLiteral(p.takeRune())
	}
	return false, nil
}

// takeRune consumes one character.
func (p *patternParser) takeRune() rune {
	for i, r := range p.rest {
		p.rest = p.rest[i+len(string(r)):]
		return r
	}
	return 0
}

// writeLiteral writes a literal character, inside or outside a class.
func (p *patternParser) writeLiteral(r rune) {
	if r < 0x80 && (strings.ContainsRune(syntaxChars, r) || r == '-') {
		p.out.WriteByte('\\')
	}
	p.out.WriteRune(r)
}

// parseEscape parses an escape outside a class.
func (p *patternParser) parseEscape() (isAssertion bool, err error) {
	if len(p.rest) < 2 {
		return false, p.unsupported()
	}
	switch escape := p.rest[:2]; {
	case escape == `\b`, escape == `\B`:
		p.out.WriteString(escape)
		isAssertion = true
	case escape == `\s`:
		p.out.WriteString("[" + spaceRanges + "]")
	case escape == `\S`:
		p.out.WriteString("[^" + spaceRanges + "]")
	case strings.IndexByte("dDwWnrtfv"+syntaxChars, escape[1]) >= 0:
		p.out.WriteString(escape)
	default:
		return false, p.unsupported()
	}
	p.rest = p.rest[2:]
	return isAssertion, nil
}

// parseQuantifier parses an optional quantifier.
func (p *patternParser) parseQuantifier(isAssertion bool) error {
	before := p.rest
	switch {
	case p.take("*"), p.take("+"), p.take("?"):
	case strings.HasPrefix(p.rest, "{"):
		if !p.takeCounts() {
			return p.unsupported()
		}
	default:
		return nil
	}
	if isAssertion {
		p.rest = before
		return p.unsupported()
	}
	p.take("?")
	p.out.WriteString(before[:len(before)-len(p.rest)])
	return nil
}

// takeCounts consumes {n}, {n,} or {n,m}.
func (p *patternParser) takeCounts() bool {
	counts, rest, ok := strings.Cut(p.rest[1:], "}")
	low, high, isRange := strings.Cut(counts, ",")
	from, isNumber := parseCount(low)
	to, isLimit := parseCount(high)
	if !ok || !isNumber || isRange && high != "" && (!isLimit || to < from) {
		return false
	}
	p.rest = rest
	return true
}

func parseCount(text string) (int, bool) {
	n, err := strconv.ParseUint(text, 10, 16)
	return int(n), err == nil && n <= maxRepeat && (len(text) == 1 || text[0] != '0')
}

// parseClass parses a character class after its opening bracket.
func (p *patternParser) parseClass() error {
	p.out.WriteByte('[')
	if p.take("^") {
		p.out.WriteByte('^')
	}
	if strings.HasPrefix(p.rest, "]") {
		return p.unsupported()
	}
	for !p.take("]") {
		from, isSet, err := p.parseClassItem()
		if err != nil {
			return err
		}
		if isSet || len(p.rest) < 2 || p.rest[0] != '-' || p.rest[1] == ']' {
			if !isSet {
				p.writeLiteral(from)
			}
			continue
		}
		p.take("-")
		to, isSet, err := p.parseClassItem()
		if err != nil || isSet || to < from {
			return p.unsupported()
		}
		p.writeLiteral(from)
		p.out.WriteByte('-')
		p.writeLiteral(to)
	}
	p.out.WriteByte(']')
	return nil
}

// classEscapes are the control characters that may be escaped in a class.
var classEscapes = map[byte]rune{'n': '\n', 'r': '\r', 't': '\t', 'f': '\f', 'v': '\v'}

// parseClassItem parses one character of a class, or parses and writes a set such as \d.
func (p *patternParser) parseClassItem() (r rune, isSet bool, err error) {
	switch {
	case p.rest == "" || p.rest[0] == '[':
		return 0, false, p.unsupported()
	case p.rest[0] != '\\':
		return p.takeRune(), false, nil
	case len(p.rest) < 2:
		return 0, false, p.unsupported()
	}
	escaped := p.rest[1]
	switch control, isControl := classEscapes[escaped]; {
	case isControl:
		r = control
	case strings.IndexByte("dDwW", escaped) >= 0:
		isSet = true
		p.out.WriteString(p.rest[:2])
	case escaped == 's':
		isSet = true
		p.out.WriteString(spaceRanges)
	case strings.IndexByte(syntaxChars+"-", escaped) >= 0:
		r = rune(escaped)
	default:
		return 0, false, p.unsupported()
	}
	p.rest = p.rest[2:]
	// JavaScript rejects a range that begins with a set.
	if isSet && len(p.rest) > 1 && p.rest[0] == '-' && p.rest[1] != ']' {
		return 0, false, p.unsupported()
	}
	return r, isSet, nil
}

// unescapeSlashes returns a pattern in canonical form.
func unescapeSlashes(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' && i+1 < len(pattern) {
			i++
			if pattern[i] != '/' {
				b.WriteByte('\\')
			}
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}
