package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/weft-graph/weft/internal/race"
	"github.com/weft-graph/weft/internal/server/servertest"
)

// A client is generated from the OpenAPI document of a running server. It must compile and work with that server.
func TestAGeneratedClientWorks(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a generator and a client")
	}
	race.Skip(t, "another process does the work")
	url := servertest.Start(t).URL
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/client")); err != nil {
		t.Fatal(err)
	}
	document := filepath.Join(dir, "openapi.json")
	if err := os.WriteFile(document, download(t, url+"/api/openapi.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "api"), 0o700); err != nil {
		t.Fatal(err)
	}
	runIn(t, "../..", "go", "tool", "-modfile=tools/go.mod", "oapi-codegen",
		"-generate", "types,client", "-package", "api", "-o", filepath.Join(dir, "api", "api.go"), document)
	got := runIn(t, dir, "go", "run", ".", url)
	const want = "health ok\nsync 2 1\nconcept the_person true\nconcepts 2\nquery 1\nlinks 1\nrefused invalid\n"
	if got != want {
		t.Errorf("the client printed\n%s\nwant\n%s", got, want)
	}
}

// download returns the body of a response. The status must be 200.
func download(t *testing.T, url string) []byte {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, response.Status, err)
	}
	return text
}

// runIn runs a command in a directory and returns its standard output.
func runIn(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir = dir
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, stderr.Bytes())
	}
	return string(out)
}
