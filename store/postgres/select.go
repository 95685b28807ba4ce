package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/sqlstore"
)

var (
	_ graph.Selector = (*Reader)(nil)
	_ graph.Sizer    = (*Reader)(nil)
)

// Select implements graph.Selector. Statements have endless shapes, and which index is best depends on the very values: so
// the values stand in them, none is kept and each is planned for itself.
func (r *Reader) Select(ctx context.Context, s graph.Selection) ([]graph.ID, error) {
	if s.Unordered && s.Page.Limit > 0 && s.Page.Limit <= few {
		found, enough, err := r.selectFew(ctx, s)
		if err != nil || enough {
			return found, err
		}
	}
	return r.selected(ctx)(sqlstore.Compile(dialect{}, s))
}

// few is how many members can be few.
const few = 50_000

// selectFew finds members without finding all, for PostgreSQL knows which of them came twice only then. They may not be enough.
func (r *Reader) selectFew(ctx context.Context, s graph.Selection) (found []graph.ID, enough bool, err error) {
	found, err = r.selected(ctx)(sqlstore.Few(dialect{}, s, 4*s.Page.Limit))
	all := len(found)
	found = slices.DeleteFunc(found, func(id graph.ID) bool { return id == 0 })
	if len(found) >= s.Page.Limit {
		return found[:s.Page.Limit], true, err
	}
	return found, len(found) == all, err
}

// selected are the ids that a statement finds.
func (r *Reader) selected(ctx context.Context) func(statement string, args []any, err error) ([]graph.ID, error) {
	return func(statement string, args []any, err error) ([]graph.ID, error) {
		if err != nil {
			return nil, err
		}
		found, err := collect(ctx, r.pool, scanID, statement, append([]any{pgx.QueryExecModeSimpleProtocol}, args...)...)
		return found, failed(ctx, "selecting concepts", err)
	}
}

// A dialect is how PostgreSQL is told what to do: which index it walks is its choice, but not which table it reads first.
type dialect struct{}

func (dialect) Parameter(n int) string { return "$" + strconv.Itoa(n) }
func (dialect) IDs(ids []graph.ID) any { return numbers(ids) }
func (dialect) Among(column, parameter string) string {
	return column + " = any(" + parameter + "::bigint[])"
}

// Join cannot be turned around, nor can Exists: no estimate knows how skewed a graph is.
func (dialect) Join(table, name string, on []string) string {
	return " cross join lateral (select * from " + table + " " + name + " where " + strings.Join(on, " and ") + " offset 0) " + name
}

func (dialect) Exists(selected string) string { return "exists (" + selected + " offset 0)" }

func (dialect) Page(c *sqlstore.Compiler, most, skip int) string {
	page := ""
	if most > 0 {
		page = " limit " + c.Arg(most)
	}
	if skip > 0 {
		page += " offset " + c.Arg(skip)
	}
	return page
}

// Values reads the keys of one type, or of one type after the other, for the index has the type first.
func (d dialect) Values(c *sqlstore.Compiler, typ graph.ID, p graph.Predicate, _ []graph.Predicate) []sqlstore.Source {
	name := c.Name("c")
	s := sqlstore.Source{From: "concept " + name, ID: name + ".id", Concept: name, Once: true}
	switch {
	case typ != 0 && p.Op == graph.Equal: // + 0 keeps the index of all instances out of it, as long as there are no statistics
		s.Where = []string{name + ".type = " + c.Arg(typ), name + ".category + 0 = 4"}
	case typ != 0:
		s.Where = []string{name + ".type = " + c.Arg(typ), name + ".category = 4"}
	case p.Op != graph.Like:
		of := c.Name("t")
		s.From = "concept " + of + " join concept " + name + " on " + name + ".type = " + of + ".id"
		s.Where = []string{of + ".category <> 4"}
	}
	s.Where = append(s.Where, d.Holds(c, name, p))
	return []sqlstore.Source{s}
}

// Holds compares keys, and behind a key that is cut the folded values.
func (dialect) Holds(c *sqlstore.Compiler, concept string, p graph.Predicate) string {
	key := graph.KeyOf(p.Text)
	compare := func(op graph.Op) string {
		if len(key) < mostKey {
			return concept + ".key " + string(op) + " " + c.Arg([]byte(key))
		}
		return fmt.Sprintf("(%s.key, convert_to(%s, 'UTF8')) %s (%s, %s)", concept, text(concept), op, c.Arg(keyOf(p.Text)), c.Arg([]byte(key[1:])))
	}
	kind := key.Kind()
	switch p.Op {
	case graph.Like:
		return like(c, concept, p.Pieces())
	case graph.Equal, graph.NotEqual:
		return compare(p.Op)
	case graph.Greater, graph.GreaterOrEqual:
		return compare(p.Op) + " and " + concept + ".key < " + c.Arg([]byte{byte(kind) + 1})
	case graph.Less, graph.LessOrEqual:
		return compare(p.Op) + " and " + concept + ".key >= " + c.Arg([]byte{byte(kind)})
	default:
		return "1 = 0"
	}
}

func like(c *sqlstore.Compiler, concept string, pieces []string) string {
	if len(pieces) == 0 {
		return "1 = 1"
	}
	var pattern strings.Builder
	for _, piece := range pieces {
		if strings.Contains(piece, "\x00") {
			return "1 = 0" // see graph.CheckText
		}
		pattern.WriteString("%" + escape.Replace(piece))
	}
	return concept + ".value <> '' and " + text(concept) + " like " + c.Arg(pattern.String()+"%")
}

var escape = strings.NewReplacer(`\`, `\\`, `_`, `\_`)

// text is the folded value of a row of concept.
func text(concept string) string {
	return "coalesce(" + concept + ".folded, " + concept + ".value)"
}
