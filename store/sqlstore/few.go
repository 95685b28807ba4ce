package sqlstore

import (
	"strings"

	"github.com/weft-graph/weft/graph"
)

// Few is Compile for a selection in any order, of which a few members are wanted, and for a database that finds all before it
// knows which of them came twice. On the way to them no more than so many rows of any set are read. If there would have been
// more, members may be missing, and one of the ids is 0.
func Few(d Dialect, s graph.Selection, rows int) (statement string, args []any, err error) {
	c := &Compiler{Dialect: d, rows: rows}
	if s.Viewer != 0 {
		c.viewer = c.Arg(s.Viewer)
	}
	from, err := c.gatherSeen(s.Set)
	if err != nil {
		return "", nil, err
	}
	if from.Once && len(c.parts) == 0 {
		return c.list(from) + c.Page(c, s.Page.Limit, 0), c.args, nil
	}
	found := c.part(from)
	var named, more []string
	for _, part := range c.parts {
		named = append(named, part.name+" as materialized ("+part.selected+")")
		more = append(more, "(select count(*) from "+part.name+") >= "+c.Arg(rows))
	}
	return "with " + strings.Join(named, ", ") + " select distinct id from " + found +
		" union all select 0 where " + strings.Join(more, " or "), c.args, nil
}

// A part is the first rows of a set.
type part struct{ name, selected string }

// part names the first rows of a source.
func (c *Compiler) part(s Source) (name string) {
	name = c.Name("s")
	c.parts = append(c.parts, part{name, "select " + s.ID + " as id" + s.rest() + c.Page(c, c.rows, 0)})
	return name
}
