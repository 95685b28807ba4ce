package blob

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Disk is a Store in a directory. A blob is a file in a folder (shard), whose name is the first two characters
// of the blob's name:
//
//	ab/abc123.jpg   a blob
//	incoming/…      files that are being written; renamed when complete
type Disk struct{ root *os.Root }

const (
	incomingFolder  = "incoming" // longer than the name of a shard, so List skips it
	shardNameLength = 2
	abandonedAge    = 24 * time.Hour // age at which an unfinished blob is removed; writing a blob takes less time
	folderMode      = 0o700
	fileMode        = 0o600
)

// OpenDisk opens the store in a directory, which is created if it does not exist. It removes unfinished blobs that are
// older than a day.
func OpenDisk(directory string) (*Disk, error) {
	if err := os.MkdirAll(filepath.Join(directory, incomingFolder), folderMode); err != nil {
		return nil, WrapWriteError(err)
	}
	root, err := os.OpenRoot(directory)
	if err != nil {
		return nil, err
	}
	d := &Disk{root: root}
	return d, errors.Join(d.syncFolder("."), d.removeAbandoned())
}

// Close releases the directory.
func (d *Disk) Close() error { return d.root.Close() }

// removeAbandoned removes unfinished blobs of killed processes.
func (d *Disk) removeAbandoned() error {
	unfinished, err := d.files(incomingFolder)
	for _, info := range unfinished {
		if time.Since(info.Modified) > abandonedAge {
			err = errors.Join(err, d.root.Remove(filepath.Join(incomingFolder, info.Name)))
		}
	}
	return err
}

// Put implements Store. The contents are durable before the file receives its name, and the name is durable before
// Put returns.
func (d *Disk) Put(ctx context.Context, name string, r io.Reader, size int64, _ string) error {
	if err := checkName(name); err != nil {
		return err
	}
	draft := filepath.Join(incomingFolder, rand.Text())
	if err := d.write(draft, name, r, size); err != nil {
		return errors.Join(WrapWriteError(err), d.root.Remove(draft))
	}
	if err := errors.Join(ctx.Err(), d.rename(draft, name)); err != nil {
		_ = d.root.Remove(draft) // fails if the file was already renamed
		return WrapWriteError(err)
	}
	return nil
}

func (d *Disk) write(draft, name string, r io.Reader, size int64) error {
	f, err := d.root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = io.CopyN(f, r, size)
	if errors.Is(err, io.EOF) {
		err = tooShortError(name, size)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// rename gives a complete draft its final name and makes the name durable.
func (d *Disk) rename(draft, name string) error {
	if err := d.root.Mkdir(name[:shardNameLength], folderMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := d.root.Rename(draft, blobPath(name)); err != nil {
		return err
	}
	return errors.Join(d.syncFolder(name[:shardNameLength]), d.syncFolder("."))
}

// syncFolder makes the names in a folder durable.
func (d *Disk) syncFolder(folder string) error {
	f, err := d.root.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Get implements Store.
func (d *Disk) Get(_ context.Context, name string) (io.ReadSeekCloser, Info, error) {
	if err := checkName(name); err != nil {
		return nil, Info{}, notFoundError(name)
	}
	f, err := d.root.Open(blobPath(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Info{}, notFoundError(name)
	}
	if err != nil {
		return nil, Info{}, err
	}
	stat, err := f.Stat()
	if err != nil {
		return nil, Info{}, errors.Join(err, f.Close())
	}
	return f, Info{Name: name, Size: stat.Size(), Modified: stat.ModTime()}, nil
}

// Remove implements Store.
func (d *Disk) Remove(_ context.Context, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	err := d.root.Remove(blobPath(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, d.syncFolder(name[:shardNameLength]))
}

// List implements Store.
func (d *Disk) List(ctx context.Context, after string, limit int) ([]Info, error) {
	shards, err := fs.ReadDir(d.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var found []Info
	for _, shard := range shards {
		if len(shard.Name()) != shardNameLength || shard.Name() < after[:min(shardNameLength, len(after))] {
			continue
		}
		files, err := d.files(shard.Name())
		if err != nil {
			return nil, err
		}
		for _, info := range files {
			if info.Name > after && len(found) < limit {
				found = append(found, info)
			}
		}
		if len(found) == limit {
			break
		}
	}
	return found, ctx.Err()
}

func (d *Disk) files(folder string) ([]Info, error) {
	entries, err := fs.ReadDir(d.root.FS(), folder)
	if err != nil {
		return nil, err
	}
	var files []Info
	for _, entry := range entries {
		stat, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // the blob was removed after it was listed
		}
		if err != nil {
			return nil, err
		}
		files = append(files, Info{Name: entry.Name(), Size: stat.Size(), Modified: stat.ModTime()})
	}
	return files, nil
}

func blobPath(name string) string { return filepath.Join(name[:shardNameLength], name) }
