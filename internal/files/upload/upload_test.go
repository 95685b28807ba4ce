package upload_test

import (
	"archive/zip"
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

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/everystore"
	"github.com/weft-graph/weft/internal/files/blob"
	"github.com/weft-graph/weft/internal/files/upload"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

const ann, ben = 100_001, 100_002

// A fixture holds the uploads of one test.
type fixture struct {
	*upload.Uploads
	t         *testing.T
	kv        kv.Store
	blobs     *blob.Disk
	directory string
}

var limits = upload.Limits{Image: 1 << 20, File: 2 << 20, Quota: 8 << 20}

// onEveryStore runs a test on every kind of database.
func onEveryStore(t *testing.T, test func(*testing.T, fixture)) {
	everystore.Run(t, func(t *testing.T, store graph.Store) { test(t, newFixture(t, store, limits)) })
}

func newFixture(t *testing.T, store graph.Store, limits upload.Limits) fixture {
	t.Helper()
	f := fixture{t: t, kv: kv.In(store), directory: t.TempDir()}
	var err error
	if f.blobs, err = blob.OpenDisk(f.directory); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.blobs.Close() })
	f.Uploads = upload.New(f.kv, f.blobs, upload.Options{
		Limits: limits, Spool: filepath.Join(t.TempDir(), "spool"), Log: slog.New(slog.DiscardHandler),
	})
	return f
}

func (f fixture) add(class upload.Class, name string, content []byte) (upload.Record, error) {
	return f.Add(f.t.Context(), upload.Offer{Owner: ann, Class: class, Name: name, Bytes: bytes.NewReader(content)})
}

func (f fixture) mustAdd(class upload.Class, name string, content []byte) upload.Record {
	f.t.Helper()
	r, err := f.add(class, name, content)
	if err != nil {
		f.t.Fatalf("%s: %v", name, err)
	}
	return r
}

func (f fixture) read(name string) (upload.Variant, []byte) {
	f.t.Helper()
	v, r, err := f.Open(f.t.Context(), name)
	if err != nil {
		f.t.Fatal(err)
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil {
		f.t.Fatal(err)
	}
	return v, content
}

// checkEmpty fails the test if any blob or record is left.
func (f fixture) checkEmpty(when string) {
	f.t.Helper()
	blobs, err := f.blobs.List(f.t.Context(), "", 100)
	if err != nil {
		f.t.Fatal(err)
	}
	records, err := f.kv.List(f.t.Context(), kv.Range{Prefix: "blob/record/"})
	if err != nil {
		f.t.Fatal(err)
	}
	if len(blobs) != 0 || len(records) != 0 {
		f.t.Errorf("%s: %d blobs and %d records remain; want none", when, len(blobs), len(records))
	}
}

func TestAddAcceptsSupportedTypes(t *testing.T) {
	onEveryStore(t, func(t *testing.T, f fixture) {
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
			{"a.doc", "application/msword", ".doc", upload.Document, officeFile("WordDocument")},
			{"a.xls", "application/vnd.ms-excel", ".xls", upload.Document, officeFile("Workbook")},
			{"a.ppt", "application/vnd.ms-powerpoint", ".ppt", upload.Document, officeFile("PowerPoint Document")},
			{"a.txt", "text/plain", ".txt", upload.Document, []byte("Grüße\n")},
			{"latin1.txt", "text/plain", ".txt", upload.Document, []byte("gr\xfc\xdfe")},
			{"README.MD", "text/markdown", ".md", upload.Document, []byte("# Title\n")},
			{"page.md", "text/markdown", ".md", upload.Document, []byte("<p align=center>a</p>")},
			{"a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", ".docx", upload.Document, archive(t, "[Content_Types].xml", "word/document.xml")},
			{"a.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx", upload.Document, archive(t, "[Content_Types].xml", "xl/workbook.xml")},
			{"renamed.zip", "application/vnd.openxmlformats-officedocument.presentationml.presentation", ".pptx", upload.Document, archive(t, "ppt/presentation.xml", "[Content_Types].xml")},
			{"a.zip", "application/zip", ".zip", upload.Document, archive(t, "a.txt", "word/document.xml")},
			{"a.jar", "application/zip", ".zip", upload.Document, archive(t, "META-INF/MANIFEST.MF")},
			{"a.csv", "text/csv", ".csv", upload.Document, []byte("name,age\nAnn,30\n")},
			{"formula.csv", "text/csv", ".csv", upload.Document, []byte("=1+1,<script>\n")},
			{"long.txt", "text/plain", ".txt", upload.Document, bytes.Repeat([]byte("ü€😀x"), 50_000)},
		} {
			r := f.mustAdd(test.class, test.name, test.content)
			if r.Kind != test.kind || filepath.Ext(r.Name) != test.ending || r.Original != test.name || r.Owner != ann || len(r.Name) < 26 {
				t.Errorf("%s is stored as %+v; want the kind %s, the ending %s, its original name, the owner %d, and a name of at least 26 bytes", test.name, r, test.kind, test.ending, ann)
			}
			if v, content := f.read(r.Name); v.Kind != test.kind || test.class == upload.Document && !bytes.Equal(content, test.content) {
				t.Errorf("%s is read as %s, %d bytes; want %s, and the uploaded bytes if it is a document", test.name, v.Kind, len(content), test.kind)
			}
		}
	})
}

// officeFile returns the beginning of an old Office file and the name of its main stream.
func officeFile(stream string) []byte {
	b := append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 256<<10-50)...) // the name spans two parts of scan
	for _, c := range []byte(stream) {
		b = append(b, c, 0)
	}
	return append(b, make([]byte, 100)...)
}

// archive returns a ZIP archive of files with these names.
func archive(t *testing.T, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		file, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write([]byte("the content of " + name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAddRejectsInvalidUploads(t *testing.T) {
	f := newFixture(t, memory.New(), limits)
	truncated := asJPEG(t, photo(300, 300))
	for _, test := range []struct {
		name    string
		class   upload.Class
		content []byte
		kind    graph.ErrorKind
		text    string
	}{
		{"a.svg", upload.Image, []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), graph.Invalid, "invalid file format"},
		{"a.svg", upload.Document, []byte(`<svg/>`), graph.Invalid, "invalid file format"},
		{"a.html", upload.Document, []byte("<!doctype html><script>alert(1)</script>"), graph.Invalid, "invalid file format"},
		{"a.gif", upload.Image, []byte("GIF89a\x01\x00\x01\x00"), graph.Invalid, "invalid file format"},
		{"cut.docx", upload.Document, []byte("PK\x03\x04[Content_Types].xml word/document.xml"), graph.Invalid, "none of .doc, .xls"},
		{"a.docm", upload.Document, archive(t, "[Content_Types].xml", "word/document.xml", "word/vbaProject.bin"), graph.Invalid, "invalid file format"},
		{"binary.csv", upload.Document, []byte("a,b\x00"), graph.Invalid, "invalid file format"},
		{"a.zip", upload.Image, archive(t, "a.png"), graph.Invalid, "invalid file format"},
		{"a.msi", upload.Document, officeFile("Installer"), graph.Invalid, "invalid file format"},
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
		_, err := f.add(test.class, test.name, test.content)
		if graph.KindOf(err) != test.kind || !strings.Contains(fmt.Sprint(err), test.text) {
			t.Errorf("%s: %v; want %s and %q", test.name, err, test.kind, test.text)
		}
	}
	f.checkEmpty("after rejected uploads")
}

func TestMetadataIsRemovedFromPictures(t *testing.T) {
	f := newFixture(t, memory.New(), limits)
	for _, test := range []struct {
		name     string
		content  []byte
		mustKeep string
	}{
		{"a.jpg", jpegWithMetadata(t, photo(60, 40), 6), "ICC_PROFILE"},
		{"a.png", pngWithMetadata(t, photo(60, 40), 6), "gAMA"},
		{"a.webp", webpWithMetadata(6), "VP8X"},
	} {
		if !bytes.Contains(test.content, []byte(secret)) {
			t.Fatalf("%s has no secret, so the test proves nothing", test.name)
		}
		r := f.mustAdd(upload.Image, test.name, test.content)
		_, stored := f.read(r.Name)
		for _, trace := range []string{secret, secret[:5], "Photoshop", "adobe", "MPF"} {
			if bytes.Contains(stored, []byte(trace)) {
				t.Errorf("%s still contains %q", test.name, trace)
			}
		}
		if !bytes.Contains(stored, []byte(test.mustKeep)) {
			t.Errorf("the stored copy of %s lacks %q; want it kept", test.name, test.mustKeep)
		}
		// A single short, 6, is the value of the orientation's entry.
		if !bytes.Contains(stored, []byte("\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06")) {
			t.Errorf("the stored copy of %s has no orientation; want orientation 6", test.name)
		}
		if flags := stored[20]; r.Kind == "image/webp" && flags != 1<<3 {
			t.Errorf("the flags of %s declare more than an orientation: %b", test.name, flags)
		}
		before, _, err := image.Decode(bytes.NewReader(test.content))
		if err != nil {
			t.Fatal(err)
		}
		after, _, err := image.Decode(bytes.NewReader(stored))
		if err != nil {
			t.Fatalf("%s cannot be decoded any more: %v", test.name, err)
		}
		checkSamePixels(t, test.name, before, after)
		second := f.mustAdd(upload.Image, test.name, stored)
		if _, storedAgain := f.read(second.Name); !bytes.Equal(stored, storedAgain) {
			t.Errorf("%s: the stored copy changes when it is uploaded again", test.name)
		}
	}
}

// checkSamePixels checks that two pictures are equal, pixel by pixel.
func checkSamePixels(t *testing.T, name string, a, b image.Image) {
	t.Helper()
	if a.Bounds() != b.Bounds() {
		t.Fatalf("the bounds of %s are %v; want %v", name, b.Bounds(), a.Bounds())
	}
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			if a.At(x, y) != b.At(x, y) {
				t.Fatalf("%s at %d, %d is %v; want %v", name, x, y, b.At(x, y), a.At(x, y))
			}
		}
	}
}

func TestAddCreatesSmallVariants(t *testing.T) {
	f := newFixture(t, memory.New(), limits)
	for _, test := range []struct {
		name, kind    string
		content       []byte
		width, height int
	}{
		{"wide.jpg", "image/jpeg", asJPEG(t, photo(1000, 500)), 400, 200},
		{"tall.png", "image/png", asPNG(t, photo(300, 900)), 133, 400},
		{"turned.jpg", "image/jpeg", jpegWithMetadata(t, photo(1000, 500), 6), 200, 400},
		{"line.png", "image/png", asPNG(t, photo(5000, 2)), 400, 1},
		{"clear.webp", "image/png", wideWebP(800, 800), 400, 400},
		{"little.jpg", "image/jpeg", asJPEG(t, photo(40, 20)), 40, 20},
		{"little.webp", "image/webp", wideWebP(40, 20), 40, 20},
	} {
		r := f.mustAdd(upload.Image, test.name, test.content)
		ending := filepath.Ext(r.Name)
		if want := strings.TrimSuffix(r.Name, ending) + "_small" + ending; r.Small == nil || r.Small.Name != want {
			t.Fatalf("%s has the small variant %+v; want %s", test.name, r.Small, want)
		}
		v, content := f.read(r.Small.Name)
		variant, format, err := image.Decode(bytes.NewReader(content))
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if size := variant.Bounds(); size.Dx() != test.width || size.Dy() != test.height || v.Kind != test.kind || "image/"+format != test.kind {
			t.Errorf("the small variant of %s has %v, %s (%s); want %d × %d, %s", test.name, size, v.Kind, format, test.width, test.height, test.kind)
		}
	}
}

// A picture in each of the eight orientations has a small variant that is upright.
func TestSmallVariantsAreUpright(t *testing.T) {
	f := newFixture(t, memory.New(), limits)
	// The positions of green and red in the small variant, by orientation. In the stored picture, green and red are on
	// the left, green above red.
	for orientation, at := range map[int][2]image.Point{
		1: {{10, 10}, {10, 190}}, 2: {{390, 10}, {390, 190}}, 3: {{390, 190}, {390, 10}}, 4: {{10, 190}, {10, 10}},
		5: {{10, 10}, {190, 10}}, 6: {{190, 10}, {10, 10}}, 7: {{190, 390}, {10, 390}}, 8: {{10, 390}, {190, 390}},
	} {
		r := f.mustAdd(upload.Image, "a.jpg", jpegWithMetadata(t, photo(800, 400), orientation))
		_, content := f.read(r.Small.Name)
		variant, _, err := image.Decode(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		if r, g, _, _ := variant.At(at[0].X, at[0].Y).RGBA(); g < 0xa000 || r > 0x6000 {
			t.Errorf("orientation %d: the colour at %v is %v; want green", orientation, at[0], variant.At(at[0].X, at[0].Y))
		}
		if r, g, _, _ := variant.At(at[1].X, at[1].Y).RGBA(); r < 0xa000 || g > 0x6000 {
			t.Errorf("orientation %d: the colour at %v is %v; want red", orientation, at[1], variant.At(at[1].X, at[1].Y))
		}
	}
}

func TestAddEnforcesQuotas(t *testing.T) {
	onEveryStore(t, func(t *testing.T, f fixture) {
		f.Uploads = upload.New(f.kv, f.blobs, upload.Options{
			Limits: upload.Limits{Image: 1 << 20, File: 1 << 20, Quota: 10}, Log: slog.New(slog.DiscardHandler),
		})
		var wait sync.WaitGroup
		var mu sync.Mutex
		accepted := 0
		for range 8 {
			wait.Go(func() {
				_, err := f.add(upload.Document, "a.txt", []byte("1234"))
				mu.Lock()
				defer mu.Unlock()
				switch graph.KindOf(err) {
				case "":
					accepted++
				case graph.TooLarge:
				default:
					t.Error(err)
				}
			})
		}
		wait.Wait()
		all, _, err := f.List(t.Context(), ann, "", 100)
		if err != nil || accepted != 2 || len(all) != 2 {
			t.Fatalf("%d uploads were accepted and %d are listed, %v; want 2", accepted, len(all), err)
		}
		if err := f.Remove(t.Context(), all[0].Name); err != nil {
			t.Fatal(err)
		}
		f.mustAdd(upload.Document, "a.txt", []byte("1234"))
		if _, err := f.Add(t.Context(), upload.Offer{Owner: ben, Class: upload.Document, Name: "b.txt", Bytes: strings.NewReader("12345678")}); err != nil {
			t.Errorf("an upload of another owner is refused: %v; want a quota for each owner", err)
		}
	})
}

func TestListAndRemove(t *testing.T) {
	onEveryStore(t, func(t *testing.T, f fixture) {
		var names []string
		for i := range 7 {
			names = append(names, f.mustAdd(upload.Document, fmt.Sprintf("%d.txt", i), []byte("text")).Name)
		}
		picture := f.mustAdd(upload.Image, "a.png", asPNG(t, photo(8, 8)))
		var got []string
		for after, pages := "", 0; pages == 0 || after != ""; pages++ {
			page, next, err := f.List(t.Context(), ann, after, 3)
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
		if others, _, err := f.List(t.Context(), ben, "", 10); err != nil || len(others) != 0 {
			t.Errorf("another owner has %d uploads, %v; want 0", len(others), err)
		}
		for _, name := range append(names, picture.Name) {
			if err := f.Remove(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
		f.checkEmpty("after everything was removed")
		if err := f.Remove(t.Context(), names[0]); graph.KindOf(err) != graph.NotFound {
			t.Errorf("the second Remove returned %v; want not found", err)
		}
		if _, _, err := f.Open(t.Context(), picture.Small.Name); graph.KindOf(err) != graph.NotFound {
			t.Errorf("the error of opening the removed small variant = %v; want not found", err)
		}
	})
}

func TestAnUploadThatEndsEarlyLeavesNothing(t *testing.T) {
	f := newFixture(t, memory.New(), limits)
	_, err := f.Add(t.Context(), upload.Offer{
		Owner: ann, Class: upload.Document, Name: "a.txt", Bytes: io.MultiReader(strings.NewReader("half"), failingReader{}),
	})
	if graph.KindOf(err) != graph.Invalid || !strings.Contains(err.Error(), "ended early, after 4 bytes") {
		t.Errorf("the error = %v; want invalid, and \"ended early, after 4 bytes\"", err)
	}
	f.checkEmpty("after an upload that ended early")
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("connection lost") }

// The database fails between writing the blobs and the record.
func TestBlobsAreRemovedIfTheRecordCannotBeWritten(t *testing.T) {
	store, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, store, limits)
	closing := &endNotifier{Reader: bytes.NewReader(asPNG(t, photo(8, 8))), end: func() { _ = store.Close() }}
	if _, err := f.Add(t.Context(), upload.Offer{Owner: ann, Class: upload.Image, Name: "a.png", Bytes: closing}); err == nil {
		t.Error("an upload without a database was accepted; want an error")
	}
	blobs, err := f.blobs.List(t.Context(), "", 10)
	if err != nil || len(blobs) != 0 {
		t.Errorf("%d blobs remain, %v; want none", len(blobs), err)
	}
}

// If a client disconnects while the record is being written, the record must still be written and its blobs be
// kept.
func TestARecordIsNeverWithoutItsBlobs(t *testing.T) {
	f := newFixture(t, memory.New(), limits)
	ctx, cancel := context.WithCancel(t.Context())
	uploads := upload.New(cancellingStore{f.kv, cancel}, f.blobs, upload.Options{Limits: limits, Spool: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	_, _ = uploads.Add(ctx, upload.Offer{Owner: ann, Class: upload.Document, Name: "a.txt", Bytes: strings.NewReader("hello")})
	found, _, err := f.List(t.Context(), ann, "", 10)
	if err != nil || len(found) != 1 {
		t.Fatalf("%d records, %v; want 1", len(found), err)
	}
	_, content, err := f.Open(t.Context(), found[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	_ = content.Close()
}

// cancellingStore is a store whose caller cancels during a commit.
type cancellingStore struct {
	kv.Store
	cancel func()
}

// Commit implements kv.Store.
func (s cancellingStore) Commit(ctx context.Context, ops ...kv.Op) error {
	s.cancel()
	return errors.Join(s.Store.Commit(context.WithoutCancel(ctx), ops...), ctx.Err())
}

// endNotifier calls a function when its reader reaches the end.
type endNotifier struct {
	io.Reader
	end func()
}

func (e *endNotifier) Read(b []byte) (int, error) {
	n, err := e.Reader.Read(b)
	if errors.Is(err, io.EOF) {
		e.end()
	}
	return n, err
}

func TestSweepRemovesOldBlobsWithoutRecords(t *testing.T) {
	onEveryStore(t, func(t *testing.T, f fixture) {
		kept := f.mustAdd(upload.Image, "a.png", asPNG(t, photo(8, 8)))
		makeOld := func(name string) {
			yesterday := time.Now().Add(-25 * time.Hour)
			if err := os.Chtimes(filepath.Join(f.directory, name[:2], name), yesterday, yesterday); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"old.png", "old_small.png", "fresh.png"} {
			if err := f.blobs.Put(t.Context(), name, strings.NewReader("x"), 1, ""); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{kept.Name, kept.Small.Name, "old.png", "old_small.png"} {
			makeOld(name)
		}
		if n, err := f.Sweep(t.Context()); err != nil || n != 2 {
			t.Errorf("Sweep removed %d, %v; want 2", n, err)
		}
		f.read(kept.Name)
		f.read(kept.Small.Name)
		remaining, err := f.blobs.List(t.Context(), "", 10)
		if err != nil || len(remaining) != 3 {
			t.Errorf("%d blobs remain, %v; want 3", len(remaining), err)
		}
	})
}

func TestAddDecodesPicturesConcurrently(t *testing.T) {
	f := newFixture(t, memory.New(), upload.Limits{Image: 10 << 20, File: 1, Quota: 1 << 30})
	picture := asPNG(t, image.NewGray(image.Rect(0, 0, 200, 200))) // small: all six must be decoded within decodeWait, even on a busy machine
	var wait sync.WaitGroup
	for range 6 {
		wait.Go(func() {
			if _, err := f.add(upload.Image, "a.png", picture); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Add(ctx, upload.Offer{Owner: ann, Class: upload.Image, Name: "a.png", Bytes: bytes.NewReader(picture)}); err == nil {
		t.Error("an upload with a cancelled context was accepted")
	}
}
