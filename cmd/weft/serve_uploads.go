package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/weft-graph/weft/blob"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/upload"
)

// uploadFlags say where uploaded files go, and how many and how large they may be.
type uploadFlags struct {
	Blobs       string   `env:"WEFT_BLOBS" placeholder:"URL" help:"Where uploads are kept: s3://bucket/prefix?endpoint=…&region=…, with the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Left out, it is the folder blobs in --data."`
	ImageLimit  capacity `default:"10MiB" env:"WEFT_IMAGE_LIMIT" placeholder:"SIZE" help:"Largest picture that may be uploaded (${default})."`
	UploadLimit capacity `default:"25MiB" env:"WEFT_UPLOAD_LIMIT" placeholder:"SIZE" help:"Largest document that may be uploaded (${default})."`
	UploadQuota capacity `default:"1GiB" env:"WEFT_UPLOAD_QUOTA" placeholder:"SIZE" help:"Most that one user may have uploaded (${default}); those who are not signed in share one such quota."`
}

// startUploads opens the uploads and sweeps them in the background, until stop is called.
func (f uploadFlags) startUploads(ctx context.Context, where storeFlags, store graph.Store, log *slog.Logger) (_ *upload.Uploads, stop func(), err error) {
	if f.ImageLimit < 1 || f.UploadLimit < 1 || f.UploadQuota < 1 {
		return nil, nil, misusef("--image-limit, --upload-limit and --upload-quota need to leave room for something")
	}
	blobs, closeBlobs, err := f.openBlobs(where)
	if err != nil {
		return nil, nil, err
	}
	limits := upload.Limits{Image: int64(f.ImageLimit), File: int64(f.UploadLimit), Quota: int64(f.UploadQuota)}
	uploads := upload.New(kv.In(store), blobs, limits, "", log)
	ctx, cancel := context.WithCancel(ctx)
	swept := make(chan struct{})
	go func() {
		defer close(swept)
		n, err := uploads.Sweep(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			log.Warn("the uploads cannot be swept", "error", err)
		case n > 0:
			log.Info("removed what unfinished uploads left", "blobs", n)
		}
	}()
	return uploads, func() {
		cancel()
		<-swept
		closeBlobs()
	}, nil
}

func (f uploadFlags) openBlobs(where storeFlags) (_ blob.Store, closeBlobs func(), err error) {
	if f.Blobs != "" {
		s, err := blob.OpenS3(f.Blobs)
		if err != nil {
			return nil, nil, misusef("--blobs: %w", err)
		}
		return s, func() {}, nil
	}
	directory, forget := filepath.Join(where.Data, "blobs"), func() {}
	if strings.HasPrefix(where.Store, "memory:") { // then the files are forgotten as well
		if directory, err = os.MkdirTemp("", "weft-blobs-"); err != nil {
			return nil, nil, err
		}
		forget = func() { _ = os.RemoveAll(directory) }
	}
	disk, err := blob.OpenDisk(directory)
	if err != nil {
		forget()
		return nil, nil, err
	}
	return disk, func() {
		_ = disk.Close()
		forget()
	}, nil
}
