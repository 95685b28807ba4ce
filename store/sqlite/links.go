package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/sqlstore"
)

// Links implements graph.Reader.
func (r *Reader) Links(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	if links.Types != nil && len(links.Types) == 0 {
		return []graph.Connection{}, ctx.Err()
	}
	links.Of, links.Types = sqlstore.Once(links.Of), sqlstore.Once(links.Types)
	if len(links.Of) == 1 && len(links.Types) == 1 {
		found, err := r.neighbours(ctx, links)
		return found, failed(ctx, "following connections", err)
	}
	statement, err := r.walk(ctx, linksQuery(links))
	if err != nil {
		return nil, failed(ctx, "following connections", err)
	}
	after, most := bounds(links.Page)
	found, err := queryConnections(ctx, statement, array(links.Of), array(links.Types), after, most)
	if err != nil {
		return nil, failed(ctx, "following connections", err)
	}
	return sqlstore.Grouped(found, links), nil
}

// neighbours reads the connections of one type at one concept. They lie side by side in order of id, so
// SQLite reads the page and nothing else. It is what most requests ask for.
//
// Here and elsewhere a limit is "? + 0": for a bare parameter SQLite prepares the statement anew whenever
// it is bound, because the plan may depend on the value.
func (r *Reader) neighbours(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	end, beyond, order := ends(links)
	statement, err := r.walk(ctx, "select "+connectionColumns+" from connection c where c."+end+
		" = ?1 and c.type = ?2 and c.id "+beyond+" ?3 order by c.id "+order+" limit ?4 + 0 offset ?5 + 0")
	if err != nil {
		return nil, err
	}
	after, _ := bounds(links.Page)
	return queryConnections(ctx, statement, links.Of[0], links.Types[0], after, limit(links.Page.Limit), max(links.Page.Skip, 0))
}

// ends says which column holds the concepts asked about, and how the page runs.
func ends(links graph.Links) (end, beyond, order string) {
	end, beyond, order = "source", ">", "asc"
	if links.Direction == graph.In {
		end = "target"
	}
	if links.Page.Descending {
		beyond, order = "<", "desc"
	}
	return end, beyond, order
}

// linksQuery reads whole neighbourhoods, or of each the first few when the page is limited. It does not
// sort: SQLite would sort everything together, and each group is small.
//
// Parameters: 1 concepts, 2 types, 3 the id to start beyond, 4 how many per concept and type.
func linksQuery(links graph.Links) string {
	end, beyond, order := ends(links)
	within, last := "<=", graph.MaxID.String()
	if links.Page.Descending {
		within, last = ">=", "0"
	}
	from, where := "json_each(?1) o", "c."+end+" = o.value"
	if links.Types != nil {
		from += " cross join json_each(?2) t"
		where += " and c.type = t.value"
	}
	where += " and c.id " + beyond + " ?3"
	page := "select c.id from connection c where " + where + " order by c.id " + order + " limit "
	switch {
	case links.Page.Limit <= 0:
	case links.Types == nil:
		where = "c.id in (" + page + "?4)"
	default: // the rows lie in order of id: read up to the last one of the page
		where += " and c.id " + within + " ifnull((" + page + "1 offset ?4 - 1), " + last + ")"
	}
	return "select " + connectionColumns + " from " + from + " cross join connection c on " + where
}

func bounds(page graph.Page) (after graph.ID, most int) {
	after, most = page.After, max(page.Skip, 0)+page.Limit
	if page.Descending && after == 0 {
		after = graph.MaxID + 1
	}
	return after, most
}

// CountLinks implements graph.Reader.
func (r *Reader) CountLinks(ctx context.Context, links graph.Links) ([]graph.LinkCount, error) {
	if links.Types != nil && len(links.Types) == 0 {
		return []graph.LinkCount{}, ctx.Err()
	}
	links.Of, links.Types = sqlstore.Once(links.Of), sqlstore.Once(links.Types)
	statement, err := r.walk(ctx, countQuery(links))
	if err != nil {
		return nil, failed(ctx, "counting connections", err)
	}
	counts, err := query(ctx, statement, scanCount, array(links.Of), array(links.Types))
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

// walk is a query prepared the first time it is asked for. There are twenty in all.
func (r *Reader) walk(ctx context.Context, query string) (*sql.Stmt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if prepared, ok := r.walks[query]; ok {
		return prepared, nil
	}
	prepared, err := r.db.PrepareContext(ctx, query) //nolint:sqlclosecheck // kept until the reader closes
	if err == nil {
		r.walks[query] = prepared
	}
	return prepared, err
}
