package upload_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-graph/weft/blob"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/everystore"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/store/sqlite"
	"github.com/weft-graph/weft/upload"
)

const ann, ben = 100_001, 100_002

// A place is where a test uploads to.
type place struct {
	*upload.Uploads
	t         *testing.T
	kv        kv.Store
	blobs     *blob.Disk
	directory string
}

var limits = upload.Limits{Image: 1 << 20, File: 2 << 20, Quota: 8 << 20}

// everywhere runs a test on every kind of database.
func everywhere(t *testing.T, test func(*testing.T, place)) {
	everystore.Run(t, func(t *testing.T, store graph.Store) { test(t, newPlace(t, store, limits)) })
}

func newPlace(t *testing.T, store graph.Store, limits upload.Limits) place {
	t.Helper()
	p := place{t: t, kv: kv.In(store), directory: t.TempDir()}
	var err error
	if p.blobs, err = blob.OpenDisk(p.directory); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.blobs.Close() })
	p.Uploads = upload.New(p.kv, p.blobs, limits, filepath.Join(t.TempDir(), "spool"), slog.New(slog.DiscardHandler))
	return p
}

func (p place) add(class upload.Class, name string, content []byte) (upload.Record, error) {
	return p.Add(p.t.Context(), upload.Offer{Owner: ann, Class: class, Name: name, Bytes: bytes.NewReader(content)})
}

func (p place) must(class upload.Class, name string, content []byte) upload.Record {
	p.t.Helper()
	r, err := p.add(class, name, content)
	if err != nil {
		p.t.Fatalf("%s: %v", name, err)
	}
	return r
}

func (p place) read(name string) (upload.Variant, []byte) {
	p.t.Helper()
	v, r, err := p.Open(p.t.Context(), name)
	if err != nil {
		p.t.Fatal(err)
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil {
		p.t.Fatal(err)
	}
	return v, content
}

// nothing fails the test when anything at all is left.
func (p place) nothing(what string) {
	p.t.Helper()
	blobs, err := p.blobs.List(p.t.Context(), "", 100)
	if err != nil {
		p.t.Fatal(err)
	}
	records, err := p.kv.List(p.t.Context(), kv.Range{Prefix: "blob/record/"})
	if err != nil {
		p.t.Fatal(err)
	}
	if len(blobs) != 0 || len(records) != 0 {
		p.t.Errorf("%s: %d blobs and %d records are left", what, len(blobs), len(records))
	}
}

func TestWhatIsTaken(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		for _, test := range []struct {
			name, kind, ending string
			class              upload.Class
			content            []byte
		}{
			{"a.jpg", "image/jpeg", ".jpg", upload.Image, asJPEG(t, photo(40, 20))},
			{"lies.png", "image/jpeg", ".jpg", upload.Image, asJPEG(t, photo(40, 20))},
			{"a.png", "image/png", ".png", upload.Image, asPNG(t, photo(40, 20))},
			{"a.webp", "image/webp", ".webp", upload.Image, wideWebP(40, 20)},
			{"a.pdf", "application/pdf", ".pdf", upload.Document, []byte("%PDF-1.7\n%âãÏÓ")},
			{"a.doc", "application/msword", ".doc", upload.Document, office("WordDocument")},
			{"a.xls", "application/vnd.ms-excel", ".xls", upload.Document, office("Workbook")},
			{"a.ppt", "application/vnd.ms-powerpoint", ".ppt", upload.Document, office("PowerPoint Document")},
			{"a.txt", "text/plain", ".txt", upload.Document, []byte("Grüße\n")},
			{"latin1.txt", "text/plain", ".txt", upload.Document, []byte("gr\xfc\xdfe")},
			{"README.MD", "text/markdown", ".md", upload.Document, []byte("# Title\n")},
			{"page.md", "text/markdown", ".md", upload.Document, []byte("<p align=center>a</p>")},
			{"long.txt", "text/plain", ".txt", upload.Document, bytes.Repeat([]byte("ü€😀x"), 50_000)},
		} {
			r := p.must(test.class, test.name, test.content)
			if r.Kind != test.kind || filepath.Ext(r.Name) != test.ending || r.Original != test.name || r.Owner != ann || len(r.Name) < 26 {
				t.Errorf("%s became %+v", test.name, r)
			}
			if v, content := p.read(r.Name); v.Kind != test.kind || test.class == upload.Document && !bytes.Equal(content, test.content) {
				t.Errorf("%s is read as %s, %d bytes", test.name, v.Kind, len(content))
			}
		}
	})
}

// office is the beginning of an old Office file and the name of its main stream.
func office(stream string) []byte {
	b := append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 256<<10-50)...) // the name lies across two parts
	for _, c := range []byte(stream) {
		b = append(b, c, 0)
	}
	return append(b, make([]byte, 100)...)
}

func TestWhatIsRefused(t *testing.T) {
	p := newPlace(t, memory.New(), limits)
	truncated := asJPEG(t, photo(300, 300))
	for _, test := range []struct {
		name    string
		class   upload.Class
		content []byte
		kind    graph.ErrorKind
		says    string
	}{
		{"a.svg", upload.Image, []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), graph.Invalid, "invalid file format"},
		{"a.svg", upload.Document, []byte(`<svg/>`), graph.Invalid, "invalid file format"},
		{"a.html", upload.Document, []byte("<!doctype html><script>alert(1)</script>"), graph.Invalid, "invalid file format"},
		{"a.gif", upload.Image, []byte("GIF89a\x01\x00\x01\x00"), graph.Invalid, "invalid file format"},
		{"a.docx", upload.Document, []byte("PK\x03\x04word/document.xml"), graph.Invalid, "invalid file format"},
		{"a.msi", upload.Document, office("Installer"), graph.Invalid, "invalid file format"},
		{"a.exe", upload.Document, []byte("MZ\x90\x00"), graph.Invalid, "invalid file format"},
		{"binary.txt", upload.Document, []byte("text\x00\x01"), graph.Invalid, "invalid file format"},
		{"late.txt", upload.Document, append(bytes.Repeat([]byte("text"), 100_000), 0), graph.Invalid, "invalid file format"},
		{"a.pdf", upload.Image, []byte("%PDF-1.7"), graph.Invalid, "invalid file format"},
		{"a.jpg", upload.Document, truncated, graph.Invalid, "invalid file format"},
		{"half.jpg", upload.Image, truncated[:len(truncated)/2], graph.Invalid, "damaged"},
		{"head.jpg", upload.Image, []byte("\xff\xd8\xff"), graph.Invalid, "damaged"},
		{"half.png", upload.Image, asPNG(t, photo(300, 300))[:100], graph.Invalid, "damaged"},
		{"bad.png", upload.Image, bytes.Replace(asPNG(t, photo(30, 30)), []byte("IDAT"), []byte("IDAX"), 1), graph.Invalid, "damaged"},
		{"half.webp", upload.Image, wideWebP(40, 20)[:24], graph.Invalid, "damaged"},
		{"none.webp", upload.Image, []byte("RIFF\x00\x00\x00\x00WEBP"), graph.Invalid, "damaged"},
		{"moving.png", upload.Image, animatedPNG(t), graph.Invalid, "animated"},
		{"moving.webp", upload.Image, animatedWebP(), graph.Invalid, ""},
		{"bomb.png", upload.Image, bombPNG(t, 20_000, 20_000), graph.TooLarge, "20000 × 20000"},
		{"strip.png", upload.Image, bombPNG(t, 2_000_000, 1), graph.TooLarge, "2000000 × 1"},
		{"bomb.webp", upload.Image, wideWebP(16_000, 16_000), graph.TooLarge, "16000 × 16000"},
		{"empty.txt", upload.Document, nil, graph.Invalid, "empty"},
		{"large.txt", upload.Document, make([]byte, 2<<20+1), graph.TooLarge, "2097152"},
		{"large.jpg", upload.Image, append(asJPEG(t, photo(8, 8)), make([]byte, 1<<20)...), graph.TooLarge, "1048576"},
	} {
		_, err := p.add(test.class, test.name, test.content)
		if graph.KindOf(err) != test.kind || !strings.Contains(fmt.Sprint(err), test.says) {
			t.Errorf("%s: %v; want %s and %q", test.name, err, test.kind, test.says)
		}
	}
	p.nothing("after what was refused")
}

func TestPicturesDoNotTell(t *testing.T) {
	p := newPlace(t, memory.New(), limits)
	for _, test := range []struct {
		name    string
		content []byte
		keeps   string
	}{
		{"a.jpg", tellingJPEG(t, photo(60, 40), 6), "ICC_PROFILE"},
		{"a.png", tellingPNG(t, photo(60, 40), 6), "gAMA"},
		{"a.webp", tellingWebP(6), "VP8X"},
	} {
		if !bytes.Contains(test.content, []byte(secret)) {
			t.Fatalf("%s holds no secret; the test proves nothing", test.name)
		}
		r := p.must(upload.Image, test.name, test.content)
		_, kept := p.read(r.Name)
		for _, trace := range []string{secret, secret[:5], "Photoshop", "adobe", "MPF"} {
			if bytes.Contains(kept, []byte(trace)) {
				t.Errorf("%s still says %q", test.name, trace)
			}
		}
		if !bytes.Contains(kept, []byte(test.keeps)) {
			t.Errorf("%s lost %q", test.name, test.keeps)
		}
		// One short, 6, is the value of the orientation's entry.
		if !bytes.Contains(kept, []byte("\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06")) {
			t.Errorf("%s lost its orientation", test.name)
		}
		if flags := kept[20]; r.Kind == "image/webp" && flags != 1<<3 {
			t.Errorf("%s says that it holds more than its orientation: %b", test.name, flags)
		}
		before, _, err := image.Decode(bytes.NewReader(test.content))
		if err != nil {
			t.Fatal(err)
		}
		after, _, err := image.Decode(bytes.NewReader(kept))
		if err != nil {
			t.Fatalf("%s cannot be read any more: %v", test.name, err)
		}
		same(t, test.name, before, after)
		again := p.must(upload.Image, test.name, kept)
		if _, twice := p.read(again.Name); !bytes.Equal(kept, twice) {
			t.Errorf("%s changes when it is uploaded again", test.name)
		}
	}
}

// same wants two pictures to be equal, pixel for pixel.
func same(t *testing.T, name string, a, b image.Image) {
	t.Helper()
	if a.Bounds() != b.Bounds() {
		t.Fatalf("%s is %v; it was %v", name, b.Bounds(), a.Bounds())
	}
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			if a.At(x, y) != b.At(x, y) {
				t.Fatalf("%s at %d, %d is %v; it was %v", name, x, y, b.At(x, y), a.At(x, y))
			}
		}
	}
}

func TestSmallVariants(t *testing.T) {
	p := newPlace(t, memory.New(), limits)
	for _, test := range []struct {
		name, kind    string
		content       []byte
		width, height int
	}{
		{"wide.jpg", "image/jpeg", asJPEG(t, photo(1000, 500)), 400, 200},
		{"tall.png", "image/png", asPNG(t, photo(300, 900)), 133, 400},
		{"turned.jpg", "image/jpeg", tellingJPEG(t, photo(1000, 500), 6), 200, 400},
		{"line.png", "image/png", asPNG(t, photo(5000, 2)), 400, 1},
		{"clear.webp", "image/png", wideWebP(800, 800), 400, 400},
		{"little.jpg", "image/jpeg", asJPEG(t, photo(40, 20)), 40, 20},
		{"little.webp", "image/webp", wideWebP(40, 20), 40, 20},
	} {
		r := p.must(upload.Image, test.name, test.content)
		ending := filepath.Ext(r.Name)
		if want := strings.TrimSuffix(r.Name, ending) + "_small" + ending; r.Small == nil || r.Small.Name != want {
			t.Fatalf("%s has the small variant %+v; want %s", test.name, r.Small, want)
		}
		v, content := p.read(r.Small.Name)
		little, format, err := image.Decode(bytes.NewReader(content))
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if size := little.Bounds(); size.Dx() != test.width || size.Dy() != test.height || v.Kind != test.kind || "image/"+format != test.kind {
			t.Errorf("%s became %v, %s (%s); want %d × %d, %s", test.name, size, v.Kind, format, test.width, test.height, test.kind)
		}
	}
}

// A picture, turned in each of the eight ways, is seen as it should be.
func TestSmallVariantsAreTurned(t *testing.T) {
	p := newPlace(t, memory.New(), limits)
	// Where green and red are, per orientation: above and below, on the left of the stored picture.
	for orientation, at := range map[int][2]image.Point{
		1: {{10, 10}, {10, 190}}, 2: {{390, 10}, {390, 190}}, 3: {{390, 190}, {390, 10}}, 4: {{10, 190}, {10, 10}},
		5: {{10, 10}, {190, 10}}, 6: {{190, 10}, {10, 10}}, 7: {{190, 390}, {10, 390}}, 8: {{10, 390}, {190, 390}},
	} {
		r := p.must(upload.Image, "a.jpg", tellingJPEG(t, photo(800, 400), orientation))
		_, content := p.read(r.Small.Name)
		little, _, err := image.Decode(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		if r, g, _, _ := little.At(at[0].X, at[0].Y).RGBA(); g < 0xa000 || r > 0x6000 {
			t.Errorf("orientation %d: %v is not green but %v", orientation, at[0], little.At(at[0].X, at[0].Y))
		}
		if r, g, _, _ := little.At(at[1].X, at[1].Y).RGBA(); r < 0xa000 || g > 0x6000 {
			t.Errorf("orientation %d: %v is not red but %v", orientation, at[1], little.At(at[1].X, at[1].Y))
		}
	}
}

func TestQuotas(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		p.Uploads = upload.New(p.kv, p.blobs, upload.Limits{Image: 1 << 20, File: 1 << 20, Quota: 10}, "", slog.New(slog.DiscardHandler))
		var wait sync.WaitGroup
		var mu sync.Mutex
		taken := 0
		for range 8 {
			wait.Go(func() {
				_, err := p.add(upload.Document, "a.txt", []byte("1234"))
				mu.Lock()
				defer mu.Unlock()
				switch graph.KindOf(err) {
				case "":
					taken++
				case graph.TooLarge:
				default:
					t.Error(err)
				}
			})
		}
		wait.Wait()
		all, _, err := p.List(t.Context(), ann, "", 100)
		if err != nil || taken != 2 || len(all) != 2 {
			t.Fatalf("%d uploads were taken and %d are listed, %v; want 2", taken, len(all), err)
		}
		if err := p.Remove(t.Context(), all[0].Name); err != nil {
			t.Fatal(err)
		}
		p.must(upload.Document, "a.txt", []byte("1234"))
		if _, err := p.Add(t.Context(), upload.Offer{Owner: ben, Class: upload.Document, Name: "b.txt", Bytes: strings.NewReader("12345678")}); err != nil {
			t.Errorf("somebody else's quota: %v", err)
		}
	})
}

func TestListingAndRemoving(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		var names []string
		for i := range 7 {
			names = append(names, p.must(upload.Document, fmt.Sprintf("%d.txt", i), []byte("text")).Name)
		}
		picture := p.must(upload.Image, "a.png", asPNG(t, photo(8, 8)))
		var got []string
		for after, pages := "", 0; pages == 0 || after != ""; pages++ {
			page, next, err := p.List(t.Context(), ann, after, 3)
			if err != nil || len(page) > 3 {
				t.Fatal(len(page), err)
			}
			for _, r := range page {
				got = append(got, r.Name)
			}
			after = next
		}
		seen := map[string]bool{}
		for _, name := range got {
			seen[name] = true
		}
		for _, name := range append(names, picture.Name) {
			if !seen[name] {
				t.Errorf("%s is not listed", name)
			}
		}
		if others, _, err := p.List(t.Context(), ben, "", 10); err != nil || len(others) != 0 {
			t.Errorf("somebody else has %d uploads, %v", len(others), err)
		}
		for _, name := range append(names, picture.Name) {
			if err := p.Remove(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
		p.nothing("after everything was removed")
		if err := p.Remove(t.Context(), names[0]); graph.KindOf(err) != graph.NotFound {
			t.Errorf("removed twice: %v", err)
		}
		if _, _, err := p.Open(t.Context(), picture.Small.Name); graph.KindOf(err) != graph.NotFound {
			t.Errorf("the small variant is still there: %v", err)
		}
	})
}

func TestWhatBreaksOffLeavesNothing(t *testing.T) {
	p := newPlace(t, memory.New(), limits)
	_, err := p.Add(t.Context(), upload.Offer{
		Owner: ann, Class: upload.Document, Name: "a.txt", Bytes: io.MultiReader(strings.NewReader("half"), broken{}),
	})
	if graph.KindOf(err) != graph.Invalid || !strings.Contains(err.Error(), "broke off after 4 bytes") {
		t.Errorf("%v", err)
	}
	p.nothing("after an upload that broke off")
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the line went dead") }

// The database goes away between the bytes and the record.
func TestAnUploadWithoutARecordIsTakenBack(t *testing.T) {
	store, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t, store, limits)
	closing := &closer{Reader: bytes.NewReader(asPNG(t, photo(8, 8))), end: func() { _ = store.Close() }}
	if _, err := p.Add(t.Context(), upload.Offer{Owner: ann, Class: upload.Image, Name: "a.png", Bytes: closing}); err == nil {
		t.Error("taken without a database")
	}
	blobs, err := p.blobs.List(t.Context(), "", 10)
	if err != nil || len(blobs) != 0 {
		t.Errorf("%d blobs are left, %v", len(blobs), err)
	}
}

// Who uploads gives up while the record is being written: it is, and its bytes stay.
func TestARecordIsNeverWithoutItsBytes(t *testing.T) {
	p := newPlace(t, memory.New(), limits)
	ctx, giveUp := context.WithCancel(t.Context())
	uploads := upload.New(impatient{p.kv, giveUp}, p.blobs, limits, t.TempDir(), slog.New(slog.DiscardHandler))
	_, _ = uploads.Add(ctx, upload.Offer{Owner: ann, Class: upload.Document, Name: "a.txt", Bytes: strings.NewReader("hello")})
	found, _, err := p.List(t.Context(), ann, "", 10)
	if err != nil || len(found) != 1 {
		t.Fatalf("%d records, %v; want 1", len(found), err)
	}
	_, content, err := p.Open(t.Context(), found[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	_ = content.Close()
}

// impatient is a store whose user does not wait for the answer of a commit.
type impatient struct {
	kv.Store
	giveUp func()
}

// Commit implements kv.Store.
func (i impatient) Commit(ctx context.Context, ops ...kv.Op) error {
	i.giveUp()
	return errors.Join(i.Store.Commit(context.WithoutCancel(ctx), ops...), ctx.Err())
}

// closer does something when everything was read.
type closer struct {
	io.Reader
	end func()
}

func (c *closer) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	if errors.Is(err, io.EOF) {
		c.end()
	}
	return n, err
}

func TestSweep(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		kept := p.must(upload.Image, "a.png", asPNG(t, photo(8, 8)))
		age := func(name string) {
			yesterday := time.Now().Add(-25 * time.Hour)
			if err := os.Chtimes(filepath.Join(p.directory, name[:2], name), yesterday, yesterday); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"old.png", "old_small.png", "fresh.png"} {
			if err := p.blobs.Put(t.Context(), name, strings.NewReader("x"), 1, ""); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{kept.Name, kept.Small.Name, "old.png", "old_small.png"} {
			age(name)
		}
		if n, err := p.Sweep(t.Context()); err != nil || n != 2 {
			t.Errorf("swept %d, %v; want 2", n, err)
		}
		p.read(kept.Name)
		p.read(kept.Small.Name)
		left, err := p.blobs.List(t.Context(), "", 10)
		if err != nil || len(left) != 3 {
			t.Errorf("%d blobs are left, %v; want 3", len(left), err)
		}
	})
}

func TestManyPicturesAtOnce(t *testing.T) {
	p := newPlace(t, memory.New(), upload.Limits{Image: 10 << 20, File: 1, Quota: 1 << 30})
	large := asPNG(t, image.NewGray(image.Rect(0, 0, 1500, 1500)))
	var wait sync.WaitGroup
	for range 6 {
		wait.Go(func() { p.must(upload.Image, "a.png", large) })
	}
	wait.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Add(ctx, upload.Offer{Owner: ann, Class: upload.Image, Name: "a.png", Bytes: bytes.NewReader(large)}); err == nil {
		t.Error("an upload nobody waits for any more was taken")
	}
}
