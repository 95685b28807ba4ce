package upload

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"runtime"
	"testing"

	"golang.org/x/image/draw"
)

// TestEstimatesCoverTheMemoryOfDecoding compares the estimate for each format with the bytes that are allocated.
func TestEstimatesCoverTheMemoryOfDecoding(t *testing.T) {
	for name, c := range map[string]struct {
		kind    kind
		picture []byte
		factor  int64 // how much larger the estimate may be
	}{
		"baseline JPEG":      {jpegKind, encodeJPEG(t, image.NewRGBA(image.Rect(0, 0, 900, 700))), 2},
		"grey JPEG":          {jpegKind, encodeJPEG(t, image.NewGray(image.Rect(0, 0, 900, 700))), 3},
		"PNG of 16 bits":     {pngKind, encodePNG(t, image.NewNRGBA64(image.Rect(0, 0, 900, 700))), 2},
		"PNG with a palette": {pngKind, encodePNG(t, image.NewPaletted(image.Rect(0, 0, 900, 700), color.Palette{color.Black, color.White})), 4},
		"PNG of 8 bits":      {pngKind, encodePNG(t, image.NewNRGBA(image.Rect(0, 0, 900, 700))), 2},
	} {
		p, size := stripBytes(t, c.kind, c.picture)
		estimate := p.memory + shrinkMemory(size.X, size.Y)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		full, err := decode(t.Context(), bytes.NewReader(c.picture))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		scaleDown(full)
		runtime.ReadMemStats(&after)
		used := int64(after.TotalAlloc - before.TotalAlloc)
		if used > estimate+decodeOverhead || estimate > c.factor*used {
			t.Errorf("%s: decoding allocates %d bytes; want at most the estimate of %d + %d bytes, and an estimate of at most %d times the bytes allocated", name, used, estimate, decodeOverhead, c.factor)
		}
	}
}

// stripBytes returns the result of strip for a picture, and the dimensions of the picture.
func stripBytes(t *testing.T, k kind, picture []byte) (stripped, image.Point) {
	t.Helper()
	raw, clean := spool(t, picture), spool(t, nil)
	w, h, err := checkPicture(raw)
	if err != nil {
		t.Fatal(err)
	}
	p, err := strip(Record{Kind: k.name, Width: w, Height: h}, clean, raw)
	if err != nil {
		t.Fatal(err)
	}
	return p, image.Pt(w, h)
}

func spool(t *testing.T, content []byte) *spooled {
	t.Helper()
	s, err := newSpooled(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := s.measure(); err != nil {
		t.Fatal(err)
	}
	return s
}

func encodeJPEG(t *testing.T, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, p, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func encodePNG(t *testing.T, p draw.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	p.Set(1, 1, color.NRGBA64{R: 1, A: 77}) // without this pixel, the encoder leaves out the alpha channel
	if err := png.Encode(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// newTestPool returns a pool that decodes two pictures at a time.
func newTestPool(memory int64) *decodePool {
	p := newDecodePool(memory)
	p.maxConcurrent = 2
	return p
}

// start calls acquire in the background, and returns once the turn is waiting or running. The channel receives the
// release function; if acquire fails, the channel is closed without a value.
func (p *decodePool) start(ctx context.Context, share string, bytes int64) <-chan func() {
	p.mu.Lock()
	before := len(p.waiting) + len(p.running)
	p.mu.Unlock()
	releases := make(chan func(), 1)
	go func() {
		defer close(releases)
		if release, err := p.acquire(ctx, share, bytes); err == nil {
			releases <- release
		}
	}()
	for {
		p.mu.Lock()
		now := len(p.waiting) + len(p.running)
		p.mu.Unlock()
		if now > before {
			return releases
		}
		runtime.Gosched()
	}
}

func TestOneShareDecodesOnePictureAtATime(t *testing.T) {
	p := newTestPool(100)
	first := p.start(t.Context(), "greedy", 10)
	var flood []<-chan func()
	for range 50 {
		flood = append(flood, p.start(t.Context(), "greedy", 10))
	}
	other := p.start(t.Context(), "quiet", 10)
	release := <-other // does not wait for the flood
	if p.used != 20 || len(p.waiting) != 50 {
		t.Errorf("%d bytes are used and %d pictures wait; want 20 and 50", p.used, len(p.waiting))
	}
	release()
	(<-first)()
	for _, f := range flood {
		(<-f)()
	}
	if p.used != 0 || len(p.running) != 0 || p.peak != 20 {
		t.Errorf("afterwards %d bytes are used, %d pictures are being decoded, the peak was %d bytes; want 0, 0 and 20", p.used, len(p.running), p.peak)
	}
}

func TestSmallPicturesDoNotOvertakeALargeOne(t *testing.T) {
	p := newTestPool(100)
	running := p.start(t.Context(), "a", 60)
	large := p.start(t.Context(), "b", 90)
	small := p.start(t.Context(), "c", 10)
	if len(p.running) != 1 {
		t.Errorf("%d pictures run; want the small picture to wait behind the large one", len(p.running))
	}
	(<-running)()
	(<-large)()
	(<-small)()
}

func TestAWaitingPictureIsDroppedWhenItsClientDisconnects(t *testing.T) {
	p := newTestPool(100)
	running := p.start(t.Context(), "a", 60)
	ctx, leave := context.WithCancel(t.Context())
	large := p.start(ctx, "b", 90)
	small := p.start(t.Context(), "c", 10)
	leave()
	if release, ok := <-large; ok || release != nil {
		t.Error("the picture of a client that left got its turn")
	}
	(<-small)()
	(<-running)()
	if p.used != 0 {
		t.Errorf("%d bytes remain in use; want none", p.used)
	}
}

func TestEstimateForWebPCoversItsPixelsAndTables(t *testing.T) {
	// A lossless picture of one colour: every code has one symbol, so its pixels take no bytes.
	const side = 800
	data := binary.LittleEndian.AppendUint32([]byte{0x2f}, (side-1)|(side-1)<<14|1<<28)
	data = append(data, 0x07, 0x10, 0x11, 0x11, 0x88, 0x88, 0xfe, 0x07, 0x00)
	chunk := append(binary.LittleEndian.AppendUint32([]byte("WEBPVP8L"), uint32(len(data))), data...)
	if len(data)%2 == 1 {
		chunk = append(chunk, 0)
	}
	picture := append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(chunk))), chunk...)
	p, _ := stripBytes(t, webpKind, picture)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := decode(t.Context(), bytes.NewReader(picture)); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := int64(after.TotalAlloc - before.TotalAlloc); used > p.memory+decodeOverhead {
		t.Errorf("decoding %d bytes allocates %d bytes; want at most the estimate of %d + %d", len(picture), used, p.memory, decodeOverhead)
	}
}
