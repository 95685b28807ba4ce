package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/weft-graph/weft/graph"
)

// Backup writes the store as it is at one moment into a directory of its own, which must not hold a store yet,
// and checks what it wrote. It may run beside the writer, of this process or another, and hinders it in nothing.
// When it returns without an error the copy is durable.
func (r *Reader) Backup(ctx context.Context, dir string) error {
	path := filepath.Join(dir, file)
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		return graph.Errorf(graph.Conflict, "%s is there already", path)
	}
	conn, err := r.db.Conn(ctx)
	if err != nil {
		return failed(ctx, "backing up the store", err)
	}
	defer conn.Close()
	// To write the copy takes a connection that may write; what it reads it still leaves alone.
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
	made, err := OpenReader(ctx, dir)
	if err != nil {
		return fmt.Errorf("reading the backup: %w", err)
	}
	if err := made.Check(ctx); err != nil {
		return errors.Join(fmt.Errorf("checking the backup: %w", err), made.Close())
	}
	return made.Close()
}

// skipped is how many ids, change numbers and versions are left out. Nobody gives away so many between two backups.
const skipped int64 = 1 << 32

// Restored makes a copy of a store take its place. What the store may have given away after the copy was made is
// never given again: ids, change numbers and versions begin far beyond. Changes are forgotten, so that whoever
// read later ones is told to start afresh.
func (s *Store) Restored(ctx context.Context) error {
	return s.writer.submit(ctx, 1, func() error { return s.writer.skip() }) //nolint:contextcheck // what was begun is finished, whoever gave up on it
}

func (w *writer) skip() error {
	if err := w.exec("delete from change"); err != nil {
		return err
	}
	if err := w.exec(fmt.Sprint("update sequence set next = next + ", skipped)); err != nil {
		return err
	}
	w.ids = block{}
	return w.readSequences(context.Background())
}

// syncFile waits until a file or the names in a directory are on disk.
func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
