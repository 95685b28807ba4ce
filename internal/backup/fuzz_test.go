package backup_test

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/weft-graph/weft/internal/backup"
)

// Restoring an archive writes nothing outside the directory, and leaves no files of a store if the archive is refused.
func FuzzRestore(f *testing.F) {
	for _, header := range []tar.Header{
		{Name: "weft.db", Size: 3},
		{Name: "../weft.db", Size: 3},
		{Name: "blobs/../../a", Size: 3},
		{Name: "/etc/passwd", Size: 3},
		{Name: "weft.db", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
		{Name: "blobs", Typeflag: tar.TypeDir},
		{Name: "blobs/a.txt", Size: 3},
	} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		if err := w.WriteHeader(&header); err != nil {
			f.Fatal(err)
		}
		if header.Size > 0 {
			w.Write([]byte("abc")) //nolint:errcheck // writing to memory does not fail
		}
		if err := w.Close(); err != nil {
			f.Fatal(err)
		}
		f.Add(true, b.Bytes())
	}
	f.Add(false, []byte("\x28\xb5\x2f\xfd"))
	f.Add(false, []byte(""))
	f.Fuzz(func(t *testing.T, compress bool, archive []byte) {
		if compress {
			w, err := zstd.NewWriter(nil)
			if err != nil {
				t.Fatal(err)
			}
			archive = w.EncodeAll(archive, nil)
		}
		parent := t.TempDir()
		dir := filepath.Join(parent, "data")
		_, err := backup.Restore(t.Context(), bytes.NewReader(archive), dir, false)
		expectEntries(t, parent, "data")
		if err != nil {
			expectNoStore(t, dir)
		}
	})
}

// expectEntries reports entries of a directory other than the wanted one.
func expectEntries(t *testing.T, dir, want string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != want {
		t.Errorf("%s has the entries %v; want %q only: %v", dir, entries, want, err)
	}
}

// expectNoStore reports files of a store in a directory, which may hold the lock file only.
func expectNoStore(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.IsDir() || entry.Name() == "weft.db" {
			t.Errorf("a refused archive leaves %s behind", entry.Name())
		}
	}
}
