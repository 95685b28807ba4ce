package query

import (
	"strings"
	"unicode/utf8"

	"github.com/weft-graph/weft/graph"
)

// A Logic is a boolean expression over filters.
type Logic struct {
	Op     LogicOp
	Filter string  // for a Leaf: the name of the filter
	Of     []Logic // the operands: one of Not, two or more of the others
	At     int     // byte offset in the text
}

// A LogicOp is the operator of a Logic.
type LogicOp int

// The operators, in order of increasing precedence.
const (
	Or LogicOp = iota + 1
	And
	Not
	ExAnd // all operands hold under the same concept (see Query.Ancestor)
	Leaf
)

var logicWords = [...]string{Or: "OR", And: "AND", Not: "NOT", ExAnd: "EXAND"}

// ParseLogic parses a logic expression. If the text is blank, ok is false. Grammar:
//
//	or      = and { "OR" and }
//	and     = not { "AND" not }
//	not     = "NOT" not | exand
//	exand   = operand { "EXAND" operand }
//	operand = "(" or ")" | "NOT" not | name
//
// A name is a sequence of characters other than white space and parentheses, except the four operators in upper case.
// Chains of OR and of AND are flat.
//
// Errors are Invalid, with the position in the text, and TooLarge beyond MaxLogicBytes and MaxLogicDepth.
func ParseLogic(text string) (l Logic, ok bool, err error) {
	if len(text) > MaxLogicBytes {
		return Logic{}, false, graph.Errorf(graph.TooLarge, "the logic has %d bytes; the maximum is %d", len(text), MaxLogicBytes)
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
		return Logic{}, false, p.unexpected("AND, OR, EXAND or the end")
	}
	return l, true, nil
}

// A logicParser is a recursive-descent parser with one token of lookahead.
type logicParser struct {
	text  string
	token string // the current word or parenthesis, or "" at the end
	at    int    // byte offset of the token
	depth int
}

const logicSpace = " \t\r\n"

// next reads the next token.
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

// chain parses operands joined by one operator.
func (p *logicParser) chain(op LogicOp, parseOperand func() (Logic, error)) (Logic, error) {
	var operands []Logic
	for {
		l, err := parseOperand()
		if err != nil {
			return Logic{}, err
		}
		operands = append(operands, l)
		if p.token != logicWords[op] {
			return chainOf(op, operands), nil
		}
		p.next()
	}
}

// chainOf combines the operands of a chain. It flattens AND in AND and OR in OR, but not EXAND in EXAND, because each
// EXAND requires a common concept of its own operands.
func chainOf(op LogicOp, operands []Logic) Logic {
	if len(operands) == 1 {
		return operands[0]
	}
	l := Logic{Op: op, At: operands[0].At}
	for _, operand := range operands {
		if operand.Op == op && op != ExAnd {
			l.Of = append(l.Of, operand.Of...)
		} else {
			l.Of = append(l.Of, operand)
		}
	}
	return l
}

// negation parses a NOT and its operand.
func (p *logicParser) negation() (Logic, error) {
	l := Logic{Op: Not, At: p.at}
	of, err := p.nested(p.not)
	l.Of = []Logic{of}
	return l, err
}

// operand parses parentheses, a NOT or a name.
func (p *logicParser) operand() (Logic, error) {
	switch p.token {
	case "(":
		l, err := p.nested(p.or)
		if err == nil && p.token != ")" {
			err = p.unexpected(`AND, OR, EXAND or ")"`)
		}
		p.next()
		return l, err
	case logicWords[Not]:
		return p.negation()
	case "", ")", logicWords[And], logicWords[Or], logicWords[ExAnd]:
		return Logic{}, p.unexpected(`the name of a filter, NOT or "("`)
	default:
		l := Logic{Op: Leaf, Filter: p.token, At: p.at}
		p.next()
		return l, nil
	}
}

// nested parses the operand of a NOT or the content of parentheses.
func (p *logicParser) nested(parse func() (Logic, error)) (Logic, error) {
	if p.depth++; p.depth > MaxLogicDepth {
		return Logic{}, graph.Errorf(graph.TooLarge, "the logic at character %d: more than %d parentheses and NOTs in each other",
			p.character(), MaxLogicDepth)
	}
	defer func() { p.depth-- }()
	p.next()
	return parse()
}

// unexpected returns the error for the current token. The parameter wanted lists the tokens that are permitted there.
func (p *logicParser) unexpected(wanted string) error {
	actual := "the end"
	if p.token != "" {
		actual = `"` + graph.Clip(p.token) + `"`
	}
	return graph.Errorf(graph.Invalid, "the logic at character %d: %s where %s belongs: %s", p.character(), actual, wanted, p.excerpt())
}

// character returns the position of the token in characters, from 1.
func (p *logicParser) character() int { return utf8.RuneCountInString(p.text[:p.at]) + 1 }

// excerpt returns the text around the token, with the token in brackets.
func (p *logicParser) excerpt() string {
	const maxContext = 30 // bytes on each side
	before, after := p.text[:p.at], p.text[p.at+len(p.token):]
	if len(before) > maxContext {
		before = "…" + before[len(before)-maxContext:]
	}
	if len(after) > maxContext {
		after = after[:maxContext] + "…"
	}
	return strings.ToValidUTF8(before, "") + "⟦" + graph.Clip(p.token) + "⟧" + strings.ToValidUTF8(after, "")
}

// String returns the expression in the syntax of ParseLogic, with as few parentheses as possible.
func (l Logic) String() string {
	if l.Op == Leaf {
		return l.Filter
	}
	if l.Op == Not {
		return logicWords[Not] + " " + l.Of[0].asOperandOf(Not, true)
	}
	operands := make([]string, len(l.Of))
	for i, operand := range l.Of {
		operands[i] = operand.asOperandOf(l.Op, i == len(l.Of)-1)
	}
	return strings.Join(operands, " "+logicWords[l.Op]+" ")
}

// asOperandOf formats an operand of op, in parentheses if its operator binds less tightly. A NOT as the last operand
// needs no parentheses.
func (l Logic) asOperandOf(op LogicOp, last bool) string {
	if l.Op < op && (l.Op != Not || !last) || l.Op == ExAnd && op == ExAnd {
		return "(" + l.String() + ")"
	}
	return l.String()
}

// withoutUnknown returns the expression without names that are not known. If nothing remains, ok is false.
func (l Logic) withoutUnknown(known func(name string) bool) (rest Logic, ok bool) {
	if l.Op == Leaf {
		return l, known(l.Filter)
	}
	var operands []Logic
	for _, operand := range l.Of {
		if rest, ok := operand.withoutUnknown(known); ok {
			operands = append(operands, rest)
		}
	}
	switch {
	case len(operands) == 0:
		return Logic{}, false
	case l.Op == Not:
		return Logic{Op: Not, Of: operands, At: l.At}, true
	default:
		return chainOf(l.Op, operands), true
	}
}

// Expression returns the logic of a root without names that no filter has. If nothing remains, ok is false and every
// root passes. Errors are those of ParseLogic.
func (q Query) Expression() (l Logic, ok bool, err error) {
	l, ok, err = ParseLogic(q.Logic)
	if !ok {
		return Logic{}, false, err
	}
	names := map[string]bool{}
	for _, f := range q.Filters {
		names[f.Name] = true
	}
	l, ok = l.withoutUnknown(func(name string) bool { return names[name] })
	return l, ok, nil
}
