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

var _ graph.PairReader = (*Reader)(nil)

// pairLinks returns a statement that selects the connections of pairs. It reads the connections of each of the viewer's scopes
// separately. Parameters: 1 the sources, 2 the types, 3 the viewer's scopes.
func pairLinks(visible bool) string {
	from, where := "unnest($1::bigint[], $2::bigint[]) o(id, type)", "c.source = o.id and c.type = o.type"
	if visible {
		from += " cross join unnest($3::bigint[]) s(scope)"
		where = "c.source + 0 = o.id and c.scope = s.scope and c.type + 0 = o.type"
	}
	return "select " + connectionColumns + " from " + from + " cross join lateral (select * from connection c where " + where + " offset 0) c"
}

// PairLinks implements graph.PairReader.
func (r *Reader) PairLinks(ctx context.Context, p graph.LinkPairs) ([]graph.Connection, error) {
	sources, types := make([]int64, len(p.Pairs)), make([]int64, len(p.Pairs))
	for i, pair := range p.Pairs {
		sources[i], types[i] = int64(pair.From), int64(pair.Type)
	}
	args := []any{sources, types}
	if p.Viewer != 0 {
		args = append(args, []int64{0, int64(p.Viewer)})
	}
	found, err := collect(ctx, r.pool, scanConnection, pairLinks(p.Viewer != 0), args...)
	return found, failed(ctx, "following connections of pairs", err)
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
