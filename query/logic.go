package query

import (
	"strings"
	"unicode/utf8"

	"github.com/weft-graph/weft/graph"
)

// A Logic is a boolean expression over filters.
type Logic struct {
	Op     LogicOp
	Filter string  // of a Leaf
	Of     []Logic // one for Not, two or more for the others
	At     int     // where it begins: a byte of the text
}

// A LogicOp says what a Logic is.
type LogicOp int

// The operators, from the loosest to the tightest.
const (
	Or LogicOp = iota + 1
	And
	Not
	ExAnd // both sides under one and the same concept
	Leaf
)

var logicWords = [...]string{Or: "OR", And: "AND", Not: "NOT", ExAnd: "EXAND"}

// ParseLogic reads an expression. It is ok if there is one: a text of spaces says nothing. What stands between spaces
// and parentheses is the name of a filter, unless it is one of the four words in upper case. Chains of one operator are
// flat. A NOT to the right of an EXAND reaches as far as any other.
//
// Errors are Invalid, with the place in the text, and TooLarge beyond MaxLogic and MaxLogicDepth.
func ParseLogic(text string) (l Logic, ok bool, err error) {
	if len(text) > MaxLogic {
		return Logic{}, false, graph.Errorf(graph.TooLarge, "a logic of %d bytes; the most is %d", len(text), MaxLogic)
	}
	p := logicParser{text: text}
	p.next()
	if p.token == "" {
		return Logic{}, false, nil
	}
	if l, err = p.or(); err != nil {
		return Logic{}, false, err
	}
	if p.token != "" {
		return Logic{}, false, p.wants("AND, OR, EXAND or the end")
	}
	return l, true, nil
}

type logicParser struct {
	text  string
	token string // a word, a parenthesis, or "" at the end
	at    int    // where the token begins
	depth int
}

const logicSpace = " \t\r\n"

func (p *logicParser) next() {
	p.at += len(p.token)
	rest := strings.TrimLeft(p.text[p.at:], logicSpace)
	p.at = len(p.text) - len(rest)
	end := strings.IndexAny(rest, logicSpace+"()")
	switch {
	case end < 0:
		end = len(rest)
	case end == 0:
		end = 1 // a parenthesis
	}
	p.token = rest[:end]
}

func (p *logicParser) or() (Logic, error)  { return p.chain(Or, p.and) }
func (p *logicParser) and() (Logic, error) { return p.chain(And, p.not) }

func (p *logicParser) not() (Logic, error) {
	if p.token == logicWords[Not] {
		return p.negation()
	}
	return p.chain(ExAnd, p.operand)
}

func (p *logicParser) chain(op LogicOp, side func() (Logic, error)) (Logic, error) {
	var sides []Logic
	for {
		l, err := side()
		if err != nil {
			return Logic{}, err
		}
		sides = append(sides, l)
		if p.token != logicWords[op] {
			return joined(op, sides), nil
		}
		p.next()
	}
}

// joined puts the sides of a chain together. AND in AND is one chain, as is OR in OR; EXAND is not, because
// each has a concept of its own.
func joined(op LogicOp, sides []Logic) Logic {
	if len(sides) == 1 {
		return sides[0]
	}
	l := Logic{Op: op, At: sides[0].At}
	for _, side := range sides {
		if side.Op == op && op != ExAnd {
			l.Of = append(l.Of, side.Of...)
		} else {
			l.Of = append(l.Of, side)
		}
	}
	return l
}

func (p *logicParser) negation() (Logic, error) {
	l := Logic{Op: Not, At: p.at}
	of, err := p.deeper(p.not)
	l.Of = []Logic{of}
	return l, err
}

func (p *logicParser) operand() (Logic, error) {
	switch p.token {
	case "(":
		l, err := p.deeper(p.or)
		if err == nil && p.token != ")" {
			err = p.wants(`AND, OR, EXAND or ")"`)
		}
		p.next()
		return l, err
	case logicWords[Not]:
		return p.negation()
	case "", ")", logicWords[And], logicWords[Or], logicWords[ExAnd]:
		return Logic{}, p.wants(`the name of a filter, NOT or "("`)
	default:
		l := Logic{Op: Leaf, Filter: p.token, At: p.at}
		p.next()
		return l, nil
	}
}

// deeper reads on behind a NOT or a parenthesis.
func (p *logicParser) deeper(read func() (Logic, error)) (Logic, error) {
	if p.depth++; p.depth > MaxLogicDepth {
		return Logic{}, graph.Errorf(graph.TooLarge, "the logic at character %d: more than %d parentheses and NOTs in each other",
			p.character(), MaxLogicDepth)
	}
	defer func() { p.depth-- }()
	p.next()
	return read()
}

func (p *logicParser) wants(what string) error {
	seen := "the end"
	if p.token != "" {
		seen = `"` + graph.Clip(p.token) + `"`
	}
	return graph.Errorf(graph.Invalid, "the logic at character %d: %s where %s belongs: %s", p.character(), seen, what, p.marked())
}

// character is where the token begins as people count, from 1.
func (p *logicParser) character() int { return utf8.RuneCountInString(p.text[:p.at]) + 1 }

// marked is the text around the token with the token in brackets.
func (p *logicParser) marked() string {
	const around = 30
	before, after := p.text[:p.at], p.text[p.at+len(p.token):]
	if len(before) > around {
		before = "…" + before[len(before)-around:]
	}
	if len(after) > around {
		after = after[:around] + "…"
	}
	return strings.ToValidUTF8(before, "") + "⟦" + graph.Clip(p.token) + "⟧" + strings.ToValidUTF8(after, "")
}

// String writes the expression so that it can be read again, with no more parentheses than are needed.
func (l Logic) String() string {
	if l.Op == Leaf {
		return l.Filter
	}
	if l.Op == Not {
		return logicWords[Not] + " " + l.Of[0].within(Not, true)
	}
	sides := make([]string, len(l.Of))
	for i, side := range l.Of {
		sides[i] = side.within(l.Op, i == len(l.Of)-1)
	}
	return strings.Join(sides, " "+logicWords[l.Op]+" ")
}

func (l Logic) within(op LogicOp, last bool) string {
	if l.Op < op && (l.Op != Not || !last) || l.Op == ExAnd && op == ExAnd {
		return "(" + l.String() + ")"
	}
	return l.String()
}

// only is the expression without the names that are not known. It is not ok if nothing remains.
func (l Logic) only(known func(name string) bool) (remains Logic, ok bool) {
	if l.Op == Leaf {
		return l, known(l.Filter)
	}
	var sides []Logic
	for _, side := range l.Of {
		if s, ok := side.only(known); ok {
			sides = append(sides, s)
		}
	}
	switch {
	case len(sides) == 0:
		return Logic{}, false
	case l.Op == Not:
		return Logic{Op: Not, Of: sides, At: l.At}, true
	default:
		return joined(l.Op, sides), true
	}
}

// Expression is the logic of a root without the names that no filter has: every Leaf names at least one. It is
// not ok if that is nothing, and then every root passes. Errors are those of ParseLogic.
func (q Query) Expression() (l Logic, ok bool, err error) {
	l, ok, err = ParseLogic(q.Logic)
	if !ok {
		return Logic{}, false, err
	}
	names := map[string]bool{}
	for _, f := range q.Filters {
		names[f.Name] = true
	}
	l, ok = l.only(func(name string) bool { return names[name] })
	return l, ok, nil
}
