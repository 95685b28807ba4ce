package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/weft-graph/weft/server/servertest"
)

// A client is generated from the document of a running server, compiled, and asks that server.
func TestAGeneratedClientWorks(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a generator and a client")
	}
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
	command(t, "../..", "go", "tool", "-modfile=tools/go.mod", "oapi-codegen",
		"-generate", "types,client", "-package", "api", "-o", filepath.Join(dir, "api", "api.go"), document)
	got := command(t, dir, "go", "run", ".", url)
	const want = "health ok\nsync 2 1\nconcept the_person true\nconcepts 2\nquery 1\nlinks 1\nrefused invalid\n"
	if got != want {
		t.Errorf("the client said\n%s\nwant\n%s", got, want)
	}
}

func download(t *testing.T, url string) []byte {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, answer.Status, err)
	}
	return text
}

func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir = dir
	var problems bytes.Buffer
	c.Stderr = &problems
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, problems.Bytes())
	}
	return string(out)
}
