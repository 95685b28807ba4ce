package sqlstore

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// check returns the condition that an existing concept that the viewer sees is in a set. id is an expression
// for the id of the concept. concept is the name of the row of the concept; it is used only if needsRow returns
// true.
func (c *Compiler) check(set graph.Set, id, concept string) (string, error) {
	switch set := set.(type) {
	case nil:
		return "1 = 1", nil
	case graph.IDs:
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
	case graph.Intersection:
		return c.checkAll(cheapestFirst(set), " and ", "1 = 1", id, concept)
	case graph.Union:
		// "is true" keeps the database from evaluating the sides separately, which sometimes fails in SQLite.
		condition, err := c.checkAll(set, " or ", "1 = 0", id, concept)
		return condition + " is true", err
	case graph.Complement:
		condition, err := c.check(set.Of, id, concept)
		return "not (" + condition + ")", err
	default:
		return "", errUnsupportedSet
	}
}

// cheapestFirst returns sets sorted by the number of steps that checking them takes.
func cheapestFirst(sets []graph.Set) []graph.Set {
	return slices.SortedStableFunc(slices.Values(sets), func(a, b graph.Set) int { return cmp.Compare(steps(a), steps(b)) })
}

// needsRow reports whether checking a set needs the row of the concept.
func needsRow(set graph.Set) bool {
	switch set := set.(type) {
	case graph.Instances:
		return set.Type != 0 || set.Where != nil
	case graph.Holders:
		return true
	case graph.Intersection:
		return slices.ContainsFunc(set, needsRow)
	case graph.Union:
		return slices.ContainsFunc(set, needsRow)
	case graph.Complement:
		return needsRow(set.Of)
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

func (c *Compiler) checkAll(sets []graph.Set, operator, ifEmpty, id, concept string) (string, error) {
	if len(sets) == 0 {
		return "(" + ifEmpty + ")", nil
	}
	conditions := make([]string, len(sets))
	for i, set := range sets {
		condition, err := c.check(set, id, concept)
		if err != nil {
			return "", err
		}
		conditions[i] = "(" + condition + ")"
	}
	return "(" + joined(conditions, operator) + ")", nil
}

func (c *Compiler) hasLink(set graph.Linked, id string) (string, error) {
	member, end := ends(set.Direction)
	found, err := c.find(c.links(Column{member, id}, end, some(set.Types)), set.Far)
	return c.Exists(found), err
}

// find returns a select that has a row if a source has a member in a set. The members of the source may not be restricted to the
// viewer yet.
func (c *Compiler) find(s Source, set graph.Set) (string, error) {
	c.restrict(&s)
	for range maxJoinedHops {
		hop, ok := set.(graph.Linked)
		if !ok || hop.Depth > 1 {
			break
		}
		member, end := ends(hop.Direction)
		s, set = c.joinLinks(s, member, end, some(hop.Types)), hop.Far
	}
	if needsRow(set) {
		c.concept(&s)
	}
	condition, err := c.check(set, s.ID, s.Concept)
	if set != nil {
		s.Where = append(s.Where, condition)
	}
	return "select 1" + s.clauses(), err
}

// maxJoinedHops is the maximum number of consecutive hops that are joined in one select. Further hops are nested;
// databases limit nesting more strictly than joins.
const maxJoinedHops = 8

func (c *Compiler) reaches(set graph.Linked, id string) (string, error) {
	member, end := ends(set.Direction)
	walk := c.Name("w")
	step := c.step(walk, member, end, set)
	found, err := c.find(Source{From: walk, ID: walk + ".id", Where: []string{walk + ".n > 0"}, Visible: true}, set.Far)
	return c.Exists("with recursive " + walk + "(id, n) as (select " + id + ", 0 union " + step + ") " + found), err
}

// maxTargetLookups is the maximum number of parts that are looked up one by one to check whether a composition has them.
const maxTargetLookups = 2

func (c *Compiler) holdsAny(set graph.Holders, id, concept string) (string, error) {
	if of, ok := set.Of.(graph.IDs); ok && len(of) > 0 && len(of) <= maxTargetLookups {
		found := make([]string, len(of))
		for i, part := range of {
			found[i] = c.holdsPart(part, id, set.Direct)
		}
		return "(" + concept + ".composition and (" + joined(found, " or ") + "))", nil
	}
	links := c.links(Column{"type", id}, "target", nil)
	if set.Direct {
		links = c.directLinks(id)
	}
	inside, err := c.find(links, set.Of)
	return "(" + concept + ".composition and " + c.Exists(inside) + ")", err
}

// holdsPart returns the condition that a composition has a part. An index of the connections to a concept has their type, which is the
// composition, so that one lookup replaces reading all parts of the composition.
func (c *Compiler) holdsPart(part graph.ID, composition string, direct bool) string {
	link := c.Name("l")
	v := c.visible("connection", link, Column{"target", c.Arg(part)})
	v.On = append(v.On, v.Type+" = "+composition)
	if direct {
		v.On = append(v.On, link+".source = "+link+".type")
	}
	s := Source{}
	s.From, s.Where = c.read(v, link)
	return c.Exists("select 1" + s.clauses())
}
