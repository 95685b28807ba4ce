package sqlite

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/sqlstore"
)

// Values implements sqlstore.Dialect. It returns a source that reads the index, and sources that test one by one the
// values that are not indexed yet. Empty values are not in the index; they are found among the instances of types that
// have empty values.
func (d dialect) Values(c *sqlstore.Compiler, typ graph.ID, p graph.Predicate, others []graph.Predicate) []sqlstore.Source {
	var found []sqlstore.Source
	switch {
	case p.Op.SelectsRange():
		found = append(found, d.byKey(c, typ, p, others)...)
	case p.Op == graph.Like && len(trigramsOf(p)) > 0:
		found = append(found, d.byText(c, typ, p, others))
	default:
		return nil
	}
	if p.Holds(graph.Concept{}) {
		found = append(found, d.empty(c, typ))
	}
	return append(found, d.unindexed(c, typ, p)...)
}

// byKey returns the sources that read a range of keys: for a viewer, one source of the keys in the viewer's scopes; without a
// viewer, one source of the public keys and one source of all other keys.
func (d dialect) byKey(c *sqlstore.Compiler, typ graph.ID, p graph.Predicate, others []graph.Predicate) []sqlstore.Source {
	if c.Viewer() == "" {
		public, hidden := d.keys(c, typ, p, others), d.keys(c, typ, p, others)
		public.Where = append(public.Where, public.Scope+" = 0")
		hidden.Where = append(hidden.Where, hidden.Scope+" <> 0")
		return []sqlstore.Source{public, hidden}
	}
	s, scopes := d.keys(c, typ, p, others), c.Name("s")
	s.From = "(select 0 as scope union all select " + c.Viewer() + ") " + scopes + " cross join " + s.From
	s.Where = append(s.Where, s.Scope+" = "+scopes+".scope")
	s.Visible = true
	return []sqlstore.Source{s}
}

// keys returns a source that reads a range of keys in all scopes.
func (d dialect) keys(c *sqlstore.Compiler, typ graph.ID, p graph.Predicate, others []graph.Predicate) sqlstore.Source {
	v := c.Name("v")
	s := sqlstore.Source{From: "value_key " + v, ID: v + ".id", Scope: v + ".scope"}
	if typ == 0 {
		of := c.Name("t")
		s.From = "size " + of + " cross join value_key " + v
		s.Where = append(s.Where, v+".type = "+of+".type")
	} else {
		s.Where = append(s.Where, v+".type = "+c.Arg(typ))
	}
	bounds := rangeOf(p)
	for _, other := range others {
		if other.Op.SelectsRange() {
			bounds = append(bounds, rangeOf(other)...)
		}
	}
	for _, bound := range tightest(bounds) {
		s.Where = append(s.Where, v+".key "+bound.op+" "+c.Arg(bound.key))
	}
	if isCut(graph.KeyOf(p.Text)) {
		s.Concept = c.Name("c")
		s.From += " cross join concept " + s.Concept
		s.Where = append(s.Where, s.Concept+".id = "+v+".id", d.Holds(c, s.Concept, p))
	}
	return s
}

// A bound is a comparison with a key.
type bound struct {
	op  string
	key []byte
}

// isCut reports whether a key is cut in the index. Values with an equal cut key may differ.
func isCut(key graph.Key) bool { return len(key) >= keyLength }

// rangeOf returns the bounds of the keys for which a predicate is true, or may be true if the key is cut.
func rangeOf(p graph.Predicate) []bound {
	key, op := graph.KeyOf(p.Text), p.Op
	switch {
	case isCut(key) && op == graph.Greater:
		op = graph.GreaterOrEqual
	case isCut(key) && op == graph.Less:
		op = graph.LessOrEqual
	}
	first := bound{string(op), cutKey(key)}
	switch op {
	case graph.Equal:
		return []bound{first}
	case graph.Greater, graph.GreaterOrEqual:
		return []bound{first, {"<", []byte{byte(key.Kind()) + 1}}}
	default:
		return []bound{first, {">=", []byte{byte(key.Kind())}}}
	}
}

// tightest returns the equalities, the highest lower bound and the lowest upper bound. If there were several lower or
// several upper bounds, SQLite would use an arbitrary one of them.
func tightest(bounds []bound) []bound {
	var tight []bound
	var lower, upper *bound
	for i, b := range bounds {
		switch {
		case b.op == "=":
			tight = append(tight, b)
		case b.op[0] == '>' && (lower == nil || cmp.Or(bytes.Compare(b.key, lower.key), len(lower.op)-len(b.op)) > 0):
			lower = &bounds[i]
		case b.op[0] == '<' && (upper == nil || cmp.Or(bytes.Compare(b.key, upper.key), len(b.op)-len(upper.op)) < 0):
			upper = &bounds[i]
		}
	}
	for _, b := range []*bound{lower, upper} {
		if b != nil {
			tight = append(tight, *b)
		}
	}
	return tight
}

// byText returns a source that reads the values with all trigrams of the patterns and tests each.
func (d dialect) byText(c *sqlstore.Compiler, typ graph.ID, p graph.Predicate, others []graph.Predicate) sqlstore.Source {
	x, name := c.Name("x"), c.Name("c")
	trigrams := trigramsOf(p)
	for _, other := range others {
		if other.Op == graph.Like {
			trigrams = append(trigrams, trigramsOf(other)...)
		}
	}
	s := sqlstore.Source{From: "value_text " + x + " cross join concept " + name, ID: name + ".id", Concept: name}
	if typ != 0 {
		trigrams = append(trigrams, typeLetters(typ))
	}
	quoted := make([]string, len(trigrams))
	for i, trigram := range trigrams {
		quoted[i] = `"` + strings.ReplaceAll(trigram, `"`, `""`) + `"`
	}
	s.Where = []string{x + ".value_text match " + c.Arg(strings.Join(quoted, " AND ")), name + ".id = " + x + ".rowid"}
	if typ != 0 {
		s.Where = append(s.Where, name+".type = "+c.Arg(typ))
	}
	s.Where = append(s.Where, d.Holds(c, name, p))
	return s
}

// maxTrigrams is the maximum number of trigrams in a query. More would exclude hardly any further values.
const maxTrigrams = 24

// trigramsOf returns the trigrams that a value must have to match a pattern.
func trigramsOf(p graph.Predicate) []string {
	var found []string
	for _, piece := range p.Pieces() {
		letters := []rune(piece)
		for i := 0; i+3 <= len(letters) && len(found) < maxTrigrams; i++ {
			found = append(found, string(letters[i:i+3]))
		}
	}
	return found
}

// empty returns a source of the instances with an empty value.
func (d dialect) empty(c *sqlstore.Compiler, typ graph.ID) sqlstore.Source {
	of, name := c.Name("t"), c.Name("c")
	s := sqlstore.Source{ID: name + ".id", Concept: name, Where: []string{of + ".empty > 0", name + ".category = 4", name + ".value = ''"}}
	v := sqlstore.VisibleTable{Table: "concept " + name, On: []string{name + ".type = " + of + ".type"}}
	if c.Viewer() != "" {
		v = d.Visible(c, "concept", name, sqlstore.Column{Name: "type", Value: of + ".type"})
		v.Table = v.Scopes + " cross join " + v.Table
		s.Visible = true
	}
	s.From, s.Where = "size "+of+" cross join "+v.Table, append(s.Where, v.On...)
	if typ != 0 {
		s.Where = append(s.Where, of+".type = "+c.Arg(typ))
	}
	return s
}

// unindexed returns sources of the concepts that are not in the index: values not indexed yet and, if typ is 0, types.
func (d dialect) unindexed(c *sqlstore.Compiler, typ graph.ID, p graph.Predicate) []sqlstore.Source {
	const notIndexed = ".id > (select upto from indexed)"
	newer, listed := c.Name("c"), c.Name("c")
	w := c.Name("w")
	found := []sqlstore.Source{
		{From: "concept " + newer, Where: []string{newer + notIndexed}, ID: newer + ".id", Concept: newer},
		{From: "waiting " + w + " cross join concept " + listed, Where: []string{listed + ".id = " + w + ".id"}, ID: listed + ".id", Concept: listed},
	}
	if typ == 0 {
		of := c.Name("c")
		found = append(found, sqlstore.Source{From: "concept " + of, Where: []string{of + ".category <> 4"}, ID: of + ".id", Concept: of})
	} else {
		found[0].Where = append(found[0].Where, newer+".type = "+c.Arg(typ), newer+".category = 4")
		found[1].Where = append(found[1].Where, w+".type = "+c.Arg(typ))
	}
	for i := range found {
		found[i].Where = append(found[i].Where, d.Holds(c, found[i].Concept, p))
	}
	return found
}
