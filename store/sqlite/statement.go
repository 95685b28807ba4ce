package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/weft-graph/weft/graph"
)

// Columns as scanConcept and scanConnection read them. A value that is too long to stand in its row is
// fetched from where it is.
const (
	conceptColumns = `c.id, c.type, c.category, ifnull(c.value, (select value from text where id = c.id)),
		c.owner, c.access, c.composition, c.created`
	valuedColumns = `c.id, c.type, c.owner, c.access, c.category = 4,
		ifnull(c.value, (select value from text where id = c.id))`
	connectionColumns = `c.id, c.source, c.target, c.type, c."order", c.owner, c.access, c.created`
)

// Statements that find records by a set of ids, for readers and the writer.
const (
	conceptsByID    = `select ` + conceptColumns + ` from concept c where c.id in (select value from json_each(?))`
	connectionsByID = `select ` + connectionColumns + ` from connection c where c.id in (select value from json_each(?))`
	ghostsOf        = `select ghost, id from ghost where sender = ? and connection = ? and ghost in (select value from json_each(?))`
)

type writeStatements struct {
	conceptsByID, connectionsByID, endsByID  *sql.Stmt
	findSender, addSender, ghosts, addGhost  *sql.Stmt
	takeIDs, setSeq, setVersion              *sql.Stmt
	reserve, reserved, useReserved           *sql.Stmt
	addConcept, addText, addName, findNamed  *sql.Stmt
	addConnection, removeConnection          *sql.Stmt
	connectionsOf, inUse                     *sql.Stmt
	removeConcept, removeText, removeName    *sql.Stmt
	addChange, forgetChanges, forgetReserved *sql.Stmt
	entry, putEntry, dropEntry, dropExpired  *sql.Stmt
	addSize, addHidden                       *sql.Stmt
	waiting, wait, unwait                    *sql.Stmt
	unindexed, setIndexed                    *sql.Stmt
	addKey, removeKey                        *sql.Stmt
	addTrigrams, removeTrigrams              *sql.Stmt

	all []*sql.Stmt
}

func (s *writeStatements) prepare(ctx context.Context, conn *sql.Conn) error {
	statements := map[**sql.Stmt]string{
		&s.conceptsByID:    conceptsByID,
		&s.connectionsByID: connectionsByID,
		&s.endsByID:        `select id, type, owner, access, composition from concept where id in (select value from json_each(?))`,
		&s.findSender:      `select id from sender where user = ? and session = ? and randomizer = ?`,
		&s.addSender:       `insert into sender (user, session, randomizer) values (?, ?, ?)`,
		&s.ghosts:          ghostsOf,
		&s.addGhost:        `insert into ghost values (?, ?, ?, ?)`,
		&s.takeIDs:         `update sequence set next = next + ? where name = 'id' returning next`,
		&s.setSeq:          `update sequence set next = ? where name = 'change'`,
		&s.reserve:         `insert into reserved (id, user, at) values (?, ?, ?)`,
		&s.reserved:        `select id, connection, became from reserved where (user = ? or user = 999 and connection is null) and id in (select value from json_each(?))`,
		&s.useReserved:     `update reserved set user = ?, connection = ?, became = ? where id = ?`,
		&s.addConcept:      `insert into concept values (?, ?, ?, ?, ?, ?, ?, ?)`,
		&s.addText:         `insert into text values (?, ?)`,
		&s.addName:         `insert into directory values (?, ?, ?, ?, ?) on conflict do nothing`,
		&s.findNamed: `select ` + conceptColumns + ` from directory d join concept c on c.id = d.id
			where d.hash = ? and d.category = ? and d.type = ? and d.scope = ?`,
		&s.addConnection:    `insert into connection values (?, ?, ?, ?, ?, ?, ?, ?)`,
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
		&s.addChange:     `insert into change values (?, ?, ?)`,
		// Clocks go back at times: what is forgotten has no gap all the same.
		&s.forgetChanges: `delete from change
			where seq < ifnull((select seq from change where at >= ? order by seq limit 1), 1 << 62)`,
		&s.forgetReserved: `delete from reserved where connection is null and at < ?`,
		&s.entry:          `select ` + entryColumns + ` from kv where key = ? and (expires is null or expires > ?)`,
		&s.putEntry: `insert into kv values (?1, ?2, ?3, ?4)
			on conflict (key) do update set value = ?2, version = ?3, expires = ?4`,
		&s.dropEntry:   `delete from kv where key = ?`,
		&s.dropExpired: `delete from kv where rowid in (select rowid from kv where expires <= ? limit ?)`,
		&s.setVersion:  `update sequence set next = ? where name = 'kv'`,
		&s.addSize: `insert into size (type, instances, empty, hidden, links) values (?, ?, ?, ?, ?)
			on conflict (type) do update set instances = instances + excluded.instances,
			empty = empty + excluded.empty, hidden = hidden + excluded.hidden, links = links + excluded.links`,
		&s.addHidden: `insert into hidden values (?, ?, ?)
			on conflict (type, scope) do update set instances = instances + excluded.instances`,
		&s.waiting:        `select ` + valuedColumns + ` from waiting w cross join concept c on c.id = w.id limit ? + 0`,
		&s.wait:           `insert into waiting values (?, ?) on conflict do nothing`,
		&s.unwait:         `delete from waiting where type = ? and id = ?`,
		&s.unindexed:      `select ` + valuedColumns + ` from concept c where c.id > ? order by c.id limit ? + 0`,
		&s.setIndexed:     `update indexed set upto = ?`,
		&s.addKey:         `insert into value_key values (?, ?, ?, ?)`,
		&s.removeKey:      `delete from value_key where type = ? and key = ? and id = ?`,
		&s.addTrigrams:    `insert into value_text (rowid, value, type) values (?, ?, ?)`,
		&s.removeTrigrams: `delete from value_text where rowid = ?`,
	}
	if err := prepare(ctx, conn, statements); err != nil {
		return err
	}
	for statement := range statements {
		s.all = append(s.all, *statement)
	}
	return nil
}

// close must come before the connection's end, which otherwise waits for the statements forever, and with
// it the log beside the file.
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
		if *statement, err = db.PrepareContext(ctx, query); err != nil { //nolint:sqlclosecheck // kept until its owner closes
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

func query[T any](ctx context.Context, statement *sql.Stmt, scan func(*sql.Rows, *T) error, args ...any) ([]T, error) {
	rows, err := statement.QueryContext(ctx, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := []T{}
	for rows.Next() {
		var record T
		if err := scan(rows, &record); err != nil {
			return nil, err
		}
		found = append(found, record)
	}
	return found, rows.Err()
}

// database/sql fills an int64 several times faster than a type of our own.
func scanConcept(rows *sql.Rows, c *graph.Concept) error {
	var id, typ, category, owner, access, composition, created int64
	err := rows.Scan(&id, &typ, &category, &c.Value, &owner, &access, &composition, &created)
	c.ID, c.Type, c.Category, c.Owner = graph.ID(id), graph.ID(typ), graph.ID(category), graph.ID(owner)
	c.Access, c.Composition, c.Created = graph.Access(access), composition != 0, time.UnixMilli(created).UTC()
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

// An end is what a connection must know of a concept.
type end struct {
	id graph.ID
	graph.End
	composition bool // links of this type are internal to it
}

func endOf(c graph.Concept) end { return end{c.ID, graph.EndOf(c), c.Composition} }

func scanEnd(rows *sql.Rows, e *end) error {
	var owner graph.ID
	var access graph.Access
	err := rows.Scan(&e.id, &e.Type, &owner, &access, &e.composition)
	e.Scope = graph.ScopeOf(owner, access)
	return err
}

// array is ids as a JSON array, which SQLite reads as a table.
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

// distinct sorts ids and drops repetitions, in place. SQLite walks its trees best in order.
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

// hash stands for a value in the directory. Nobody can make two values of one hash, so the directory may
// hold that equal hashes are equal values; what is read through it is compared all the same.
func hash(value string) []byte {
	sum := sha256.Sum256([]byte(value))
	return sum[:16]
}
