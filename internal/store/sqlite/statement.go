package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/budget"
	"github.com/weft-graph/weft/internal/store/plan"
	"github.com/weft-graph/weft/internal/store/sqlstore"
)

// The columns that scanConcept, scanIndexValue and scanConnection read. A long value is read from the table text.
const (
	conceptColumns = `c.id, c.type, c.category, ifnull(c.value, (select value from text where id = c.id)),
		c.owner, c.access, c.composition, c.created, ifnull(c.position, '')`
	indexValueColumns = `c.id, c.type, c.owner, c.access, c.category = 4,
		ifnull(c.value, (select value from text where id = c.id))`
	connectionColumns = `c.id, c.source, c.target, c.type, c."order", c.owner, c.access, c.created`
)

// Statements that select records by a set of ids, for readers and the writer.
const (
	conceptsByID    = `select ` + conceptColumns + ` from concept c where c.id in (select value from json_each(?))`
	connectionsByID = `select ` + connectionColumns + ` from connection c where c.id in (select value from json_each(?))`
	localIDsOf      = `select ghost, id from ghost where sender = ? and connection = ? and ghost in (select value from json_each(?))`
)

type writeStatements struct {
	conceptsByID, connectionsByID, endsByID      *sql.Stmt
	findSender, addSender, localIDs, addLocalIDs *sql.Stmt
	takeIDs, setSeq, setVersion                  *sql.Stmt
	reserve, reserved, useReserved               *sql.Stmt
	addConcept, addText, addName, findNamed      *sql.Stmt
	hasValue                                     *sql.Stmt
	addConnection, removeConnection              *sql.Stmt
	connectionsOf, inUse                         *sql.Stmt
	removeConcept, removeText, removeName        *sql.Stmt
	addChange, deleteChanges, deleteReserved     *sql.Stmt
	entry, putEntry, deleteEntry, deleteExpired  *sql.Stmt
	addSize, addHidden, addUsage, usage          *sql.Stmt
	waiting, addWaiting, removeWaiting           *sql.Stmt
	unindexed, setIndexed                        *sql.Stmt
	addKey, removeKey                            *sql.Stmt
	addTrigrams, removeTrigrams                  *sql.Stmt

	all []*sql.Stmt
}

func (s *writeStatements) prepare(ctx context.Context, conn *sql.Conn) error {
	for _, statements := range []map[**sql.Stmt]string{s.ofBatches(), s.ofWriter()} {
		if err := prepare(ctx, conn, statements); err != nil {
			return err
		}
		for statement := range statements {
			s.all = append(s.all, *statement)
		}
	}
	return nil
}

// ofBatches returns the statements that load, save and remove records.
func (s *writeStatements) ofBatches() map[**sql.Stmt]string {
	return map[**sql.Stmt]string{
		&s.conceptsByID:    conceptsByID,
		&s.connectionsByID: connectionsByID,
		&s.endsByID:        `select id, type, category, owner, access, composition from concept where id in (select value from json_each(?))`,
		&s.findSender:      `select id from sender where user = ? and session = ? and randomizer = ?`,
		&s.addSender:       `insert into sender (user, session, randomizer) values (?, ?, ?)`,
		&s.localIDs:        localIDsOf,
		&s.addLocalIDs:     `insert into ghost select ?1, ?2, key, value from json_each(?3)`,
		&s.takeIDs:         `update sequence set next = next + ? where name = 'id' returning next`,
		&s.setSeq:          `update sequence set next = ? where name = 'change'`,
		&s.reserve:         `insert into reserved (id, user, at) values (?, ?, ?)`,
		&s.reserved:        `select id, user, connection, became from reserved where (user = ? or user = 999 and connection is null) and id in (select value from json_each(?))`,
		&s.useReserved:     `update reserved set user = ?, connection = ?, became = ? where id = ?`,
		&s.addConcept:      `insert into concept values (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, ''))`,
		&s.addText:         `insert into text values (?, ?)`,
		&s.addName:         `insert into directory values (?, ?, ?, ?, ?) on conflict do nothing`,
		&s.findNamed: `select ` + conceptColumns + ` from directory d join concept c on c.id = d.id
			where d.hash = ? and d.category = ? and d.type = ? and d.scope = ?`,
		&s.hasValue:         hasValue,
		&s.addConnection:    `insert into connection values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		&s.removeConnection: `delete from connection where source = ? and type = ? and id = ?`,
		&s.connectionsOf: `select ` + connectionColumns + ` from connection c where c.source = ?1
			union select ` + connectionColumns + ` from connection c where c.target = ?1
			union select ` + connectionColumns + ` from connection c where c.type = ?1`,
		&s.inUse: `select exists (select 1 from connection where type = ?1)
			or exists (select 1 from concept where category = 4 and type = ?1)
			or exists (select 1 from concept where category <> 4 and type = ?1)
			or exists (select 1 from concept where category <> 4 and category = ?1)`,
		&s.removeConcept: `delete from concept where id = ?`,
		&s.removeText:    `delete from text where id = ?`,
		&s.removeName:    `delete from directory where hash = ? and category = ? and type = ? and scope = ? and id = ?`,
	}
}

// ofWriter returns the statements for changes, kv entries, sizes and the index of values.
func (s *writeStatements) ofWriter() map[**sql.Stmt]string {
	return map[**sql.Stmt]string{
		&s.addChange: `insert into change values (?, ?, ?)`,
		// Deletes the oldest first, so that no gap is left even if a clock was set back.
		&s.deleteChanges: `delete from change
			where seq < ifnull((select seq from change where at >= ? order by seq limit 1), 1 << 62)`,
		&s.deleteReserved: `delete from reserved where connection is null and at < ?`,
		&s.entry:          `select ` + entryColumns + ` from kv where key = ? and (expires is null or expires > ?)`,
		&s.putEntry: `insert into kv values (?1, ?2, ?3, ?4)
			on conflict (key) do update set value = ?2, version = ?3, expires = ?4`,
		&s.deleteEntry:   `delete from kv where key = ?`,
		&s.deleteExpired: `delete from kv where rowid in (select rowid from kv where expires <= ? limit ?)`,
		&s.setVersion:    `update sequence set next = ? where name = 'kv'`,
		&s.addSize: `insert into size (type, instances, empty, hidden, links, hidden_links) values (?, ?, ?, ?, ?, ?)
			on conflict (type) do update set instances = instances + excluded.instances,
			empty = empty + excluded.empty, hidden = hidden + excluded.hidden, links = links + excluded.links,
			hidden_links = hidden_links + excluded.hidden_links`,
		&s.addHidden: `insert into hidden values (?, ?, ?, ?)
			on conflict (type, scope) do update set instances = instances + excluded.instances, links = links + excluded.links`,
		&s.addUsage: `insert into usage values (?, ?, ?)
			on conflict (owner) do update set records = records + excluded.records, bytes = bytes + excluded.bytes`,
		&s.usage:          usageOf,
		&s.waiting:        `select ` + indexValueColumns + ` from waiting w cross join concept c on c.id = w.id limit ? + 0`,
		&s.addWaiting:     `insert into waiting values (?, ?) on conflict do nothing`,
		&s.removeWaiting:  `delete from waiting where type = ? and id = ?`,
		&s.unindexed:      `select ` + indexValueColumns + ` from concept c where c.id > ? order by c.id limit ? + 0`,
		&s.setIndexed:     `update indexed set upto = ?`,
		&s.addKey:         `insert into value_key (type, key, id, scope) values (?, ?, ?, ?)`,
		&s.removeKey:      `delete from value_key where type = ? and key = ? and id = ? and scope = ?`,
		&s.addTrigrams:    `insert into value_text (rowid, value, type) values (?, ?, ?)`,
		&s.removeTrigrams: `delete from value_text where rowid = ?`,
	}
}

// close closes the statements. It must be called before the connection is closed, because the connection would
// wait for the statements forever, and the write-ahead log would not be removed.
func (s *writeStatements) close() (err error) {
	for _, statement := range s.all {
		err = errors.Join(err, statement.Close())
	}
	return err
}

type preparer interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

func prepare(ctx context.Context, db preparer, statements map[**sql.Stmt]string) error {
	for statement, query := range statements {
		var err error
		if *statement, err = db.PrepareContext(ctx, query); err != nil { //nolint:sqlclosecheck // kept until writeStatements.close
			return fmt.Errorf("preparing %q: %w", query, err)
		}
	}
	return nil
}

func queryConcepts(ctx context.Context, statement *sql.Stmt, args ...any) ([]graph.Concept, error) {
	return query(ctx, statement, scanConcept, args...)
}

func queryConnections(ctx context.Context, statement *sql.Stmt, args ...any) ([]graph.Connection, error) {
	return query(ctx, statement, scanConnection, args...)
}

// query reads all rows of a result. It charges the text in the rows to the account in ctx, and stops when a charge is
// refused.
func query[T any](ctx context.Context, statement *sql.Stmt, scan func(*sql.Rows, *T) error, args ...any) ([]T, error) {
	found, _, err := queryUntil(ctx, statement, scan, func(*T) bool { return false }, args...)
	return found, err
}

// queryUntil is like query, but stops after the row for which isLast is true. It reports whether it has read all rows
// without finding such a row.
func queryUntil[T any](ctx context.Context, statement *sql.Stmt, scan func(*sql.Rows, *T) error, isLast func(*T) bool, args ...any) (found []T, all bool, err error) {
	rows, err := statement.QueryContext(ctx, args...)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	account := budget.Of(ctx)
	found = []T{}
	for rows.Next() {
		var record T
		if err := scan(rows, &record); err != nil {
			return nil, false, err
		}
		if err := sqlstore.Charge(account, &record); err != nil {
			return nil, false, err
		}
		found = append(found, record)
		if isLast(&record) {
			return found, false, nil
		}
	}
	return found, true, rows.Err()
}

// scanConcept scans into int64 because database/sql does so several times faster than into other integer types.
func scanConcept(rows *sql.Rows, c *graph.Concept) error {
	var id, typ, category, owner, access, composition, created int64
	var position string
	if err := rows.Scan(&id, &typ, &category, &c.Value, &owner, &access, &composition, &created, &position); err != nil {
		return err
	}
	c.ID, c.Type, c.Category, c.Owner = graph.ID(id), graph.ID(typ), graph.ID(category), graph.ID(owner)
	c.Access, c.Composition, c.Created = graph.Access(access), composition != 0, time.UnixMilli(created).UTC()
	if position == "" {
		return nil
	}
	var err error
	c.Position, err = graph.ParsePosition(position)
	return err
}

func scanConnection(rows *sql.Rows, c *graph.Connection) error {
	var id, from, to, typ, order, owner, access, created int64
	err := rows.Scan(&id, &from, &to, &typ, &order, &owner, &access, &created)
	c.ID, c.From, c.To, c.Type = graph.ID(id), graph.ID(from), graph.ID(to), graph.ID(typ)
	c.Order, c.Owner, c.Access, c.Created = int(order), graph.ID(owner), graph.Access(access), time.UnixMilli(created).UTC()
	return err
}

func scanID(rows *sql.Rows, id *graph.ID) error { return rows.Scan((*int64)(id)) }

func scanPair(rows *sql.Rows, pair *[2]graph.ID) error {
	var a, b int64
	err := rows.Scan(&a, &b)
	pair[0], pair[1] = graph.ID(a), graph.ID(b)
	return err
}

// An end is a concept at the end of a connection, with the properties that a plan needs.
type end struct {
	id graph.ID
	plan.End
}

func scanEnd(rows *sql.Rows, e *end) error {
	c := graph.Concept{}
	err := rows.Scan(&e.id, &c.Type, &c.Category, &c.Owner, &c.Access, &c.Composition)
	e.End = plan.EndOf(c)
	return err
}

// array returns ids as a JSON array, which SQLite reads as a table with json_each.
func array(ids []graph.ID) string {
	text := make([]byte, 0, 2+8*len(ids))
	text = append(text, '[')
	for i, id := range ids {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, int64(id), 10)
	}
	return string(append(text, ']'))
}

// distinct sorts ids and removes repetitions, in place. SQLite is fastest when it looks up keys in order.
func distinct(ids []graph.ID) []graph.ID {
	slices.Sort(ids)
	return slices.Compact(ids)
}

func negated(ids []graph.ID) []graph.ID {
	positive := make([]graph.ID, len(ids))
	for i, id := range ids {
		positive[i] = -id
	}
	return positive
}

// hash returns the value of the column hash of the directory.
func hash(value string) []byte {
	sum := plan.Hash(value)
	return sum[:]
}
