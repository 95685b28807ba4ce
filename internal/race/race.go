// Package race keeps work from the race detector in which it finds nothing, but for which it needs up to twenty times as long.
// `make test` runs every test without the detector, and most once more with it.
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
