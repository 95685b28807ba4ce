package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"
)

// TestMain runs the attackers when this test program is started as their child process.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "-attack") {
		main()
	}
	os.Exit(m.Run())
}

// Twenty seconds of all attacks against the real program: the server must survive, its store must be sound, and no acknowledged
// write may be lost. `make abuse` also bounds times, memory and refusals; it needs the machine for itself.
func TestServerSurvivesEveryAttack(t *testing.T) {
	if testing.Short() {
		t.Skip("attacks a server for half a minute")
	}
	program := filepath.Join(t.TempDir(), "weft")
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../../cmd/weft").CombinedOutput(); err != nil { //nolint:gosec // our own program
		t.Fatalf("%v\n%s", err, output)
	}
	report, err := run(t.Context(), options{
		weft: program, duration: 20 * time.Second, only: regexp.MustCompile(""), memory: "1GiB", users: 5, addresses: 4, strength: 0.25,
	})
	if err != nil {
		t.Fatal(err)
	}
	if !report.alive || report.lost > 0 || report.checkError != nil || report.written == 0 {
		t.Errorf("alive: %t; %d of %d writes lost; check: %v; want a live server, some writes, none lost, and a sound store",
			report.alive, report.lost, report.written, report.checkError)
	}
	for _, text := range report.brokenBounds() {
		t.Log(text)
	}
	if len(report.phases) != len(allAttacks()) {
		t.Errorf("%d of %d attacks were run; want all", len(report.phases), len(allAttacks()))
	}
}
