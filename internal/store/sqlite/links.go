package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/sqlstore"
)

// Links implements graph.Reader.
func (r *Reader) Links(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	if links.Types != nil && len(links.Types) == 0 {
		return []graph.Connection{}, ctx.Err()
	}
	links.Of, links.Types = sqlstore.Distinct(links.Of), sqlstore.Distinct(links.Types)
	if len(links.Of) == 1 && len(links.Types) == 1 {
		found, err := r.neighbours(ctx, links)
		return found, failed(ctx, "following connections", err)
	}
	statement, err := r.linkStatement(ctx, linksQuery(links))
	if err != nil {
		return nil, failed(ctx, "following connections", err)
	}
	after, maxRows := bounds(links.Page)
	found, err := queryConnections(ctx, statement, array(links.Of), array(links.Types), after, maxRows)
	if err != nil {
		return nil, failed(ctx, "following connections", err)
	}
	return sqlstore.Grouped(found, links), nil
}

// neighbours reads the connections of one type at one concept, the most frequent request. The connections are adjacent in
// the index, in order of id, so SQLite reads only the page.
//
// Here and elsewhere a limit is "? + 0". If the limit were a bare parameter, SQLite would prepare the statement again
// whenever the parameter is bound, because the plan may depend on the value.
func (r *Reader) neighbours(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	end, comparison, order := ends(links)
	statement, err := r.linkStatement(ctx, "select "+connectionColumns+" from connection c where c."+end+
		" = ?1 and c.type = ?2 and c.id "+comparison+" ?3 order by c.id "+order+" limit ?4 + 0 offset ?5 + 0")
	if err != nil {
		return nil, err
	}
	after, _ := bounds(links.Page)
	return queryConnections(ctx, statement, links.Of[0], links.Types[0], after, limit(links.Page.Limit), max(links.Page.Skip, 0))
}

// VisibleLinks implements graph.VisibleReader. It reads the connections of each of the viewer's scopes separately.
func (r *Reader) VisibleLinks(ctx context.Context, viewer graph.ID, links graph.Links) ([]graph.Connection, error) {
	if links.Types != nil && len(links.Types) == 0 {
		return []graph.Connection{}, ctx.Err()
	}
	links.Of, links.Types = sqlstore.Distinct(links.Of), sqlstore.Distinct(links.Types)
	statement, err := r.linkStatement(ctx, visibleLinksQuery(links))
	if err != nil {
		return nil, failed(ctx, "following connections", err)
	}
	after, maxRows := bounds(links.Page)
	found, err := queryConnections(ctx, statement, array(links.Of), array(links.Types), after, maxRows, viewer)
	if err != nil {
		return nil, failed(ctx, "following connections", err)
	}
	return sqlstore.Grouped(found, links), nil
}

// visibleLinksQuery is linksQuery for a viewer. Parameter 5 is the viewer. The query names the index because SQLite might choose
// an index without the scope.
func visibleLinksQuery(links graph.Links) string {
	end, comparison, order := ends(links)
	within, last := "<=", graph.MaxID.String()
	if links.Page.Descending {
		within, last = ">=", "0"
	}
	from, where := visibleEnds(links, "?5")
	table := "connection c indexed by connection_" + end + "_scope"
	where += " and c.id " + comparison + " ?3"
	page := "select c.id from " + table + " where " + where + " order by c.id " + order + " limit "
	switch {
	case links.Page.Limit <= 0:
	case links.Types == nil: // finds the page first, because SQLite would otherwise find it again for each connection that it reads from an index
		table, where = "connection c", "c.id in ("+page+"?4)"
	default: // the rows are in order of id, so it reads up to the last row of the page
		where += " and c.id " + within + " ifnull((" + page + "1 offset ?4 - 1), " + last + ")"
	}
	return "select " + connectionColumns + " from " + from + " cross join " + table + " on " + where
}

// visibleEnds returns the tables of the concepts, scopes and types whose connections are read, and the conditions on connections.
func visibleEnds(links graph.Links, viewer string) (from, where string) {
	end, _, _ := ends(links)
	from = "json_each(?1) o cross join (select 0 as scope union all select " + viewer + ") s"
	where = "c." + end + " = o.value and c.scope = s.scope"
	if links.Types != nil {
		from += " cross join json_each(?2) t"
		where += " and c.type = t.value"
	}
	return from, where
}

// ends returns the column that holds the concepts in Of, and the operator and order of the page.
func ends(links graph.Links) (end, comparison, order string) {
	end, comparison, order = "source", ">", "asc"
	if links.Direction == graph.In {
		end = "target"
	}
	if links.Page.Descending {
		comparison, order = "<", "desc"
	}
	return end, comparison, order
}

// linksQuery selects all connections of the concepts, or the first of each group if the page is limited. It does not sort:
// SQLite would sort all groups together, and each group is small.
//
// Parameters: 1 concepts, 2 types, 3 the id to start after, 4 the limit per concept and type.
func linksQuery(links graph.Links) string {
	end, comparison, order := ends(links)
	within, last := "<=", graph.MaxID.String()
	if links.Page.Descending {
		within, last = ">=", "0"
	}
	from, where := "json_each(?1) o", "c."+end+" = o.value"
	if links.Types != nil {
		from += " cross join json_each(?2) t"
		where += " and c.type = t.value"
	}
	where += " and c.id " + comparison + " ?3"
	page := "select c.id from connection c where " + where + " order by c.id " + order + " limit "
	switch {
	case links.Page.Limit <= 0:
	case links.Types == nil:
		where = "c.id in (" + page + "?4)"
	default: // the rows are in order of id, so it reads up to the last row of the page
		where += " and c.id " + within + " ifnull((" + page + "1 offset ?4 - 1), " + last + ")"
	}
	return "select " + connectionColumns + " from " + from + " cross join connection c on " + where
}

func bounds(page graph.Page) (after graph.ID, maxRows int) {
	after, maxRows = page.After, max(page.Skip, 0)+page.Limit
	if page.Descending && after == 0 {
		after = graph.MaxID + 1
	}
	return after, maxRows
}

var _ graph.PairReader = (*Reader)(nil)

// pairLinks returns a statement that selects the connections of pairs. Parameters: 1 the pairs, as arrays of source and type,
// 2 the viewer.
func pairLinks(visible bool) string {
	const on, pair = ` cross join connection c`, ` on c.source = o.value ->> 0 and c.type = o.value ->> 1`
	if !visible {
		return `select ` + connectionColumns + ` from json_each(?1) o` + on + pair
	}
	return `select ` + connectionColumns + ` from json_each(?1) o cross join (select 0 as scope union all select ?2) s` + on +
		` indexed by connection_source_scope` + pair + ` and c.scope = s.scope`
}

// PairLinks implements graph.PairReader.
func (r *Reader) PairLinks(ctx context.Context, p graph.LinkPairs) ([]graph.Connection, error) {
	statement, args := r.do.pairLinks[0], []any{arrayOfPairs(p.Pairs)}
	if p.Viewer != 0 {
		statement, args = r.do.pairLinks[1], append(args, p.Viewer)
	}
	found, err := queryConnections(ctx, statement, args...)
	return found, failed(ctx, "following connections of pairs", err)
}

func arrayOfPairs(pairs []graph.LinkPair) string {
	text := append(make([]byte, 0, 2+20*len(pairs)), '[')
	for i, p := range pairs {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(append(text, '['), int64(p.From), 10)
		text = append(strconv.AppendInt(append(text, ','), int64(p.Type), 10), ']')
	}
	return string(append(text, ']'))
}

// CountLinks implements graph.Reader.
func (r *Reader) CountLinks(ctx context.Context, links graph.Links) ([]graph.LinkCount, error) {
	if links.Types != nil && len(links.Types) == 0 {
		return []graph.LinkCount{}, ctx.Err()
	}
	links.Of, links.Types = sqlstore.Distinct(links.Of), sqlstore.Distinct(links.Types)
	statement, err := r.linkStatement(ctx, countQuery(links))
	if err != nil {
		return nil, failed(ctx, "counting connections", err)
	}
	counts, err := query(ctx, statement, scanCount, array(links.Of), array(links.Types))
	sqlstore.SortCounts(counts, links.Of)
	return counts, failed(ctx, "counting connections", err)
}

// CountVisibleLinks implements graph.VisibleReader.
func (r *Reader) CountVisibleLinks(ctx context.Context, viewer graph.ID, links graph.Links) ([]graph.LinkCount, error) {
	if links.Types != nil && len(links.Types) == 0 {
		return []graph.LinkCount{}, ctx.Err()
	}
	links.Of, links.Types = sqlstore.Distinct(links.Of), sqlstore.Distinct(links.Types)
	end, _, _ := ends(links)
	from, where := visibleEnds(links, "?3")
	statement, err := r.linkStatement(ctx, "select o.value, c.type, count(*) from "+from+
		" cross join connection c indexed by connection_"+end+"_scope on "+where+" group by o.value, c.type")
	if err != nil {
		return nil, failed(ctx, "counting connections", err)
	}
	counts, err := query(ctx, statement, scanCount, array(links.Of), array(links.Types), viewer)
	sqlstore.SortCounts(counts, links.Of)
	return counts, failed(ctx, "counting connections", err)
}

func countQuery(links graph.Links) string {
	end := "source"
	if links.Direction == graph.In {
		end = "target"
	}
	if links.Types == nil {
		return fmt.Sprintf(`select o.value, c.type, count(*) from json_each(?1) o
			cross join connection c on c.%s = o.value group by o.value, c.type`, end)
	}
	return fmt.Sprintf(`select o.value, t.value, count(*) from json_each(?1) o cross join json_each(?2) t
		cross join connection c on c.%s = o.value and c.type = t.value group by o.value, t.value`, end)
}

func scanCount(rows *sql.Rows, c *graph.LinkCount) error { return rows.Scan(&c.Of, &c.Type, &c.N) }

// linkStatement returns the prepared statement of a query of Links or CountLinks. There are forty such queries.
func (r *Reader) linkStatement(ctx context.Context, query string) (*sql.Stmt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if prepared, ok := r.linkStatements[query]; ok {
		return prepared, nil
	}
	prepared, err := r.db.PrepareContext(ctx, query) //nolint:sqlclosecheck // closed with the database
	if err == nil {
		r.linkStatements[query] = prepared
	}
	return prepared, err
}
