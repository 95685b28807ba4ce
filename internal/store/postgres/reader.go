package postgres

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/budget"
	"github.com/weft-graph/weft/internal/longwork"
	"github.com/weft-graph/weft/internal/store/sqlstore"
)

// A Reader is a graph.Reader of a store in a database.
type Reader struct {
	pool     *pgxpool.Pool
	log      *slog.Logger
	indexErr error // why the index for Like could not be created
}

func newReader(pool *pgxpool.Pool) *Reader {
	return &Reader{pool: pool, log: slog.New(slog.DiscardHandler)}
}

// OpenReader opens the store in a database for reading, and changes nothing in it. The error is NotFound if the store
// does not exist.
func OpenReader(ctx context.Context, url string) (*Reader, error) {
	pool, err := connect(ctx, url)
	if err != nil {
		return nil, err
	}
	if err := checkReadable(ctx, pool); err != nil {
		pool.Close()
		return nil, failed(ctx, "opening the store", err)
	}
	return newReader(pool), nil
}

// Close closes the connections.
func (r *Reader) Close() error {
	r.pool.Close()
	return nil
}

// The columns that scanConcept and scanConnection read.
const (
	conceptColumns    = `c.id, c.type, c.category, c.value, c.owner, c.access, c.composition, c.created, coalesce(c.position, '')`
	connectionColumns = `c.id, c.source, c.target, c.type, c."order", c.owner, c.access, c.created`
)

// Statements that select records by a set of ids, for readers and the writer.
const (
	conceptsByID    = `select ` + conceptColumns + ` from concept c where c.id = any($1)`
	connectionsByID = `select ` + connectionColumns + ` from connection c where c.id = any($1)`
	endsByID        = `select id, type, category, owner, access, composition from concept where id = any($1)`
)

// Concepts implements graph.Reader.
func (r *Reader) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	found, err := r.longConcepts(ctx, ids)
	return inOrder(found, ids, func(c graph.Concept) graph.ID { return c.ID }), failed(ctx, "reading concepts", err)
}

// longReadBytes is the size of values, in bytes, after which a read of concepts pauses to let other reads run.
const longReadBytes = 1 << 20

// partByID selects concepts by a set of ids, in order of id, until their values exceed a size. PostgreSQL can determine the
// length of a long value without reading the value.
const partByID = `select ` + conceptColumns + ` from (
		select *, sum(octet_length(value)) over (order by id rows between unbounded preceding and 1 preceding) as before
		from concept where id = any($1)
	) c where c.before is null or c.before <= $2`

// longConcepts reads concepts in parts of longReadBytes. Between two parts it releases the connection and waits for other long work.
func (r *Reader) longConcepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	if len(ids) == 1 {
		return collect(ctx, r.pool, scanConcept, conceptsByID, numbers(ids))
	}
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
		if len(ids) == 0 {
			break // the last part exceeds the size
		}
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
	found, err = collect(ctx, r.pool, scanConcept, partByID, numbers(ids), longReadBytes)
	bytes := 0
	for _, c := range found {
		bytes += len(c.Value)
	}
	return found, bytes <= longReadBytes, err
}

// Connections implements graph.Reader.
func (r *Reader) Connections(ctx context.Context, ids []graph.ID) ([]graph.Connection, error) {
	found, err := collect(ctx, r.pool, scanConnection, connectionsByID, numbers(ids))
	return inOrder(found, ids, func(c graph.Connection) graph.ID { return c.ID }), failed(ctx, "reading connections", err)
}

// inOrder sorts records by the first position of their id in ids.
func inOrder[T any](found []T, ids []graph.ID, idOf func(T) graph.ID) []T {
	if len(found) < 2 {
		return found
	}
	at := make(map[graph.ID]int, len(found))
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

// A page is selected as a range of rows (type, id), not as a range of ids with a condition on the type. For the latter,
// PostgreSQL might scan all ids in order until it has found enough instances of the type.
const (
	byTypeUp = `select ` + conceptColumns + ` from concept c where c.category = 4
		and (c.type, c.id) > ($1, $2) and (c.type, c.id) < ($1 + 1, 0) order by c.type, c.id limit $3 offset $4`
	byTypeDown = `select ` + conceptColumns + ` from concept c where c.category = 4
		and (c.type, c.id) < ($1, $2) and (c.type, c.id) > ($1, 0) order by c.type desc, c.id desc limit $3 offset $4`
)

// ConceptsByType implements graph.Reader.
func (r *Reader) ConceptsByType(ctx context.Context, typ graph.ID, page graph.Page) ([]graph.Concept, error) {
	query := byTypeUp
	if page.Descending {
		query = byTypeDown
	}
	found, err := collect(ctx, r.pool, scanConcept, query, typ, start(page), limit(page.Limit), max(page.Skip, 0))
	return found, failed(ctx, "reading concepts by type", err)
}

// start returns the id after which a page begins.
func start(page graph.Page) graph.ID {
	if page.Descending && page.After == 0 {
		return graph.MaxID + 1
	}
	return page.After
}

// limit returns the parameter for a limit. For PostgreSQL, null means no limit.
func limit(n int) *int {
	if n <= 0 {
		return nil
	}
	return &n
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
	note := func(rows pgx.Rows) error {
		var sent, became int64
		err := rows.Scan(&sent, &became)
		known[graph.ID(sent)] = graph.ID(became)
		return err
	}
	b := &pgx.Batch{}
	queueRows(b, note, `select -g.ghost, g.id from sender s join ghost g on g.sender = s.id and g.connection = $5
		where g.id <> 0 and s."user" = $1 and s.session = $2 and s.randomizer = $3 and g.ghost = any($4)`,
		by.User, by.Session, by.Randomizer, negated(ids), areConnections)
	if slices.ContainsFunc(ids, graph.ID.IsReal) {
		queueRows(b, note, `select id, became from reserved
			where became <> 0 and "user" = $1 and connection = $3 and id = any($2)`, by.User, numbers(ids), areConnections)
	}
	return known, failed(ctx, "resolving local ids", r.pool.SendBatch(ctx, b).Close())
}

// Identity implements graph.Reader.
func (r *Reader) Identity(ctx context.Context) (identity string, err error) {
	err = r.pool.QueryRow(ctx, `select name from identity`).Scan(&identity)
	return identity, failed(ctx, "reading the identity of the store", err)
}

// LastSeq implements graph.Reader.
func (r *Reader) LastSeq(ctx context.Context) (seq graph.Seq, err error) {
	err = r.pool.QueryRow(ctx, `select next - 1 from sequence where name = 'change'`).Scan(&seq)
	return seq, failed(ctx, "reading the last change", err)
}

// Changes implements graph.Reader. It reads the oldest kept number last, because changes may be deleted in between.
func (r *Reader) Changes(ctx context.Context, after graph.Seq, maxChanges int) ([]graph.Change, error) {
	found := []graph.Change{}
	var oldest, last graph.Seq
	b := &pgx.Batch{}
	queueRows(b, func(rows pgx.Rows) error {
		var c graph.Change
		err := scanChange(rows, &c)
		found = append(found, c)
		return err
	}, `select seq, at, touched from change where seq > $1 order by seq limit $2`, after, limit(maxChanges))
	b.Queue(`select coalesce((select min(seq) from change), next) - 1, next - 1 from sequence where name = 'change'`).
		QueryRow(func(row pgx.Row) error { return row.Scan(&oldest, &last) })
	if err := r.pool.SendBatch(ctx, b).Close(); err != nil {
		return nil, failed(ctx, "reading changes", err)
	}
	if after < oldest || after > last {
		return nil, graph.Errorf(graph.NotFound, "no changes after %d: the store keeps %d to %d", after, oldest, last)
	}
	return found, nil
}

// collect reads all rows of a result. It charges the text in the rows to the account in ctx, and stops when a charge is
// refused.
func collect[T any](ctx context.Context, db querier, scan func(pgx.Rows, *T) error, sql string, args ...any) ([]T, error) {
	found, account := []T{}, budget.Of(ctx)
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var record T
		if err := scan(rows, &record); err != nil {
			return nil, err
		}
		if err := sqlstore.Charge(account, &record); err != nil {
			return nil, err
		}
		found = append(found, record)
	}
	return found, rows.Err()
}

// scanConcept scans into int64 because pgx does so several times faster than into other integer types.
func scanConcept(rows pgx.Rows, c *graph.Concept) error {
	var id, typ, category, owner, created int64
	var access int16
	var position string
	if err := rows.Scan(&id, &typ, &category, &c.Value, &owner, &access, &c.Composition, &created, &position); err != nil {
		return err
	}
	c.ID, c.Type, c.Category, c.Owner = graph.ID(id), graph.ID(typ), graph.ID(category), graph.ID(owner)
	c.Access, c.Created = graph.Access(access), time.UnixMilli(created).UTC()
	if position == "" {
		return nil
	}
	var err error
	c.Position, err = graph.ParsePosition(position)
	return err
}

func scanConnection(rows pgx.Rows, c *graph.Connection) error {
	var id, from, to, typ, order, owner, created int64
	var access int16
	err := rows.Scan(&id, &from, &to, &typ, &order, &owner, &access, &created)
	c.ID, c.From, c.To, c.Type = graph.ID(id), graph.ID(from), graph.ID(to), graph.ID(typ)
	c.Order, c.Owner, c.Access, c.Created = int(order), graph.ID(owner), graph.Access(access), time.UnixMilli(created).UTC()
	return err
}

func scanChange(rows pgx.Rows, c *graph.Change) error {
	var at int64
	var touched []byte
	if err := rows.Scan(&c.Seq, &at, &touched); err != nil {
		return err
	}
	c.At = time.UnixMilli(at).UTC()
	return c.Unpack(touched)
}

func scanID(rows pgx.Rows, id *graph.ID) error { return rows.Scan((*int64)(id)) }

// numbers returns ids as int64, which pgx encodes fastest.
func numbers(ids []graph.ID) []int64 {
	plain := make([]int64, len(ids))
	for i, id := range ids {
		plain[i] = int64(id)
	}
	return plain
}

func negated(ids []graph.ID) []int64 {
	positive := make([]int64, len(ids))
	for i, id := range ids {
		positive[i] = int64(-id)
	}
	return positive
}
