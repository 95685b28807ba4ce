package main

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"time"
)

// formatUsage describes the time since start, the CPU time and peak memory of the process, and the size of a
// directory.
func formatUsage(start time.Time, dir string) string {
	cpu, memory := processUsage()
	return fmt.Sprintf("%.1f s, %.1f s of CPU time, peak memory %d MB, %d MB on disk",
		time.Since(start).Seconds(), cpu.Seconds(), memory>>20, directorySize(dir)>>20)
}

// directorySize returns the total size of the files in a directory and the directories in it, in bytes.
func directorySize(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // unreadable entries are not counted
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}
