package upload_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"log/slog"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/files/blob"
	"github.com/weft-graph/weft/internal/files/upload"
	"github.com/weft-graph/weft/internal/store/kv"
)

// maxFuzzedPixels keeps the fuzzer fast. Larger pictures are the subject of other tests.
const maxFuzzedPixels = 1 << 20

// Any file must either be refused with a reason or be stored. A stored picture must have no metadata left: storing it
// again changes nothing.
func FuzzAdd(f *testing.F) {
	for _, seed := range [][]byte{
		wideWebP(40, 20), animatedWebP(), webpWithMetadata(6), []byte("plain text"), []byte("%PDF-1.7\n"), []byte("\x89PNG\r\n\x1a\n"),
		[]byte("\xff\xd8\xff\xe1\x00\x10Exif\x00\x00MM\x00*\x00\x00\x00\x08"), []byte("RIFF\xff\xff\xff\xffWEBPVP8X\x0a\x00\x00\x00"),
		encodePicture(f, "png"), encodePicture(f, "jpeg"),
	} {
		f.Add(true, seed)
		f.Add(false, seed)
	}
	blobs, err := blob.OpenDisk(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = blobs.Close() })
	uploads := upload.New(&kv.Memory{}, blobs, upload.Options{
		Limits: upload.Limits{Image: 1 << 16, File: 1 << 16, Quota: 1 << 40}, Spool: f.TempDir(), Log: slog.New(slog.DiscardHandler),
	})
	f.Fuzz(func(t *testing.T, isImage bool, content []byte) {
		if config, _, err := image.DecodeConfig(bytes.NewReader(content)); err == nil && config.Width*config.Height > maxFuzzedPixels {
			t.Skip("too large to be decoded in every execution")
		}
		class := upload.Document
		if isImage {
			class = upload.Image
		}
		stored, ok := addFuzzed(t, uploads, class, content)
		if !ok || !isImage {
			return
		}
		if again, ok := addFuzzed(t, uploads, class, stored); !ok || !bytes.Equal(again, stored) {
			t.Errorf("a stored picture of %d bytes is stored again as %d bytes", len(stored), len(again))
		}
	})
}

// addFuzzed stores a file, returns its stored content, and removes the file again. It returns false if the file is
// refused.
func addFuzzed(t *testing.T, uploads *upload.Uploads, class upload.Class, content []byte) (stored []byte, ok bool) {
	t.Helper()
	record, err := uploads.Add(t.Context(), upload.Offer{Owner: ann, Class: class, Name: "a.txt", Bytes: bytes.NewReader(content)})
	if err != nil {
		if kind := graph.KindOf(err); kind != graph.Invalid && kind != graph.TooLarge {
			t.Fatalf("%v is %q; want invalid or tooLarge", err, kind)
		}
		return nil, false
	}
	_, file, err := uploads.Open(t.Context(), record.Name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if stored, err = io.ReadAll(file); err != nil {
		t.Fatal(err)
	}
	if err := uploads.Remove(t.Context(), record.Name); err != nil {
		t.Fatal(err)
	}
	return stored, true
}

// encodePicture returns a picture of a few pixels.
func encodePicture(f *testing.F, format string) []byte {
	var b bytes.Buffer
	picture := image.NewRGBA(image.Rect(0, 0, 9, 5))
	err := png.Encode(&b, picture)
	if format == "jpeg" {
		b.Reset()
		err = jpeg.Encode(&b, picture, nil)
	}
	if err != nil {
		f.Fatal(err)
	}
	return b.Bytes()
}
