package postgres

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/plan"
	"github.com/weft-graph/weft/internal/store/sqlstore"
)

// Migrations that add the scope of the users who may read a record: 0, one user, or -1 for admins. The scope of a concept follows
// from its columns; the scope of a connection also depends on the concepts at both its ends.
//
// A server of an older version may still write; it does not set the scope. Until the last migration, only admins see its
// connections. After the last migration, its writes fail.
const (
	addScopes = `alter table connection add column scope bigint not null default 0;
		alter table connection alter column scope set default -1`

	// Indexes of expressions such as type + 0 are for readers who see only some scopes: for such an expression, PostgreSQL cannot
	// choose another index. A reader who sees all scopes uses the indexes of the plain columns.
	addScopeIndexes = `lock table connection in share row exclusive mode;
	` + setScopesOf + `x.scope = -1` + setScopesEnd + `;
	alter table connection alter column scope drop default;
	create index connection_source_scope on connection ((source + 0), scope, (type + 0), id);
	create index connection_target_scope on connection ((target + 0), scope, (type + 0), id);
	create index connection_type_scope on connection (type, scope);
	drop index connection_type;
	create index concept_type_scope on concept ((type + 0), (` + scopeOf + `), id) where category = 4;
	create index concept_key_scope on concept ((type + 0), (` + scopeOf + `), key, id);
	create index concept_key_hidden on concept (type, key, id) where owner <> 999 and access <> 5;
	drop index concept_key;
	analyze concept, connection;
	delete from tally where part = -3;
	insert into tally ` + talliedLinks + `) x group by type, part`
)

// setScopesOf and setScopesEnd enclose a condition on the row x: the statement sets the scopes of the connections for which the
// condition is true. Every user may read types.
const (
	setScopesOf = `update connection c set scope = s.scope from (
		select source, type, id, case when least(o, f, t) < 0 or o not in (0, m) or f not in (0, m) or t not in (0, m) then -1 else m end as scope from (
			select *, greatest(o, f, t) m from (
				select x.source, x.type, x.id, x.scope, case when x.owner = 999 or x.access = 5 then 0 when x.access = 3 then -1 else x.owner end o,
					case when f.category <> 4 and not f.composition or f.owner = 999 or f.access = 5 then 0 when f.access = 3 then -1 else f.owner end f,
					case when t.category <> 4 and not t.composition or t.owner = 999 or t.access = 5 then 0 when t.access = 3 then -1 else t.owner end t
				from connection x join concept f on f.id = x.source join concept t on t.id = x.target where `
	setScopesEnd = `) x) x) s where c.source = s.source and c.type = s.type and c.id = s.id and c.scope <> s.scope`
)

// scopeBatch is the number of connections that fillScopes reads in one statement.
const scopeBatch = 20_000

// fillScopes sets the scopes of all connections, in order of their key. After an interruption it starts again, and writes only
// missing scopes.
func fillScopes(ctx context.Context, conn *pgx.Conn) error {
	var from, to [3]int64
	for {
		err := conn.QueryRow(ctx, `select source, type, id from connection where (source, type, id) > ($1, $2, $3)
			order by source, type, id limit 1 offset $4`, from[0], from[1], from[2], scopeBatch-1).Scan(&to[0], &to[1], &to[2])
		last := errors.Is(err, pgx.ErrNoRows)
		if last {
			err, to[0] = nil, 1<<62
		}
		if err != nil {
			return err
		}
		_, err = conn.Exec(ctx, setScopesOf+`(x.source, x.type, x.id) > ($1, $2, $3) and (x.source, x.type, x.id) <= ($4, $5, $6)`+setScopesEnd,
			from[0], from[1], from[2], to[0], to[1], to[2])
		if last || err != nil {
			return err
		}
		from = to
	}
}

// numberScopes returns the scopes of connections as numbers.
func numberScopes(p *plan.Plan, connections []graph.Connection) []int64 {
	scopes := make([]int64, len(connections))
	for i, c := range connections {
		scopes[i] = int64(p.ScopeOf(c))
	}
	return scopes
}

// scopeIn returns the expression for the scope of a row of concept.
func scopeIn(row string) string {
	return "(case when " + row + ".owner = 999 or " + row + ".access = 5 then 0 when " + row + ".access = 3 then -1 else " + row + ".owner end)"
}

// Visible implements sqlstore.Dialect. The scopes form a table that is joined first, because PostgreSQL may evaluate "scope in
// (0, 1)" only after it has read all rows with the value in the column.
func (dialect) Visible(c *sqlstore.Compiler, table, name string, where sqlstore.Column) sqlstore.VisibleTable {
	scopes, scope := c.Name("s"), name+".scope"
	if table == "concept" {
		scope = scopeIn(name)
	}
	v := sqlstore.VisibleTable{
		Scopes: "(values (0::bigint), (" + c.Viewer() + "::bigint)) " + scopes + "(scope)",
		Table:  table + " " + name, On: []string{scope + " = " + scopes + ".scope"}, Type: name + ".type + 0",
	}
	switch isByType := table == "connection" && where.Name == "type"; {
	case isByType && where.Value == "":
		v.Type = name + ".type"
	case isByType:
		v.On = append(v.On, name+".type = "+where.Value)
	default:
		v.On = append(v.On, name+"."+where.Name+" + 0 = "+where.Value)
	}
	return v
}

// InScope implements sqlstore.Dialect.
func (dialect) InScope(concept, typ, scope string) []string {
	return []string{concept + ".type + 0 = " + typ, scopeIn(concept) + " = " + scope}
}

// Scope implements sqlstore.Dialect.
func (dialect) Scope(concept string) string { return scopeIn(concept) }

// VisibleByType implements graph.VisibleReader. It reads a page from each of the viewer's scopes and merges the
// pages.
func (r *Reader) VisibleByType(ctx context.Context, typ, viewer graph.ID, page graph.Page) ([]graph.Concept, error) {
	query := visibleUp
	if page.Descending {
		query = visibleDown
	}
	found, err := collect(ctx, r.pool, scanConcept, query, typ, start(page), limit(pageEnd(page)), viewer)
	found = found[min(max(page.Skip, 0), len(found)):]
	return found, failed(ctx, "reading concepts by type", err)
}

// pageEnd returns the number of rows up to the end of a page, or 0 if the page has no limit.
func pageEnd(page graph.Page) int {
	if page.Limit <= 0 {
		return 0
	}
	return max(page.Skip, 0) + page.Limit
}

// Parameters: 1 type, 2 the id to start after, 3 the limit, 4 the viewer.
var (
	visibleUp   = visiblePages(">", "asc")
	visibleDown = visiblePages("<", "desc")
)

func visiblePages(comparison, order string) string {
	part := func(scope string) string {
		return `(select ` + conceptColumns + ` from concept c where c.category = 4 and c.type + 0 = $1 and ` + scopeIn("c") + ` = ` + scope +
			` and c.id ` + comparison + ` $2 order by c.type + 0 ` + order + `, ` + scopeIn("c") + ` ` + order + `, c.id ` + order + ` limit $3)`
	}
	return `select * from (` + part("0") + ` union all ` + part("$4") + `) c order by id ` + order + ` limit $3`
}

// VisibleLinks implements graph.VisibleReader. It reads the connections of each of the viewer's scopes separately.
func (r *Reader) VisibleLinks(ctx context.Context, viewer graph.ID, links graph.Links) ([]graph.Connection, error) {
	if links.Types != nil && len(links.Types) == 0 {
		return []graph.Connection{}, ctx.Err()
	}
	links.Of, links.Types = sqlstore.Distinct(links.Of), sqlstore.Distinct(links.Types)
	args := []any{numbers(links.Of), start(links.Page), []int64{0, int64(viewer)}}
	if links.Types != nil {
		args = append(args, numbers(links.Types))
	}
	if links.Page.Limit > 0 {
		args = append(args, pageEnd(links.Page))
	}
	found, err := collect(ctx, r.pool, scanConnection, visibleLinksQuery(links), args...)
	if err != nil {
		return nil, failed(ctx, "following connections", err)
	}
	return sqlstore.Grouped(found, links), nil
}

// visibleLinksQuery is linksQuery for a viewer. Parameters: 1 concepts, 2 the id to start after, 3 the viewer's scopes; then the
// types, if any, and the limit per concept, or per concept and type.
func visibleLinksQuery(links graph.Links) string {
	end, comparison, order := "source", ">", "asc"
	if links.Direction == graph.In {
		end = "target"
	}
	if links.Page.Descending {
		comparison, order = "<", "desc"
	}
	from := []string{"unnest($1::bigint[]) o(id)", "unnest($3::bigint[]) s(scope)"}
	where := "c." + end + " + 0 = o.id and c.scope = s.scope and c.id " + comparison + " $2"
	sorted, maxRows := "c.id + 0 "+order, "$4"
	if links.Types != nil {
		from = append(from, "unnest($4::bigint[]) t(id)")
		where += " and c.type + 0 = t.id"
		sorted, maxRows = "c.type + 0 "+order+", c.id "+order, "$5"
	}
	rows := "select * from connection c where " + where
	if links.Page.Limit > 0 {
		rows += " order by " + sorted + " limit " + maxRows
	} else {
		rows += " offset 0"
	}
	return "select " + connectionColumns + " from " + strings.Join(from, " cross join ") + " cross join lateral (" + rows + ") c"
}

// CountVisibleLinks implements graph.VisibleReader.
func (r *Reader) CountVisibleLinks(ctx context.Context, viewer graph.ID, links graph.Links) ([]graph.LinkCount, error) {
	if links.Types != nil && len(links.Types) == 0 {
		return []graph.LinkCount{}, ctx.Err()
	}
	links.Of, links.Types = sqlstore.Distinct(links.Of), sqlstore.Distinct(links.Types)
	end, types := "source", ""
	if links.Direction == graph.In {
		end = "target"
	}
	args := []any{numbers(links.Of), []int64{0, int64(viewer)}}
	if links.Types != nil {
		types, args = " and c.type + 0 = any($3)", append(args, numbers(links.Types))
	}
	counts, err := collect(ctx, r.pool, scanCount, "select o.id, c.type, count(*) from unnest($1::bigint[]) o(id) cross join unnest($2::bigint[]) s(scope)"+
		" cross join lateral (select c.type from connection c where c."+end+" + 0 = o.id and c.scope = s.scope"+types+" offset 0) c group by o.id, c.type", args...)
	sqlstore.SortCounts(counts, links.Of)
	return counts, failed(ctx, "counting connections", err)
}

// checkScopes checks the scopes of all connections.
func checkScopes(ctx context.Context, tx pgx.Tx) error {
	where := strings.Replace(setScopesOf, "update connection c set scope = s.scope from (", "select c.id from connection c, (", 1) + "true" + setScopesEnd
	return expectNone(ctx, tx, map[string]string{"connection %d has a wrong scope": where})
}
