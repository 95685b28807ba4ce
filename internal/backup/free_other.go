//go:build !linux && !darwin && !freebsd

package backup

// freeBytes reports that the free space of a disk is not known on this system.
func freeBytes(string) (bytes int64, known bool) { return 0, false }
