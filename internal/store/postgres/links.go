package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/sqlstore"
)

// Links implements graph.Reader.
func (r *Reader) Links(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	if links.Types != nil && len(links.Types) == 0 {
		return []graph.Connection{}, ctx.Err()
	}
	links.Of, links.Types = sqlstore.Distinct(links.Of), sqlstore.Distinct(links.Types)
	args := []any{numbers(links.Of), start(links.Page)}
	if links.Types != nil {
		args = append(args, numbers(links.Types))
	}
	if links.Page.Limit > 0 {
		args = append(args, max(links.Page.Skip, 0)+links.Page.Limit)
	}
	found, err := collect(ctx, r.pool, scanConnection, linksQuery(links), args...)
	if err != nil {
		return nil, failed(ctx, "following connections", err)
	}
	return sqlstore.Grouped(found, links), nil
}

// linksQuery selects all connections of the concepts, or the first of each if the page is limited, so that a concept with very
// many connections costs no more than other concepts. It does not sort, because each group is small.
//
// As in a page of concepts, connections of a type are selected as a range of rows (type, id), and connections of all
// types are ordered by id + 0, so that PostgreSQL does not choose to scan all ids in order.
//
// Parameters: 1 concepts, 2 the id to start after; then the types, if any, and the limit per concept, or per concept and type.
func linksQuery(links graph.Links) string {
	end, comparison, order := "source", ">", "asc"
	if links.Direction == graph.In {
		end = "target"
	}
	if links.Page.Descending {
		comparison, order = "<", "desc"
	}
	from := "select " + connectionColumns + " from unnest($1::bigint[]) o(id)"
	switch {
	case links.Types == nil && links.Page.Limit <= 0:
		return from + " join connection c on c." + end + " = o.id and c.id " + comparison + " $2"
	case links.Types == nil:
		return from + " cross join lateral (select * from connection c where c." + end + " = o.id and c.id " + comparison + " $2" +
			" order by c.id + 0 " + order + " limit $3) c"
	case links.Page.Limit <= 0:
		return from + " cross join unnest($3::bigint[]) t(id) join connection c on c." + end + " = o.id and c.type = t.id and c.id " + comparison + " $2"
	}
	within := "(c.type, c.id) < (t.id + 1, 0)"
	if links.Page.Descending {
		within = "(c.type, c.id) > (t.id, 0)"
	}
	return from + " cross join unnest($3::bigint[]) t(id) cross join lateral (select * from connection c where c." + end + " = o.id" +
		" and (c.type, c.id) " + comparison + " (t.id, $2) and " + within +
		" order by c.type " + order + ", c.id " + order + " limit $4) c"
}

// CountLinks implements graph.Reader.
func (r *Reader) CountLinks(ctx context.Context, links graph.Links) ([]graph.LinkCount, error) {
	if links.Types != nil && len(links.Types) == 0 {
		return []graph.LinkCount{}, ctx.Err()
	}
	links.Of, links.Types = sqlstore.Distinct(links.Of), sqlstore.Distinct(links.Types)
	end, types := "source", ""
	if links.Direction == graph.In {
		end = "target"
	}
	args := []any{numbers(links.Of)}
	if links.Types != nil {
		types, args = " and c.type = any($2)", append(args, numbers(links.Types))
	}
	counts, err := collect(ctx, r.pool, scanCount, "select o.id, c.type, count(*) from unnest($1::bigint[]) o(id) join connection c on c."+
		end+" = o.id"+types+" group by o.id, c.type", args...)
	sqlstore.SortCounts(counts, links.Of)
	return counts, failed(ctx, "counting connections", err)
}

func scanCount(rows pgx.Rows, c *graph.LinkCount) error {
	return rows.Scan((*int64)(&c.Of), (*int64)(&c.Type), &c.N)
}
