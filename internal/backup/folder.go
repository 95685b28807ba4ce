package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/files/blob"
)

// A Folder is a Destination in an existing directory.
type Folder string

// Put implements Destination. The contents are durable before the file receives its name; if the file exists, the
// error is a Conflict. Put also removes old drafts of archives that a killed process left behind.
func (f Folder) Put(_ context.Context, name string, r io.Reader, size int64, _ string) error {
	path := filepath.Join(string(f), name)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return graph.Errorf(graph.Conflict, "%s already exists", path)
	}
	f.removeAbandonedDrafts()
	draft, err := os.CreateTemp(string(f), "."+name+"-")
	if err != nil {
		return fmt.Errorf("store the backup: %w", err)
	}
	n, err := io.Copy(draft, r)
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	err = errors.Join(err, draft.Sync(), draft.Close())
	if err == nil {
		err = os.Rename(draft.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("store the backup: %w", errors.Join(err, os.Remove(draft.Name())))
	}
	return f.sync()
}

// removeAbandonedDrafts removes drafts that have not been written to for an hour.
func (f Folder) removeAbandonedDrafts() {
	drafts, _ := filepath.Glob(filepath.Join(string(f), ".weft-*.tar.zst-*"))
	for _, draft := range drafts {
		if info, err := os.Lstat(draft); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > time.Hour {
			_ = os.Remove(draft)
		}
	}
}

// sync makes the names of the files in the folder durable.
func (f Folder) sync() error {
	dir, err := os.Open(string(f))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Remove implements Destination.
func (f Folder) Remove(_ context.Context, name string) error {
	return os.Remove(filepath.Join(string(f), name))
}

// List implements Destination.
func (f Folder) List(_ context.Context, after string, limit int) ([]blob.Info, error) {
	entries, err := os.ReadDir(string(f)) // sorted by name
	if err != nil {
		return nil, err
	}
	var found []blob.Info
	for _, entry := range entries {
		if entry.Name() <= after || strings.HasPrefix(entry.Name(), ".") || !entry.Type().IsRegular() {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			continue // the file was removed after it was listed
		}
		if found = append(found, blob.Info{Name: entry.Name(), Size: info.Size()}); len(found) == limit {
			break
		}
	}
	return found, nil
}

// Get implements Source.
func (f Folder) Get(_ context.Context, name string) (io.ReadSeekCloser, blob.Info, error) {
	file, err := os.OpenInRoot(string(f), name)
	if err != nil {
		return nil, blob.Info{}, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, blob.Info{}, errors.Join(err, file.Close())
	}
	return file, blob.Info{Name: name, Size: info.Size()}, nil
}
