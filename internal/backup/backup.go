// Package backup creates archives of a store and its uploads while they are in use, and restores stores from archives.
//
// An archive is a compressed tar file (.tar.zst) with the database as weft.db and each upload as blobs/NAME. The
// database is a consistent snapshot. It is checked before the archive gets its name.
//
// Job.Make:
//
//  1. Store.Backup writes weft.db to a locked draft folder and checks it.
//  2. The database and the uploads are packed into an archive in the draft folder.
//  3. Destination.Put copies the archive. When it returns, the archive is complete and durable under its name.
//
// Restore:
//
//  1. The archive is unpacked to a draft folder in the directory of the store, and the database is migrated and checked. Entries are
//     refused before they are unpacked if they would fill the disk, contradict the header of the database, or expand the archive to
//     more than a gibibyte plus a thousand times its size.
//  2. The existing store, if any, is moved to a folder before-TIME.
//  3. The draft is moved into place, first the uploads, then the database. The names are durable when Restore returns.
//
// An error in step 1 of Restore changes nothing. If the process is killed during step 2 or 3, the directory has no
// complete store; the missing files are in before-TIME and in the draft folder restoring-…. sqlite.Open refuses to
// create an empty store in a directory with such a folder, and the next Restore removes the folder.
//
// A Schedule runs Make at intervals, retries with backoff, and removes old archives.
//
// Costs: a backup reads the whole store and all uploads, and does not block writers. It needs disk space for the
// database and the archive in the draft folder, and for another copy of the archive in the destination. The next Make
// or Folder.Put removes the drafts of a killed process.
//
// Reasons for the design: docs/decisions/0016.
package backup

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/files/blob"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// A Store can be backed up. The stores of package sqlite implement it.
type Store interface {
	// Backup writes a consistent snapshot of the store to a directory, as weft.db.
	Backup(ctx context.Context, dir string) error
}

// A Destination stores archives by name: a Folder or a bucket (blob.S3). The interface contains the methods of
// blob.Store that backups need. Backups never use a name twice, and use only the fields Name and Size of the
// results of List.
type Destination interface {
	Put(ctx context.Context, name string, r io.Reader, size int64, kind string) error
	Remove(ctx context.Context, name string) error
	List(ctx context.Context, after string, limit int) ([]blob.Info, error)
}

const (
	databaseName  = "weft.db"
	uploadsFolder = "blobs"
	// mediaType is the media type of an archive.
	mediaType = "application/zstd"
)

// Name returns the name of an archive made at a time. Names sort by time.
func Name(at time.Time) string { return at.UTC().Format(nameFormat) }

const nameFormat = "weft-20060102-150405.000.tar.zst"

// A Job describes the source of a backup and the destination of the archive.
type Job struct {
	Store  Store
	Blobs  blob.Store // nil if uploads are not stored locally
	Drafts string     // directory for draft folders, with space for the database and the archive
	To     Destination
}

// Make stores an archive of the store and its uploads under a name. Uploads made after the snapshot of the database may
// be included. Make also removes drafts that a killed process left behind.
func (j Job) Make(ctx context.Context, name string) error {
	removeAbandonedDrafts(ctx, j.Drafts)
	dir, err := os.MkdirTemp(j.Drafts, draftPrefix)
	if err != nil {
		return fmt.Errorf("make a backup: %w", err)
	}
	unlock, err := sqlite.Lock(ctx, dir)
	if err != nil {
		return errors.Join(fmt.Errorf("make a backup: %w", err), os.RemoveAll(dir))
	}
	return errors.Join(j.makeArchive(ctx, dir, name), unlock(), os.RemoveAll(dir))
}

// draftPrefix is the prefix of draft folders. No other folder may have it, because it would be removed.
const draftPrefix = ".weft-backup-"

// A draft folder without a lock counts as abandoned when it is older than unlockedDraftLife. In a younger folder,
// the lock may not have been created yet.
const unlockedDraftLife = time.Hour

// removeAbandonedDrafts removes draft folders whose lock is free, and old draft folders without a lock. Folders that
// cannot be removed are left for the next call.
func removeAbandonedDrafts(ctx context.Context, drafts string) {
	folders, _ := filepath.Glob(filepath.Join(drafts, draftPrefix+"*"))
	for _, dir := range folders {
		info, err := os.Stat(dir)
		if err != nil {
			continue
		}
		_, lockErr := os.Stat(filepath.Join(dir, "weft.lock"))
		if errors.Is(lockErr, fs.ErrNotExist) && time.Since(info.ModTime()) < unlockedDraftLife {
			continue
		}
		if unlock, err := sqlite.Lock(ctx, dir); err == nil {
			_ = errors.Join(unlock(), os.RemoveAll(dir))
		}
	}
}

// makeArchive packs an archive in the draft folder dir and stores it.
func (j Job) makeArchive(ctx context.Context, dir, name string) error {
	if err := j.Store.Backup(ctx, dir); err != nil {
		return err
	}
	archive, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return fmt.Errorf("make a backup: %w", err)
	}
	defer archive.Close()
	if err := pack(ctx, archive, filepath.Join(dir, databaseName), j.Blobs); err != nil {
		return fmt.Errorf("make a backup: %w", err)
	}
	size, err := archive.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = archive.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("make a backup: %w", err)
	}
	return j.To.Put(ctx, name, archive, size, mediaType)
}

// pack writes the compressed archive.
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
	return packEntry(archive, databaseName, info.Size(), info.ModTime(), f)
}

// packBlobs adds all uploads to the archive, page by page.
func packBlobs(ctx context.Context, archive *tar.Writer, blobs blob.Store) error {
	const pageSize = 1_000
	for after := ""; ; {
		found, err := blobs.List(ctx, after, pageSize)
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

// packBlob adds an upload to the archive. It skips an upload that was removed after it was listed.
func packBlob(ctx context.Context, archive *tar.Writer, blobs blob.Store, name string) error {
	r, info, err := blobs.Get(ctx, name)
	if graph.KindOf(err) == graph.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	return packEntry(archive, path.Join(uploadsFolder, name), info.Size, info.Modified, r)
}

func packEntry(archive *tar.Writer, name string, size int64, modified time.Time, r io.Reader) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: modified}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err := io.Copy(archive, r)
	return err
}
