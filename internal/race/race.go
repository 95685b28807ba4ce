// Package race skips a test while the race detector is enabled. It is for tests in which the detector cannot find anything,
// because a test takes up to twenty times as long with the detector. `make test` runs every test without the detector, and then
// most tests once more with it.
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
