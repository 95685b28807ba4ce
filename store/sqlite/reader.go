package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/weft-graph/weft/graph"
)

// A Reader is a graph.Reader over a store on disk. Several processes may read while one writes.
type Reader struct {
	db *sql.DB
	do readStatements

	mu    sync.Mutex
	walks map[string]*sql.Stmt // by query

	selects prepared
}

type readStatements struct {
	conceptByID, conceptsByID, connectionsByID                                 *sql.Stmt
	typesByValue, instancesByValue, byTypeAndValue, byTypeAndViewer, oneOfType *sql.Stmt
	byTypeUp, byTypeDown, countByType, countHidden, sizes                      *sql.Stmt
	ghosts, aliases, changes, seqs, lastSeq, identity                          *sql.Stmt
	entries, entriesUp, entriesDown                                            *sql.Stmt
}

// OpenReader opens the store in a directory for reading only. If there is none the error is NotFound.
func OpenReader(ctx context.Context, dir string) (*Reader, error) {
	path := filepath.Join(dir, file)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, graph.Errorf(graph.NotFound, "there is no store in %s", dir)
	}
	db, err := open(path, readers(), "query_only(1)", "busy_timeout(5000)", fmt.Sprintf("cache_size(-%d)", pageMemory()))
	if err != nil {
		return nil, err
	}
	if err := readable(ctx, db, path); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	r := &Reader{db: db, walks: map[string]*sql.Stmt{}}
	if err := r.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the store in %s: %w", dir, err), db.Close())
	}
	return r, nil
}

// Close ends reading.
func (r *Reader) Close() error { return errors.Join(r.selects.close(), r.db.Close()) }

func (r *Reader) prepare(ctx context.Context) error {
	// Keys are JSON arrays of hash, viewer and type.
	const byHash = `select ` + conceptColumns + ` from json_each(?1) k
		cross join directory d on d.hash = unhex(k.value ->> 0) join concept c on c.id = d.id where true`
	const ofOneType = `select ` + conceptColumns + ` from directory d join concept c on c.id = d.id where d.hash = ?1 and d.category`
	const byType = `select ` + conceptColumns + ` from concept c where c.type = ?1 and c.category = 4`
	return prepare(ctx, r.db, map[**sql.Stmt]string{
		&r.do.conceptByID:      `select ` + conceptColumns + ` from concept c where c.id = ?`,
		&r.do.conceptsByID:     conceptsByID,
		&r.do.connectionsByID:  connectionsByID,
		&r.do.typesByValue:     byHash + ` and d.category < 4 union all ` + byHash + ` and d.category > 4`,
		&r.do.instancesByValue: byHash + ` and d.category = 4 and (k.value ->> 1 = 0 or d.scope in (0, k.value ->> 1))`,
		&r.do.byTypeAndValue:   byHash + ` and d.category = 4 and d.type = k.value ->> 2`,
		&r.do.byTypeAndViewer:  byHash + ` and d.category = 4 and d.type = k.value ->> 2 and d.scope in (0, k.value ->> 1)`,
		&r.do.oneOfType: ofOneType + ` < 4 and d.type = ?2 union all ` + ofOneType + ` > 4 and d.type = ?2 union all ` +
			ofOneType + ` = 4 and d.type = ?2 and d.scope in (0, ?3)`,
		&r.do.byTypeUp:    byType + ` and c.id > ?2 order by c.id limit ?3 + 0 offset ?4 + 0`,
		&r.do.byTypeDown:  byType + ` and c.id < ?2 order by c.id desc limit ?3 + 0 offset ?4 + 0`,
		&r.do.countByType: `select ifnull((select instances from size where type = ?), 0)`,
		&r.do.countHidden: `select ifnull((select hidden from size where type = ?1), 0)
			- ifnull((select instances from hidden where type = ?1 and scope = ?2), 0)`,
		&r.do.sizes: `select type, instances, links from size where type in (select value from json_each(?))`,
		&r.do.ghosts: `select g.ghost, g.id from sender s join ghost g on g.sender = s.id and g.connection = 0
			where s.user = ? and s.session = ? and s.randomizer = ? and g.ghost in (select value from json_each(?))`,
		&r.do.aliases:  `select id, became from reserved where user = ? and connection = 0 and id in (select value from json_each(?))`,
		&r.do.changes:  `select seq, at, touched from change where seq > ? order by seq limit ? + 0`,
		&r.do.seqs:     `select ifnull((select min(seq) from change), next) - 1, next - 1 from sequence where name = 'change'`,
		&r.do.lastSeq:  `select next - 1 from sequence where name = 'change'`,
		&r.do.identity: `select name from identity`,
		&r.do.entries: `select ` + entryColumns + ` from kv
			where key in (select value from json_each(?)) and (expires is null or expires > ?)`,
		&r.do.entriesUp:   entriesIn + ` order by key limit ?5 + 0`,
		&r.do.entriesDown: entriesIn + ` order by key desc limit ?5 + 0`,
	})
}

// Concepts implements graph.Reader.
func (r *Reader) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	if len(ids) == 1 { // without the table that a set is read from
		found, err := queryConcepts(ctx, r.do.conceptByID, ids[0])
		return found, failed(ctx, "reading a concept", err)
	}
	found, err := queryConcepts(ctx, r.do.conceptsByID, array(ids))
	return inOrder(found, ids, func(c graph.Concept) graph.ID { return c.ID }), failed(ctx, "reading concepts", err)
}

// Connections implements graph.Reader.
func (r *Reader) Connections(ctx context.Context, ids []graph.ID) ([]graph.Connection, error) {
	found, err := queryConnections(ctx, r.do.connectionsByID, array(ids))
	return inOrder(found, ids, func(c graph.Connection) graph.ID { return c.ID }), failed(ctx, "reading connections", err)
}

// inOrder puts records in the order their ids were first asked for.
func inOrder[T any, ID comparable](found []T, ids []ID, idOf func(T) ID) []T {
	if len(found) < 2 {
		return found
	}
	at := make(map[ID]int, len(found))
	for i, record := range found {
		at[idOf(record)] = i
	}
	ordered := make([]T, 0, len(found))
	for _, id := range ids {
		if i, there := at[id]; there {
			ordered = append(ordered, found[i])
			delete(at, id)
		}
	}
	return ordered
}

// ConceptsByType implements graph.Reader.
func (r *Reader) ConceptsByType(ctx context.Context, typ graph.ID, page graph.Page) ([]graph.Concept, error) {
	statement, after := r.do.byTypeUp, page.After
	if page.Descending {
		statement = r.do.byTypeDown
		if after == 0 {
			after = graph.MaxID + 1
		}
	}
	found, err := queryConcepts(ctx, statement, typ, after, limit(page.Limit), max(page.Skip, 0))
	return found, failed(ctx, "reading concepts by type", err)
}

// limit is what SQLite takes for "no limit" where we say 0.
func limit(n int) int {
	if n <= 0 {
		return -1
	}
	return n
}

// Ghosts implements graph.Reader.
func (r *Reader) Ghosts(ctx context.Context, sender graph.Sender, ghosts []graph.ID) (map[graph.ID]graph.ID, error) {
	by := sender.Key()
	known := make(map[graph.ID]graph.ID, len(ghosts))
	pairs, err := query(ctx, r.do.ghosts, scanPair, by.User, by.Session, by.Randomizer, array(negated(ghosts)))
	for _, p := range pairs {
		known[-p[0]] = p[1]
	}
	if err == nil && slices.ContainsFunc(ghosts, graph.ID.Real) {
		pairs, err = query(ctx, r.do.aliases, scanPair, by.User, array(ghosts))
		for _, p := range pairs {
			known[p[0]] = p[1]
		}
	}
	return known, failed(ctx, "reading ghosts", err)
}

// Identity implements graph.Reader.
func (r *Reader) Identity(ctx context.Context) (identity string, err error) {
	err = r.do.identity.QueryRowContext(ctx).Scan(&identity)
	return identity, failed(ctx, "reading the identity of the store", err)
}

// LastSeq implements graph.Reader.
func (r *Reader) LastSeq(ctx context.Context) (seq graph.Seq, err error) {
	err = r.do.lastSeq.QueryRowContext(ctx).Scan(&seq)
	return seq, failed(ctx, "reading the last change", err)
}

// Changes implements graph.Reader. What is forgotten is looked up last: it may grow while we read.
func (r *Reader) Changes(ctx context.Context, after graph.Seq, most int) ([]graph.Change, error) {
	found, err := query(ctx, r.do.changes, scanChange, after, limit(most))
	if err != nil {
		return nil, failed(ctx, "reading changes", err)
	}
	var oldest, last graph.Seq
	if err := r.do.seqs.QueryRowContext(ctx).Scan(&oldest, &last); err != nil {
		return nil, failed(ctx, "reading changes", err)
	}
	if after < oldest || after > last {
		return nil, graph.Errorf(graph.NotFound, "no changes after %d: the store remembers %d to %d", after, oldest, last)
	}
	return found, nil
}

// failed says what was being done. Whoever has given up is told so, not that SQLite was interrupted.
func failed(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	if given := ctx.Err(); given != nil {
		err = given
	}
	return fmt.Errorf("%s: %w", doing, err)
}
