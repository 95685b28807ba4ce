package sqlstore

import (
	"strings"

	"github.com/weft-graph/weft/graph"
)

// Few is like Compile, but for an unordered selection with a small limit in a database that finds all members before it removes
// repetitions. The statement reads at most rows rows of each set. If a set has more rows, members may be missing, and one of
// the selected ids is then 0.
func Few(d Dialect, s graph.Selection, rows int) (statement string, args []any, err error) {
	c := &Compiler{Dialect: d, rows: rows}
	if s.Viewer != 0 {
		c.viewer = c.Arg(s.Viewer)
	}
	from, err := c.gatherVisible(s.Set)
	if err != nil {
		return "", nil, err
	}
	if from.Distinct && len(c.parts) == 0 {
		return c.list(from) + c.Page(c, s.Page.Limit, 0), c.args, nil
	}
	found := c.part(from)
	var definitions, isCut []string
	for _, part := range c.parts {
		definitions = append(definitions, part.name+" as materialized ("+part.selected+")")
		isCut = append(isCut, "(select count(*) from "+part.name+") >= "+c.Arg(rows))
	}
	return "with " + strings.Join(definitions, ", ") + " select distinct id from " + found +
		" union all select 0 where " + strings.Join(isCut, " or "), c.args, nil
}

// A part is a named select of the first rows of a set.
type part struct{ name, selected string }

// part adds a part with the first rows of a source and returns its name.
func (c *Compiler) part(s Source) (name string) {
	name = c.Name("s")
	c.parts = append(c.parts, part{name, "select " + s.ID + " as id" + s.clauses() + c.Page(c, c.rows, 0)})
	return name
}
