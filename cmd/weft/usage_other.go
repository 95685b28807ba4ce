//go:build !unix

package main

import "time"

// usage is not known here.
func usage() (cpu time.Duration, memory int64) { return 0, 0 }
