package sqlstore

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// A Dialect writes the parts of a statement that differ between databases.
type Dialect interface {
	// Parameter returns the n-th parameter, from 1.
	Parameter(n int) string
	// IDs returns ids as an argument. Among returns the condition that a column equals one of the ids in the parameter of
	// such an argument.
	IDs(ids []graph.ID) any
	Among(column, parameter string) string
	// Join returns SQL that joins a table to the tables before it as a nested loop. table includes the name. The database must
	// not reorder the tables, because the limit applies to the first table.
	Join(table, name string, on []string) string
	// Visible returns the table from which a viewer reads the records with a value in a column, through an index of that column
	// and the scope. The database must use this index, whatever it estimates. The value is an SQL expression.
	Visible(c *Compiler, table, name string, where Column) VisibleTable
	// Exists returns the condition that a select has a row. The database must evaluate it for each row, in the order given.
	Exists(selected string) string
	// Page returns the end of a statement: limit and offset. Arguments below 1 mean no limit and no offset.
	Page(c *Compiler, limit, skip int) string
	// Values returns sources that together contain the instances whose value satisfies a predicate, of one type or, if typ is 0,
	// of all types. It returns no sources if the database has no index for the predicate. The sources may leave out instances
	// for which a predicate in others is false, because these predicates are checked later.
	Values(c *Compiler, typ graph.ID, p graph.Predicate, others []graph.Predicate) []Source
	// InScope returns conditions that the named row of concept is of a type and in a scope; both are SQL expressions. Scope returns
	// an expression for the scope of a row of concept.
	InScope(concept, typ, scope string) []string
	Scope(concept string) string
	// Holds returns the condition that a predicate is true for the value of the named row of concept.
	Holds(c *Compiler, concept string, p graph.Predicate) string
}

// A Column is a column of a table and the expression to which it must be equal. Value is "" if other conditions restrict the column.
type Column struct{ Name, Value string }

// A VisibleTable reads the rows of a table that a viewer sees, scope by scope.
type VisibleTable struct {
	Scopes string   // a table of the viewer's scopes that is joined before Table, or "" to read all scopes
	Table  string   // the table with its name in the statement
	On     []string // conditions on the column and the scope
	Type   string   // the column type in further conditions
}

// Compile returns a statement that selects the ids of a selection, and its arguments. The text depends only on the shape of the
// selection. The error is errors.ErrUnsupported for a Complement that is alone or first, for an empty Intersection, for more
// than maxSteps nested Linked and Holders, and for more than maxChecked of them in a set that is checked.
func Compile(d Dialect, s graph.Selection) (statement string, args []any, err error) {
	if steps(s.Set) > maxSteps {
		return "", nil, errTooDeep
	}
	c := &Compiler{Dialect: d}
	if s.Viewer != 0 {
		c.viewer = c.Arg(s.Viewer)
	}
	if set, ok := s.Set.(graph.Instances); ok && c.viewer != "" && set.Type != 0 && set.Where == nil && !s.Unordered {
		return c.visiblePage(set.Type, s.Page), c.args, nil
	}
	from, err := c.gatherVisible(s.Set)
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
	from.Where = c.after(from, s.Page)
	return c.list(from) + " order by " + order + c.Page(c, s.Page.Limit, s.Page.Skip), c.args, nil
}

// after returns the conditions of a source, and the conditions for the start of a page.
func (c *Compiler) after(from Source, page graph.Page) []string {
	switch {
	case page.After == 0:
		return from.Where
	case page.Descending:
		return append(from.Where, from.ID+" < "+c.Arg(page.After))
	default:
		return append(from.Where, from.ID+" > "+c.Arg(page.After))
	}
}

// visiblePage returns a statement that selects a page of the instances of a type. It reads at most one page of each of the viewer's
// scopes, in order, because a database would otherwise read and sort all instances in both scopes.
func (c *Compiler) visiblePage(typ graph.ID, page graph.Page) string {
	order := " order by 1"
	if page.Descending {
		order = " order by 1 desc"
	}
	rows := 0
	if page.Limit > 0 {
		rows = max(page.Skip, 0) + page.Limit
	}
	var parts []string
	for _, scope := range []string{"0", c.viewer} {
		from := c.inScope(typ, scope)
		from.Where = c.after(from, page)
		parts = append(parts, "select id from ("+c.list(from)+order+c.Page(c, rows, 0)+") "+c.Name("f"))
	}
	return "select id from (" + strings.Join(parts, " union all ") + ") " + c.Name("f") + order + c.Page(c, page.Limit, page.Skip)
}

// inScope returns a source of the instances of a type in one scope.
func (c *Compiler) inScope(typ graph.ID, scope string) Source {
	name := c.Name("c")
	return Source{
		From: "concept " + name, ID: name + ".id", Concept: name, Distinct: true, Visible: true,
		Where: append(c.InScope(name, c.Arg(typ), scope), name+".category = 4"),
	}
}

// Viewer returns the parameter of the viewer, or "" if everything is visible.
func (c *Compiler) Viewer() string { return c.viewer }

// A Compiler holds the state of a statement being compiled.
type Compiler struct {
	Dialect
	viewer string // parameter of the viewer; "" if everything is visible
	args   []any
	names  int

	// The maximum number of rows that are read of each set, or 0 for no limit, and the selects of these rows; see
	// Few.
	rows  int
	parts []part
}

// gatherVisible returns a source of the members of a set that the viewer sees.
func (c *Compiler) gatherVisible(set graph.Set) (Source, error) {
	s, err := c.gather(set)
	if err != nil {
		return s, err
	}
	if c.viewer != "" && !s.knowsVisibility() {
		s = c.distinct(s)
	}
	c.restrict(&s)
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

// Name returns an unused name for a table.
func (c *Compiler) Name(prefix string) string {
	c.names++
	return fmt.Sprint(prefix, c.names)
}

// A Source is SQL that reads the members of a set: tables, conditions and the expression for the id.
type Source struct {
	From  string
	Where []string
	ID    string // id of the member
	// Concept is the name of the member's row of concept in From, and Scope an expression for the member's scope. Each is "" if
	// From does not contain it.
	Concept, Scope string
	Distinct       bool // no member is repeated
	Visible        bool // restricted to members that the viewer sees

	link string // name of the row of connection that led to the member, or ""
}

// list returns the source as a select of distinct ids.
func (c *Compiler) list(s Source) string {
	if s.Distinct {
		return "select " + s.ID + " as id" + s.clauses()
	}
	return "select distinct " + s.ID + " as id" + s.clauses()
}

func (s Source) clauses() string {
	rest := " from " + s.From
	if len(s.Where) > 0 {
		rest += " where " + joined(s.Where, " and ")
	}
	return rest
}

// maxTerms is the maximum number of selects or conditions in one list. Longer lists are nested, because databases limit their length.
const maxTerms = 100

// joined joins conditions with an operator.
func joined(conditions []string, operator string) string {
	if len(conditions) > maxTerms {
		var groups []string
		for group := range slices.Chunk(conditions, (len(conditions)+maxTerms-1)/maxTerms) {
			groups = append(groups, "("+joined(group, operator)+")")
		}
		conditions = groups
	}
	return strings.Join(conditions, operator)
}

// distinct returns a source of the members that the viewer sees, without repetitions. If the visibility depends on a row
// that is not read yet, it is checked last.
func (c *Compiler) distinct(s Source) Source {
	if s.knowsVisibility() {
		c.restrict(&s)
	}
	if !s.Distinct {
		name, selected := c.Name("f"), c.list(s)
		if c.rows > 0 {
			selected = "select distinct id from " + c.part(s)
		}
		s = Source{From: "(" + selected + ") " + name, ID: name + ".id", Distinct: true, Visible: s.Visible}
	}
	c.restrict(&s)
	return s
}

// knowsVisibility reports whether the source has the columns that determine whether the viewer sees a member.
func (s Source) knowsVisibility() bool { return s.Visible || s.Concept != "" || s.Scope != "" }

// concept returns the name of the member's row of concept, and joins the row if the source does not have it. The id is then
// read from that row, so that its conditions are evaluated before further lookups.
func (c *Compiler) concept(s *Source) string {
	if s.Concept == "" {
		s.Concept = c.Name("c")
		s.From += c.Join("concept "+s.Concept, s.Concept, []string{s.Concept + ".id = " + s.ID})
		s.ID = s.Concept + ".id"
	}
	return s.Concept
}

// restrict limits a source to the members that the viewer sees.
func (c *Compiler) restrict(s *Source) {
	switch {
	case c.viewer == "" || s.Visible:
	case s.Scope != "":
		s.Where = append(s.Where, s.Scope+" in (0, "+c.viewer+")")
	default:
		s.Where = append(s.Where, c.visibleConcept(c.concept(s))...)
	}
	s.Visible = true
}

// visibleConcept returns the condition that the viewer sees a concept, in a list that is empty without a viewer.
func (c *Compiler) visibleConcept(concept string) []string {
	if c.viewer == "" {
		return nil
	}
	return []string{fmt.Sprintf("(%[1]s.category <> 4 and not %[1]s.composition or %[2]s in (0, %[3]s))", concept, c.Scope(concept), c.viewer)}
}

// visible returns the table from which the rows with a value in a column are read: the rows that the viewer sees, or
// all rows without a viewer.
func (c *Compiler) visible(table, name string, where Column) VisibleTable {
	if c.viewer != "" {
		return c.Visible(c, table, name, where)
	}
	v := VisibleTable{Table: table + " " + name, Type: name + ".type"}
	if where.Value != "" {
		v.On = []string{name + "." + where.Name + " = " + where.Value}
	}
	return v
}

// read returns the table as the first table of a statement, and its conditions.
func (c *Compiler) read(v VisibleTable, name string) (from string, where []string) {
	if v.Scopes == "" {
		return v.Table, v.On
	}
	return v.Scopes + c.Join(v.Table, name, v.On), nil
}

// links returns a source that reads the connections of the given types, or of all types if types is nil, with a value in a
// column: source, target or type. id is the column with the id of the member. A viewer who sees a connection also sees
// both its ends, because the scope of a connection depends on the scopes of its ends.
func (c *Compiler) links(where Column, id string, types []graph.ID) Source {
	link := c.Name("l")
	v := c.visible("connection", link, where)
	if types != nil {
		v.On = append(v.On, c.ofTypes(v.Type, types))
	}
	s := Source{ID: link + "." + id, Visible: true, link: link}
	s.From, s.Where = c.read(v, link)
	return s
}

// directLinks returns a source that reads the connections of a composition that start at the composition itself. The members
// of the source are the targets of these connections.
func (c *Compiler) directLinks(composition string) Source {
	link := c.Name("l")
	v := c.visible("connection", link, Column{"source", composition})
	v.On = append(v.On, v.Type+" = "+composition)
	s := Source{ID: link + ".target", Visible: true, link: link}
	s.From, s.Where = c.read(v, link)
	return s
}

// joinLinks returns a source that joins the connections of the given types, or of all types if types is nil, with a
// member of another source in the column from. The members of the new source are the concepts in the column to.
func (c *Compiler) joinLinks(s Source, from, to string, types []graph.ID) Source {
	link := c.Name("l")
	v := c.visible("connection", link, Column{from, s.ID})
	if types != nil {
		v.On = append(v.On, c.ofTypes(v.Type, types))
	}
	if v.Scopes != "" {
		s.From += " cross join " + v.Scopes
	}
	return Source{From: s.From + c.Join(v.Table, link, v.On), Where: s.Where, ID: link + "." + to, Visible: true, link: link}
}

// some returns types as a list that is never nil, because a set without types is empty.
func some(types []graph.ID) []graph.ID {
	if types == nil {
		return []graph.ID{}
	}
	return types
}

// far returns the distinct members of a source whose connections are followed. A viewer who sees a connection also sees its ends,
// so the members are restricted here only if that costs nothing.
func (c *Compiler) far(s Source) Source {
	if !s.knowsVisibility() {
		s.Visible = true
	}
	return c.distinct(s)
}

// ofTypes returns the condition that the column type of a connection has one of the types.
func (c *Compiler) ofTypes(column string, types []graph.ID) string {
	if len(types) == 1 {
		return column + " = " + c.Arg(types[0])
	}
	return c.Among(column, c.Arg(c.IDs(types)))
}

// holds returns the condition that a predicate is true for a row of concept.
func (c *Compiler) holds(concept string, p graph.Predicate) string {
	column, isColumn := map[graph.Field]string{
		graph.FieldID: "id", graph.FieldType: "type", graph.FieldOwner: "owner", graph.FieldCreated: "created",
	}[p.Field]
	switch {
	case !isColumn:
		return c.Holds(c, concept, p)
	case !p.Op.ComparesKeys() || !slices.Contains(graph.Ops(), p.Op):
		return "1 = 0"
	}
	return concept + "." + column + " " + string(p.Op) + " " + c.Arg(p.Number)
}

// ends returns the columns of a connection for the member and for the far end.
func ends(d graph.Direction) (member, far string) {
	if d == graph.In {
		return "target", "source"
	}
	return "source", "target"
}

// maxSteps is a depth within the limits of SQLite, in which a nested select counts about one and a half times as much
// as an expression.
const maxSteps = 16

// maxChecked is the maximum number of steps in a set that is checked. Each step is repeated for every path to a concept, so the
// work may grow to n^steps, where n is the number of connections of a hub.
const maxChecked = 3

// steps returns the depth of nested Linked and Holders of a set.
func steps(set graph.Set) int {
	switch set := set.(type) {
	case graph.Linked:
		return 1 + steps(set.Far)
	case graph.Holders:
		return 1 + steps(set.Of)
	case graph.Complement:
		return steps(set.Of)
	case graph.Intersection:
		return mostSteps(set)
	case graph.Union:
		return mostSteps(set)
	default:
		return 0
	}
}

func mostSteps(sets []graph.Set) (deepest int) {
	for _, set := range sets {
		deepest = max(deepest, steps(set))
	}
	return deepest
}

var errTooDeep = fmt.Errorf("the selection has too many nested sets: %w", errors.ErrUnsupported)

var errUnsupportedSet = fmt.Errorf("the selection has a set that cannot be selected: %w", errors.ErrUnsupported)
