package sqlite

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/weft-graph/weft/internal/store/plan"
	"github.com/weft-graph/weft/internal/store/raw"
)

var _ raw.Store = (*Store)(nil)

// columns returns SQL expressions for the columns of a table.
func columns(t raw.Table) []string {
	names := make([]string, len(t.Columns))
	for i, name := range t.Columns {
		names[i] = `"` + name + `"`
		switch {
		case t.Name == raw.Concept.Name && name == "value":
			names[i] = `ifnull(value, (select value from text where text.id = concept.id))`
		case name == "position":
			names[i] = `ifnull(position, '')`
		}
	}
	return names
}

// upsert returns a statement that inserts a row or overwrites the row with its key. The statement "replace" would have the
// same effect, but would slow down with each row of the transaction, because SQLite searches a list of all changes that it
// may have to undo.
func upsert(table string, key int, columns ...string) string {
	names, updates := make([]string, len(columns)), make([]string, len(columns))
	for i, name := range columns {
		names[i] = `"` + name + `"`
		updates[i] = names[i] + " = excluded." + names[i]
	}
	return fmt.Sprintf("insert into %s (%s) values (%s) on conflict (%s) do update set %s", table,
		strings.Join(names, ", "), placeholders(len(names)), strings.Join(names[:key], ", "), strings.Join(updates[key:], ", "))
}

// Rows implements raw.Store.
func (r *Reader) Rows(ctx context.Context, t raw.Table, after raw.Row, limit int) ([]raw.Row, error) {
	names := columns(t)
	key := strings.Join(names[:t.Key], ", ")
	where := "true"
	if len(after) > 0 {
		where = fmt.Sprintf("(%s) > (%s)", key, placeholders(t.Key))
	}
	if t.Name == raw.Entry.Name {
		where += " and key <> '" + raw.Note + "'"
	}
	rows, err := r.db.QueryContext(ctx, fmt.Sprintf("select %s from %s where %s order by %s limit %d",
		strings.Join(names, ", "), t.Name, where, key, limit), after...)
	if err != nil {
		return nil, failed(ctx, "reading rows of "+t.Name, err)
	}
	defer rows.Close()
	var found []raw.Row
	size := 0
	for size < raw.MaxBytes && rows.Next() {
		row := make(raw.Row, len(names))
		into := make([]any, len(names))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, failed(ctx, "reading rows of "+t.Name, err)
		}
		found = append(found, row)
		size += weigh(row)
	}
	return found, failed(ctx, "reading rows of "+t.Name, rows.Err())
}

// weigh returns the size of the text in a row, in bytes. It replaces nil, which the driver may return for empty bytes, with
// an empty slice.
func weigh(row raw.Row) (size int) {
	for i, v := range row {
		switch v := v.(type) {
		case string:
			size += len(v)
		case []byte:
			row[i] = append([]byte{}, v...)
			size += len(v)
		}
	}
	return size
}

// placeholders returns a list of n parameters: "?, ?, ?".
func placeholders(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// AddRows implements raw.Store.
func (s *Store) AddRows(ctx context.Context, t raw.Table, rows []raw.Row) error {
	return s.writer.submit(ctx, len(rows), func() error { return s.writer.addRows(t, rows) }) //nolint:contextcheck // a request in a group is finished even if its caller stops waiting
}

func (w *writer) addRows(t raw.Table, rows []raw.Row) error {
	w.pruned = time.Now()
	switch t.Name {
	case raw.Concept.Name:
		return w.recount(rows, conceptSizes, func() error { return w.addConcepts(rows) })
	case raw.Connection.Name:
		return w.recount(rows, linkSizes, func() error { return w.addConnections(t, rows) })
	case raw.Identity.Name:
		return w.addEach("update identity set name = ?", rows)
	case raw.Sequence.Name:
		if err := w.addEach(upsert(t.Name, t.Key, t.Columns...), rows); err != nil {
			return err
		}
		w.ids = block{}
		return w.readSequences(context.Background())
	}
	return w.addEach(upsert(t.Name, t.Key, t.Columns...), rows)
}

func (w *writer) addEach(statement string, rows []raw.Row) error {
	prepared, err := w.conn.PrepareContext(context.Background(), statement)
	if err != nil {
		return err
	}
	defer prepared.Close()
	for _, row := range rows {
		if _, err := prepared.Exec(row...); err != nil {
			return err
		}
	}
	return nil
}

// addConcepts adds rows of concepts, and their entries in text and directory.
func (w *writer) addConcepts(rows []raw.Row) error {
	var concepts, texts, names []raw.Row
	for _, row := range rows {
		c, err := raw.ConceptIn(row)
		if err != nil {
			return err
		}
		value := row[3]
		if isLong(c) {
			texts = append(texts, raw.Row{row[0], row[3]})
			value = nil
		}
		if plan.InDirectory(c) {
			names = append(names, raw.Row{hash(c.Value), row[2], row[1], int64(c.Scope()), row[0]})
		}
		concepts = append(concepts, raw.Row{row[0], row[1], row[2], value, row[4], row[5], row[6], row[7], positionOf(row[8])})
		if err := w.valueAdded(c); err != nil {
			return err
		}
	}
	if err := w.addEach(upsert("text", 1, "id", "value"), texts); err != nil {
		return err
	}
	if err := w.addEach(upsert("directory", 4, "hash", "category", "type", "scope", "id"), names); err != nil {
		return err
	}
	return w.addEach(upsert(raw.Concept.Name, raw.Concept.Key, raw.Concept.Columns...), concepts)
}

// positionOf converts the position in a raw row to the value of the column position.
func positionOf(raw any) any {
	if raw == "" {
		return nil
	}
	return raw
}

// Summary implements raw.Summarizer.
func (r *Reader) Summary(ctx context.Context) (s raw.Summary, err error) {
	err = r.db.QueryRowContext(ctx, `select (select count(*) from concept), (select count(*) from concept where category <> 4 and not composition),
		(select count(*) from connection), (select count(*) from change), (select count(*) from kv),
		(select user_version from pragma_user_version)`).
		Scan(&s.Concepts, &s.Types, &s.Connections, &s.Changes, &s.Entries, &s.Version)
	return s, failed(ctx, "counting", err)
}
