package upload_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/files/upload"
	"github.com/weft-graph/weft/internal/store/memory"
)

// progressiveJPEG returns a grey progressive JPEG with a scan for the brightness of each block and further scans that
// refine it. Each scan covers all blocks of the picture. Each further scan takes few bytes, because one code covers up
// to 32,767 blocks.
func progressiveJPEG(width, height, scans int) []byte {
	segment := func(marker byte, data ...byte) []byte {
		return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(data)+2)), data...)
	}
	var b bytes.Buffer
	b.Write([]byte{0xff, 0xd8})
	b.Write(segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...))
	b.Write(segment(0xc2, 8, byte(height>>8), byte(height), byte(width>>8), byte(width), 1, 1, 0x11, 0))
	oneCode := append([]byte{1}, make([]byte, 15)...) // a table with one code, of one bit
	b.Write(segment(0xc4, append(append([]byte{0x00}, oneCode...), 0)...))
	b.Write(segment(0xc4, append(append([]byte{0x10}, oneCode...), 0xe0)...)) // end 2^14 blocks, and as many more as the next 14 bits state
	blocks := ((width + 7) / 8) * ((height + 7) / 8)
	for i := range scans {
		if i == 0 {
			b.Write(segment(0xda, 1, 1, 0, 0, 0, 0))
			b.Write(make([]byte, (blocks+7)/8)) // one bit for each block: no difference
			continue
		}
		b.Write(segment(0xda, 1, 1, 0, 1, 63, 0))
		bits, n := []byte{}, 0
		for remaining := blocks; remaining > 0; remaining -= 1 << 14 {
			n += 1 + 14 // the code, and the rest of the run as zeros
		}
		for ; n > 0; n -= 8 {
			bits = append(bits, 0)
		}
		b.Write(bits)
	}
	b.Write([]byte{0xff, 0xd9})
	return b.Bytes()
}

func TestAddRefusesPicturesThatTakeTooMuchWork(t *testing.T) {
	limits := upload.Limits{Image: 10 << 20, File: 1, Quota: 64 << 20}
	for name, picture := range map[string][]byte{
		"2,000 scans of a small picture": progressiveJPEG(64, 64, 2_000),
		"90 scans of a large picture":    progressiveJPEG(5_000, 5_000, 90),
	} {
		f := newFixture(t, memory.New(), limits)
		_, err := f.add(upload.Image, "a.jpg", picture)
		if graph.KindOf(err) != graph.Invalid || !strings.Contains(err.Error(), "scans") {
			t.Errorf("%s, %d bytes: the error is %v; want an error about its scans", name, len(picture), err)
		}
		f.checkEmpty(name)
	}
	f := newFixture(t, memory.New(), limits)
	f.mustAdd(upload.Image, "a.jpg", progressiveJPEG(3_000, 3_000, 20))
}

func TestAddRefusesPicturesThatTakeTooMuchMemory(t *testing.T) {
	f := newFixture(t, memory.New(), upload.Limits{Image: 10 << 20, File: 1, Quota: 64 << 20})
	picture := colourJPEG(6_000, 6_000)
	_, err := f.add(upload.Image, "a.jpg", picture)
	if graph.KindOf(err) != graph.TooLarge || !strings.Contains(err.Error(), "MB of memory") {
		t.Errorf("%d bytes: the error is %v; want an error about memory", len(picture), err)
	}
	f.checkEmpty("after the refusal")
}

// colourJPEG returns a progressive JPEG with a small file for which a decoder needs 15 bytes of memory for each pixel.
func colourJPEG(width, height int) []byte {
	return bytes.Replace(progressiveJPEG(width, height, 1),
		[]byte{0xff, 0xc2, 0, 11, 8, byte(height >> 8), byte(height), byte(width >> 8), byte(width), 1, 1, 0x11, 0},
		[]byte{0xff, 0xc2, 0, 17, 8, byte(height >> 8), byte(height), byte(width >> 8), byte(width), 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0}, 1)
}

// A departingContext is cancelled after a number of calls of Err. It counts the further calls.
type departingContext struct {
	context.Context
	remaining, late atomic.Int64
}

func (c *departingContext) Err() error {
	if c.remaining.Add(-1) >= 0 {
		return nil
	}
	c.late.Add(1)
	return context.Canceled
}

func TestDecodingStopsWhenTheClientDisconnects(t *testing.T) {
	picture := progressiveJPEG(3_000, 3_000, 60)
	ctx := &departingContext{Context: t.Context()}
	ctx.remaining.Store(20) // fewer than the reads of the picture
	f := newFixture(t, memory.New(), upload.Limits{Image: 10 << 20, File: 1, Quota: 64 << 20})
	_, err := f.Add(ctx, upload.Offer{Owner: ann, Class: upload.Image, Name: "a.jpg", Bytes: bytes.NewReader(picture)})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v; want context.Canceled", err)
	}
	if late := ctx.late.Load(); late > 10 {
		t.Errorf("the decoder read %d times after the client had left; want at most 10", late)
	}
	f.checkEmpty("after the client left")
}
