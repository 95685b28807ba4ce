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

	"github.com/weft-graph/weft/blob"
	"github.com/weft-graph/weft/graph"
)

// A Folder is a Place in a directory, which must be there.
type Folder string

// Put implements Place. The file is durable before it has its name; one of that name is a Conflict. What a process
// that was killed had put of an archive of our names goes.
func (f Folder) Put(_ context.Context, name string, r io.Reader, size int64, _ string) error {
	path := filepath.Join(string(f), name)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return graph.Errorf(graph.Conflict, "%s is there already", path)
	}
	f.sweep()
	draft, err := os.CreateTemp(string(f), "."+name+"-")
	if err != nil {
		return fmt.Errorf("keeping the backup: %w", err)
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
		return fmt.Errorf("keeping the backup: %w", errors.Join(err, os.Remove(draft.Name())))
	}
	return f.sync()
}

// sweep removes drafts that nobody has written to for an hour.
func (f Folder) sweep() {
	left, _ := filepath.Glob(filepath.Join(string(f), ".weft-*.tar.zst-*"))
	for _, draft := range left {
		if info, err := os.Lstat(draft); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > time.Hour {
			_ = os.Remove(draft)
		}
	}
}

func (f Folder) sync() error {
	dir, err := os.Open(string(f))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Remove implements Place.
func (f Folder) Remove(_ context.Context, name string) error {
	return os.Remove(filepath.Join(string(f), name))
}

// List implements Place.
func (f Folder) List(_ context.Context, after string, limit int) ([]blob.Info, error) {
	entries, err := os.ReadDir(string(f)) // in order of name
	if err != nil {
		return nil, err
	}
	var found []blob.Info
	for _, entry := range entries {
		if entry.Name() <= after || strings.HasPrefix(entry.Name(), ".") || !entry.Type().IsRegular() {
			continue
		}
		if found = append(found, blob.Info{Name: entry.Name()}); len(found) == limit {
			break
		}
	}
	return found, nil
}
