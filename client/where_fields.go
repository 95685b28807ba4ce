package client

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/schema"
	"github.com/weft-graph/weft/wire"
)

// A part is a field of a record, or of a record nested in it.
type part struct {
	path  []string
	field *schema.Field
}

// findPart returns the field that a condition names.
func findPart(typ *schema.Type, c Condition) (part, error) {
	p := part{path: strings.Split(c.field, ".")}
	fields := typ.Fields
	for _, name := range p.path {
		if p.field = fields[name]; p.field == nil {
			return p, c.refuse("names no field or link of %s", typ.Name)
		}
		fields = p.field.Fields
	}
	if last := p.path[len(p.path)-1]; len(p.path) > 1 && countNames(typ.Fields, last) > 1 {
		return p, c.refuse("is not possible: %s has several fields with this name in different records, and a filter would find values of all of them", typ.Name)
	}
	return p, nil
}

// countNames counts the fields with a name in a record and in the records nested in it.
func countNames(fields map[string]*schema.Field, name string) (n int) {
	for key, f := range fields {
		if key == name || slices.Contains(f.Was, name) {
			n++
		}
		n += countNames(f.Fields, name)
		if f.Of != nil {
			n += countNames(f.Of.Fields, name)
		}
	}
	return n
}

// valueIn returns the value of the field in a typed record.
func (p part) valueIn(typed composition.Value) composition.Value {
	for _, name := range p.path {
		typed = typed.Get(name)
	}
	return typed
}

// field returns the term of a comparison with a field.
func (w *whereCompiler) field(n *whereNode, p part, c Condition) (term, error) {
	exists := func() term { return w.onParts(n, p, wire.Filter{LogicOperator: wire.Text(query.Exists)}) }
	if c.op == "exists" {
		return exists(), nil
	}
	if c.op == "=" && c.operand[0] == nil {
		return negate(exists()), nil
	}
	if k := p.field.Kind; k == schema.KindJSON || k == schema.KindFile || k == schema.KindRecord {
		return "", c.refuse("is not possible on the kind %s", k)
	} else if isTextOp := c.op == "contains" || c.op == "startsWith" || c.op == "like"; isTextOp && k != schema.KindText && k != schema.KindLongText {
		return "", c.refuse("is not possible on the kind %s", k)
	}
	texts, err := operands(p.field, c)
	if err != nil {
		return "", err
	}
	t, err := w.comparison(n, p, c, texts)
	if err != nil || t == always || p.field.Default == nil || !holdsForDefault(p.field, c.op, texts) {
		return t, err
	}
	return join([]term{t, negate(exists())}, " OR ", never, always), nil
}

// operands returns the operands as the store would hold them of a condition.
func operands(f *schema.Field, c Condition) ([]string, error) {
	plain := *f // an operand is not stored, so the rules of the field do not apply
	plain.Required, plain.Unique, plain.Min, plain.Max = false, false, nil, nil
	var texts []string
	for _, operand := range c.operand {
		typed, err := schema.ValueOfField(operand)
		if err != nil {
			return nil, c.refuse("has a malformed operand: %s", err)
		}
		stored, refusals := plain.Encode(typed)
		isKind := func(r schema.Refusal) bool { return r.Rule == "kind" || r.Rule == "choices" }
		if i := slices.IndexFunc(refusals, isKind); i >= 0 || typed.Kind == composition.Null {
			return nil, c.refuse("has the operand %s, which is not of the kind %s", graph.Clip(typed.String()), f.Kind)
		}
		texts = append(texts, stored.Text)
	}
	return texts, nil
}

// holdsForDefault reports whether a comparison holds for the default of a field, as if the default were stored.
func holdsForDefault(f *schema.Field, op string, texts []string) bool {
	stored, refusals := f.Encode(*f.Default)
	if len(refusals) > 0 { // "today" or "now" of a time
		return false
	}
	return slices.ContainsFunc(texts, func(text string) bool {
		switch op {
		case "contains", "startsWith":
			return holdsForText(op, stored.Text, text)
		case "in":
			op = "="
		}
		return graph.Predicate{Op: graph.Op(op), Text: text}.Holds(graph.Concept{Value: stored.Text})
	})
}

// holdsForText reports whether Contains or StartsWith holds for a value.
func holdsForText(op, value, text string) bool {
	value, text = graph.Fold(value), graph.Fold(text)
	if op == "startsWith" {
		return strings.HasPrefix(value, text)
	}
	return strings.Contains(value, text)
}

func filterOf(op, search string) wire.Filter {
	return wire.Filter{LogicOperator: wire.Text(op), Search: wire.Text(search)}
}

// comparison returns the term of a comparison with stored texts, without regard to a default.
func (w *whereCompiler) comparison(n *whereNode, p part, c Condition, texts []string) (term, error) {
	switch {
	case c.op == "in":
		filters := make([]wire.Filter, len(texts))
		for i, text := range texts {
			filters[i] = filterOf("=", text)
		}
		return w.onParts(n, p, filters...), nil
	case slices.Contains([]string{"=", ">", ">=", "<", "<="}, c.op):
		return w.onParts(n, p, filterOf(c.op, texts[0])), nil
	default:
		return w.textComparison(n, p, c, texts[0])
	}
}

// textComparison returns the term of Like, Contains or StartsWith.
func (w *whereCompiler) textComparison(n *whereNode, p part, c Condition, text string) (term, error) {
	switch c.op {
	case "like":
		return w.onParts(n, p, filterOf("like", text)), nil
	case "contains":
		if strings.Contains(text, "%") {
			if err := w.test(n, c, p, text); err != nil {
				return "", err
			}
		}
		return w.onParts(n, p, filterOf("like", "%"+text+"%")), nil
	case "startsWith":
		if text != "" && !strings.ContainsAny(text[:1], "-0123456789") && !strings.Contains(text, "%") {
			from, to := w.onParts(n, p, filterOf(">=", text)), w.onParts(n, p, filterOf("<", text+"\U0010ffff"))
			return join([]term{from, to}, " AND ", always, never), nil
		}
		// A value that begins like a number or a time may be a number or a time, and Like would not compare it as
		// text.
		if err := w.test(n, c, p, text); err != nil {
			return "", err
		}
		return w.onParts(n, p, filterOf("like", "%"+text+"%")), nil
	default:
		return "", c.refuse("has an unknown comparison %q", c.op)
	}
}

// test adds a test of a field's text for Contains or StartsWith. It returns an error for a condition under Or, Not or Linked.
func (w *whereCompiler) test(n *whereNode, c Condition, p part, text string) error {
	if !n.plain {
		return c.refuse("is only possible at the top of Find, not in Or, Not or Linked")
	}
	w.tests = append(w.tests, func(typed composition.Value) bool { return holdsForText(c.op, p.valueIn(typed).Text, text) })
	return nil
}

// list returns the term of a condition on a list, and adds the test for it.
func (w *whereCompiler) list(n *whereNode, p part, c Condition) (term, error) {
	isAny := c.op == "hasSome"
	if !isAny && c.op != "has" {
		return "", c.refuse("is not possible on a list; use Has or HasSome")
	}
	if !n.plain {
		return "", c.refuse("is only possible at the top of Find, not in Or, Not or Linked")
	}
	texts, err := operands(p.field.Of, c)
	if err != nil {
		return "", err
	}
	w.tests = append(w.tests, func(typed composition.Value) bool {
		has := map[string]bool{}
		for _, item := range p.valueIn(typed).Members {
			stored, _ := p.field.Of.Encode(item.Value)
			has[stored.Text] = true
		}
		if isAny {
			return slices.ContainsFunc(texts, func(text string) bool { return has[text] })
		}
		return !slices.ContainsFunc(texts, func(text string) bool { return !has[text] })
	})
	w.count++
	name := wire.Text(fmt.Sprintf("n%d", w.count))
	n.hops = append(n.hops, wire.Query{TypeConnection: query.Self, Name: name})
	terms := make([]term, len(texts))
	for i, text := range texts {
		terms[i] = w.anyOf(n, wire.Filter{OperateOn: name, Search: wire.Text(text)})
	}
	if isAny {
		return join(terms, " OR ", never, always), nil
	}
	return join(terms, " AND ", always, never), nil
}

// onParts adds filters on the parts of a record that store a field, and returns the term that holds if one of the filters does.
func (w *whereCompiler) onParts(n *whereNode, p part, filters ...wire.Filter) term {
	on := n.parts
	if isDirect := len(p.path) == 1; on == "" || !isDirect {
		w.count++
		on = fmt.Sprintf("n%d", w.count)
		n.hops = append(n.hops, wire.Query{TypeConnection: query.Self, Name: wire.Text(on), Direct: wire.Bool(isDirect)})
		if isDirect {
			n.parts = on
		}
	}
	var all []wire.Filter
	for _, f := range filters {
		for _, name := range append([]string{p.field.Name}, p.field.Was...) {
			f.OperateOn, f.Type = wire.Text(on), wire.Text(name)
			if p.field.Kind != schema.KindRecord && p.field.Kind != schema.KindList {
				f.Type = wire.Text(graph.WithPrefix(name))
			}
			all = append(all, f)
		}
	}
	return w.anyOf(n, all...)
}
