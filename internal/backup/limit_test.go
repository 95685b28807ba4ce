package backup_test

import (
	"archive/tar"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/backup"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// bombFile writes an archive with one entry. The header of the entry gives the size, and its contents begin with start. The file
// ends after a megabyte of zeros: an archive that is refused in time is not read that far.
func bombFile(t *testing.T, name string, size int64, start []byte) *os.File {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "bomb.tar.zst"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	compressed, err := zstd.NewWriter(file)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewWriter(compressed)
	err = archive.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: size})
	for _, part := range [][]byte{start, make([]byte, 1<<20)} {
		if err == nil {
			_, err = archive.Write(part)
		}
	}
	if err = errors.Join(err, compressed.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestRestoreRefusesBombsBeforeItUnpacksThem(t *testing.T) {
	const size = 3 << 30
	header := append([]byte("SQLite format 3\x00"), make([]byte, sqlite.HeaderBytes-16)...)
	binary.BigEndian.PutUint16(header[16:], 4096)
	binary.BigEndian.PutUint32(header[28:], size/4096)
	for name, c := range map[string]struct {
		archive *os.File
		want    string
	}{
		"zeros":                           {bombFile(t, "weft.db", 1<<30, nil), "its header describes a database of 0"},
		"a database of another size":      {bombFile(t, "weft.db", 1<<30, header), "its header describes a database of 3221225472"},
		"zeros after a valid header":      {bombFile(t, "weft.db", size, header), "more than 1000 times as many"},
		"a large upload":                  {bombFile(t, "blobs/abc123.txt", size, nil), "more than 1000 times as many"},
		"a database beyond the free disk": {bombFile(t, "weft.db", 1<<55, header), "but the disk has"},
	} {
		dir := t.TempDir()
		_, err := backup.Restore(t.Context(), c.archive, dir, false)
		if err == nil || !strings.Contains(err.Error(), c.want) && !strings.Contains(err.Error(), "but the disk has") {
			t.Errorf("%s: the error is %v; want %q", name, err, c.want)
		}
		if kind := graph.KindOf(err); kind != graph.Invalid && kind != graph.TooLarge && kind != graph.Unavailable {
			t.Errorf("%s: the kind of the error = %s; want invalid, tooLarge or unavailable", name, kind)
		}
		if written := bytesIn(t, dir); written > 1<<20 {
			t.Errorf("%s: %d bytes remain", name, written)
		}
	}
}

func bytesIn(t *testing.T, dir string) (total int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return total
}
