package main

import (
	"path/filepath"

	"github.com/weft-graph/weft/internal/files/upload"
	"github.com/weft-graph/weft/internal/host"
)

// uploadFlags configure where uploaded files are stored, and their limits.
type uploadFlags struct {
	Blobs       string   `env:"WEFT_BLOBS" placeholder:"URL" help:"Where uploads are stored: s3://bucket/prefix?endpoint=…&region=…, with credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. The default is the folder blobs in --data."`
	ImageLimit  byteSize `default:"10MiB" env:"WEFT_IMAGE_LIMIT" placeholder:"SIZE" help:"Maximum size of an uploaded image (${default})."`
	UploadLimit byteSize `default:"25MiB" env:"WEFT_UPLOAD_LIMIT" placeholder:"SIZE" help:"Maximum size of an uploaded document (${default})."`
	UploadQuota byteSize `default:"1GiB" env:"WEFT_UPLOAD_QUOTA" placeholder:"SIZE" help:"Maximum total size of uploads per user (${default}). All guests share one quota."`

	PictureMemory byteSize `default:"320MiB" env:"WEFT_PICTURE_MEMORY" placeholder:"SIZE" help:"Maximum total memory for decoding uploaded pictures (${default}), and at most a quarter of --memory-limit. A picture that would need more is refused."`
}

// settings checks the flags and returns the settings of uploads. Without a bucket, files are stored in the folder blobs in the
// data directory, or in a temporary folder if the graph is in memory.
func (f uploadFlags) settings(where storeFlags, memoryLimit byteSize) (host.UploadSettings, error) {
	if f.ImageLimit < 1 || f.UploadLimit < 1 || f.UploadQuota < 1 {
		return host.UploadSettings{}, usageErrorf("--image-limit, --upload-limit and --upload-quota must be 1 or more")
	}
	if f.PictureMemory < 1 {
		return host.UploadSettings{}, usageErrorf("--picture-memory is %s; it must be 1 or more", f.PictureMemory)
	}
	if memoryLimit > 0 {
		f.PictureMemory = min(f.PictureMemory, memoryLimit/4)
	}
	s := host.UploadSettings{
		Bucket: f.Blobs, PictureMemory: int64(f.PictureMemory),
		Limits: upload.Limits{Image: int64(f.ImageLimit), File: int64(f.UploadLimit), Quota: int64(f.UploadQuota)},
	}
	if !where.isMemory() { // if the graph is in memory, the files are temporary, too
		s.Directory = filepath.Join(where.Data, "blobs")
	}
	return s, nil
}
