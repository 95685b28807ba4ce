//go:build unix

package main

import (
	"runtime"
	"syscall"
	"time"
)

// processUsage returns the processor time this process has used and its peak resident memory in bytes.
func processUsage() (cpu time.Duration, memory int64) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, 0
	}
	memory = int64(u.Maxrss) //nolint:unconvert // narrower on some systems
	if runtime.GOOS != "darwin" {
		memory <<= 10
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), memory
}
