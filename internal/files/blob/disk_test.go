package blob_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/files/blob"
)

func openDisk(t *testing.T, directory string) *blob.Disk {
	t.Helper()
	d, err := blob.OpenDisk(directory)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func TestDisk(t *testing.T) { testStore(t, openDisk(t, filepath.Join(t.TempDir(), "blobs"))) }

func TestADiskKeepsBlobsWhenReopened(t *testing.T) {
	directory := t.TempDir()
	first := openDisk(t, directory)
	put(t, first, "kept.txt", []byte("kept"))
	if got, _ := get(t, openDisk(t, directory), "kept.txt"); string(got) != "kept" {
		t.Errorf("the blob = %q; want \"kept\"", got)
	}
}

func TestOpenDiskRemovesOldUnfinishedBlobs(t *testing.T) {
	directory := t.TempDir()
	openDisk(t, directory)
	old, recent := filepath.Join(directory, "incoming", "OLD"), filepath.Join(directory, "incoming", "RECENT")
	for _, file := range []string{old, recent} {
		if err := os.WriteFile(file, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	yesterday := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(old, yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
	openDisk(t, directory)
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("the old file remains: %v", err)
	}
	if _, err := os.Stat(recent); err != nil {
		t.Errorf("a file that may still be written was removed: %v", err)
	}
}

func TestLinksOutOfTheDirectoryAreNotFollowed(t *testing.T) {
	directory, outside := t.TempDir(), t.TempDir()
	d := openDisk(t, directory)
	if err := os.WriteFile(filepath.Join(outside, "linked.txt"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(directory, "li")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Get(t.Context(), "linked.txt"); err == nil {
		t.Error("a blob was read through a link out of the directory; want an error")
	}
}

// The kernel returns "no space left on device" for each write to /dev/full.
func TestAFullDiskIsUnavailable(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full here")
	}
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = f.Write([]byte("x"))
	if got := blob.WrapWriteError(err); graph.KindOf(got) != graph.Unavailable {
		t.Errorf("the kind of %v = %v; want unavailable", err, graph.KindOf(got))
	}
}
