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
	if len(args) > mostParameters {
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

// mostParameters is how many SQLite takes.
const mostParameters = 32_766

// selected are the ids that a statement selects, in order. They come as one row: a statement is interrupted when the context ends
// only until its first row is there, and a row costs more than the number in it.
func (r *Reader) selected(ctx context.Context, text string, args []any) ([]graph.ID, error) {
	statement, done, err := r.selects.get(ctx, r.db, "select group_concat(id) from ("+text+")") //nolint:sqlclosecheck // kept by prepared
	if err != nil {
		return nil, err
	}
	defer done()
	late, over := later(ctx)
	defer over()
	var list sql.NullString
	if err := statement.QueryRowContext(late, args...).Scan(&list); err != nil || !list.Valid {
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

// later ends a moment after a context. A statement is interrupted once, and if it has not begun by then, never.
func later(ctx context.Context) (late context.Context, done func()) {
	const moment = 50 * time.Millisecond
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(moment, cancel) })
	return late, func() {
		stop()
		cancel()
	}
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
	with := any(p.Text)
	if p.Op != graph.Like {
		with = []byte(graph.KeyOf(p.Text))
	}
	return fmt.Sprintf("weft_holds(ifnull(%[1]s.value, (select value from text where id = %[1]s.id)), %[2]s, %[3]s)",
		concept, c.Arg(string(p.Op)), c.Arg(with))
}

func init() {
	driver.MustRegisterDeterministicScalarFunction("weft_holds", 3, holds)
}

// holds is a predicate on values as a function in SQL. What a value is compared with comes as its key, so that it is not read again
// for each; what it must be like comes as it is.
func holds(_ *driver.FunctionContext, args []sqldriver.Value) (sqldriver.Value, error) {
	value, _ := args[0].(string)
	op, _ := args[1].(string)
	if key, ok := args[2].([]byte); ok {
		return graph.Op(op).HoldsOf(graph.KeyOf(value), graph.Key(key)), nil
	}
	text, _ := args[2].(string)
	return graph.Predicate{Op: graph.Op(op), Text: text}.Holds(graph.Concept{Value: value}), nil
}
