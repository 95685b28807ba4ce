package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSiteGuideExamples runs all examples of docs/content.md in order, in one directory, and compares their output. It
// starts a server before the first example that needs one.
func TestSiteGuideExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the program for every example")
	}
	for _, needed := range []string{"curl", "sed"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Skip(needed + " is not installed")
		}
	}
	text, err := os.ReadFile("../../docs/content.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := exampleBlocks.FindAllStringSubmatch(string(text), -1)
	if all := strings.Count(string(text), "```sh\n"); len(examples) != all || all == 0 {
		t.Fatalf("%d of %d examples show their output; want all, and at least one", len(examples), all)
	}
	dir, binary, address := t.TempDir(), build(t), freeAddress(t)
	data := filepath.Join(dir, "weft-data")
	seeding := startServer(t, binary, data, address) // the first start writes the site to the store
	response, err := http.Get("http://" + address + "/api/health")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	stopServer(t, seeding)
	isStarted := false
	for _, example := range examples {
		command, want := example[1], example[3]
		if !isStarted && strings.Contains(command, guideAddress) {
			startServer(t, binary, data, address)
			isStarted = true
		}
		command = strings.ReplaceAll(command, guideAddress, "http://"+address)
		run := exec.CommandContext(t.Context(), "sh", "-c", command)
		run.Dir = dir
		out, err := run.CombinedOutput()
		if err != nil {
			t.Fatalf("%s\nfails: %v\n%s", command, err, out)
		}
		if err := (placeholders{}).compareLines(want, string(out)); err != nil {
			t.Fatalf("%s\nprints\n%s\n%v", command, out, err)
		}
	}
}

// stopServer stops a server and waits until it has exited.
func stopServer(t *testing.T, server *exec.Cmd) {
	t.Helper()
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("the server did not stop cleanly: %v", err)
	}
}
