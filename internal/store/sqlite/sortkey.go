package sqlite

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"slices"

	driver "modernc.org/sqlite"

	"github.com/weft-graph/weft/graph"
)

var _ graph.KeyReader = (*Reader)(nil)

func init() {
	driver.MustRegisterDeterministicScalarFunction("weft_sort_key", 1, sortKey)
}

// sortKey is the SQL function weft_sort_key(value), which returns the graph.SortKey of a value.
func sortKey(_ *driver.FunctionContext, args []sqldriver.Value) (sqldriver.Value, error) {
	value, _ := args[0].(string)
	return []byte(graph.SortKeyOf(value)), nil
}

// valueKeys returns a statement that selects values in order of their keys. The statement merges pages of the index, one for
// each scope of a viewer or one for each of the indexes that together cover all scopes, with the values that are not indexed
// yet.
//
// Parameters: 1 type, 2 the first key, 3 the end of the keys, 4 the limit, 5 the viewer.
func valueKeys(visible, descending bool) string {
	order := " order by key limit ?4 + 0"
	if descending {
		order = " order by key desc limit ?4 + 0"
	}
	indexed := func(index, scope string) string {
		return `select * from (select key, id from value_key ` + index + ` where type = ?1 and scope ` + scope +
			` and key >= ?2 and key < ?3` + order + `)`
	}
	parts := indexed("", "= 0") + ` union all ` + indexed("indexed by value_key_hidden", "<> 0")
	inScope := ""
	if visible {
		parts = indexed("", "= 0") + ` union all ` + indexed("", "= ?5")
		inScope = " and c.scope in (0, ?5)"
	}
	unindexed := func(from string) string {
		return `select * from (select weft_sort_key(ifnull(c.value, (select value from text where id = c.id))) as key, c.id from ` + from +
			` and c.category = 4 and c.value is not ''` + inScope + `) where key >= ?2 and key < ?3`
	}
	return `select key, id from (` + parts +
		` union all ` + unindexed(`concept c where c.type = ?1 and c.id > (select upto from indexed)`) +
		` union all ` + unindexed(`waiting w cross join concept c on c.id = w.id where w.type = ?1`) + `)` + order
}

// ValueKeys implements graph.KeyReader.
func (r *Reader) ValueKeys(ctx context.Context, k graph.KeyRange) ([]graph.ValueSortKey, error) {
	found, err := query(ctx, r.do.valueKeys[keyStatement(k.Viewer != 0, k.Descending)], scanValueKey,
		k.Type, []byte(k.Min), []byte(k.Max), limit(k.Limit), k.Viewer)
	return found, failed(ctx, "reading values in order", err)
}

// keyStatement returns the index of a statement in readStatements.valueKeys.
func keyStatement(visible, descending bool) (i int) {
	if visible {
		i = 1
	}
	if descending {
		i += 2
	}
	return i
}

func scanValueKey(rows *sql.Rows, v *graph.ValueSortKey) error {
	var key []byte
	var id int64
	err := rows.Scan(&key, &id)
	v.ID, v.Key = graph.ID(id), graph.SortKey(key)
	return err
}

// containers returns a statement that selects the compositions with a value, in order of id: the type of an internal connection
// is the id of its composition, and the index lists the connections to a concept by type. Parameters: 1 the value, 2 the id to
// start after, 3 the limit, 4 the viewer.
func containers(visible, descending bool) string {
	comparison, order := ">", " order by type limit ?3 + 0"
	if descending {
		comparison, order = "<", " order by type desc limit ?3 + 0"
	}
	part := func(index, scope string) string {
		return `select type from connection indexed by ` + index + ` where target = ?1` + scope +
			` and type ` + comparison + ` ?2 and source = type` + order
	}
	if !visible {
		return part("connection_target", "")
	}
	const index = "connection_target_scope"
	return `select type from (select * from (` + part(index, " and scope = 0") + `) union all select * from (` +
		part(index, " and scope = ?4") + `))` + order
}

// Containers implements graph.KeyReader.
func (r *Reader) Containers(ctx context.Context, c graph.Containers) ([]graph.ID, error) {
	after, _ := bounds(c.Page)
	args := []any{c.Value, after, limit(c.Page.Limit)}
	if c.Viewer != 0 {
		args = append(args, c.Viewer)
	}
	found, err := query(ctx, r.do.containers[keyStatement(c.Viewer != 0, c.Page.Descending)], scanID, args...)
	return found, failed(ctx, "reading the compositions with a value", err)
}

// partKeys returns a statement that selects the values of connections. Parameters: 1 the sources, 2 the type of the connections,
// or 0 for internal connections; 3 the type of the values, or 0; 4 the viewer.
func partKeys(visible bool) string {
	part := func(scope string) string {
		table := "connection l"
		if scope != "" {
			table, scope = "connection l indexed by connection_source_scope", " and l.scope = "+scope
		}
		return `select o.value, l.id, weft_sort_key(ifnull(v.value, (select value from text where id = v.id))) as key
			from json_each(?1) o cross join ` + table + ` on l.source = o.value and l.type = iif(?2 = 0, o.value, ?2)` + scope + `
			cross join concept v on v.id = l.target where v.category = 4 and (?3 = 0 or v.type = ?3) and v.value is not ''`
	}
	if visible {
		return part("0") + ` union all ` + part("?4")
	}
	return part("")
}

// PartKeys implements graph.KeyReader.
func (r *Reader) PartKeys(ctx context.Context, p graph.Parts) ([]graph.PartSortKey, error) {
	statement, args := r.do.partKeys[0], []any{array(distinct(slices.Clone(p.Of))), p.Connection, p.Type}
	if p.Viewer != 0 {
		statement, args = r.do.partKeys[1], append(args, p.Viewer)
	}
	found, err := query(ctx, statement, scanPartKey, args...)
	return found, failed(ctx, "reading the values of connections", err)
}

func scanPartKey(rows *sql.Rows, p *graph.PartSortKey) error {
	var key []byte
	var of, link int64
	err := rows.Scan(&of, &link, &key)
	p.Of, p.Link, p.Key = graph.ID(of), graph.ID(link), graph.SortKey(key)
	return err
}
