//go:build unix

package host

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// temporaryLock is a file in each temporary folder that its process locks. The system releases the lock when the process ends, even if it
// is killed.
const temporaryLock = "lock"

// maxTemporaryTries is the maximum number of folders that makeTemporary creates to get one.
const maxTemporaryTries = 10

// makeTemporary creates a temporary folder, and removes those of the same prefix whose processes have ended. The returned function removes
// the folder.
func makeTemporary(prefix string) (folder string, remove func(), err error) {
	removeStale(prefix)
	for range maxTemporaryTries {
		if folder, err = os.MkdirTemp("", prefix); err != nil {
			return "", nil, err
		}
		var lock *os.File
		lock, err = lockFolder(folder, os.O_CREATE)
		switch {
		case err == nil:
			return folder, func() {
				_ = os.RemoveAll(folder)
				_ = lock.Close()
			}, nil
		case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, fs.ErrNotExist):
			// Another process locked the folder before this one did, and removes it.
		default: // a file system without locks: the folder remains if this process is killed
			return folder, func() { _ = os.RemoveAll(folder) }, nil
		}
	}
	return "", nil, err
}

// removeStale removes the temporary folders whose locks are free. It keeps folders without a lock: their processes have not locked
// them yet, or have an older version.
func removeStale(prefix string) {
	folders, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*"))
	for _, folder := range folders {
		if lock, err := lockFolder(folder, 0); err == nil {
			_ = os.RemoveAll(folder)
			_ = lock.Close()
		}
	}
}

// lockFolder locks a temporary folder until the returned file is closed or the process ends. It fails if another process has the lock, or
// has removed the folder in the meantime.
func lockFolder(folder string, flag int) (*os.File, error) {
	path := filepath.Join(folder, temporaryLock)
	lock, err := os.OpenFile(path, os.O_RDWR|flag, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}
