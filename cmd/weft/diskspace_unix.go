//go:build unix

package main

import "syscall"

// freeSpace returns the bytes of the file system of a directory that this process may still use.
func freeSpace(directory string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(directory, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil //nolint:unconvert // the fields have other types on some systems
}
