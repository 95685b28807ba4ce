package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/weft-graph/weft/internal/store/raw"
)

// addScopes adds the columns that hold the scope of the users who may read a record: 0, one user, or -1 for admins. The scope of a
// connection also depends on the concepts at both its ends. fillScopes computes the scopes of existing connections.
const addScopes = `alter table concept add column scope integer
		generated always as (iif(owner = 999 or access = 5, 0, iif(access = 3, -1, owner))) virtual;
	alter table connection add column scope integer not null default 0;
	create table scoped (source integer not null, type integer not null, id integer not null); -- the last row with a scope
	insert into scoped values (0, 0, 0)`

// scopesOf returns a select of the keys and scopes of the connections for which a condition on the row x is true. Every user may
// read types.
func scopesOf(where string) string {
	return `select source, type, id, iif(min(o, f, t) < 0 or o not in (0, m) or f not in (0, m) or t not in (0, m), -1, m) as scope from
		(select *, max(o, f, t) m from (select x.source, x.type, x.id, iif(x.owner = 999 or x.access = 5, 0, iif(x.access = 3, -1, x.owner)) o,
			iif(f.category <> 4 and not f.composition, 0, f.scope) f, iif(t.category <> 4 and not t.composition, 0, t.scope) t
		from connection x cross join concept f on f.id = x.source cross join concept t on t.id = x.target where ` + where + `))`
}

// setScopes returns a statement that sets the scopes of the connections for which a condition on the row x is true.
func setScopes(where string) string {
	return `update connection as c set scope = s.scope from (` + scopesOf(where) + `) s
		where c.source = s.source and c.type = s.type and c.id = s.id and c.scope <> s.scope`
}

// scopeBatch is the number of connections that fillScopes reads in one transaction.
const scopeBatch = 20_000

// fillScopes sets the scopes of all connections, in order of their key. After an interruption, another call continues with
// the remaining connections.
func fillScopes(ctx context.Context, db *sql.Conn) error {
	for {
		last, err := fillScopeBatch(ctx, db)
		if last || err != nil {
			return err
		}
	}
}

// fillScopeBatch sets the scopes of the next connections. It reports whether they are the last.
func fillScopeBatch(ctx context.Context, db *sql.Conn) (last bool, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	var from, to [3]int64
	if err := tx.QueryRowContext(ctx, `select source, type, id from scoped`).Scan(&from[0], &from[1], &from[2]); err != nil {
		return false, err
	}
	err = tx.QueryRowContext(ctx, `select source, type, id from connection where (source, type, id) > (?, ?, ?)
		order by source, type, id limit 1 offset ?`, from[0], from[1], from[2], scopeBatch-1).Scan(&to[0], &to[1], &to[2])
	if errors.Is(err, sql.ErrNoRows) {
		last, to[0] = true, 1<<62
	} else if err != nil {
		return false, err
	}
	if _, err = tx.ExecContext(ctx, setScopes(`(x.source, x.type, x.id) > (?, ?, ?) and (x.source, x.type, x.id) <= (?, ?, ?)`),
		from[0], from[1], from[2], to[0], to[1], to[2]); err != nil {
		return false, err
	}
	if _, err = tx.ExecContext(ctx, `update scoped set source = ?, type = ?, id = ?`, to[0], to[1], to[2]); err != nil {
		return false, err
	}
	return last, tx.Commit()
}

// addConnections adds rows of connections, and sets their scopes.
func (w *writer) addConnections(t raw.Table, rows []raw.Row) error {
	if err := w.addEach(upsert(t.Name, t.Key, t.Columns...), rows); err != nil {
		return err
	}
	return w.addEach(setScopes(`x.source = ?1 and x.type = ?2 and x.id = ?3`), keysOf(t, rows))
}

func keysOf(t raw.Table, rows []raw.Row) []raw.Row {
	keys := make([]raw.Row, len(rows))
	for i, row := range rows {
		keys[i] = t.Of(row)
	}
	return keys
}

// checkScopes checks the scopes of all connections.
func checkScopes(ctx context.Context, tx *sql.Tx) error {
	return expectNone(ctx, tx, map[string]string{
		"connection %d has a wrong scope": `select id from (select s.id from (` + scopesOf("true") + `) s
			join connection c on c.source = s.source and c.type = s.type and c.id = s.id where c.scope <> s.scope)`,
	})
}
