package blob_test

import (
	"bytes"
	"context"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/weft-graph/weft/blob"
	"github.com/weft-graph/weft/graph"
)

const accessKey, secretKey, bucket = "weft-test", "weft-test-secret", "uploads"

func TestS3(t *testing.T) {
	address := startS3(t)
	s := openS3(t, address, "/some/prefix")
	testStore(t, s)
	t.Run("what others keep in the bucket is not listed", func(t *testing.T) {
		empty(t, s)
		put(t, openS3(t, address, ""), "other.txt", []byte("x"))
		put(t, openS3(t, address, "/some/prefix2"), "other.txt", []byte("x"))
		if found, err := s.List(t.Context(), "", 10); err != nil || len(found) != 0 {
			t.Errorf("listed %v, %v", found, err)
		}
	})
}

func TestABucketThatIsNotThereIsUnavailable(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", accessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secretKey)
	s := openS3(t, "127.0.0.1:1", "")
	err := s.Put(t.Context(), "any.txt", strings.NewReader("x"), 1, "text/plain")
	if graph.KindOf(err) != graph.Unavailable {
		t.Errorf("Put: %v", err)
	}
	if _, _, err := s.Get(t.Context(), "any.txt"); graph.KindOf(err) != graph.Unavailable {
		t.Errorf("Get: %v", err)
	}
}

func TestURLsOfBuckets(t *testing.T) {
	for _, bad := range []string{"", "s3://", "http://bucket", "s3://ab", "s3://Bucket_1", "s3://key:secret@bucket/", "s3://bucket?endpoint=%zz"} {
		s, err := blob.OpenS3(bad)
		if err == nil || strings.Contains(err.Error(), "secret@") {
			t.Errorf("%q: %v, %v", bad, s, err)
		}
	}
}

func openS3(t *testing.T, address, prefix string) *blob.S3 {
	t.Helper()
	s, err := blob.OpenS3("s3://" + bucket + prefix + "?region=us-east-1&endpoint=" + url.QueryEscape("http://"+address))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// startS3 builds and starts the server in internal/s3test, makes the bucket, and returns the address.
func startS3(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds an S3 server")
	}
	t.Setenv("AWS_ACCESS_KEY_ID", accessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secretKey)
	binary := filepath.Join(t.TempDir(), "s3test")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".")
	build.Dir = "../internal/s3test"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	address := freeAddress(t)
	server := exec.CommandContext(t.Context(), binary, address, t.TempDir())
	var log bytes.Buffer
	server.Stdout, server.Stderr, server.Cancel = &log, &log, func() error { return server.Process.Signal(os.Interrupt) }
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Wait() })
	client, err := minio.New(address, &minio.Options{Creds: credentials.NewStaticV4(accessKey, secretKey, "")})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		err := client.MakeBucket(ctx, bucket, minio.MakeBucketOptions{Region: "us-east-1"})
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			t.Fatalf("the S3 server does not answer: %v\n%s", err, log.Bytes())
		}
		time.Sleep(20 * time.Millisecond)
	}
	return address
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
