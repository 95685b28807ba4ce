package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/site/content"
	"github.com/weft-graph/weft/internal/site/page"
	"github.com/weft-graph/weft/internal/store/memory"
)

// The program must push a watched directory when a file changes, even after a push failed on a broken file, and a
// file in a new folder.
func TestWatchPushesAChangedDirectory(t *testing.T) {
	store := memory.New()
	if err := content.Seed(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	s := servertest.Serve(t, store)
	dir := t.TempDir()
	writeFile := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	writeFile("pages/new.json", `{"slug": "/new", "title": "New", "body": "new"}`)
	writeFile("widgets/new/widget.json", `{"name": "New"}`)
	writeFile("widgets/new/widget.html", `<p>one</p>`)
	waitForLine := startWatching(t, "content", "push", dir, "--watch", "--url", s.URL, "--token", servertest.Admin(t, s, "ann@example.org"))
	waitForLine("1 page and 1 widget changed, 0 unchanged")
	writeFile("widgets/new/widget.html", `<p>two</p>`)
	waitForLine("widget new: version 1")
	writeFile("widgets/new/widget.json", `{"name": `)
	waitForLine("weft: widgets/new/widget.json: unexpected EOF")
	writeFile("widgets/new/widget.json", `{"name": "Newer"}`)
	waitForLine("widget new: version 2")
	writeFile("widgets/new/functions/add.js", `this.add = 1`)
	waitForLine("widget new: version 3")

	admins, err := s.Accounts.Admins(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := page.Load(t.Context(), store, page.Policy{Admins: admins}, "/new")
	if err != nil || p.Body.HTML != "<p>two</p>" || p.Body.Name != "Newer" || p.Body.Version != 3 {
		t.Errorf("the page shows %+v, %v; want version 3 of Newer with <p>two</p>", p.Body, err)
	}
}

// startWatching runs the program until the test ends. The returned function waits for a line with the given prefix.
func startWatching(t *testing.T, args ...string) func(want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	command := exec.CommandContext(ctx, build(t), args...)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	out, in := io.Pipe()
	command.Stdout, command.Stderr = in, in
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- command.Wait()
		in.Close()
	}()
	lines := bufio.NewScanner(out)
	t.Cleanup(func() {
		cancel()
		go io.Copy(io.Discard, out) //nolint:errcheck // discards the remaining output
		if err := <-ended; err != nil && ctx.Err() == nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return func(want string) {
		t.Helper()
		var seen []string
		for lines.Scan() {
			if seen = append(seen, lines.Text()); strings.HasPrefix(lines.Text(), want) {
				return
			}
		}
		t.Fatalf("the program never printed %q, only\n%s", want, strings.Join(seen, "\n"))
	}
}
