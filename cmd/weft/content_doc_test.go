package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every example of the guide to the site's files is run, in order, in one directory. A server is started where the
// guide first asks one.
func TestTheGuideToTheSiteIsTrue(t *testing.T) {
	for _, needed := range []string{"curl", "sed"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Skip("there is no " + needed)
		}
	}
	text, err := os.ReadFile("../../docs/content.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := exampleBlocks.FindAllStringSubmatch(string(text), -1)
	if all := strings.Count(string(text), "```sh\n"); len(examples) != all || all == 0 {
		t.Fatalf("%d of %d examples show an answer", len(examples), all)
	}
	dir, binary, address := t.TempDir(), build(t), freeAddress(t)
	data := filepath.Join(dir, "weft-data")
	once := start(t, binary, data, address) // puts the site there
	answer, err := http.Get("http://" + address + "/api/health")
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	end(t, once)
	started := false
	for _, example := range examples {
		command, want := example[1], example[3]
		if !started && strings.Contains(command, guideAddress) {
			start(t, binary, data, address)
			started = true
		}
		command = strings.ReplaceAll(command, guideAddress, "http://"+address)
		run := exec.CommandContext(t.Context(), "sh", "-c", command)
		run.Dir = dir
		out, err := run.CombinedOutput()
		if err != nil {
			t.Fatalf("%s\nfails: %v\n%s", command, err, out)
		}
		if err := (reading{}).lines(want, string(out)); err != nil {
			t.Fatalf("%s\nprints\n%s\n%v", command, out, err)
		}
	}
}

// end stops a server and waits until it has.
func end(t *testing.T, server *exec.Cmd) {
	t.Helper()
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("the server did not stop cleanly: %v", err)
	}
}
