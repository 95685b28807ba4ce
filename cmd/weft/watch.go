package main

import (
	"context"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long a directory has to be quiet before what changed there is looked at: editors write a file in
// several steps.
const settle = 100 * time.Millisecond

// watch calls do at once, and again after every change in a directory or those inside it, until ctx ends.
func watch(ctx context.Context, dir string, do func()) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer w.Close()
	for {
		if err := watchAll(w, dir); err != nil { // also what was made since
			return err
		}
		do()
		if err := change(ctx, w); err != nil || ctx.Err() != nil {
			return err
		}
	}
}

func watchAll(w *fsnotify.Watcher, dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		return w.Add(path)
	})
}

// change returns once something has changed and nothing does any more.
func change(ctx context.Context, w *fsnotify.Watcher) error {
	var quiet <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-w.Errors:
			return err
		case <-w.Events:
			quiet = time.After(settle)
		case <-quiet:
			return nil
		}
	}
}
