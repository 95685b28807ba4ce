// Package backup makes archives of a store in use and of what was uploaded to it, and stores of archives.
//
// An archive is a compressed tar file (.tar.zst) with the database as weft.db and each upload as blobs/NAME. The
// database in it is one moment of the store, and was checked before the archive got its name.
package backup

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/weft-graph/weft/blob"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/sqlite"
)

// A Store is what can be backed up: store/sqlite's are.
type Store interface {
	// Backup writes the store as it is at one moment into a directory, as weft.db.
	Backup(ctx context.Context, dir string) error
}

// A Place keeps archives under names: a Folder or a bucket.
type Place interface {
	Put(ctx context.Context, name string, r io.Reader, size int64, kind string) error
	Remove(ctx context.Context, name string) error
	List(ctx context.Context, after string, limit int) ([]blob.Info, error)
}

const (
	database = "weft.db"
	uploads  = "blobs"
	// mediaType is what an archive is.
	mediaType = "application/zstd"
)

// Name is what an archive of this moment is called. Names sort by time.
func Name(at time.Time) string { return at.UTC().Format(nameForm) }

const nameForm = "weft-20060102-150405.000.tar.zst"

// Make puts an archive of a store, and of its uploads unless they are nil, into a place. It needs room for the
// database and the archive in the directory for drafts. What was uploaded after the moment of the database may be
// in the archive as well. What was left in the directory for drafts by a process that was killed goes.
func Make(ctx context.Context, store Store, blobs blob.Store, drafts string, to Place, name string) error {
	sweep(ctx, drafts)
	dir, err := os.MkdirTemp(drafts, draft)
	if err != nil {
		return fmt.Errorf("backing up: %w", err)
	}
	unlock, err := sqlite.Lock(ctx, dir)
	if err != nil {
		return errors.Join(fmt.Errorf("backing up: %w", err), os.RemoveAll(dir))
	}
	return errors.Join(put(ctx, store, blobs, dir, to, name), unlock(), os.RemoveAll(dir))
}

// draft is how the names of our folders begin: like nobody else's, for they are removed.
const draft = ".weft-backup-"

// sweep removes folders that nobody holds a lock on any more. What cannot be removed now may be the next time.
func sweep(ctx context.Context, drafts string) {
	left, _ := filepath.Glob(filepath.Join(drafts, draft+"*", "weft.lock"))
	for _, lock := range left {
		dir := filepath.Dir(lock)
		if unlock, err := sqlite.Lock(ctx, dir); err == nil {
			_ = errors.Join(unlock(), os.RemoveAll(dir))
		}
	}
}

func put(ctx context.Context, store Store, blobs blob.Store, dir string, to Place, name string) error {
	if err := store.Backup(ctx, dir); err != nil {
		return err
	}
	archive, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return fmt.Errorf("backing up: %w", err)
	}
	defer archive.Close()
	if err := pack(ctx, archive, filepath.Join(dir, database), blobs); err != nil {
		return fmt.Errorf("backing up: %w", err)
	}
	size, err := archive.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = archive.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("backing up: %w", err)
	}
	return to.Put(ctx, name, archive, size, mediaType)
}

func pack(ctx context.Context, to io.Writer, db string, blobs blob.Store) error {
	compressed, err := zstd.NewWriter(to, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	archive := tar.NewWriter(compressed)
	err = packFile(archive, db)
	if err == nil && blobs != nil {
		err = packBlobs(ctx, archive, blobs)
	}
	return errors.Join(err, archive.Close(), compressed.Close())
}

func packFile(archive *tar.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return packOne(archive, database, info.Size(), info.ModTime(), f)
}

func packBlobs(ctx context.Context, archive *tar.Writer, blobs blob.Store) error {
	const some = 1_000
	for after := ""; ; {
		found, err := blobs.List(ctx, after, some)
		if err != nil || len(found) == 0 {
			return err
		}
		for _, info := range found {
			if err := packBlob(ctx, archive, blobs, info.Name); err != nil {
				return err
			}
		}
		after = found[len(found)-1].Name
	}
}

// packBlob passes over one that was removed since it was listed.
func packBlob(ctx context.Context, archive *tar.Writer, blobs blob.Store, name string) error {
	r, info, err := blobs.Get(ctx, name)
	if graph.KindOf(err) == graph.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	return packOne(archive, path.Join(uploads, name), info.Size, info.Modified, r)
}

func packOne(archive *tar.Writer, name string, size int64, modified time.Time, r io.Reader) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: modified}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err := io.Copy(archive, r)
	return err
}
