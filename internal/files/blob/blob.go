// Package blob stores bytes under names, in a directory (Disk) or in an S3 bucket (S3). Owners, quotas and file types
// are the responsibility of package upload. Package backup reads all blobs into an archive.
//
// Costs: Disk.Put writes the bytes once, syncs the file and two folders, and renames the file. Disk.List reads each
// folder that may hold a result, including the metadata of its files. S3 sends one request per Put and Remove, and one
// per 1,000 blobs for List. S3.Get sends one request for the metadata, and further requests when the blob is read.
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

// A Store stores blobs. It is safe for concurrent use, even by several processes.
type Store interface {
	// Put stores the first size bytes of r under a name and replaces an existing blob. When it returns nil, the blob is
	// durable. When r ends early or fails, an existing blob is unchanged. The kind is a media type, for stores that
	// serve blobs themselves.
	//
	// Errors: Invalid for a malformed name or if r has fewer than size bytes; Unavailable if the store is full or not
	// reachable.
	Put(ctx context.Context, name string, r io.Reader, size int64, kind string) error

	// Get returns a blob, which the caller closes, or a NotFound error.
	Get(ctx context.Context, name string) (io.ReadSeekCloser, Info, error)

	// Remove deletes a blob. It is idempotent.
	Remove(ctx context.Context, name string) error

	// List returns up to limit blobs with names greater than after, sorted by the bytes of their names.
	List(ctx context.Context, after string, limit int) ([]Info, error)
}

// An Info describes a stored blob.
type Info struct {
	Name     string
	Size     int64 // in bytes
	Modified time.Time
}

var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{2,127}$`)

// checkName returns an Invalid error for a name that could lead out of its folder or that is not portable between file
// systems.
func checkName(name string) error {
	if !validName.MatchString(name) || strings.Contains(name, "..") {
		return graph.Errorf(graph.Invalid, "invalid upload name %q", graph.Clip(name))
	}
	return nil
}

func notFoundError(name string) error {
	return graph.Errorf(graph.NotFound, "upload %q not found", graph.Clip(name))
}

func tooShortError(name string, size int64) error {
	return graph.Errorf(graph.Invalid, "upload %q ended before its %d bytes", name, size)
}

// WrapWriteError returns an Unavailable error if err means that the disk or a disk quota is full, and err otherwise.
func WrapWriteError(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return graph.Wrap(graph.Unavailable, err, "the disk for uploads is full")
	}
	return err
}
