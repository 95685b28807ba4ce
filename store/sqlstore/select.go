package sqlstore

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// A Dialect is how a database writes what SQL has no common words for.
type Dialect interface {
	// Parameter is the n-th one, from 1.
	Parameter(n int) string
	// IDs is a list of ids as an argument, and Among the condition that a column has one of the ids of a parameter.
	IDs(ids []graph.ID) any
	Among(column, parameter string) string
	// Join adds a table, by a name, to those before it. For one of their rows after the other it is looked for the rows of this one that
	// conditions are true of: what comes first is what the limit is about.
	Join(table, name string, on []string) string
	// Exists is the condition that a select finds something. It is run for one row after the other too.
	Exists(selected string) string
	// Page is how a statement ends: so many rows, after leaving out some. Arguments below 1 mean no limit and nothing left out.
	Page(c *Compiler, limit, skip int) string
	// Values are where the instances of a type, or of any if it is 0, are found whose value a predicate is true of, each in
	// at least one of them; none if the database has no index for such a predicate. What others are not true of as well may be left
	// out: they are looked at later.
	Values(c *Compiler, typ graph.ID, p graph.Predicate, others []graph.Predicate) []Source
	// Holds is the condition that a predicate is true of the value of a row of concept with a name.
	Holds(c *Compiler, concept string, p graph.Predicate) string
}

// Compile writes a selection as a statement of one column, and its arguments. The text depends on the shape of the selection
// only. The error is errors.ErrUnsupported for what is no set: Except alone or first, or Both of nothing; and for more than
// maxSteps of Linked and Holders in each other, or maxChecked where they are checked.
//
// What stands first is gathered: read from the inside out, so that a limit ends the work. What stands later in a Both is
// checked, for one member after the other.
func Compile(d Dialect, s graph.Selection) (statement string, args []any, err error) {
	if steps(s.Set) > maxSteps {
		return "", nil, errTooDeep
	}
	c := &Compiler{Dialect: d}
	if s.Viewer != 0 {
		c.viewer = c.Arg(s.Viewer)
	}
	from, err := c.gatherSeen(s.Set)
	if err != nil {
		return "", nil, err
	}
	if s.Unordered {
		return c.list(from) + c.Page(c, s.Page.Limit, 0), c.args, nil
	}
	order := "1"
	if s.Page.Descending {
		order = "1 desc"
	}
	switch {
	case s.Page.After == 0:
	case s.Page.Descending:
		from.Where = append(from.Where, from.ID+" < "+c.Arg(s.Page.After))
	default:
		from.Where = append(from.Where, from.ID+" > "+c.Arg(s.Page.After))
	}
	return c.list(from) + " order by " + order + c.Page(c, s.Page.Limit, s.Page.Skip), c.args, nil
}

// A Compiler is a statement being written.
type Compiler struct {
	Dialect
	viewer string // its parameter; none if everything is seen
	args   []any
	names  int

	// How many rows of a set are read at most, or 0, and where those stand; see Few.
	rows  int
	parts []part
}

// gatherSeen is where the members of a set come from that the viewer sees.
func (c *Compiler) gatherSeen(set graph.Set) (Source, error) {
	s, err := c.gather(set)
	if err != nil {
		return s, err
	}
	if c.viewer != "" && !s.known() {
		s = c.once(s)
	}
	c.see(&s)
	return s, nil
}

// Arg adds an argument and returns its parameter.
func (c *Compiler) Arg(value any) string {
	if id, ok := value.(graph.ID); ok {
		value = int64(id)
	}
	c.args = append(c.args, value)
	return c.Parameter(len(c.args))
}

// Name is a name for a table that no other has.
func (c *Compiler) Name(prefix string) string {
	c.names++
	return fmt.Sprint(prefix, c.names)
}

// A Source is where the members of a set are read from, one after the other.
type Source struct {
	From  string
	Where []string
	ID    string // of the member
	// Concept is the name of the member's row of concept in From, and Scope is the member's scope, if they are there.
	Concept, Scope string
	Once           bool // no member comes twice

	seen bool // members are only those that the viewer sees
}

// list is the source as a select of ids, each once.
func (c *Compiler) list(s Source) string {
	if s.Once {
		return "select " + s.ID + " as id" + s.rest()
	}
	return "select distinct " + s.ID + " as id" + s.rest()
}

func (s Source) rest() string {
	rest := " from " + s.From
	if len(s.Where) > 0 {
		rest += " where " + joined(s.Where, " and ")
	}
	return rest
}

// together is how many selects or conditions stand beside each other. Databases take so many, and more in groups.
const together = 100

// joined joins conditions with a word.
func joined(conditions []string, word string) string {
	if len(conditions) > together {
		var groups []string
		for some := range slices.Chunk(conditions, (len(conditions)+together-1)/together) {
			groups = append(groups, "("+joined(some, word)+")")
		}
		conditions = groups
	}
	return strings.Join(conditions, word)
}

// once makes a source give each member once, and only those that are seen. Whether they are is looked up last.
func (c *Compiler) once(s Source) Source {
	if s.known() {
		c.see(&s)
	}
	if !s.Once {
		name, selected := c.Name("f"), c.list(s)
		if c.rows > 0 {
			selected = "select distinct id from " + c.part(s)
		}
		s = Source{From: "(" + selected + ") " + name, ID: name + ".id", Once: true, seen: s.seen}
	}
	c.see(&s)
	return s
}

// known says whether it takes no look at a concept to say whether a viewer sees it.
func (s Source) known() bool { return s.seen || s.Concept != "" || s.Scope != "" }

// concept is the name of the row of concept of the members of a source, which gets one if it has none. From then on members are
// known by that row, so that what it says is looked at before what is looked up.
func (c *Compiler) concept(s *Source) string {
	if s.Concept == "" {
		s.Concept = c.Name("c")
		s.From += c.Join("concept", s.Concept, []string{s.Concept + ".id = " + s.ID})
		s.ID = s.Concept + ".id"
	}
	return s.Concept
}

// see leaves out of a source what the viewer does not see.
func (c *Compiler) see(s *Source) {
	switch {
	case c.viewer == "" || s.seen:
	case s.Scope != "":
		s.Where = append(s.Where, s.Scope+" in (0, "+c.viewer+")")
	default:
		s.Where = append(s.Where, c.seen(c.concept(s))...)
	}
	s.seen = true
}

// seen are the conditions, one or none, that the viewer sees a concept.
func (c *Compiler) seen(concept string) []string {
	if c.viewer == "" {
		return nil
	}
	return []string{fmt.Sprintf("(%[1]s.category <> 4 and not %[1]s.composition or %[2]s)", concept, c.open(concept))}
}

// seenLink are the conditions, one or none, that nothing but its ends hides a connection from the viewer.
func (c *Compiler) seenLink(link string) []string {
	if c.viewer == "" {
		return nil
	}
	return []string{"(" + c.open(link) + ")"}
}

func (c *Compiler) open(row string) string {
	return fmt.Sprintf("%[1]s.owner = 999 or %[1]s.access = 5 or %[1]s.access <> 3 and %[1]s.owner = %[2]s", row, c.viewer)
}

// ofTypes is the condition that a connection is of one of some types.
func (c *Compiler) ofTypes(link string, types []graph.ID) string {
	if len(types) == 1 {
		return link + ".type = " + c.Arg(types[0])
	}
	return c.Among(link+".type", c.Arg(c.IDs(types)))
}

// holds is the condition that a predicate is true of a row of concept.
func (c *Compiler) holds(concept string, p graph.Predicate) string {
	operators := []graph.Op{graph.Equal, graph.NotEqual, graph.Greater, graph.GreaterOrEqual, graph.Less, graph.LessOrEqual}
	column, isColumn := map[graph.Field]string{
		graph.FieldID: "id", graph.FieldType: "type", graph.FieldOwner: "owner", graph.FieldCreated: "created",
	}[p.Field]
	switch {
	case !isColumn:
		return c.Holds(c, concept, p)
	case !slices.Contains(operators, p.Op):
		return "1 = 0"
	}
	return concept + "." + column + " " + string(p.Op) + " " + c.Arg(p.Number)
}

// ends are the columns of a connection that lead to a member and away from it.
func ends(d graph.Direction) (member, far string) {
	if d == graph.In {
		return "target", "source"
	}
	return "source", "target"
}

// maxSteps is what SQLite surely takes: it finds an expression about half as deep again for each select in it.
const maxSteps = 16

// maxChecked is how many steps are checked: each looks from every way to a concept anew, so that the work is what a hub has to the power
// of the steps.
const maxChecked = 3

// steps are how many Linked and Holders of a set stand in each other.
func steps(set graph.Set) int {
	switch set := set.(type) {
	case graph.Linked:
		return 1 + steps(set.Far)
	case graph.Holders:
		return 1 + steps(set.Of)
	case graph.Except:
		return steps(set.Of)
	case graph.Both:
		return mostSteps(set)
	case graph.Either:
		return mostSteps(set)
	default:
		return 0
	}
}

func mostSteps(sets []graph.Set) (most int) {
	for _, set := range sets {
		most = max(most, steps(set))
	}
	return most
}

var errTooDeep = fmt.Errorf("too many steps lead from member to member: %w", errors.ErrUnsupported)

var errNoSet = fmt.Errorf("this is no set: %w", errors.ErrUnsupported)
