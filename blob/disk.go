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

// Disk is a Store in a directory: a blob is a file, in a folder named after the first letters of its name.
type Disk struct{ root *os.Root }

// What is being written stands in a folder of its own, whose name is longer than that of a shard.
const (
	incoming   = "incoming"
	shardName  = 2
	abandoned  = 24 * time.Hour // nobody writes one blob for so long
	ownerOnly  = 0o700
	ownerWrite = 0o600
)

// OpenDisk opens the store in a directory, which it makes if it is not there.
func OpenDisk(directory string) (*Disk, error) {
	if err := os.MkdirAll(filepath.Join(directory, incoming), ownerOnly); err != nil {
		return nil, Failed(err)
	}
	root, err := os.OpenRoot(directory)
	if err != nil {
		return nil, err
	}
	d := &Disk{root: root}
	return d, errors.Join(d.sync("."), d.clear())
}

// Close releases the directory.
func (d *Disk) Close() error { return d.root.Close() }

// clear removes what was left when a process died while writing.
func (d *Disk) clear() error {
	left, err := d.files(incoming)
	for _, info := range left {
		if time.Since(info.Modified) > abandoned {
			err = errors.Join(err, d.root.Remove(filepath.Join(incoming, info.Name)))
		}
	}
	return err
}

// Put implements Store. The bytes are durable before the file has its name, and the name before Put returns.
func (d *Disk) Put(ctx context.Context, name string, r io.Reader, size int64, _ string) error {
	if err := checkName(name); err != nil {
		return err
	}
	draft := filepath.Join(incoming, rand.Text())
	if err := d.write(draft, name, r, size); err != nil {
		return errors.Join(Failed(err), d.root.Remove(draft))
	}
	if err := errors.Join(ctx.Err(), d.name(draft, name)); err != nil {
		_ = d.root.Remove(draft) // it may have its name already
		return Failed(err)
	}
	return nil
}

func (d *Disk) write(draft, name string, r io.Reader, size int64) error {
	f, err := d.root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, ownerWrite)
	if err != nil {
		return err
	}
	_, err = io.CopyN(f, r, size)
	if errors.Is(err, io.EOF) {
		err = tooShort(name, size)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func (d *Disk) name(draft, name string) error {
	if err := d.root.Mkdir(name[:shardName], ownerOnly); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := d.root.Rename(draft, path(name)); err != nil {
		return err
	}
	return errors.Join(d.sync(name[:shardName]), d.sync("."))
}

// sync makes the names in a folder durable.
func (d *Disk) sync(folder string) error {
	f, err := d.root.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Get implements Store.
func (d *Disk) Get(_ context.Context, name string) (io.ReadSeekCloser, Info, error) {
	if err := checkName(name); err != nil {
		return nil, Info{}, notFound(name)
	}
	f, err := d.root.Open(path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Info{}, notFound(name)
	}
	if err != nil {
		return nil, Info{}, err
	}
	about, err := f.Stat()
	if err != nil {
		return nil, Info{}, errors.Join(err, f.Close())
	}
	return f, Info{Name: name, Size: about.Size(), Modified: about.ModTime()}, nil
}

// Remove implements Store.
func (d *Disk) Remove(_ context.Context, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	err := d.root.Remove(path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, d.sync(name[:shardName]))
}

// List implements Store.
func (d *Disk) List(ctx context.Context, after string, limit int) ([]Info, error) {
	shards, err := fs.ReadDir(d.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var found []Info
	for _, shard := range shards {
		if len(shard.Name()) != shardName || shard.Name() < after[:min(shardName, len(after))] {
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
		about, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // just removed
		}
		if err != nil {
			return nil, err
		}
		files = append(files, Info{Name: entry.Name(), Size: about.Size(), Modified: about.ModTime()})
	}
	return files, nil
}

func path(name string) string { return filepath.Join(name[:shardName], name) }
