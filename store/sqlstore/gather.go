package sqlstore

import (
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// gather is where the members of a set come from. They may be ones that the viewer does not see, for who reads on may
// know of a cheaper moment to leave them out.
func (c *Compiler) gather(set graph.Set) (Source, error) {
	switch set := set.(type) {
	case nil:
		return c.all(0), nil
	case graph.These:
		name := c.Name("c")
		return Source{
			From: "concept " + name, Where: []string{c.Among(name+".id", c.Arg(c.IDs(set)))},
			ID: name + ".id", Concept: name, Once: true,
		}, nil
	case graph.Instances:
		return c.instances(set, nil), nil
	case graph.Linked:
		if set.Depth > 1 {
			return c.reached(set)
		}
		return c.linked(set)
	case graph.Holders:
		return c.holders(set)
	case graph.Both:
		return c.both(set)
	case graph.Either:
		return c.either(set)
	default:
		return Source{}, errNoSet
	}
}

// all are the instances of a type, or all concepts.
func (c *Compiler) all(typ graph.ID) Source {
	name := c.Name("c")
	s := Source{From: "concept " + name, ID: name + ".id", Concept: name, Once: true}
	if typ != 0 {
		s.Where = []string{name + ".type = " + c.Arg(typ), name + ".category = 4"}
	}
	return s
}

// instances may leave out those of whose value others are not true.
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
	case p.Field == graph.FieldType && p.Op == graph.Equal && set.Type == 0: // the indexes are of instances and of types
		instances, types := c.all(0), c.all(0)
		instances.Where = []string{c.holds(instances.Concept, *p), instances.Concept + ".category = 4"}
		types.Where = []string{c.holds(types.Concept, *p), types.Concept + ".category <> 4"}
		return c.anyOf([]Source{instances, types})
	}
	s := c.all(set.Type)
	s.Where = append(s.Where, c.holds(s.Concept, *p))
	return s
}

// anyOf has the members of each of several sources.
func (c *Compiler) anyOf(sources []Source) Source {
	if len(sources) == 1 {
		return sources[0]
	}
	if len(sources) > together {
		var groups []Source
		for some := range slices.Chunk(sources, (len(sources)+together-1)/together) {
			groups = append(groups, c.anyOf(some))
		}
		sources = groups
	}
	selects := make([]string, len(sources))
	for i, s := range sources {
		c.see(&s)
		selects[i] = "select " + s.ID + " as id" + s.rest()
	}
	name := c.Name("f")
	return Source{From: "(" + strings.Join(selects, " union all ") + ") " + name, ID: name + ".id", seen: true}
}

func (c *Compiler) linked(set graph.Linked) (Source, error) {
	link := c.Name("l")
	member, end := ends(set.Direction)
	conditions := append([]string{c.ofTypes(link, set.Types)}, c.seenLink(link)...)
	if set.Far == nil {
		s := Source{From: "connection " + link, Where: conditions, ID: link + "." + end}
		c.see(&s) // the far end
		return Source{From: s.From, Where: s.Where, ID: link + "." + member}, nil
	}
	far, err := c.gather(set.Far)
	if err != nil {
		return far, err
	}
	far = c.once(far)
	from := far.From + c.Join("connection", link, append([]string{link + "." + end + " = " + far.ID}, conditions...))
	return Source{From: from, Where: far.Where, ID: link + "." + member}, nil
}

// reached walks back from the far concepts, one connection after the other. A concept is come upon once for each
// length of a walk to it, so that circles end.
func (c *Compiler) reached(set graph.Linked) (Source, error) {
	far, err := c.gather(set.Far)
	if err != nil {
		return far, err
	}
	far = c.once(far)
	member, end := ends(set.Direction)
	walk, link, found := c.Name("w"), c.Name("l"), c.Name("f")
	step := c.step(walk, link, end, member, set)
	return Source{
		From: "(with recursive " + walk + "(id, n) as (select " + far.ID + ", 0" + far.rest() + " union " + step + ")" +
			" select distinct id from " + walk + " where n > 0) " + found,
		ID: found + ".id", Once: true, seen: true,
	}, nil
}

// step leads on from each place of a walk.
func (c *Compiler) step(walk, link, from, to string, set graph.Linked) string {
	conditions := append([]string{link + "." + from + " = " + walk + ".id", c.ofTypes(link, set.Types)}, c.seenLink(link)...)
	s := Source{
		From: walk + c.Join("connection", link, conditions), Where: []string{walk + ".n < " + c.Arg(set.Depth)}, ID: link + "." + to,
	}
	c.see(&s)
	return "select " + s.ID + ", " + walk + ".n + 1" + s.rest()
}

func (c *Compiler) holders(set graph.Holders) (Source, error) {
	far, err := c.gather(set.Of)
	if err != nil {
		return far, err
	}
	far = c.once(far)
	link, holder := c.Name("l"), c.Name("c")
	conditions := append([]string{link + ".target = " + far.ID}, c.seenLink(link)...)
	inside := Source{From: far.From + c.Join("connection", link, conditions), Where: far.Where, ID: link + ".source"}
	c.see(&inside)
	return Source{
		From:  inside.From + c.Join("concept", holder, []string{holder + ".id = " + link + ".type", holder + ".composition"}),
		Where: inside.Where, ID: holder + ".id", Concept: holder,
	}, nil
}

func (c *Compiler) both(sets graph.Both) (Source, error) {
	if len(sets) == 0 {
		return Source{}, errNoSet
	}
	s, err := c.first(sets)
	if err != nil || len(sets) == 1 {
		return s, err
	}
	s = c.once(s)
	for _, set := range nearest(sets[1:]) {
		if steps(set) > maxChecked {
			return s, errTooDeep
		}
		if s.Concept == "" && looksAtConcept(set) {
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

// first gathers the first of several sets. What the others say of the same values is known to whoever looks for them.
func (c *Compiler) first(sets graph.Both) (Source, error) {
	of, ok := sets[0].(graph.Instances)
	if !ok {
		return c.gather(sets[0])
	}
	var others []graph.Predicate
	for _, set := range sets[1:] {
		if also, ok := set.(graph.Instances); ok && also.Where != nil && also.Where.Field == graph.FieldValue {
			others = append(others, *also.Where)
		}
	}
	return c.instances(of, others), nil
}

func (c *Compiler) either(sets graph.Either) (Source, error) {
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
