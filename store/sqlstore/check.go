package sqlstore

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// check is the condition that a concept is in a set: one that there is and the viewer sees. Concept is the name of its row,
// if there is one; there is if looksAtConcept.
func (c *Compiler) check(set graph.Set, id, concept string) (string, error) {
	switch set := set.(type) {
	case nil:
		return "1 = 1", nil
	case graph.These:
		return c.Among(id, c.Arg(c.IDs(set))), nil
	case graph.Instances:
		return c.isInstance(set, concept), nil
	case graph.Linked:
		if set.Depth > 1 {
			return c.reaches(set, id)
		}
		return c.hasLink(set, id)
	case graph.Holders:
		return c.holdsAny(set, id, concept)
	case graph.Both:
		return c.each(nearest(set), " and ", "1 = 1", id, concept)
	case graph.Either:
		// "is true" keeps a database from looking for the sides one by one; SQLite fails at times when it tries.
		either, err := c.each(set, " or ", "1 = 0", id, concept)
		return either + " is true", err
	case graph.Except:
		condition, err := c.check(set.Of, id, concept)
		return "not (" + condition + ")", err
	default:
		return "", errNoSet
	}
}

// nearest are sets of which those come first that take the fewest steps to check.
func nearest(sets []graph.Set) []graph.Set {
	return slices.SortedStableFunc(slices.Values(sets), func(a, b graph.Set) int { return cmp.Compare(steps(a), steps(b)) })
}

// looksAtConcept says whether a check needs the row of concept.
func looksAtConcept(set graph.Set) bool {
	switch set := set.(type) {
	case graph.Instances:
		return set.Type != 0 || set.Where != nil
	case graph.Holders:
		return true
	case graph.Both:
		return slices.ContainsFunc(set, looksAtConcept)
	case graph.Either:
		return slices.ContainsFunc(set, looksAtConcept)
	case graph.Except:
		return looksAtConcept(set.Of)
	default:
		return false
	}
}

func (c *Compiler) isInstance(set graph.Instances, concept string) string {
	var conditions []string
	if set.Type != 0 {
		conditions = []string{concept + ".type = " + c.Arg(set.Type), concept + ".category = 4"}
	}
	if set.Where != nil {
		conditions = append(conditions, c.holds(concept, *set.Where))
	}
	if len(conditions) == 0 {
		return "1 = 1"
	}
	return strings.Join(conditions, " and ")
}

func (c *Compiler) each(sets []graph.Set, word, none, id, concept string) (string, error) {
	if len(sets) == 0 {
		return "(" + none + ")", nil
	}
	conditions := make([]string, len(sets))
	for i, set := range sets {
		condition, err := c.check(set, id, concept)
		if err != nil {
			return "", err
		}
		conditions[i] = "(" + condition + ")"
	}
	return "(" + joined(conditions, word) + ")", nil
}

func (c *Compiler) hasLink(set graph.Linked, id string) (string, error) {
	link := c.Name("l")
	member, end := ends(set.Direction)
	s := Source{
		From: "connection " + link, ID: link + "." + end,
		Where: append([]string{link + "." + member + " = " + id, c.ofTypes(link, set.Types)}, c.seenLink(link)...),
	}
	found, err := c.find(s, set.Far)
	return c.Exists(found), err
}

// find is a select that finds something if a source, whose members may not be seen yet, has a member in a set.
func (c *Compiler) find(s Source, set graph.Set) (string, error) {
	c.see(&s)
	for range inOneSelect {
		hop, ok := set.(graph.Linked)
		if !ok || hop.Depth > 1 {
			break
		}
		s, set = c.hop(s, hop), hop.Far
	}
	if looksAtConcept(set) {
		c.concept(&s)
	}
	condition, err := c.check(set, s.ID, s.Concept)
	if set != nil {
		s.Where = append(s.Where, condition)
	}
	return "select 1" + s.rest(), err
}

// inOneSelect is how many hops in a row are one select and not a select in each other, of which databases take fewer.
const inOneSelect = 8

// hop leads from the members of a source to what they are linked with.
func (c *Compiler) hop(s Source, set graph.Linked) Source {
	link := c.Name("l")
	member, end := ends(set.Direction)
	on := append([]string{link + "." + member + " = " + s.ID, c.ofTypes(link, set.Types)}, c.seenLink(link)...)
	s = Source{From: s.From + c.Join("connection", link, on), Where: s.Where, ID: link + "." + end}
	c.see(&s)
	return s
}

func (c *Compiler) reaches(set graph.Linked, id string) (string, error) {
	member, end := ends(set.Direction)
	walk, link := c.Name("w"), c.Name("l")
	step := c.step(walk, link, member, end, set)
	found, err := c.find(Source{From: walk, ID: walk + ".id", Where: []string{walk + ".n > 0"}, seen: true}, set.Far)
	return c.Exists("with recursive " + walk + "(id, n) as (select " + id + ", 0 union " + step + ") " + found), err
}

func (c *Compiler) holdsAny(set graph.Holders, id, concept string) (string, error) {
	link := c.Name("l")
	s := Source{
		From: "connection " + link, ID: link + ".source",
		Where: append([]string{link + ".type = " + id}, c.seenLink(link)...),
	}
	c.see(&s)
	inside, err := c.find(Source{From: s.From, Where: s.Where, ID: link + ".target"}, set.Of)
	return "(" + concept + ".composition and " + c.Exists(inside) + ")", err
}
