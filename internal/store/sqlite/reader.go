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
	"github.com/weft-graph/weft/internal/longwork"
)

// A Reader is a graph.Reader of a store on disk. Several processes may read while one writes.
type Reader struct {
	db *sql.DB
	do readStatements

	mu             sync.Mutex
	linkStatements map[string]*sql.Stmt // statements of Links and CountLinks, by text

	selects statementCache
}

type readStatements struct {
	conceptByID, conceptsByID, connectionsByID                                           *sql.Stmt
	typesByValue, instancesByValue, byTypeAndValue, byTypeAndViewer, oneOfType, hasValue *sql.Stmt
	byTypeUp, byTypeDown, visibleUp, visibleDown                                         *sql.Stmt
	countByType, countVisible, sizes, visibleSizes, usedTypes, usage                     *sql.Stmt
	localIDs, aliases, changes, seqs, lastSeq, identity                                  *sql.Stmt
	entries, entriesUp, entriesDown                                                      *sql.Stmt

	valueKeys, containers [4]*sql.Stmt // see keyStatement
	partKeys, pairLinks   [2]*sql.Stmt // the second statement of each selects only rows that a viewer may see
}

// OpenReader opens the store in a directory for reading. The error is NotFound if the store does not exist.
func OpenReader(ctx context.Context, dir string) (*Reader, error) {
	path := filepath.Join(dir, file)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, graph.Errorf(graph.NotFound, "there is no store in %s", dir)
	}
	db, err := open(path, maxReaders(), "query_only(1)", "busy_timeout(5000)", fmt.Sprintf("cache_size(-%d)", readerCacheKiB()))
	if err != nil {
		return nil, err
	}
	if err := checkReadable(ctx, db, path); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	r := &Reader{db: db, linkStatements: map[string]*sql.Stmt{}}
	if err := r.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the store in %s: %w", dir, err), db.Close())
	}
	return r, nil
}

// Close closes the connections.
func (r *Reader) Close() error { return errors.Join(r.selects.close(), r.db.Close()) }

func (r *Reader) prepare(ctx context.Context) error {
	// A key is a JSON array of hash, viewer and type; see seeks.
	const byHash = `select ` + conceptColumns + ` from json_each(?1) k
		cross join directory d on d.hash = unhex(k.value ->> 0) join concept c on c.id = d.id where true`
	const ofOneType = `select ` + conceptColumns + ` from directory d join concept c on c.id = d.id where d.hash = ?1 and d.category`
	// The directory lists all scopes of a type together. For a viewer, types are read in sequence, each starting at the end of the
	// previous one.
	const ofEachType = `select ` + conceptColumns + ` from (
			with recursive t(hash, viewer, type) as (
				select unhex(k.value ->> 0), k.value ->> 1, (select min(d.type) from directory d where d.hash = unhex(k.value ->> 0) and d.category = 4)
					from json_each(?1) k where k.value ->> 1 <> 0
				union
				select t.hash, t.viewer, (select min(d.type) from directory d where d.hash = t.hash and d.category = 4 and d.type > t.type)
					from t where t.type is not null)
			select hash, type, 0 as scope from t where type is not null union select hash, type, viewer from t where type is not null) k
		cross join directory d on d.hash = k.hash and d.category = 4 and d.type = k.type and d.scope = k.scope
		join concept c on c.id = d.id`
	const byType = `select ` + conceptColumns + ` from concept c where c.type = ?1 and c.category = 4`
	all := map[**sql.Stmt]string{
		&r.do.conceptByID:      `select ` + conceptColumns + ` from concept c where c.id = ?`,
		&r.do.conceptsByID:     conceptsByID,
		&r.do.connectionsByID:  connectionsByID,
		&r.do.typesByValue:     byHash + ` and d.category < 4 union all ` + byHash + ` and d.category > 4`,
		&r.do.instancesByValue: byHash + ` and d.category = 4 and k.value ->> 1 = 0 union all ` + ofEachType,
		&r.do.byTypeAndValue:   byHash + ` and d.category = 4 and d.type = k.value ->> 2`,
		&r.do.byTypeAndViewer:  byHash + ` and d.category = 4 and d.type = k.value ->> 2 and d.scope in (0, k.value ->> 1)`,
		&r.do.oneOfType: ofOneType + ` < 4 and d.type = ?2 union all ` + ofOneType + ` > 4 and d.type = ?2 union all ` +
			ofOneType + ` = 4 and d.type = ?2 and d.scope in (0, ?3)`,
		&r.do.hasValue:    hasValue,
		&r.do.byTypeUp:    byType + ` and c.id > ?2 order by c.id limit ?3 + 0 offset ?4 + 0`,
		&r.do.byTypeDown:  byType + ` and c.id < ?2 order by c.id desc limit ?3 + 0 offset ?4 + 0`,
		&r.do.visibleUp:   visibleOfType("asc", ">"),
		&r.do.visibleDown: visibleOfType("desc", "<"),
		&r.do.countByType: `select ifnull((select instances from size where type = ?), 0)`,
		&r.do.countVisible: `select ifnull((select instances - hidden from size where type = ?1), 0)
			+ ifnull((select instances from hidden where type = ?1 and scope = ?2), 0)`,
		&r.do.usage:     usageOf,
		&r.do.sizes:     `select type, instances, links from size where type in (select value from json_each(?))`,
		&r.do.usedTypes: `select type from size where instances > 0 order by type limit ?`,
		&r.do.visibleSizes: `select s.type, s.instances - s.hidden + ifnull(h.instances, 0), s.links - s.hidden_links + ifnull(h.links, 0)
			from json_each(?1) t cross join size s on s.type = t.value left join hidden h on h.type = s.type and h.scope = ?2`,
		&r.do.localIDs: `select g.ghost, g.id from sender s join ghost g on g.sender = s.id and g.connection = ?
			where g.id <> 0 and s.user = ? and s.session = ? and s.randomizer = ? and g.ghost in (select value from json_each(?))`,
		&r.do.aliases: `select id, became from reserved
			where became <> 0 and connection = ? and user = ? and id in (select value from json_each(?))`,
		&r.do.changes:  `select seq, at, touched from change where seq > ? order by seq limit ? + 0`,
		&r.do.seqs:     `select ifnull((select min(seq) from change), next) - 1, next - 1 from sequence where name = 'change'`,
		&r.do.lastSeq:  `select next - 1 from sequence where name = 'change'`,
		&r.do.identity: `select name from identity`,
		&r.do.entries: `select ` + entryColumns + ` from kv
			where key in (select value from json_each(?)) and (expires is null or expires > ?)`,
		&r.do.entriesUp:   entriesIn + ` order by key limit ?5 + 0`,
		&r.do.entriesDown: entriesIn + ` order by key desc limit ?5 + 0`,
	}
	r.addKeyStatements(all)
	return prepare(ctx, r.db, all)
}

// visibleOfType selects the instances of a type that are public or in the scope of one owner, starting at an id.
func visibleOfType(order, comparison string) string {
	part := func(scope string) string {
		return `select * from (select ` + conceptColumns + ` from concept c indexed by concept_type_scope where c.type = ?1 and c.category = 4
			and c.scope = ` + scope + ` and c.id ` + comparison + ` ?2 order by c.id ` + order + ` limit ?3 + 0)`
	}
	return part("0") + ` union all ` + part("?4") + ` order by 1 ` + order + ` limit ?3 + 0`
}

// addKeyStatements adds the statements of the methods of graph.KeyReader and graph.PairReader.
func (r *Reader) addKeyStatements(all map[**sql.Stmt]string) {
	for _, descending := range []bool{false, true} {
		for _, visible := range []bool{false, true} {
			i := keyStatement(visible, descending)
			all[&r.do.valueKeys[i]], all[&r.do.containers[i]] = valueKeys(visible, descending), containers(visible, descending)
		}
	}
	all[&r.do.partKeys[0]], all[&r.do.partKeys[1]] = partKeys(false), partKeys(true)
	all[&r.do.pairLinks[0]], all[&r.do.pairLinks[1]] = pairLinks(false), pairLinks(true)
}

// Concepts implements graph.Reader.
func (r *Reader) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	if len(ids) == 1 { // faster than json_each
		found, err := queryConcepts(ctx, r.do.conceptByID, ids[0])
		return found, failed(ctx, "reading a concept", err)
	}
	found, err := r.longConcepts(ctx, ids)
	return inOrder(found, ids, func(c graph.Concept) graph.ID { return c.ID }), failed(ctx, "reading concepts", err)
}

// longReadBytes is the size of values, in bytes, after which a read of concepts pauses to let other reads run.
const longReadBytes = 1 << 20

// longConcepts reads concepts in parts of longReadBytes. Between two parts it releases the connection and waits for other long work.
func (r *Reader) longConcepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	found, all, err := r.partOfConcepts(ctx, ids)
	if !all {
		defer longwork.Of(ctx).Release() // later work of the request may wait
	}
	for !all && err == nil {
		read := make(map[graph.ID]bool, len(found))
		for _, c := range found {
			read[c.ID] = true
		}
		ids = slices.DeleteFunc(slices.Clone(ids), func(id graph.ID) bool { return read[id] })
		if err := longwork.Of(ctx).Pause(ctx, longReadBytes); err != nil {
			return nil, err
		}
		var more []graph.Concept
		more, all, err = r.partOfConcepts(ctx, ids)
		found = append(found, more...)
	}
	return found, err
}

// partOfConcepts reads concepts until their values exceed longReadBytes. It reports whether it has read all
// concepts.
func (r *Reader) partOfConcepts(ctx context.Context, ids []graph.ID) (found []graph.Concept, all bool, err error) {
	bytes := 0
	return queryUntil(ctx, r.do.conceptsByID, scanConcept, func(c *graph.Concept) bool {
		bytes += len(c.Value)
		return bytes > longReadBytes
	}, array(ids))
}

// Connections implements graph.Reader.
func (r *Reader) Connections(ctx context.Context, ids []graph.ID) ([]graph.Connection, error) {
	found, err := queryConnections(ctx, r.do.connectionsByID, array(ids))
	return inOrder(found, ids, func(c graph.Connection) graph.ID { return c.ID }), failed(ctx, "reading connections", err)
}

// inOrder sorts records by the first position of their id in ids.
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
		if i, ok := at[id]; ok {
			ordered = append(ordered, found[i])
			delete(at, id)
		}
	}
	return ordered
}

// ConceptsByType implements graph.Reader.
func (r *Reader) ConceptsByType(ctx context.Context, typ graph.ID, page graph.Page) ([]graph.Concept, error) {
	statement := r.do.byTypeUp
	if page.Descending {
		statement = r.do.byTypeDown
	}
	after, _ := bounds(page)
	found, err := queryConcepts(ctx, statement, typ, after, limit(page.Limit), max(page.Skip, 0))
	return found, failed(ctx, "reading concepts by type", err)
}

// VisibleByType implements graph.VisibleReader. It reads a page from each of the viewer's scopes and merges the
// pages.
func (r *Reader) VisibleByType(ctx context.Context, typ, viewer graph.ID, page graph.Page) ([]graph.Concept, error) {
	statement := r.do.visibleUp
	if page.Descending {
		statement = r.do.visibleDown
	}
	after, rows := bounds(page)
	if page.Limit <= 0 {
		rows = 0
	}
	found, err := queryConcepts(ctx, statement, typ, after, limit(rows), viewer)
	found = found[min(max(page.Skip, 0), len(found)):]
	return found, failed(ctx, "reading concepts by type", err)
}

// limit returns the parameter for a limit. For SQLite, -1 means no limit.
func limit(n int) int {
	if n <= 0 {
		return -1
	}
	return n
}

// ResolveIDs implements graph.Reader.
func (r *Reader) ResolveIDs(ctx context.Context, sender graph.Sender, ids []graph.ID) (map[graph.ID]graph.ID, error) {
	return r.resolve(ctx, sender, ids, false)
}

// ResolveConnections implements graph.Reader.
func (r *Reader) ResolveConnections(ctx context.Context, sender graph.Sender, ids []graph.ID) (map[graph.ID]graph.ID, error) {
	return r.resolve(ctx, sender, ids, true)
}

func (r *Reader) resolve(ctx context.Context, sender graph.Sender, ids []graph.ID, areConnections bool) (map[graph.ID]graph.ID, error) {
	by := sender.Key()
	known := make(map[graph.ID]graph.ID, len(ids))
	pairs, err := query(ctx, r.do.localIDs, scanPair, areConnections, by.User, by.Session, by.Randomizer, array(negated(ids)))
	for _, p := range pairs {
		known[-p[0]] = p[1]
	}
	if err == nil && slices.ContainsFunc(ids, graph.ID.IsReal) {
		pairs, err = query(ctx, r.do.aliases, scanPair, areConnections, by.User, array(ids))
		for _, p := range pairs {
			known[p[0]] = p[1]
		}
	}
	return known, failed(ctx, "resolving local ids", err)
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

// Changes implements graph.Reader. It reads the oldest kept number last, because changes may be deleted in between.
func (r *Reader) Changes(ctx context.Context, after graph.Seq, maxChanges int) ([]graph.Change, error) {
	found, err := query(ctx, r.do.changes, scanChange, after, limit(maxChanges))
	if err != nil {
		return nil, failed(ctx, "reading changes", err)
	}
	var oldest, last graph.Seq
	if err := r.do.seqs.QueryRowContext(ctx).Scan(&oldest, &last); err != nil {
		return nil, failed(ctx, "reading changes", err)
	}
	if after < oldest || after > last {
		return nil, graph.Errorf(graph.NotFound, "no changes after %d: the store keeps %d to %d", after, oldest, last)
	}
	return found, nil
}

// failed wraps an error with the name of the operation. If ctx ended, it wraps the error of ctx instead of the interrupt of
// SQLite.
func failed(ctx context.Context, operation string, err error) error {
	if err == nil {
		return nil
	}
	if ended := ctx.Err(); ended != nil {
		err = ended
	}
	return fmt.Errorf("%s: %w", operation, err)
}
