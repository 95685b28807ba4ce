package sqlite

import (
	"context"
	sqldriver "database/sql/driver"
	"fmt"
	"strconv"
	"strings"

	driver "modernc.org/sqlite"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/sqlstore"
)

var (
	_ graph.Selector = (*Reader)(nil)
	_ graph.Sizer    = (*Reader)(nil)
)

// Select implements graph.Selector.
func (r *Reader) Select(ctx context.Context, s graph.Selection) ([]graph.ID, error) {
	text, args, err := sqlstore.Compile(dialect{}, s)
	if err != nil {
		return nil, err
	}
	statement, done, err := r.selects.get(ctx, r.db, text)
	if err != nil {
		return nil, failed(ctx, "selecting concepts", err)
	}
	defer done()
	found, err := query(ctx, statement, scanID, args...)
	return found, failed(ctx, "selecting concepts", err)
}

// A dialect is how SQLite is told what to do: it has no statistics, and joins tables in the order they are named if
// the join is a cross join.
type dialect struct{}

func (dialect) Parameter(n int) string { return "?" + strconv.Itoa(n) }
func (dialect) IDs(ids []graph.ID) any { return array(ids) }
func (dialect) Among(column, parameter string) string {
	return column + " in (select value from json_each(" + parameter + "))"
}
func (dialect) Exists(selected string) string { return "exists (" + selected + ")" }

func (dialect) Join(table, name string, on []string) string {
	return " cross join " + table + " " + name + " on " + strings.Join(on, " and ")
}

func (dialect) Page(c *sqlstore.Compiler, most, skip int) string {
	page := ""
	if most > 0 || skip > 0 {
		page = " limit " + c.Arg(limit(most)) + " + 0"
	}
	if skip > 0 {
		page += " offset " + c.Arg(skip) + " + 0"
	}
	return page
}

// Holds implements sqlstore.Dialect.
func (dialect) Holds(c *sqlstore.Compiler, concept string, p graph.Predicate) string {
	return fmt.Sprintf("weft_holds(ifnull(%[1]s.value, (select value from text where id = %[1]s.id)), %[2]s, %[3]s)",
		concept, c.Arg(string(p.Op)), c.Arg(p.Text))
}

func init() {
	driver.MustRegisterDeterministicScalarFunction("weft_holds", 3, holds)
}

// holds is a predicate on values as a function in SQL.
func holds(_ *driver.FunctionContext, args []sqldriver.Value) (sqldriver.Value, error) {
	value, _ := args[0].(string)
	op, _ := args[1].(string)
	text, _ := args[2].(string)
	return graph.Predicate{Op: graph.Op(op), Text: text}.Holds(graph.Concept{Value: value}), nil
}
