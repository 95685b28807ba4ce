package client

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/schema"
	"github.com/weft-graph/weft/wire"
)

// Conditions are compiled to the filters, the logic and the hops of a query:
//
//	Eq("vip", true), Linked("company", Eq("name", "Acme"))
//
//	hops     self (direct) n1 · the_contact_company n2 ─ self (direct) n3
//	filters  f1 on n1: the_vip = true · f2 on n2: exists · f3 on n3: the_name = Acme
//	logic    f1 AND (f2 EXAND f3)
//
// Conditions on a linked record become an EXAND whose first operand is the existence of that record, so that all conditions
// apply to the same record. Conditions on lists, and a few on text, have no exact filter: the query has a filter that more
// records pass, and the compiler adds a test of the rows. The twin is web/client/src/schema/where.ts.
type whereCompiler struct {
	schema  *schema.Schema
	filters []wire.Filter
	tests   []rowTest
	ids     []graph.ID // the only records that can pass; nil if any record can
	count   int
}

// A rowTest is a condition on a typed record that the query does not apply.
type rowTest func(typed composition.Value) bool

// A term is a part of the logic of a query, or one of the constants.
type term string

const (
	always term = "1"
	never  term = "0"
)

// A whereNode is a node of the query whose concepts are records of a type.
type whereNode struct {
	typ   *schema.Type
	name  string // "" for the root
	hops  []wire.Query
	inner map[string]*whereNode // the nodes at the ends of links, by the name of the link
	parts string                // name of the hop to the parts of the record
	plain bool                  // no condition on the node is inside Or, Not or Linked
}

// wire returns the hops of the node, and of the nodes of linked records.
func (n *whereNode) wire() []wire.Query {
	for i, hop := range n.hops {
		if inner := n.inner[string(hop.Name)]; inner != nil {
			n.hops[i].FreeschemaQueries = inner.wire()
		}
	}
	return n.hops
}

// compileWhere adds conditions to a query. The returned tests apply to the rows of the answer.
func compileWhere(s *schema.Schema, typ *schema.Type, conditions []Condition, q *wire.Query) ([]rowTest, error) {
	w := &whereCompiler{schema: s}
	root := &whereNode{typ: typ, plain: true}
	logic, err := w.all(root, conditions)
	if err != nil {
		return nil, err
	}
	if logic == never {
		logic = w.anyOf(root, wire.Filter{Type: query.FieldID, Search: "0"})
	}
	if logic != always {
		q.FilterLogic = wire.Text(logic)
	}
	q.FreeschemaQueries = append(q.FreeschemaQueries, root.wire()...)
	q.Filters = w.filters
	for _, id := range w.ids {
		q.ConceptIDs = append(q.ConceptIDs, wire.Int(id))
	}
	return w.tests, nil
}

// all returns the term that holds if all conditions hold.
func (w *whereCompiler) all(n *whereNode, conditions []Condition) (term, error) {
	terms := make([]term, 0, len(conditions))
	for _, c := range conditions {
		t, err := w.condition(n, c)
		if err != nil {
			return "", err
		}
		terms = append(terms, t)
	}
	return join(terms, " AND ", always, never), nil
}

// condition returns the term of a condition, and adds the filters, hops and tests that it needs.
func (w *whereCompiler) condition(n *whereNode, c Condition) (term, error) {
	wasPlain := n.plain
	defer func() { n.plain = wasPlain }()
	switch c.op {
	case "and":
		return w.all(n, c.inside)
	case "or":
		n.plain = false
		var terms []term
		for _, inside := range c.inside {
			t, err := w.condition(n, inside)
			if err != nil {
				return "", err
			}
			terms = append(terms, t)
		}
		return join(terms, " OR ", never, always), nil
	case "not":
		n.plain = false
		t, err := w.all(n, c.inside)
		return negate(t), err
	}
	switch c.field {
	case "id":
		return w.id(n, c)
	case createdField:
		at, ok := c.operand[0].(time.Time)
		if !ok {
			return "", c.refuse("needs a time as its operand, not %T", c.operand[0])
		}
		return w.anyOf(n, wire.Filter{Type: query.FieldTime, LogicOperator: wire.Text(c.op), Search: wire.Text(strconv.FormatInt(at.UnixMilli(), 10))}), nil
	}
	part, err := findPart(n.typ, c)
	switch {
	case err != nil:
		return "", err
	case part.field.Kind.IsLink():
		return w.link(n, part.field, c)
	case part.field.Kind == schema.KindList:
		return w.list(n, part, c)
	default:
		return w.field(n, part, c)
	}
}

// id returns the term of a condition on ids. If all records must meet it, the query starts from these ids and needs no filter.
func (w *whereCompiler) id(n *whereNode, c Condition) (term, error) {
	ids := make([]graph.ID, len(c.operand))
	filters := make([]wire.Filter, len(c.operand))
	for i, operand := range c.operand {
		id, ok := operand.(graph.ID)
		if !ok || id == 0 || c.op != "in" && c.op != "=" {
			return "", c.refuse("does not compare ids: %v", operand)
		}
		ids[i], filters[i] = id, wire.Filter{Type: query.FieldID, Search: wire.Text(id.String())}
	}
	switch {
	case len(ids) == 0:
		return never, nil
	case !n.plain || w.ids != nil:
		return w.anyOf(n, filters...), nil
	}
	w.ids = ids
	return always, nil
}

// link returns the term of a condition on linked records.
func (w *whereCompiler) link(n *whereNode, link *schema.Field, c Condition) (term, error) {
	switch {
	case c.op == "exists" || c.op == "linked":
	case c.op == "=" && c.operand[0] == nil:
		t, err := w.link(n, link, Exists(c.field))
		return negate(t), err
	case c.op == "=" || c.op == "in":
		c.inside = []Condition{{op: "in", field: "id", operand: c.operand}}
	default:
		return "", c.refuse("is not possible on a link; use Linked")
	}
	w.count++
	name := fmt.Sprintf("n%d", w.count)
	inner := &whereNode{typ: w.schema.Types[link.Targets[0]], name: name}
	n.hops = append(n.hops, wire.Query{
		TypeConnection: wire.Text(w.schema.ConnectionName(n.typ.Name, link)), Reverse: link.Inverse != "", Name: wire.Text(name),
	})
	if n.inner == nil {
		n.inner = map[string]*whereNode{}
	}
	n.inner[name] = inner
	if len(link.Targets) > 1 && slices.ContainsFunc(c.inside, func(c Condition) bool { return c.field != "id" }) {
		return "", c.refuse("is on a link to records of several types; for such a link only ids can be compared")
	}
	inside, err := w.all(inner, c.inside)
	if err != nil || inside == never {
		return never, err
	}
	exists := w.anyOf(inner, wire.Filter{LogicOperator: wire.Text(query.Exists)})
	if inside == always {
		return exists, nil
	}
	return "(" + exists + " EXAND " + inside + ")", nil
}

// anyOf adds filters under one name, and returns the term that holds if one of the filters holds. A filter without OperateOn
// applies to the record of the node.
func (w *whereCompiler) anyOf(n *whereNode, filters ...wire.Filter) term {
	if len(filters) == 0 {
		return never
	}
	w.count++
	name := fmt.Sprintf("f%d", w.count)
	for _, f := range filters {
		if f.OperateOn == "" {
			f.OperateOn = wire.Text(n.name)
		}
		f.Name = wire.Text(name)
		w.filters = append(w.filters, f)
	}
	return term(name)
}

// join joins terms with an operator. If a term equals decides, the result is decides. Terms that equal empty are left out. If no term
// remains, the result is empty.
func join(terms []term, operator string, empty, decides term) term {
	if slices.Contains(terms, decides) {
		return decides
	}
	terms = slices.DeleteFunc(terms, func(t term) bool { return t == empty })
	switch len(terms) {
	case 0:
		return empty
	case 1:
		return terms[0]
	}
	texts := make([]string, len(terms))
	for i, t := range terms {
		texts[i] = string(t)
	}
	return term("(" + strings.Join(texts, operator) + ")")
}

func negate(t term) term {
	switch t {
	case always:
		return never
	case never:
		return always
	default:
		return "(NOT " + t + ")"
	}
}
