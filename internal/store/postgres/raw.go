package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/plan"
	"github.com/weft-graph/weft/internal/store/raw"
)

var _ raw.Store = (*Store)(nil)

// A column is a column of a raw.Table in this database: its type in raw rows, and format strings of the SQL expressions that
// convert a value of the column to that type (toRaw) and back (fromRaw).
type column struct{ name, rawType, toRaw, fromRaw string }

// columnsOf returns the columns of a table, in the order of the raw.Table.
func columnsOf(t raw.Table) []column {
	all := make([]column, len(t.Columns))
	for i, name := range t.Columns {
		c := column{`"` + name + `"`, "bigint", "%s", "%s"}
		switch name {
		case "composition", "connection":
			c.toRaw, c.fromRaw = "%s::int::bigint", "(%s <> 0)"
		case "access":
			c.toRaw, c.fromRaw = "%s::bigint", "%s::smallint"
		case "key":
			c.rawType, c.toRaw, c.fromRaw = "text", "convert_from(%s, 'UTF8')", "convert_to(%s, 'UTF8')"
		case "session", "name":
			c.rawType = "text"
		case "position":
			c.rawType, c.toRaw, c.fromRaw = "text", "coalesce(%s, '')", "nullif(%s, '')"
		case "touched":
			c.rawType = "bytea"
		case "value":
			c.rawType = "text"
			if t.Name == raw.Entry.Name {
				c.rawType = "bytea"
			}
		}
		all[i] = c
	}
	return all
}

// Rows implements raw.Store.
func (r *Reader) Rows(ctx context.Context, t raw.Table, after raw.Row, limit int) ([]raw.Row, error) {
	var selected, key, start []string
	for i, c := range columnsOf(t) {
		selected = append(selected, fmt.Sprintf(c.toRaw, c.name))
		if i < t.Key {
			key = append(key, c.name)
			start = append(start, fmt.Sprintf(c.fromRaw, fmt.Sprintf("$%d::%s", i+1, c.rawType)))
		}
	}
	where := "true"
	if len(after) > 0 {
		where = fmt.Sprintf("(%s) > (%s)", strings.Join(key, ", "), strings.Join(start, ", "))
	}
	if t.Name == raw.Entry.Name {
		where += " and key <> '" + raw.Note + "'"
	}
	size := 0
	rows, err := r.pool.Query(ctx, fmt.Sprintf("select %s from %s where %s order by %s limit %d",
		strings.Join(selected, ", "), t.Name, where, strings.Join(key, ", "), limit), after...)
	if err != nil {
		return nil, failed(ctx, "reading rows of "+t.Name, err)
	}
	defer rows.Close()
	var found []raw.Row
	for size < raw.MaxBytes && rows.Next() {
		row, err := rows.Values()
		if err != nil {
			return nil, failed(ctx, "reading rows of "+t.Name, err)
		}
		found = append(found, row)
		size += weigh(row)
	}
	rows.Close()
	return found, failed(ctx, "reading rows of "+t.Name, rows.Err())
}

// weigh returns the size of the text in a row, in bytes.
func weigh(row raw.Row) (size int) {
	for _, v := range row {
		switch v := v.(type) {
		case string:
			size += len(v)
		case []byte:
			size += len(v)
		}
	}
	return size
}

// AddRows implements raw.Store.
func (s *Store) AddRows(ctx context.Context, t raw.Table, rows []raw.Row) error {
	s.kv.pruned.Store(time.Now().UnixMilli())
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if t.Name == raw.Identity.Name {
			_, err := tx.Exec(ctx, `update identity set name = $1`, rows[0][0])
			return err
		}
		if t.Name == raw.Concept.Name {
			if err := addToDirectory(ctx, tx, rows); err != nil {
				return err
			}
		}
		return recount(ctx, tx, t, rows, func() error { return addRows(ctx, tx, t, rows) })
	})
	return failed(ctx, "writing rows of "+t.Name, err)
}

func addRows(ctx context.Context, tx pgx.Tx, t raw.Table, rows []raw.Row) error {
	columns := columnsOf(t)
	if t.Name == raw.Concept.Name {
		columns, rows = append(columns, columnKey, columnFolded), withKeys(rows)
	}
	if t.Name == raw.Connection.Name { // admins only, until the scope is set
		columns, rows = append(columns, columnScope), withScope(rows)
	}
	var names, values, arrays, aliases, key []string
	var args []any
	for i, c := range columns {
		names = append(names, c.name)
		values = append(values, fmt.Sprintf(c.fromRaw, fmt.Sprint("r.c", i)))
		arrays = append(arrays, fmt.Sprintf("$%d::%s[]", i+1, c.rawType))
		aliases = append(aliases, fmt.Sprint("c", i))
		if i < t.Key {
			key = append(key, c.name)
		}
		array := make([]any, len(rows))
		for j, row := range rows {
			array[j] = row[i]
		}
		args = append(args, array)
	}
	var updates []string
	for _, name := range names[t.Key:] {
		updates = append(updates, name+" = excluded."+name)
	}
	_, err := tx.Exec(ctx, fmt.Sprintf("insert into %s (%s) select %s from unnest(%s) r(%s) on conflict (%s) do update set %s",
		t.Name, strings.Join(names, ", "), strings.Join(values, ", "), strings.Join(arrays, ", "), strings.Join(aliases, ", "),
		strings.Join(key, ", "), strings.Join(updates, ", ")), args...)
	if err == nil && t.Name == raw.Connection.Name {
		at := slices.Index(t.Columns, "id")
		_, err = tx.Exec(ctx, setScopesOf+"x.id = any($1)"+setScopesEnd, args[at])
	}
	return err
}

// Columns of concept and connection that raw rows do not have.
var (
	columnKey    = column{"key", "bytea", "%s", "%s"}
	columnFolded = column{"folded", "text", "%s", "%s"}
	columnScope  = column{"scope", "bigint", "%s", "%s"}
)

func withScope(rows []raw.Row) []raw.Row {
	scoped := make([]raw.Row, len(rows))
	for i, row := range rows {
		scoped[i] = append(slices.Clone(row), int64(-1))
	}
	return scoped
}

func withKeys(rows []raw.Row) []raw.Row {
	at := slices.Index(raw.Concept.Columns, "value")
	keyed := make([]raw.Row, len(rows))
	for i, row := range rows {
		value, _ := row[at].(string)
		keyed[i] = append(slices.Clone(row), keyOf(value), foldedOf(value))
	}
	return keyed
}

// recount writes rows and adjusts the tallies: it subtracts the counts of the rows before the write and adds the counts
// after it.
func recount(ctx context.Context, tx pgx.Tx, t raw.Table, rows []raw.Row, write func() error) error {
	var countRows string
	switch t.Name {
	case raw.Concept.Name:
		countRows = talliedConcepts + ` and id = any($1)) c group by type, part union all ` +
			countOwned + ownedConcepts + ` and c.id = any($1)` + countOwnedEnd
	case raw.Connection.Name:
		countRows = talliedLinks + ` and id = any($1)) c group by type, part union all ` +
			countOwned + ownedLinks + ` and c.id = any($1)` + countOwnedEnd
	default:
		return write()
	}
	ids := make([]any, len(rows))
	for i, row := range rows {
		ids[i] = row[slices.Index(t.Columns, "id")]
	}
	count := func(sign int) error {
		_, err := tx.Exec(ctx, `insert into tally select type, part, n * $2 from (`+countRows+`) c(type, part, n) order by type, part
			on conflict (type, part) do update set n = tally.n + excluded.n`, ids, sign)
		return err
	}
	if err := count(-1); err != nil {
		return err
	}
	if err := write(); err != nil {
		return err
	}
	return count(+1)
}

// addToDirectory enters concepts of rows in the directory.
func addToDirectory(ctx context.Context, tx pgx.Tx, rows []raw.Row) error {
	var concepts []graph.Concept
	for _, row := range rows {
		c, err := raw.ConceptIn(row)
		if err != nil {
			return err
		}
		if plan.InDirectory(c) {
			concepts = append(concepts, c)
		}
	}
	b := &pgx.Batch{}
	queueDirectory(b, concepts)
	return tx.SendBatch(ctx, b).Close()
}

// Summary implements raw.Summarizer.
func (r *Reader) Summary(ctx context.Context) (s raw.Summary, err error) {
	err = r.pool.QueryRow(ctx, `select (select count(*) from concept), (select count(*) from concept where category <> 4 and not composition),
		(select count(*) from connection), (select count(*) from change), (select count(*) from kv), (select steps from weft_version)`).
		Scan(&s.Concepts, &s.Types, &s.Connections, &s.Changes, &s.Entries, &s.Version)
	return s, failed(ctx, "counting", err)
}
