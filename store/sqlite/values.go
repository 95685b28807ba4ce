package sqlite

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/sqlstore"
)

// Values implements sqlstore.Dialect: what the index has, and one by one what it does not have yet. It has no empty
// values; they are looked for among the instances of types that have any.
func (d dialect) Values(c *sqlstore.Compiler, typ graph.ID, p graph.Predicate, others []graph.Predicate) []sqlstore.Source {
	var found []sqlstore.Source
	switch {
	case isRange(p):
		found = append(found, d.byKey(c, typ, p, others))
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

// isRange says whether the values of which a predicate is true have keys that lie side by side.
func isRange(p graph.Predicate) bool {
	return slices.Contains([]graph.Op{graph.Equal, graph.Greater, graph.GreaterOrEqual, graph.Less, graph.LessOrEqual}, p.Op)
}

// byKey reads a range of keys.
func (d dialect) byKey(c *sqlstore.Compiler, typ graph.ID, p graph.Predicate, others []graph.Predicate) sqlstore.Source {
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
		if isRange(other) {
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

// isCut says whether a key is longer than those in the index may be. What is equal to it there need not be.
func isCut(key graph.Key) bool { return len(key) >= keyLength }

// rangeOf is where the keys stand that a value is compared with; if it is cut, where they may stand.
func rangeOf(p graph.Predicate) []bound {
	key, op := graph.KeyOf(p.Text), p.Op
	switch {
	case isCut(key) && op == graph.Greater:
		op = graph.GreaterOrEqual
	case isCut(key) && op == graph.Less:
		op = graph.LessOrEqual
	}
	first := bound{string(op), cut(key)}
	switch op {
	case graph.Equal:
		return []bound{first}
	case graph.Greater, graph.GreaterOrEqual:
		return []bound{first, {"<", []byte{byte(key.Kind()) + 1}}}
	default:
		return []bound{first, {">=", []byte{byte(key.Kind())}}}
	}
}

// tightest are the last lower and the first upper of some bounds, for SQLite takes any, and those on both sides.
func tightest(bounds []bound) []bound {
	var kept []bound
	var lower, upper *bound
	for i, b := range bounds {
		switch {
		case b.op == "=":
			kept = append(kept, b)
		case b.op[0] == '>' && (lower == nil || cmp.Or(bytes.Compare(b.key, lower.key), len(lower.op)-len(b.op)) > 0):
			lower = &bounds[i]
		case b.op[0] == '<' && (upper == nil || cmp.Or(bytes.Compare(b.key, upper.key), len(b.op)-len(upper.op)) < 0):
			upper = &bounds[i]
		}
	}
	for _, b := range []*bound{lower, upper} {
		if b != nil {
			kept = append(kept, *b)
		}
	}
	return kept
}

// byText reads the values that have all trigrams, and looks at each.
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

// maxTrigrams are enough to find little else than what is looked for.
const maxTrigrams = 24

// trigramsOf are what a value must have to be like a pattern.
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

func (dialect) empty(c *sqlstore.Compiler, typ graph.ID) sqlstore.Source {
	of, name := c.Name("t"), c.Name("c")
	s := sqlstore.Source{
		From:  "size " + of + " cross join concept " + name,
		Where: []string{of + ".empty > 0", name + ".type = " + of + ".type", name + ".category = 4", name + ".value = ''"},
		ID:    name + ".id", Concept: name,
	}
	if typ != 0 {
		s.Where = append(s.Where, of+".type = "+c.Arg(typ))
	}
	return s
}

// unindexed looks at what the index does not have: what has not been indexed yet, and of all concepts the types.
func (d dialect) unindexed(c *sqlstore.Compiler, typ graph.ID, p graph.Predicate) []sqlstore.Source {
	const beyond = ".id > (select upto from indexed)"
	late, low := c.Name("c"), c.Name("c")
	w := c.Name("w")
	found := []sqlstore.Source{
		{From: "concept " + late, Where: []string{late + beyond}, ID: late + ".id", Concept: late},
		{From: "waiting " + w + " cross join concept " + low, Where: []string{low + ".id = " + w + ".id"}, ID: low + ".id", Concept: low},
	}
	if typ == 0 {
		of := c.Name("c")
		found = append(found, sqlstore.Source{From: "concept " + of, Where: []string{of + ".category <> 4"}, ID: of + ".id", Concept: of})
	} else {
		found[0].Where = append(found[0].Where, late+".type = "+c.Arg(typ), late+".category = 4")
		found[1].Where = append(found[1].Where, w+".type = "+c.Arg(typ))
	}
	for i := range found {
		found[i].Where = append(found[i].Where, d.Holds(c, found[i].Concept, p))
	}
	return found
}
