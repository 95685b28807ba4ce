package outbox

import (
	"context"
	crand "crypto/rand"
	"database/sql"
	_ "embed"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"strconv"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

// layout is the SQL that creates the tables.
//
//go:embed layout.sql
var layout string

// layoutVersion is the version of the tables, stored as user_version. Files with a newer version are rejected.
const layoutVersion = 1

// A file is the SQLite database in which an outbox is stored.
type file struct {
	db     *sql.DB
	sender graph.Sender // sends all requests; the namespace of their local ids
	owner  owner        // guarded by Outbox.mu
}

// An owner is the user and the store to which the writes of a file belong. Zero fields are not set yet.
type owner struct {
	store string
	user  graph.ID
}

// maxCachedConcepts is the number of cached concepts above which the cache is emptied when the file is opened. It
// bounds the size of the file.
const maxCachedConcepts = 200_000

// openFile opens the database, and creates it if it does not exist. Commits are durable when they return. The error is Conflict if another
// process has the file open, and Invalid if a newer version of the program has written the file.
func openFile(ctx context.Context, path string) (*file, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	pragmas := url.Values{"_pragma": {"locking_mode(exclusive)", "journal_mode(wal)", "synchronous(full)", "busy_timeout(1000)"}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: url.PathEscape(absolute), RawQuery: pragmas.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // SQLite locks the file for one connection
	f := &file{db: db}
	if err := f.prepare(ctx, path); err != nil {
		_ = db.Close()
		var busy interface{ Code() int }
		if errors.As(err, &busy) && busy.Code()&0xff == sqliteBusy {
			return nil, graph.Wrap(graph.Conflict, err, "the outbox %s is open in another process", path)
		}
		return nil, err
	}
	return f, nil
}

// sqliteBusy is SQLITE_BUSY, the primary result code for a file that another process has locked.
const sqliteBusy = 5

// prepare creates the tables, or checks their version, reads the sender and the owner, and empties a cache that is too large.
func (f *file) prepare(ctx context.Context, path string) error {
	var version int
	if err := f.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version > layoutVersion {
		return graph.Errorf(graph.Invalid, "the outbox %s has the layout %d; this program reads layouts up to %d", path, version, layoutVersion)
	}
	if version == 0 {
		if err := f.create(ctx); err != nil {
			return err
		}
	}
	if err := f.readSettings(ctx); err != nil {
		return err
	}
	return f.limitCache(ctx)
}

// create creates the tables and stores a new random sender.
func (f *file) create(ctx context.Context) error {
	if _, err := f.db.ExecContext(ctx, layout); err != nil {
		return err
	}
	const maxRandomizer = 1 << 52 // JSON numbers are exact up to 2^53
	sender := []any{"session", crand.Text(), "randomizer", strconv.FormatInt(rand.Int64N(maxRandomizer), 10)}
	if _, err := f.db.ExecContext(ctx, "INSERT OR IGNORE INTO setting (name, value) VALUES (?, ?), (?, ?)", sender...); err != nil {
		return err
	}
	_, err := f.db.ExecContext(ctx, "PRAGMA user_version = "+strconv.Itoa(layoutVersion))
	return err
}

func (f *file) readSettings(ctx context.Context) error {
	settings := map[string]string{}
	err := f.each(ctx, "SELECT name, value FROM setting", nil, func(scan func(...any) error) error {
		var name, value string
		err := scan(&name, &value)
		settings[name] = value
		return err
	})
	f.sender = graph.Sender{User: graph.Anonymous, Session: settings["session"]}
	f.sender.Randomizer, _ = strconv.ParseInt(settings["randomizer"], 10, 64)
	f.owner.store = settings["store"]
	user, _ := strconv.ParseInt(settings["user"], 10, 64)
	f.owner.user = graph.ID(user)
	return err
}

// limitCache empties the cache if it contains more than maxCachedConcepts.
func (f *file) limitCache(ctx context.Context) error {
	var cached int
	if err := f.db.QueryRowContext(ctx, "SELECT count(*) FROM concept").Scan(&cached); err != nil || cached <= maxCachedConcepts {
		return err
	}
	_, err := f.db.ExecContext(ctx, "DELETE FROM concept; DELETE FROM connection; DELETE FROM list")
	return err
}

// each runs a query and calls visit for each row.
func (f *file) each(ctx context.Context, query string, args []any, visit func(scan func(...any) error) error) error {
	rows, err := f.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := visit(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (f *file) close() error { return f.db.Close() }

// setOwner stores the owner of the file.
func (f *file) setOwner(ctx context.Context, o owner) error {
	_, err := f.db.ExecContext(ctx, "INSERT OR REPLACE INTO setting (name, value) VALUES ('store', ?), ('user', ?)", o.store, int64(o.user))
	if err == nil {
		f.owner = o
	}
	return err
}

// add stores a pending write, whose request is the JSON of a wire.Sync, and returns its key.
func (f *file) add(ctx context.Context, created time.Time, request []byte) (int64, error) {
	result, err := f.db.ExecContext(ctx, "INSERT INTO write (created, request) VALUES (?, ?)", created.UnixMilli(), request)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

func (f *file) writes(ctx context.Context) (all []*write, err error) {
	err = f.each(ctx, "SELECT key, created, request, failure FROM write ORDER BY key", nil, func(scan func(...any) error) error {
		var w write
		var created int64
		var request, reason []byte
		if err := scan(&w.key, &created, &request, &reason); err != nil {
			return err
		}
		w.created = time.UnixMilli(created)
		if reason != nil {
			w.failure = new(failure)
			if err := json.Unmarshal(reason, w.failure); err != nil {
				return err
			}
		}
		all = append(all, &w)
		return json.Unmarshal(request, &w.request)
	})
	return all, err
}

// realIDs returns the real ids that the server assigned, by the local ids that they replaced.
func (f *file) realIDs(ctx context.Context) (map[graph.ID]graph.ID, error) {
	all := map[graph.ID]graph.ID{}
	err := f.each(ctx, "SELECT local, real FROM id", nil, func(scan func(...any) error) error {
		var local, real int64
		err := scan(&local, &real)
		all[graph.ID(local)] = graph.ID(real)
		return err
	})
	return all, err
}

// setFailure stores the reason why a write failed. If the reason is nil, the write is pending again.
func (f *file) setFailure(ctx context.Context, key int64, reason *failure) error {
	var text []byte
	if reason != nil {
		var err error
		if text, err = json.Marshal(reason); err != nil {
			return err
		}
	}
	_, err := f.db.ExecContext(ctx, "UPDATE write SET failure = ? WHERE key = ?", text, key)
	return err
}

// remove removes writes in one transaction.
func (f *file) remove(ctx context.Context, keys []int64) error {
	return f.inTransaction(ctx, func(tx *sql.Tx) error {
		for _, key := range keys {
			if _, err := tx.ExecContext(ctx, "DELETE FROM write WHERE key = ?", key); err != nil {
				return err
			}
		}
		return nil
	})
}

// acknowledge removes a write that the server has committed, and stores its receipt, in one transaction.
func (f *file) acknowledge(ctx context.Context, key int64, r receipt) error {
	return f.inTransaction(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM write WHERE key = ?", key); err != nil {
			return err
		}
		for local, real := range r.realIDs {
			if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO id (local, real) VALUES (?, ?)", int64(local), int64(real)); err != nil {
				return err
			}
		}
		return r.fragment.store(ctx, tx)
	})
}

// cache stores a fragment that was read from the server.
func (f *file) cache(ctx context.Context, loaded fragment) error {
	return f.inTransaction(ctx, func(tx *sql.Tx) error { return loaded.store(ctx, tx) })
}

func (f *file) inTransaction(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := f.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // it has no effect after Commit
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// A failure is the stored reason of a failed write.
type failure struct {
	Kind     graph.ErrorKind  `json:"kind"`
	Message  string           `json:"message"`
	Refusals []schema.Refusal `json:"refusals,omitempty"`
}

func newFailure(err error) *failure {
	f := &failure{Kind: graph.KindOf(err), Message: err.Error()}
	if refused, ok := errors.AsType[*client.RefusedError](err); ok {
		f.Refusals = refused.Refusals
	}
	return f
}

// err restores the error from which newFailure created f.
func (f *failure) err() error {
	err := graph.Errorf(f.Kind, "%s", f.Message)
	if len(f.Refusals) > 0 {
		return client.NewRefusedError(err, f.Refusals)
	}
	return err
}
