package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/backup"
	"github.com/weft-graph/weft/internal/files/blob"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

type backupCommand struct {
	adminFlags
	Dest string `arg:"" help:"Directory or file (.tar.zst) to write the archive to, or s3://bucket/prefix?endpoint=…&region=…"`
}

// Help implements kong.HelpProvider.
func (backupCommand) Help() string {
	return `Writes one archive (.tar.zst) of the graph and of the uploads in --data, even while weft serve is running. ` +
		`The archive holds a consistent snapshot, which is checked before the file receives its final name. Uploads in a bucket are not included. With --url, the server creates the archive; the command downloads it and then deletes it on the server.`
}

// Run writes the archive and prints its location.
func (c backupCommand) Run() error {
	ctx, stop := interruptible()
	defer stop()
	if c.URL != "" {
		return c.download(ctx)
	}
	if err := c.requireDirectory(); err != nil {
		return err
	}
	store, err := sqlite.OpenReader(ctx, c.Data)
	if err != nil {
		return err
	}
	to, name, drafts, err := parseDestination(c.Dest)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	blobs, closeBlobs, err := c.openUploads()
	if err != nil {
		return errors.Join(err, store.Close())
	}
	defer closeBlobs()
	job := backup.Job{Store: store, Blobs: blobs, Drafts: drafts, To: to}
	if err := errors.Join(job.Make(ctx, name), store.Close()); err != nil {
		return err
	}
	c.printLocation(name)
	return nil
}

// printLocation prints the location of the archive with the given name.
func (c backupCommand) printLocation(name string) {
	location := withoutQuery(c.Dest)
	if !strings.HasSuffix(location, name) {
		location = strings.TrimRight(location, "/") + "/" + name
	}
	fmt.Println(location)
}

// backupPoll is the interval at which download polls the server until an archive is complete.
const backupPoll = 500 * time.Millisecond

// download creates an archive on the server of --url, copies it to the destination, and deletes it on the server.
func (c backupCommand) download(ctx context.Context) error {
	server, err := c.server()
	if err != nil {
		return err
	}
	to, name, _, err := parseDestination(c.Dest)
	if err != nil {
		return err
	}
	made, err := server.makeBackup(ctx)
	if err != nil {
		return err
	}
	path := "/api/admin/backups/" + url.PathEscape(made)
	archive, err := server.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	err = errors.Join(to.Put(ctx, name, archive.Body, archive.ContentLength, "application/zstd"), archive.Body.Close())
	if err != nil {
		return err
	}
	c.printLocation(name)
	_, err = server.sendJSON(ctx, http.MethodDelete, path, nil, &struct{}{})
	return err
}

// makeBackup creates an archive on the server and returns its name when it is complete.
func (s *adminServer) makeBackup(ctx context.Context) (name string, err error) {
	var state struct {
		Name string      `json:"name"`
		Task backup.Task `json:"work"`
	}
	if _, err := s.sendJSON(ctx, http.MethodPost, "/api/admin/backups", nil, &state); err != nil {
		return "", err
	}
	name = state.Name
	for state.Task.Name == name && state.Task.Ended.IsZero() {
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(backupPoll):
		}
		state.Task = backup.Task{}
		if _, err := s.sendJSON(ctx, http.MethodGet, "/api/admin/backups?inpage=1", nil, &state); err != nil {
			return "", err
		}
	}
	if state.Task.Name == name && state.Task.Error != "" {
		return "", graph.Errorf(graph.Unavailable, "the server cannot make a backup: %s", state.Task.Error)
	}
	return name, nil
}

// requireDirectory returns an error unless the store is SQLite in a data directory.
func (f storeFlags) requireDirectory() error {
	if f.Store != "" {
		return usageErrorf("--store %s is not in a directory; use the backup tools of the database, or weft store copy into a directory", f.scheme())
	}
	return nil
}

// openUploads opens the uploads of a data directory. The store is nil if the directory has no uploads.
func (f storeFlags) openUploads() (_ blob.Store, closeBlobs func(), err error) {
	directory := filepath.Join(f.Data, "blobs")
	if _, err := os.Stat(directory); errors.Is(err, fs.ErrNotExist) {
		return nil, func() {}, nil
	}
	disk, err := blob.OpenDisk(directory)
	if err != nil {
		return nil, nil, err
	}
	return disk, func() { _ = disk.Close() }, nil
}

// parseDestination parses the argument that names the destination of a backup. It returns the destination, the name of
// the archive there, and a directory in which the archive is written until it is complete. It creates the directory of
// the destination if necessary.
func parseDestination(dest string) (to backup.Destination, name, drafts string, err error) {
	name = backup.Name(time.Now())
	if strings.HasPrefix(dest, "s3://") {
		to, err = blob.OpenS3(dest)
		return to, name, os.TempDir(), err
	}
	if info, err := os.Stat(dest); err == nil && info.IsDir() {
		return backup.Folder(dest), name, dest, nil
	}
	if !strings.HasSuffix(dest, ".tar.zst") { // dest is a directory that does not exist yet
		return backup.Folder(dest), name, dest, os.MkdirAll(dest, 0o700)
	}
	dir, name := filepath.Split(dest)
	if dir == "" {
		dir = "."
	}
	return backup.Folder(dir), name, dir, nil
}

// withoutQuery removes the query of a URL, which may contain credentials.
func withoutQuery(dest string) string {
	without, _, _ := strings.Cut(dest, "?")
	return without
}

type restoreCommand struct {
	Data  string `default:"weft-data" env:"WEFT_DATA" type:"path" help:"Directory of the graph. It is created if it does not exist."`
	Src   string `arg:"" help:"Archive written by weft backup: a file, or s3://bucket/prefix/name?endpoint=…&region=…"`
	Force bool   `help:"Move existing data aside, into a subfolder of the directory."`
}

// Help implements kong.HelpProvider.
func (restoreCommand) Help() string {
	return `The archive is read and checked before anything is changed. The restored store keeps its identity; changes after the ` +
		`backup are lost. Ids that may have been assigned since then are skipped, so clients never confuse two records.`
}

// Run restores the archive and prints where existing data was moved.
func (c restoreCommand) Run() error {
	ctx, stop := interruptible()
	defer stop()
	archive, err := openArchive(ctx, c.Src)
	if err != nil {
		return err
	}
	defer archive.Close()
	aside, err := backup.Restore(ctx, archive, c.Data, c.Force)
	if aside != "" {
		fmt.Println("moved the existing data to", aside)
	}
	return err
}

// openArchive opens an archive in a file or bucket.
func openArchive(ctx context.Context, src string) (io.ReadCloser, error) {
	if !strings.HasPrefix(src, "s3://") {
		return os.Open(src)
	}
	u, err := url.Parse(src)
	if err != nil {
		return nil, usageErrorf("%q is not a URL", withoutQuery(src))
	}
	name := path.Base(u.Path)
	u.Path = path.Dir(u.Path)
	from, err := blob.OpenS3(u.String())
	if err != nil {
		return nil, err
	}
	archive, _, err := from.Get(ctx, name)
	return archive, err
}
