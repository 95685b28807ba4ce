package sqlstore

import (
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// gather returns a source of the members of a set. The source may include members that the viewer does not see: the caller
// excludes these members where that is cheapest.
func (c *Compiler) gather(set graph.Set) (Source, error) {
	switch set := set.(type) {
	case nil:
		return c.all(0), nil
	case graph.IDs:
		name := c.Name("c")
		return Source{
			From: "concept " + name, Where: []string{c.Among(name+".id", c.Arg(c.IDs(set)))},
			ID: name + ".id", Concept: name, Distinct: true,
		}, nil
	case graph.Instances:
		return c.instances(set, nil), nil
	case graph.Linked:
		if set.Depth > 1 {
			return c.walk(set)
		}
		return c.linked(set)
	case graph.Holders:
		return c.holders(set)
	case graph.Intersection:
		return c.intersection(set)
	case graph.Union:
		return c.union(set)
	default:
		return Source{}, errUnsupportedSet
	}
}

// all returns a source of the instances of a type or, if typ is 0, of all concepts including types. For a type, it contains only
// the instances that the viewer sees.
func (c *Compiler) all(typ graph.ID) Source {
	name := c.Name("c")
	s := Source{From: "concept " + name, ID: name + ".id", Concept: name, Distinct: true}
	if typ != 0 {
		v := c.visible("concept", name, Column{"type", c.Arg(typ)})
		v.On = append(v.On, name+".category = 4")
		s.From, s.Where = c.read(v, name)
		s.Visible = true
	}
	return s
}

// instances returns a source of instances. The source may leave out instances for which a predicate in others is false,
// because the caller checks these predicates later.
func (c *Compiler) instances(set graph.Instances, others []graph.Predicate) Source {
	p := set.Where
	if p == nil {
		return c.all(set.Type)
	}
	switch {
	case p.Field == graph.FieldValue:
		if found := c.Values(c, set.Type, *p, others); len(found) > 0 {
			return c.anyOf(found)
		}
	case p.Field == graph.FieldType && p.Op == graph.Equal && set.Type == 0 && p.Number != 0:
		// Instances and types have separate indexes, so each index is read by a separate select.
		instances, types := c.all(graph.ID(p.Number)), c.all(0)
		types.Where = []string{c.holds(types.Concept, *p), types.Concept + ".category <> 4"}
		return c.anyOf([]Source{instances, types})
	}
	s := c.all(set.Type)
	s.Where = append(s.Where, c.holds(s.Concept, *p))
	return s
}

// anyOf returns a source with the members of all given sources.
func (c *Compiler) anyOf(sources []Source) Source {
	if len(sources) == 1 {
		return sources[0]
	}
	if len(sources) > maxTerms {
		var groups []Source
		for group := range slices.Chunk(sources, (len(sources)+maxTerms-1)/maxTerms) {
			groups = append(groups, c.anyOf(group))
		}
		sources = groups
	}
	selects := make([]string, len(sources))
	for i, s := range sources {
		c.restrict(&s)
		selects[i] = "select " + s.ID + " as id" + s.clauses()
	}
	name := c.Name("f")
	return Source{From: "(" + strings.Join(selects, " union all ") + ") " + name, ID: name + ".id", Visible: true}
}

// linked returns a source of the concepts that have a link to a member of set.Far, or to any concept if that is nil.
func (c *Compiler) linked(set graph.Linked) (Source, error) {
	member, end := ends(set.Direction)
	if set.Far == nil {
		return c.links(Column{Name: "type"}, member, some(set.Types)), nil
	}
	far, err := c.gather(set.Far)
	if err != nil {
		return far, err
	}
	return c.joinLinks(c.far(far), end, member, some(set.Types)), nil
}

// walk returns a source of the concepts that reach a member of set.Far over at most Depth links. It walks from the far concepts level
// by level. A concept is visited once for each length of a walk to it, so at most Depth times. Cycles therefore end.
func (c *Compiler) walk(set graph.Linked) (Source, error) {
	far, err := c.gather(set.Far)
	if err != nil {
		return far, err
	}
	far = c.far(far)
	member, end := ends(set.Direction)
	walk, found := c.Name("w"), c.Name("f")
	step := c.step(walk, end, member, set)
	return Source{
		From: "(with recursive " + walk + "(id, n) as (select " + far.ID + ", 0" + far.clauses() + " union " + step + ")" +
			" select distinct id from " + walk + " where n > 0) " + found,
		ID: found + ".id", Distinct: true, Visible: true,
	}, nil
}

// step returns the recursive select of a walk: the concepts one link further, from the column from to the column to.
func (c *Compiler) step(walk, from, to string, set graph.Linked) string {
	s := c.joinLinks(Source{From: walk, ID: walk + ".id", Where: []string{walk + ".n < " + c.Arg(set.Depth)}}, from, to, some(set.Types))
	return "select " + s.ID + ", " + walk + ".n + 1" + s.clauses()
}

// holders returns a source of the compositions with a connection to a member of set.Of.
func (c *Compiler) holders(set graph.Holders) (Source, error) {
	far, err := c.gather(set.Of)
	if err != nil {
		return far, err
	}
	inside := c.joinLinks(c.far(far), "target", "source", nil)
	if set.Direct {
		inside.Where = append(inside.Where, inside.link+".source = "+inside.link+".type")
	}
	holder := c.Name("c")
	return Source{
		From:  inside.From + c.Join("concept "+holder, holder, []string{holder + ".id = " + inside.link + ".type", holder + ".composition"}),
		Where: inside.Where, ID: holder + ".id", Concept: holder,
	}, nil
}

// intersection returns a source of the members of all sets: it gathers the first set and checks the others.
func (c *Compiler) intersection(sets graph.Intersection) (Source, error) {
	if len(sets) == 0 {
		return Source{}, errUnsupportedSet
	}
	s, err := c.gatherFirst(sets)
	if err != nil || len(sets) == 1 {
		return s, err
	}
	s = c.distinct(s)
	for _, set := range cheapestFirst(sets[1:]) {
		if steps(set) > maxChecked {
			return s, errTooDeep
		}
		if s.Concept == "" && needsRow(set) {
			c.concept(&s)
		}
		condition, err := c.check(set, s.ID, s.Concept)
		if err != nil {
			return s, err
		}
		s.Where = append(s.Where, condition)
	}
	return s, nil
}

// gatherFirst gathers the first of several sets. If its members are instances, the value predicates of the other sets may
// narrow the search.
func (c *Compiler) gatherFirst(sets graph.Intersection) (Source, error) {
	first, ok := sets[0].(graph.Instances)
	if !ok {
		return c.gather(sets[0])
	}
	var others []graph.Predicate
	for _, set := range sets[1:] {
		if other, ok := set.(graph.Instances); ok && other.Where != nil && other.Where.Field == graph.FieldValue {
			others = append(others, *other.Where)
		}
	}
	return c.instances(first, others), nil
}

// union returns a source of the members of any of the sets.
func (c *Compiler) union(sets graph.Union) (Source, error) {
	found := make([]Source, 0, len(sets))
	for _, set := range sets {
		s, err := c.gather(set)
		if err != nil {
			return s, err
		}
		found = append(found, s)
	}
	if len(found) == 0 {
		s := c.all(0)
		s.Where = []string{"1 = 0"}
		return s, nil
	}
	return c.anyOf(found), nil
}
