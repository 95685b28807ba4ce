package host

import (
	"context"
	"log/slog"

	"github.com/weft-graph/weft/internal/files/blob"
	"github.com/weft-graph/weft/internal/files/upload"
	"github.com/weft-graph/weft/internal/store/kv"
)

// UploadSettings are the settings of uploads.
type UploadSettings struct {
	Bucket    string // URL of a bucket; "" means Directory
	Directory string // where files are stored; "" means a temporary folder, which Stop removes
	Limits    upload.Limits
	// PictureMemory is the maximum memory in bytes for all pictures that are decoded concurrently.
	PictureMemory int64
}

// startUploads opens the uploads, and removes the remains of unfinished uploads in the background. The error is a BucketError
// for a malformed URL of a bucket.
func (h *Host) startUploads(ctx context.Context, s UploadSettings, log *slog.Logger) (*upload.Uploads, error) {
	blobs, err := h.openBlobs(s)
	if err != nil {
		return nil, err
	}
	uploads := upload.New(kv.In(h.store), blobs, upload.Options{Limits: s.Limits, Log: log, DecodeMemory: s.PictureMemory})
	begin := h.addJob("sweep uploads", "removes leftovers of unfinished uploads, once after the start", 0)
	h.goUntilStop(ctx, func(ctx context.Context) {
		end := begin()
		n, err := uploads.Sweep(ctx)
		end(err, 0)
		switch {
		case err != nil && ctx.Err() == nil:
			log.WarnContext(ctx, "cannot remove leftovers of unfinished uploads", "error", err)
		case n > 0:
			log.InfoContext(ctx, "removed leftovers of unfinished uploads", "blobs", n)
		}
	})
	return uploads, nil
}

// A BucketError is the error of a malformed UploadSettings.Bucket.
type BucketError struct{ error }

// Unwrap returns the reason.
func (e BucketError) Unwrap() error { return e.error }

// openBlobs opens the store of the uploaded files.
func (h *Host) openBlobs(s UploadSettings) (blob.Store, error) {
	if s.Bucket != "" {
		bucket, err := blob.OpenS3(s.Bucket)
		if err != nil {
			return nil, BucketError{err}
		}
		return bucket, nil
	}
	if s.Directory == "" {
		temporary, remove, err := makeTemporary("weft-blobs-")
		if err != nil {
			return nil, err
		}
		h.OnStop(remove)
		s.Directory = temporary
	}
	disk, err := blob.OpenDisk(s.Directory)
	if err != nil {
		return nil, err
	}
	h.OnStop(func() { _ = disk.Close() })
	return disk, nil
}
