package backup

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/weft-graph/weft/blob"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/sqlite"
)

// Restore makes the store of an archive in a directory. What is in the archive is checked before anything is
// touched. If there is a store already the error is Conflict, unless it may be moved aside: then it and its
// uploads go to a folder of the same directory, whose name is returned.
func Restore(ctx context.Context, archive io.Reader, dir string, force bool) (aside string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("restoring: %w", err)
	}
	unlock, err := sqlite.Lock(ctx, dir)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	old, err := kept(dir)
	if err != nil {
		return "", err
	}
	if len(old) > 0 && !force {
		return "", graph.Errorf(graph.Conflict, "there is a store in %s already; say --force to move it aside", dir)
	}
	draft, err := os.MkdirTemp(dir, "restoring-")
	if err != nil {
		return "", fmt.Errorf("restoring: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(draft)) }()
	if err := unpack(ctx, archive, draft); err != nil {
		return "", err
	}
	return exchange(dir, old, draft)
}

// kept lists what belongs to a store in a directory, its lock aside: the uploads, the files beside the database,
// and the database last.
func kept(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("restoring: %w", err)
	}
	var names []string
	last := false
	for _, entry := range entries {
		switch name := entry.Name(); {
		case name == database:
			last = true
		case name == uploads || strings.HasPrefix(name, database):
			names = append(names, name)
		}
	}
	if last {
		names = append(names, database)
	}
	return names, nil
}

func unpack(ctx context.Context, from io.Reader, draft string) error {
	plain, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return fmt.Errorf("reading the backup: %w", err)
	}
	defer plain.Close()
	err = unpackAll(ctx, tar.NewReader(plain), draft)
	switch {
	case errors.Is(err, zstd.ErrMagicMismatch), errors.Is(err, tar.ErrHeader):
		return graph.Wrap(graph.Invalid, err, "this is no archive that weft backup made")
	case err != nil:
		return fmt.Errorf("reading the backup: %w", err)
	}
	if _, err := io.Copy(io.Discard, plain); err != nil { // the end of it has a checksum
		return fmt.Errorf("reading the backup: %w", err)
	}
	if _, err := os.Stat(filepath.Join(draft, database)); err != nil {
		return graph.Errorf(graph.Invalid, "this is no archive that weft backup made: there is no %s in it", database)
	}
	store, err := sqlite.Open(ctx, draft) // one of an older Weft is brought up to date
	if err != nil {
		return fmt.Errorf("reading the backup: %w", err)
	}
	err = store.Check(ctx)
	if err == nil {
		err = store.Restored(ctx)
	}
	return errors.Join(err, store.Close())
}

func unpackAll(ctx context.Context, archive *tar.Reader, draft string) error {
	blobs, err := blob.OpenDisk(filepath.Join(draft, uploads))
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
		name, upload := strings.CutPrefix(header.Name, uploads+"/")
		switch {
		case header.Typeflag != tar.TypeReg:
			return graph.Errorf(graph.Invalid, "%q does not belong into a backup", graph.Clip(header.Name))
		case upload:
			err = blobs.Put(ctx, name, archive, header.Size, "")
		case name == database:
			err = unpackFile(archive, filepath.Join(draft, database))
		default:
			return graph.Errorf(graph.Invalid, "%q does not belong into a backup", graph.Clip(header.Name))
		}
		if err != nil {
			return err
		}
	}
}

func unpackFile(r io.Reader, path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Sync(), f.Close())
}

// exchange moves the store of a directory aside and the draft into its place, the database last.
func exchange(dir string, old []string, draft string) (aside string, err error) {
	if len(old) > 0 {
		aside = filepath.Join(dir, "before-"+time.Now().UTC().Format("20060102-150405.000"))
		if err := os.Mkdir(aside, 0o700); err != nil {
			return "", fmt.Errorf("restoring: %w", err)
		}
		if err := move(old, dir, aside); err != nil {
			return aside, err
		}
	}
	fresh, err := kept(draft)
	if err != nil {
		return aside, err
	}
	return aside, errors.Join(move(fresh, draft, dir), Folder(dir).sync())
}

func move(names []string, from, to string) error {
	for _, name := range names {
		if err := os.Rename(filepath.Join(from, name), filepath.Join(to, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("restoring: %w", err)
		}
	}
	return nil
}
