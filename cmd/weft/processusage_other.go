//go:build !unix

package main

import "time"

// processUsage returns zeros: this system has no getrusage.
func processUsage() (cpu time.Duration, memory int64) { return 0, 0 }
