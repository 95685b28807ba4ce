// Package race skips tests under the race detector in which the detector cannot find anything. With the detector, a test needs
// up to twenty times as long. `make test` runs every test without the detector, and then most tests once more with it.
package race

import "testing"

// Skip skips a test under the race detector, for the given reason: its goroutines share nothing, another process does the work, or
// other tests have the same accesses with less data.
func Skip(t testing.TB, reason string) {
	t.Helper()
	if Enabled {
		t.Skip("the race detector runs: " + reason)
	}
}
