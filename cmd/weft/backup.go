package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/weft-graph/weft/backup"
	"github.com/weft-graph/weft/blob"
	"github.com/weft-graph/weft/store/sqlite"
)

type backupCommand struct {
	storeFlags
	Dest string `arg:"" help:"Directory to make one in, file to make (.tar.zst), or s3://bucket/prefix?endpoint=…&region=…"`
}

// Help says what the one-line help of the flags cannot.
func (backupCommand) Help() string {
	return `Writes one archive (.tar.zst) of the graph and of the uploads in --data, also while weft serve is running. ` +
		`The graph in it is one moment, and was checked before the archive got its name. Uploads that are kept in a bucket are not in it.`
}

// Run backs up and prints where to.
func (c backupCommand) Run() error {
	ctx, stop := interruptible()
	defer stop()
	if err := c.onDisk(); err != nil {
		return err
	}
	store, err := sqlite.OpenReader(ctx, c.Data)
	if err != nil {
		return err
	}
	to, name, drafts, err := place(c.Dest)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	blobs, closeBlobs, err := c.uploaded()
	if err != nil {
		return errors.Join(err, store.Close())
	}
	defer closeBlobs()
	if err := errors.Join(backup.Make(ctx, store, blobs, drafts, to, name), store.Close()); err != nil {
		return err
	}
	made := withoutQuery(c.Dest)
	if !strings.HasSuffix(made, name) {
		made = strings.TrimRight(made, "/") + "/" + name
	}
	fmt.Println(made)
	return nil
}

// onDisk refuses what is not a directory.
func (f storeFlags) onDisk() error {
	if f.Store != "" {
		return misusef("--store %s is not in a directory; back it up with what its database brings, or weft store copy it into one", f.scheme())
	}
	return nil
}

// uploaded opens the uploads of a data directory; there may be none.
func (f storeFlags) uploaded() (_ blob.Store, closeBlobs func(), err error) {
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

// place is where an archive goes, under which name, and a directory where it can be made.
func place(dest string) (to backup.Place, name, drafts string, err error) {
	name = backup.Name(time.Now())
	if strings.HasPrefix(dest, "s3://") {
		to, err = blob.OpenS3(dest)
		return to, name, os.TempDir(), err
	}
	if info, err := os.Stat(dest); err == nil && info.IsDir() {
		return backup.Folder(dest), name, dest, nil
	}
	if !strings.HasSuffix(dest, ".tar.zst") { // a directory that is not there yet
		return backup.Folder(dest), name, dest, os.MkdirAll(dest, 0o700)
	}
	dir, name := filepath.Split(dest)
	if dir == "" {
		dir = "."
	}
	return backup.Folder(dir), name, dir, nil
}

// withoutQuery is a place without the parameters of its URL.
func withoutQuery(dest string) string {
	without, _, _ := strings.Cut(dest, "?")
	return without
}

type restoreCommand struct {
	Data  string `default:"weft-data" env:"WEFT_DATA" type:"path" help:"Directory of the graph. It is made when it is not there."`
	Src   string `arg:"" help:"Archive that weft backup made: a file, or s3://bucket/prefix/name?endpoint=…&region=…"`
	Force bool   `help:"Move what is there aside, into a folder of the same directory."`
}

// Help says what the one-line help of the flags cannot.
func (restoreCommand) Help() string {
	return `The archive is read and checked before anything is touched. What is restored is the same store, without what came after ` +
		`the backup. Numbers that may have been given away since are not given again, so no client takes one thing for another.`
}

// Run restores, and says where what was there is now.
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
		fmt.Println("what was there is in", aside)
	}
	return err
}

func openArchive(ctx context.Context, src string) (io.ReadCloser, error) {
	if !strings.HasPrefix(src, "s3://") {
		return os.Open(src)
	}
	u, err := url.Parse(src)
	if err != nil {
		return nil, misusef("%q is no URL", withoutQuery(src))
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
