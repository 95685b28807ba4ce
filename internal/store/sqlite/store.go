package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"

	driver "modernc.org/sqlite"

	"github.com/weft-graph/weft/graph"
)

const (
	file     = "weft.db"
	lockFile = "weft.lock"
)

// A Store is a graph.Store in a directory. Only one process at a time can open it.
type Store struct {
	*Reader
	lock   *sql.DB
	writer *writer
	close  func() error
}

// Open opens the store in a directory, and creates both if they do not exist. The error is Unavailable if another process
// has the store open.
func Open(ctx context.Context, dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); isUnwritable(err) {
		return nil, errUnwritable(dir)
	} else if err != nil {
		return nil, fmt.Errorf("opening the store in %s: %w", dir, err)
	}
	lock, err := takeLock(ctx, dir)
	if err != nil {
		return nil, err
	}
	if err := refuseUnfinished(dir); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	createPrivate(filepath.Join(dir, file))
	s := &Store{lock: lock}
	s.close = sync.OnceValue(s.closeAll)
	if s.writer, err = openWriter(ctx, dir); err == nil {
		s.Reader, err = OpenReader(ctx, dir)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// RestoringPrefix is the start of the name of a folder in the directory of a store that is being restored. The folder holds the
// files of the new store until they are moved to their places. The database is moved last.
const RestoringPrefix = "restoring-"

// refuseUnfinished returns a Conflict error if a directory has no store, because a restore was interrupted.
func refuseUnfinished(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, file)); !errors.Is(err, os.ErrNotExist) {
		return nil
	}
	unfinished, _ := filepath.Glob(filepath.Join(dir, RestoringPrefix+"*"))
	if len(unfinished) == 0 {
		return nil
	}
	return graph.Errorf(graph.Conflict, "restoring a backup in %s was interrupted: run weft restore --force again, or move the files "+
		"of the latest folder before-… back and remove %s", dir, filepath.Base(unfinished[0]))
}

// Lock prevents other processes from opening or creating the store in a directory until unlock is called. The error is
// Unavailable if another process has the store open.
func Lock(ctx context.Context, dir string) (unlock func() error, err error) {
	lock, err := takeLock(ctx, dir)
	if err != nil {
		return nil, err
	}
	return lock.Close, nil
}

// takeLock begins a transaction on the lock file. The transaction stays open as long as the store. The operating system
// releases the lock when the process ends for any reason.
func takeLock(ctx context.Context, dir string) (*sql.DB, error) {
	createPrivate(filepath.Join(dir, lockFile))
	lock, err := open(filepath.Join(dir, lockFile), 1)
	if err != nil {
		return nil, err
	}
	if _, err = lock.ExecContext(ctx, "begin exclusive"); err == nil {
		return lock, nil
	}
	_ = lock.Close()
	switch {
	case isBusy(err):
		return nil, graph.Errorf(graph.Unavailable, "the store in %s is in use by another process, such as weft serve; stop it first", dir)
	case isUnwritable(err):
		return nil, errUnwritable(dir)
	}
	return nil, fmt.Errorf("locking the store in %s: %w", dir, err)
}

// Write implements graph.Store.
func (s *Store) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	if err := b.Check(); err != nil {
		return graph.Receipt{}, err
	}
	var receipt graph.Receipt
	err := s.writer.submit(ctx, sizeOf(&b), func() (err error) { //nolint:contextcheck // a request in a group is finished even if its caller stops waiting
		receipt, err = s.writer.writeBatch(&b)
		return err
	})
	if err != nil {
		return graph.Receipt{}, err // the batch may still be written
	}
	return receipt, nil
}

// Close waits for the batches being written. Further calls return the result of the first.
func (s *Store) Close() error { return s.close() }

func (s *Store) closeAll() error {
	var err error
	if s.writer != nil {
		err = s.writer.close()
	}
	if s.Reader != nil {
		err = errors.Join(err, s.Reader.Close())
	}
	return errors.Join(err, s.lock.Close())
}

// createPrivate creates a file that only its owner can read, if it does not exist. SQLite gives its additional files the
// same permissions. Errors are ignored, because SQLite will encounter and report them.
func createPrivate(path string) {
	if f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		_ = f.Close()
	}
}

// open opens a database file with a fixed number of connections.
func open(path string, connections int, pragmas ...string) (*sql.DB, error) {
	query := url.Values{"_pragma": append([]string{"temp_store(memory)"}, pragmas...)}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: query.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// maxReaders returns the number of connections that read. It exceeds the number of processors, so that short statements do not wait
// for a connection while long statements run.
func maxReaders() int { return max(8, 2*runtime.GOMAXPROCS(0)) }

// maxCacheKiB is the total size of the page caches of all connections of a store, in KiB.
var maxCacheKiB atomic.Int64

// DefaultCacheBytes is the size of the page caches of a store: two thirds for the connections that read.
const DefaultCacheBytes = 96 << 20

func init() { LimitCaches(DefaultCacheBytes) }

// LimitCaches sets the size in bytes of the page caches of stores that are opened afterwards, at most DefaultCacheBytes. In
// memory a cache takes twice its size, because each page needs slightly more than 4 KiB and the allocator rounds this up to
// 8 KiB.
func LimitCaches(bytes int64) { maxCacheKiB.Store(min(bytes, DefaultCacheBytes) >> 10) }

// readerCacheKiB returns the size in KiB of the page cache of each connection that reads, at most 4 MiB.
func readerCacheKiB() int { return min(4<<10, int(maxCacheKiB.Load())*2/3/maxReaders()) }

// writerCacheKiB returns the size in KiB of the page cache of the connection that writes.
func writerCacheKiB() int { return int(maxCacheKiB.Load()) / 3 }

// errNotAStore replaces the error of SQLite for a file that is not a database.
func errNotAStore(path string) error {
	return graph.Errorf(graph.Invalid, "%s is not a Weft store", path)
}

// errUnwritable replaces the error of SQLite for files that it may not write. SQLite must write some files even if the store
// is only read.
func errUnwritable(dir string) error {
	return graph.Errorf(graph.Unavailable,
		"%s cannot be written to: give the user who runs this command the right to write there, or name another directory with --data", dir)
}

func isUnwritable(err error) bool {
	const readOnly, cannotOpen = 8, 14
	return resultCode(err) == readOnly || resultCode(err) == cannotOpen || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

func isForeign(err error) bool { return resultCode(err) == 26 }

func isBusy(err error) bool { return resultCode(err) == 5 }

// resultCode returns the primary result code of an SQLite error, or 0.
func resultCode(err error) int {
	var e *driver.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code() & 0xff
}
