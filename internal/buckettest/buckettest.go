// Package buckettest starts the S3 server of internal/s3test, so that tests use a real bucket.
package buckettest

import (
	"bytes"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/files/blob"
)

// AccessKey and SecretKey are the credentials of the server that Start starts.
const (
	AccessKey = "weft-test"
	SecretKey = "weft-test-secret"
)

const bucket = "test"

// startTimeout limits how long the server may take to start.
const startTimeout = time.Minute

// Start starts an S3 server with one empty bucket, which lives as long as the test, and sets the credentials in the
// environment. It returns a function that opens the bucket with a prefix of object names: "" or "/some/prefix".
// Start skips the test under -short, because the first build of the server takes minutes.
func Start(t *testing.T) func(prefix string) *blob.S3 {
	t.Helper()
	if testing.Short() {
		t.Skip("builds an S3 server")
	}
	SetCredentials(t)
	address, directory := freeAddress(t), t.TempDir()
	if err := os.MkdirAll(filepath.Join(directory, "objects", bucket), 0o700); err != nil {
		t.Fatal(err)
	}
	server := exec.CommandContext(t.Context(), build(t), address, directory)
	var log bytes.Buffer
	server.Stdout, server.Stderr = &log, &log
	server.Cancel = func() error { return server.Process.Signal(os.Interrupt) }
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Wait() })
	open := func(prefix string) *blob.S3 { return Open(t, address, prefix) }
	deadline := time.Now().Add(startTimeout)
	for {
		_, err := open("").List(t.Context(), "", 1)
		if err == nil {
			return open
		}
		if graph.KindOf(err) != graph.Unavailable || time.Now().After(deadline) {
			t.Fatalf("the S3 server does not respond: %v\n%s", err, log.Bytes())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// SetCredentials sets the credentials of the server in the environment of the test.
func SetCredentials(t *testing.T) {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", SecretKey)
}

// Open opens the bucket of the server at an address, with a prefix: "" or "/some/prefix".
func Open(t *testing.T, address, prefix string) *blob.S3 {
	t.Helper()
	s, err := blob.OpenS3("s3://" + bucket + prefix + "?region=us-east-1&endpoint=" + url.QueryEscape("http://"+address))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// build returns the path of the server's binary. It is built to bin/s3test, where `make test` has already put it: go build
// then only compares its build id.
func build(t *testing.T) string {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(file), "..", "..")
	binary := filepath.Join(root, "bin", "s3test")
	command := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".")
	command.Dir = filepath.Join(root, "internal", "s3test")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
