package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/files/blob"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// Restore creates a store in a directory from an archive. The archive is checked before any file is changed. If the
// directory has a store and force is set, the store and its uploads are moved to a subfolder, and aside is the path of
// this subfolder. If a file cannot be moved, Restore moves the other files back. If that also fails, the subfolder and
// the folder of the unpacked files remain, and the error names them.
//
// Errors: Conflict if the directory has a store and force is not set, Unavailable if the store is in use or the disk
// has too little space, Invalid for a file that is not an archive, and TooLarge for an archive that expands too much.
func Restore(ctx context.Context, archive io.Reader, dir string, force bool) (aside string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("restore: %w", err)
	}
	unlock, err := sqlite.Lock(ctx, dir)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	old, err := storeFiles(dir)
	if err != nil {
		return "", err
	}
	if len(old) > 0 && !force {
		return "", graph.Errorf(graph.Conflict, "%s already has a store; set --force to move it aside", dir)
	}
	if err := removeUnfinished(dir); err != nil {
		return "", err
	}
	draft, err := os.MkdirTemp(dir, sqlite.RestoringPrefix)
	if err != nil {
		return "", fmt.Errorf("restore: %w", err)
	}
	if err := unpack(ctx, archive, draft); err != nil {
		return "", errors.Join(err, os.RemoveAll(draft))
	}
	r := replacement{dir: dir, draft: draft, old: old}
	if err := r.run(); err != nil {
		if undoErr := r.undo(); undoErr != nil {
			return r.aside, fmt.Errorf("restore: %w; the files are left in %s and %s: %w", err, r.aside, draft, undoErr)
		}
		return "", errors.Join(fmt.Errorf("restore: %w", err), os.RemoveAll(draft))
	}
	return r.aside, os.RemoveAll(draft)
}

// removeUnfinished removes the folders of restores that were killed. The caller holds the lock of the directory.
func removeUnfinished(dir string) error {
	folders, err := filepath.Glob(filepath.Join(dir, sqlite.RestoringPrefix+"*"))
	for _, folder := range folders {
		err = errors.Join(err, os.RemoveAll(folder))
	}
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	return nil
}

// storeFiles returns the files of a store in a directory, without its lock: the uploads, the files that belong to the
// database, and the database last.
func storeFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	var names []string
	hasDatabase := false
	for _, entry := range entries {
		switch name := entry.Name(); {
		case name == databaseName:
			hasDatabase = true
		case name == uploadsFolder || strings.HasPrefix(name, databaseName):
			names = append(names, name)
		}
	}
	if hasDatabase {
		names = append(names, databaseName)
	}
	return names, nil
}

// unpack unpacks an archive to the folder draft, and migrates and checks the database. Store.Restored then advances the
// sequences of the database, so that no id is assigned twice.
func unpack(ctx context.Context, from io.Reader, draft string) error {
	limit := newUnpackLimit(from, draft)
	plain, err := zstd.NewReader(limit, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindowBytes))
	if err != nil {
		return fmt.Errorf("read the backup: %w", err)
	}
	defer plain.Close()
	err = unpackAll(ctx, unpacking{tar.NewReader(plain), limit}, draft)
	switch {
	case errors.Is(err, zstd.ErrMagicMismatch), errors.Is(err, tar.ErrHeader):
		return graph.Wrap(graph.Invalid, err, "the file is not an archive of weft backup")
	case err != nil:
		return fmt.Errorf("read the backup: %w", err)
	}
	// Reading to the end verifies the checksum. Only padding may follow the last entry.
	if n, err := io.CopyN(io.Discard, plain, maxPadding); err == nil {
		return graph.Errorf(graph.Invalid, "more than %d bytes follow the contents of the backup", n)
	} else if !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the backup: %w", err)
	}
	if _, err := os.Stat(filepath.Join(draft, databaseName)); err != nil {
		return graph.Errorf(graph.Invalid, "the file is not an archive of weft backup: %s is missing", databaseName)
	}
	store, err := sqlite.Open(ctx, draft) // migrates a database of an older version
	if err != nil {
		return fmt.Errorf("read the backup: %w", err)
	}
	err = store.Check(ctx)
	if err == nil {
		err = store.Restored(ctx)
	}
	return errors.Join(err, store.Close())
}

// unpackAll writes the entries of an archive to the folder draft. It returns an Invalid error for an unexpected entry.
func unpackAll(ctx context.Context, archive unpacking, draft string) error {
	blobs, err := blob.OpenDisk(filepath.Join(draft, uploadsFolder))
	if err != nil {
		return err
	}
	defer blobs.Close()
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := archive.limit.checkEntry(header.Size); err != nil {
			return err
		}
		name, upload := strings.CutPrefix(header.Name, uploadsFolder+"/")
		switch {
		case header.Typeflag != tar.TypeReg:
			return graph.Errorf(graph.Invalid, "unexpected %q in the backup", graph.Clip(header.Name))
		case upload:
			err = blobs.Put(ctx, name, archive, header.Size, "")
		case name == databaseName:
			err = archive.unpackDatabase(header.Size, filepath.Join(draft, databaseName))
		default:
			return graph.Errorf(graph.Invalid, "unexpected %q in the backup", graph.Clip(header.Name))
		}
		if err != nil {
			return err
		}
	}
}

// unpackDatabase checks that the header of the database describes a database of the given size, and then writes
// the database.
func (u unpacking) unpackDatabase(size int64, path string) error {
	head := make([]byte, sqlite.HeaderBytes)
	if _, err := io.ReadFull(u, head); err != nil {
		return graph.Wrap(graph.Invalid, err, "%s in the backup is cut off", databaseName)
	}
	if described := sqlite.DescribedBytes(head); described != size {
		return graph.Errorf(graph.Invalid, "%s in the backup has %d bytes, but its header describes a database of %d", databaseName, size, described)
	}
	return unpackFile(io.MultiReader(bytes.NewReader(head), u), path)
}

func unpackFile(r io.Reader, path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Sync(), f.Close())
}

// A replacement moves the files of an existing store aside and the draft into their place, the database last. If the
// process is killed between these steps, the directory has no database, but the draft remains, so that sqlite.Open
// refuses to create an empty store.
type replacement struct {
	dir   string
	draft string
	// old names the files of the existing store. Without any, aside stays empty.
	old   []string
	aside string
	// moved lists the renames so far, oldest first.
	moved []rename
}

type rename struct{ from, to string }

func (r *replacement) run() error {
	if len(r.old) > 0 {
		aside := filepath.Join(r.dir, "before-"+time.Now().UTC().Format("20060102-150405.000"))
		if err := os.Mkdir(aside, 0o700); err != nil {
			return err
		}
		r.aside = aside
		if err := r.move(r.old, r.dir, aside); err != nil {
			return err
		}
	}
	fresh, err := storeFiles(r.draft)
	if err != nil {
		return err
	}
	if err := r.move(fresh, r.draft, r.dir); err != nil {
		return err
	}
	return Folder(r.dir).sync()
}

// move renames files from one folder to another, in order. Missing files are skipped.
func (r *replacement) move(names []string, from, to string) error {
	for _, name := range names {
		next := rename{from: filepath.Join(from, name), to: filepath.Join(to, name)}
		switch err := os.Rename(next.from, next.to); {
		case err == nil:
			r.moved = append(r.moved, next)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return nil
}

// undo reverts the renames in reverse order, and removes the folder aside, which is then empty.
func (r *replacement) undo() error {
	for _, done := range slices.Backward(r.moved) {
		if err := os.Rename(done.to, done.from); err != nil {
			return err
		}
	}
	if r.aside == "" {
		return nil
	}
	return errors.Join(os.Remove(r.aside), Folder(r.dir).sync())
}
