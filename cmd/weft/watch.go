package main

import (
	"context"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settleTime is how long a directory must be unchanged before changes are processed. Editors write a file in several
// steps.
const settleTime = 100 * time.Millisecond

// watch calls onChange immediately, and again after each change in dir or its subdirectories. It returns nil when
// ctx is cancelled.
func watch(ctx context.Context, dir string, onChange func()) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer w.Close()
	for {
		if err := watchAll(w, dir); err != nil { // repeated to include new directories
			return err
		}
		onChange()
		if err := waitForChange(ctx, w); err != nil || ctx.Err() != nil {
			return err
		}
	}
}

// watchAll adds dir and its subdirectories to the watcher.
func watchAll(w *fsnotify.Watcher, dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		return w.Add(path)
	})
}

// waitForChange returns after a change that was not followed by another change within settleTime, or when ctx is
// cancelled.
func waitForChange(ctx context.Context, w *fsnotify.Watcher) error {
	var quiet <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-w.Errors:
			return err
		case <-w.Events:
			quiet = time.After(settleTime)
		case <-quiet:
			return nil
		}
	}
}
