package backup_test

import (
	"context"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/weft-graph/weft/backup"
	"github.com/weft-graph/weft/blob"
	"github.com/weft-graph/weft/graph"
)

func TestArchivesInABucket(t *testing.T) {
	h, bucket := inUse(t), startS3(t)
	s := &backup.Schedule{
		Store: h.store, Blobs: h.blobs, Drafts: h.dir, To: bucket, Every: time.Millisecond, Keep: 2, Log: slog.New(slog.DiscardHandler),
	}
	list := func() []blob.Info {
		found, err := bucket.List(context.WithoutCancel(t.Context()), "", 100)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	run(t, s, func() bool { return len(list()) == 2 })
	first := list()
	run(t, s, func() bool { now := list(); return len(now) == 2 && now[0].Name > first[1].Name })
	archive, _, err := bucket.Get(t.Context(), list()[1].Name)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	dir := t.TempDir()
	if _, err := backup.Restore(t.Context(), archive, dir, false); err != nil {
		t.Fatal(err)
	}
	find(t, open(t, dir), "Ann")
}

// startS3 serves a bucket from a directory.
func startS3(t *testing.T) *blob.S3 {
	t.Helper()
	if testing.Short() {
		t.Skip("builds an S3 server")
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "weft-test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "weft-test-secret")
	binary, dir := filepath.Join(t.TempDir(), "s3test"), t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".")
	build.Dir = "../internal/s3test"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.MkdirAll(filepath.Join(dir, "objects", "archives"), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	server := exec.CommandContext(t.Context(), binary, address, dir)
	server.Cancel = func() error { return server.Process.Signal(os.Interrupt) }
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Wait() })
	bucket, err := blob.OpenS3("s3://archives/some/prefix?region=us-east-1&endpoint=" + url.QueryEscape("http://"+address))
	if err != nil {
		t.Fatal(err)
	}
	for give := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		_, err := bucket.List(t.Context(), "", 1)
		if err == nil {
			return bucket
		}
		if graph.KindOf(err) != graph.Unavailable || time.Now().After(give) {
			t.Fatalf("the S3 server does not answer: %v", err)
		}
	}
}
