package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/sqlstore"
)

var (
	_ graph.Selector = (*Reader)(nil)
	_ graph.Sizer    = (*Reader)(nil)

	_ graph.VisibleReader = (*Reader)(nil)
)

// Select implements graph.Selector. The number of shapes of selections is unlimited, and the best index depends on
// the values. Statements therefore contain the values (simple protocol), and PostgreSQL plans each of them.
func (r *Reader) Select(ctx context.Context, s graph.Selection) ([]graph.ID, error) {
	if s.Unordered && s.Page.Limit > 0 && s.Page.Limit <= fewLimit {
		found, enough, err := r.selectFew(ctx, s)
		if err != nil || enough {
			return found, err
		}
	}
	return r.selected(ctx)(sqlstore.Compile(dialect{}, s))
}

// fewLimit is the largest limit for which Select uses selectFew.
const fewLimit = 50_000

// selectFew finds members without finding all of them, which PostgreSQL would do to remove repetitions. It reports whether it
// found enough members: as many as the limit, or all.
func (r *Reader) selectFew(ctx context.Context, s graph.Selection) (found []graph.ID, enough bool, err error) {
	found, err = r.selected(ctx)(sqlstore.Few(dialect{}, s, 4*s.Page.Limit))
	all := len(found)
	found = slices.DeleteFunc(found, func(id graph.ID) bool { return id == 0 })
	if len(found) >= s.Page.Limit {
		return found[:s.Page.Limit], true, err
	}
	return found, len(found) == all, err
}

// selected returns a function that runs a compiled statement and returns the ids that the statement selects.
func (r *Reader) selected(ctx context.Context) func(statement string, args []any, err error) ([]graph.ID, error) {
	return func(statement string, args []any, err error) ([]graph.ID, error) {
		if err != nil {
			return nil, err
		}
		found, err := collect(ctx, r.pool, scanID, statement, append([]any{pgx.QueryExecModeSimpleProtocol}, args...)...)
		return found, failed(ctx, "selecting concepts", err)
	}
}

// A dialect implements sqlstore.Dialect. PostgreSQL chooses the indexes, but not the order of the tables.
type dialect struct{}

func (dialect) Parameter(n int) string { return "$" + strconv.Itoa(n) }
func (dialect) IDs(ids []graph.ID) any { return numbers(ids) }
func (dialect) Among(column, parameter string) string {
	return column + " = any(" + parameter + "::bigint[])"
}

// Join and Exists have offset 0, so that PostgreSQL cannot reorder them: its estimates do not take into account that a few
// concepts have most of the connections.
func (dialect) Join(table, name string, on []string) string {
	return " cross join lateral (select * from " + table + " where " + strings.Join(on, " and ") + " offset 0) " + name
}

func (dialect) Exists(selected string) string { return "exists (" + selected + " offset 0)" }

func (dialect) Page(c *sqlstore.Compiler, maxRows, skip int) string {
	page := ""
	if maxRows > 0 {
		page = " limit " + c.Arg(maxRows)
	}
	if skip > 0 {
		page += " offset " + c.Arg(skip)
	}
	return page
}

// Values implements sqlstore.Dialect. The sources read the keys of one type, or of each type, because the indexes begin with
// the type. For a viewer, one source has the keys in the viewer's scopes. Without a viewer, one source has the public keys and
// another source has all other keys.
func (d dialect) Values(c *sqlstore.Compiler, typ graph.ID, p graph.Predicate, _ []graph.Predicate) []sqlstore.Source {
	switch {
	case !p.Op.SelectsRange():
		return []sqlstore.Source{d.texts(c, typ, p)}
	case c.Viewer() != "":
		return []sqlstore.Source{d.keys(c, typ, p, visibleKeys)}
	default:
		return []sqlstore.Source{d.keys(c, typ, p, publicKeys), d.keys(c, typ, p, hiddenKeys)}
	}
}

// A keyRange is a part of the values that an index lists by key.
type keyRange int

const (
	visibleKeys keyRange = iota // in the scopes of the viewer
	publicKeys                  // in scope 0
	hiddenKeys                  // keys in all other scopes
)

// table returns the table from which the row of concept with the given name is read by its type. The type is an
// SQL expression.
func (k keyRange) table(c *sqlstore.Compiler, name, typ string) sqlstore.VisibleTable {
	v := sqlstore.VisibleTable{Table: "concept " + name}
	switch k {
	case visibleKeys:
		return dialect{}.Visible(c, "concept", name, sqlstore.Column{Name: "type", Value: typ})
	case publicKeys:
		v.On = dialect{}.InScope(name, typ, "0")
	case hiddenKeys:
		v.On = []string{name + ".type = " + typ, name + ".owner <> 999", name + ".access <> 5"}
	}
	return v
}

// keys returns a source of the concepts of a type, or of all types if typ is 0, with matching keys.
func (d dialect) keys(c *sqlstore.Compiler, typ graph.ID, p graph.Predicate, of keyRange) sqlstore.Source {
	name := c.Name("c")
	s := sqlstore.Source{ID: name + ".id", Concept: name, Distinct: true, Visible: true}
	if typ == 0 {
		all := c.Name("t")
		v := of.table(c, name, all+".id")
		s.From, s.Where = "concept "+all, []string{all + ".category <> 4"}
		if v.Scopes != "" {
			s.From += " cross join " + v.Scopes
		}
		s.From += c.Join(v.Table, name, append(v.On, d.Holds(c, name, p)))
		return s
	}
	category := name + ".category = 4"
	if p.Op == graph.Equal { // + 0 prevents PostgreSQL from using other indexes while it has no statistics
		category = name + ".category + 0 = 4"
	}
	v := of.table(c, name, c.Arg(typ))
	v.On = append(v.On, category, d.Holds(c, name, p))
	if v.Scopes == "" {
		s.From, s.Where = v.Table, v.On
	} else {
		s.From = v.Scopes + c.Join(v.Table, name, v.On)
	}
	return s
}

// texts returns a source of the concepts of a type, or of all types, whose values match the pattern.
func (d dialect) texts(c *sqlstore.Compiler, typ graph.ID, p graph.Predicate) sqlstore.Source {
	name := c.Name("c")
	s := sqlstore.Source{From: "concept " + name, ID: name + ".id", Concept: name, Distinct: true}
	if typ != 0 {
		s.Where, s.Scope = []string{name + ".type = " + c.Arg(typ), name + ".category = 4"}, d.Scope(name)
	}
	s.Where = append(s.Where, d.Holds(c, name, p))
	return s
}

// Holds implements sqlstore.Dialect. It compares keys and, if they may be cut, folded values.
func (dialect) Holds(c *sqlstore.Compiler, concept string, p graph.Predicate) string {
	key := graph.KeyOf(p.Text)
	compare := func(op graph.Op) string {
		if len(key) < maxKeyBytes {
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

// like returns a condition that is true if the folded value matches the pieces of a pattern.
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

// text returns an expression for the folded value of a row of concept.
func text(concept string) string {
	return "coalesce(" + concept + ".folded, " + concept + ".value)"
}
