// Package sqlite keeps a graph in one directory on disk, in SQLite: one writer, many readers, and every
// acknowledged batch safe from the machine dying.
//
// The layout and the settings were measured, not guessed; schema.sql says why each index is there. Rows go
// in one by one through prepared statements: rows of many values in one statement were no faster and a
// JSON array read as a table was half as fast, because the trees are what costs. What a batch refers to is
// looked up in sets before.
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
	"syscall"

	driver "modernc.org/sqlite"

	"github.com/weft-graph/weft/graph"
)

const (
	file     = "weft.db"
	lockFile = "weft.lock"
)

// A Store is a graph.Store in a directory. Only one process at a time can have it.
type Store struct {
	*Reader
	lock   *sql.DB
	writer *writer
	close  func() error
}

// Open opens the store in a directory, which is made if it is not there. If another process is writing
// there the error is Unavailable.
func Open(ctx context.Context, dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); unwritable(err) {
		return nil, closed(dir)
	} else if err != nil {
		return nil, fmt.Errorf("opening the store in %s: %w", dir, err)
	}
	lock, err := takeLock(ctx, dir)
	if err != nil {
		return nil, err
	}
	private(filepath.Join(dir, file))
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

// Lock keeps every other process from writing to the store in a directory, and from making one, until unlock.
// If one is writing already the error is Unavailable.
func Lock(ctx context.Context, dir string) (unlock func() error, err error) {
	lock, err := takeLock(ctx, dir)
	if err != nil {
		return nil, err
	}
	return lock.Close, nil
}

// takeLock holds a transaction on a file of its own for as long as the store is open. The system takes
// the lock back when the process dies, however it dies.
func takeLock(ctx context.Context, dir string) (*sql.DB, error) {
	private(filepath.Join(dir, lockFile))
	lock, err := open(filepath.Join(dir, lockFile), 1)
	if err != nil {
		return nil, err
	}
	if _, err = lock.ExecContext(ctx, "begin exclusive"); err == nil {
		return lock, nil
	}
	_ = lock.Close()
	switch {
	case busy(err):
		return nil, graph.Errorf(graph.Unavailable, "the store in %s is in use by another process, such as weft serve; stop it first", dir)
	case unwritable(err):
		return nil, closed(dir)
	}
	return nil, fmt.Errorf("locking the store in %s: %w", dir, err)
}

// Write implements graph.Store.
func (s *Store) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	if err := b.Check(); err != nil {
		return graph.Receipt{}, err
	}
	var receipt graph.Receipt
	err := s.writer.submit(ctx, sizeOf(&b), func() (err error) { //nolint:contextcheck // what was begun is finished, whoever gave up on it
		receipt, err = s.writer.incoming(&b).write()
		return err
	})
	if err != nil {
		return graph.Receipt{}, err // the batch may still be on its way
	}
	return receipt, nil
}

// Close waits for the batches being written. Closing twice is closing once.
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

// private makes a file that only its owner reads, if none is there; SQLite gives those beside it the same rights. What
// goes wrong here goes wrong again in SQLite, which says so.
func private(path string) {
	if f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		_ = f.Close()
	}
}

// open opens one file with as many connections as will be used at once.
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

// readers is how many connections read at once; more would only wait for a processor.
func readers() int { return max(4, runtime.GOMAXPROCS(0)) }

// pageMemory is how many KiB of pages each connection that reads keeps: with many processors less, so that all keep 64 MiB at most.
// A page takes more than twice its size: the allocator rounds what is a little more than 4 KiB up to 8.
func pageMemory() int { return min(8<<10, 64<<10/readers()) }

// writerPages is how many KiB the connection that writes keeps.
const writerPages = 32 << 10

// notAStore takes the place of what SQLite says of a file that it cannot read.
func notAStore(path string) error { return graph.Errorf(graph.Invalid, "%s is not a Weft store", path) }

// closed takes the place of what SQLite says of files that it may not write to. It writes even to read.
func closed(dir string) error {
	return graph.Errorf(graph.Unavailable,
		"%s cannot be written to: give the user who runs this the right to write there, or name another directory with --data", dir)
}

func unwritable(err error) bool {
	const readOnly, cannotOpen = 8, 14
	return code(err) == readOnly || code(err) == cannotOpen || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

func foreign(err error) bool { return code(err) == 26 }

func busy(err error) bool { return code(err) == 5 }

// code is SQLite's result code, without what its higher bytes add.
func code(err error) int {
	var e *driver.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code() & 0xff
}
