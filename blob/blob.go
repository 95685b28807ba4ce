// Package blob keeps uploaded bytes under names: in a directory, or in a bucket that speaks S3. It knows nothing of
// owners and kinds of files; package upload does.
package blob

import (
	"context"
	"errors"
	"io"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A Store keeps blobs. It is safe for use by many goroutines and processes.
type Store interface {
	// Put keeps the first size bytes of r under a name, in place of what was there. When it returns without an error the blob
	// is durable; when it returns with one, what was there before still is. The kind is a media type, for stores that
	// hand out blobs themselves.
	//
	// Errors: Invalid for a name that is none, or an r that ends before that; Unavailable for a store that is full
	// or does not answer.
	Put(ctx context.Context, name string, r io.Reader, size int64, kind string) error

	// Get returns a blob, which the caller closes; NotFound when there is none.
	Get(ctx context.Context, name string) (io.ReadSeekCloser, Info, error)

	// Remove forgets a blob; one that is not there is no error.
	Remove(ctx context.Context, name string) error

	// List returns up to limit blobs beyond a name, in order of their names' bytes.
	List(ctx context.Context, after string, limit int) ([]Info, error)
}

// An Info is what a store knows of a blob.
type Info struct {
	Name     string
	Size     int64
	Modified time.Time
}

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{2,127}$`)

// checkName returns an Invalid error for what could be anything but one file in one directory.
func checkName(name string) error {
	if !nameForm.MatchString(name) || strings.Contains(name, "..") {
		return graph.Errorf(graph.Invalid, "%q is not the name of an upload", graph.Clip(name))
	}
	return nil
}

func notFound(name string) error {
	return graph.Errorf(graph.NotFound, "there is no upload %q", graph.Clip(name))
}

func tooShort(name string, size int64) error {
	return graph.Errorf(graph.Invalid, "the upload %q ends before its %d bytes", name, size)
}

// Failed makes the error of a file that could not be written: a full disk is a condition that passes.
func Failed(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return graph.Wrap(graph.Unavailable, err, "there is no room left for uploads")
	}
	return err
}
