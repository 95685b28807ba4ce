//go:build linux || darwin || freebsd

package backup

import "syscall"

// freeBytes returns the free bytes of the disk of a directory that this process may use, if known.
func freeBytes(dir string) (bytes int64, known bool) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return 0, false
	}
	return int64(stat.Bavail) * int64(stat.Bsize), true //nolint:unconvert // the types differ between systems
}
