package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/weft-graph/weft/graph"
)

var _ graph.KeyReader = (*Reader)(nil)

// valueKeys returns a statement that selects values in order of their keys. The statement merges pages of the index, one for each
// scope of a viewer or one for each of the indexes that together cover all scopes. The order names all columns of the index, so
// that PostgreSQL reads it in order. The empty value has the least key. Conditions that nearly all rows meet are inside coalesce.
// PostgreSQL would otherwise expect that few rows meet the conditions, and would sort all rows instead of reading the first rows
// of the index.
//
// Parameters: 1 type, 2 the first key, 3 the end of the keys, 4 the limit, 5 the viewer.
func valueKeys(visible, descending bool) string {
	direction := ""
	if descending {
		direction = " desc"
	}
	inScope := func(scope string) string {
		return `(select c.id, c.key from concept c where coalesce(c.category = 4, false) and c.type + 0 = $1 and ` + scopeIn("c") + ` = ` + scope +
			` and c.key >= $2 and c.key < $3 and c.key <> 'x' order by c.type + 0` + direction + `, ` + scopeIn("c") + direction +
			`, c.key` + direction + `, c.id` + direction + ` limit $4)`
	}
	hidden := `(select c.id, c.key from concept c where coalesce(c.category = 4, false) and c.type = $1 and c.owner <> 999 and c.access <> 5
		and c.key >= $2 and c.key < $3 and c.key <> 'x' order by c.type` + direction + `, c.key` + direction + `, c.id` + direction + ` limit $4)`
	parts := inScope("0") + ` union all ` + hidden
	if visible {
		parts = inScope("0") + ` union all ` + inScope("$5")
	}
	return `select id, key from (` + parts + `) c order by key` + direction + ` limit $4`
}

// ValueKeys implements graph.KeyReader. As in Select, each statement is planned for its values. A generic plan would
// assume a limit of a tenth of all rows, and would sort them.
func (r *Reader) ValueKeys(ctx context.Context, k graph.KeyRange) ([]graph.ValueSortKey, error) {
	args := []any{pgx.QueryExecModeSimpleProtocol, k.Type, []byte(k.Min), []byte(k.Max), limit(k.Limit)}
	if k.Viewer != 0 {
		args = append(args, k.Viewer)
	}
	found, err := collect(ctx, r.pool, scanValueKey, valueKeys(k.Viewer != 0, k.Descending), args...)
	return found, failed(ctx, "reading values in order", err)
}

func scanValueKey(rows pgx.Rows, v *graph.ValueSortKey) error {
	var id int64
	var key []byte
	err := rows.Scan(&id, &key)
	v.ID, v.Key = graph.ID(id), graph.Key(key).SortKey()
	return err
}

// containers returns a statement that selects the compositions with a value, in order of id: the type of an internal connection
// is the id of its composition, and the index lists the connections to a concept by type. Parameters: 1 the value, 2 the id to
// start after, 3 the limit, 4 the viewer.
func containers(visible, descending bool) string {
	comparison, direction := ">", ""
	if descending {
		comparison, direction = "<", " desc"
	}
	if !visible {
		return `select type from connection where target = $1 and (target, type) ` + comparison + ` ($1, $2) and coalesce(source = type, false)
			order by target` + direction + `, type` + direction + `, id` + direction + ` limit $3`
	}
	part := func(scope string) string {
		return `(select type from connection where target + 0 = $1 and scope = ` + scope + ` and type + 0 ` + comparison + ` $2 and coalesce(source = type, false)
			order by target + 0` + direction + `, scope` + direction + `, type + 0` + direction + `, id` + direction + ` limit $3)`
	}
	return `select type from (` + part("0") + ` union all ` + part("$4") + `) l order by type` + direction + ` limit $3`
}

// Containers implements graph.KeyReader.
func (r *Reader) Containers(ctx context.Context, c graph.Containers) ([]graph.ID, error) {
	args := []any{pgx.QueryExecModeSimpleProtocol, c.Value, start(c.Page), limit(c.Page.Limit)}
	if c.Viewer != 0 {
		args = append(args, c.Viewer)
	}
	found, err := collect(ctx, r.pool, scanID, containers(c.Viewer != 0, c.Page.Descending), args...)
	return found, failed(ctx, "reading the compositions with a value", err)
}

// partKeys returns a statement that selects the values of connections, source by source. Parameters: 1 the sources, 2 the type
// of the connections, or 0 for internal connections; 3 the type of the values, or 0; 4 the viewer.
func partKeys(visible bool) string {
	links := func(where string) string {
		return `select l.id, l.target from connection l where ` + where
	}
	from := links(`l.source = o.id and l.type = o.type`)
	if visible {
		inScope := `l.source + 0 = o.id and l.type + 0 = o.type and l.scope = `
		from = links(inScope+`0`) + ` union all ` + links(inScope+`$4`)
	}
	return `select o.id, l.id, v.key from (select k.id, case when $2 = 0 then k.id else $2 end as type from unnest($1::bigint[]) k(id)) o
		cross join lateral (` + from + ` offset 0) l
		cross join lateral (select c.key from concept c where c.id = l.target and c.category = 4 and ($3 = 0 or c.type = $3) and c.key <> 'x' offset 0) v`
}

// PartKeys implements graph.KeyReader.
func (r *Reader) PartKeys(ctx context.Context, p graph.Parts) ([]graph.PartSortKey, error) {
	of := slices.Compact(slices.Sorted(slices.Values(p.Of)))
	args := []any{numbers(of), p.Connection, p.Type}
	if p.Viewer != 0 {
		args = append(args, p.Viewer)
	}
	found, err := collect(ctx, r.pool, scanPartKey, partKeys(p.Viewer != 0), args...)
	return found, failed(ctx, "reading the values of connections", err)
}

func scanPartKey(rows pgx.Rows, p *graph.PartSortKey) error {
	var of, link int64
	var key []byte
	err := rows.Scan(&of, &link, &key)
	p.Of, p.Link, p.Key = graph.ID(of), graph.ID(link), graph.Key(key).SortKey()
	return err
}
