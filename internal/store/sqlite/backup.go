package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/weft-graph/weft/graph"
)

// Backup copies a consistent snapshot of the store into a directory that does not contain a store yet, and checks the
// copy. It does not block the writer of any process. When it returns without an error, the copy is durable.
func (r *Reader) Backup(ctx context.Context, dir string) error {
	path := filepath.Join(dir, file)
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		return graph.Errorf(graph.Conflict, "%s already exists", path)
	}
	conn, err := r.db.Conn(ctx)
	if err != nil {
		return failed(ctx, "backing up the store", err)
	}
	defer conn.Close()
	// The statement vacuum into requires a connection that may write, although the statement does not change the
	// store.
	if _, err := conn.ExecContext(ctx, "pragma query_only(0)"); err != nil {
		return failed(ctx, "backing up the store", err)
	}
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), "pragma query_only(1)") }()
	if _, err := conn.ExecContext(ctx, "vacuum into ?", path); err != nil {
		return failed(ctx, "backing up the store", err)
	}
	if err := syncFile(path); err != nil {
		return fmt.Errorf("backing up the store: %w", err)
	}
	if err := syncFile(dir); err != nil {
		return fmt.Errorf("backing up the store: %w", err)
	}
	return checkBackup(ctx, dir)
}

func checkBackup(ctx context.Context, dir string) error {
	copied, err := OpenReader(ctx, dir)
	if err != nil {
		return fmt.Errorf("reading the backup: %w", err)
	}
	if err := copied.Check(ctx); err != nil {
		return errors.Join(fmt.Errorf("checking the backup: %w", err), copied.Close())
	}
	return copied.Close()
}

// skippedNumbers is the amount by which Restored advances the sequences. It exceeds the count of numbers that a store
// uses between two backups.
const skippedNumbers int64 = 1 << 32

// Restored prepares a copy of a store to replace the store. It advances the sequences of ids, change numbers and versions,
// so that numbers that were used after the copy was made are not used again. It deletes all changes, so that subscribers
// that have received later changes must load their data again.
func (s *Store) Restored(ctx context.Context) error {
	return s.writer.submit(ctx, 1, func() error { return s.writer.skipNumbers() }) //nolint:contextcheck // a request in a group is finished even if its caller stops waiting
}

func (w *writer) skipNumbers() error {
	if err := w.exec("delete from change"); err != nil {
		return err
	}
	if err := w.exec(fmt.Sprint("update sequence set next = next + ", skippedNumbers)); err != nil {
		return err
	}
	w.ids = block{}
	return w.readSequences(context.Background())
}

// syncFile waits until a file, or the entries of a directory, are on disk.
func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
