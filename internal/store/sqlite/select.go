package sqlite

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	driver "modernc.org/sqlite"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/sqlstore"
)

var (
	_ graph.Selector = (*Reader)(nil)
	_ graph.Sizer    = (*Reader)(nil)

	_ graph.VisibleReader = (*Reader)(nil)
)

// Select implements graph.Selector.
func (r *Reader) Select(ctx context.Context, s graph.Selection) ([]graph.ID, error) {
	text, args, err := sqlstore.Compile(dialect{}, s)
	if err != nil {
		return nil, err
	}
	if len(args) > maxParameters {
		return nil, errors.ErrUnsupported
	}
	found, err := r.selected(ctx, text, args)
	if err != nil {
		return nil, failed(ctx, "selecting concepts", err)
	}
	if !s.Unordered && s.Page.Descending {
		slices.Reverse(found)
	}
	return found, nil
}

// maxParameters is the limit of SQLite for the parameters of a statement.
const maxParameters = 32_766

// selected returns the ids that a statement selects, in order. It reads them as one row, because the driver interrupts a
// statement only until its first row is read, and because rows are slow.
func (r *Reader) selected(ctx context.Context, text string, args []any) ([]graph.ID, error) {
	statement, done, err := r.selects.get(ctx, r.db, "select group_concat(id) from ("+text+")") //nolint:sqlclosecheck // closed by the cache
	if err != nil {
		return nil, err
	}
	defer done()
	delayed, stop := delayEnd(ctx)
	defer stop()
	var list sql.NullString
	if err := statement.QueryRowContext(delayed, args...).Scan(&list); err != nil || !list.Valid {
		return []graph.ID{}, err
	}
	found := make([]graph.ID, 0, 1+strings.Count(list.String, ","))
	for text := range strings.SplitSeq(list.String, ",") {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, err
		}
		found = append(found, graph.ID(id))
	}
	slices.Sort(found)
	return found, nil
}

// delayEnd returns a context that ends shortly after ctx. The driver interrupts a statement only once, and an interrupt
// has no effect before the statement has begun; the delay gives the statement time to begin.
func delayEnd(ctx context.Context) (delayed context.Context, done func()) {
	const delay = 50 * time.Millisecond
	delayed, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(delay, cancel) })
	return delayed, func() {
		stop()
		cancel()
	}
}

// A dialect implements sqlstore.Dialect. The database has no statistics; a cross join makes SQLite join tables in the order
// in which they are listed.
type dialect struct{}

func (dialect) Parameter(n int) string { return "?" + strconv.Itoa(n) }
func (dialect) IDs(ids []graph.ID) any { return array(ids) }
func (dialect) Among(column, parameter string) string {
	return column + " in (select value from json_each(" + parameter + "))"
}
func (dialect) Exists(selected string) string { return "exists (" + selected + ")" }

func (dialect) Join(table, _ string, on []string) string {
	return " cross join " + table + " on " + strings.Join(on, " and ")
}

// Visible implements sqlstore.Dialect. The two scopes form a table that is joined first, because for "scope in (0, ?)"
// SQLite would read all rows with the value in the column.
func (dialect) Visible(c *sqlstore.Compiler, table, name string, where sqlstore.Column) sqlstore.VisibleTable {
	scopes := c.Name("s")
	v := sqlstore.VisibleTable{
		Scopes: "(select 0 as scope union all select " + c.Viewer() + ") " + scopes,
		Table:  fmt.Sprintf("%s %s indexed by %s_%s_scope", table, name, table, where.Name),
		On:     []string{name + ".scope = " + scopes + ".scope"},
		Type:   name + ".type",
	}
	if where.Value != "" {
		v.On = append(v.On, name+"."+where.Name+" = "+where.Value)
	}
	return v
}

// InScope implements sqlstore.Dialect.
func (dialect) InScope(concept, typ, scope string) []string {
	return []string{concept + ".type = " + typ, concept + ".scope = " + scope}
}

// Scope implements sqlstore.Dialect.
func (dialect) Scope(concept string) string { return concept + ".scope" }

func (dialect) Page(c *sqlstore.Compiler, maxRows, skip int) string {
	page := ""
	if maxRows > 0 || skip > 0 {
		page = " limit " + c.Arg(limit(maxRows)) + " + 0"
	}
	if skip > 0 {
		page += " offset " + c.Arg(skip) + " + 0"
	}
	return page
}

// Holds implements sqlstore.Dialect.
func (dialect) Holds(c *sqlstore.Compiler, concept string, p graph.Predicate) string {
	with := any(p.Text)
	if p.Op.ComparesKeys() {
		with = []byte(graph.KeyOf(p.Text))
	}
	return fmt.Sprintf("weft_holds(ifnull(%[1]s.value, (select value from text where id = %[1]s.id)), %[2]s, %[3]s)",
		concept, c.Arg(string(p.Op)), c.Arg(with))
}

func init() {
	driver.MustRegisterDeterministicScalarFunction("weft_holds", 3, holds)
}

// holds is the SQL function weft_holds(value, operator, operand), which reports whether a predicate on a value is true. The operand
// of a comparison is a graph.Key that is computed once for the statement. The operand of Like is the pattern.
func holds(_ *driver.FunctionContext, args []sqldriver.Value) (sqldriver.Value, error) {
	value, _ := args[0].(string)
	op, _ := args[1].(string)
	if key, ok := args[2].([]byte); ok {
		return graph.Op(op).Holds(graph.KeyOf(value), graph.Key(key)), nil
	}
	text, _ := args[2].(string)
	return graph.Predicate{Op: graph.Op(op), Text: text}.Holds(graph.Concept{Value: value}), nil
}
