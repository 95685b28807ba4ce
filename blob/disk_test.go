package blob_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/weft-graph/weft/blob"
	"github.com/weft-graph/weft/graph"
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

func TestADiskIsThereAgain(t *testing.T) {
	directory := t.TempDir()
	first := openDisk(t, directory)
	put(t, first, "kept.txt", []byte("kept"))
	if got, _ := get(t, openDisk(t, directory), "kept.txt"); string(got) != "kept" {
		t.Errorf("it is %q", got)
	}
}

func TestWhatADeadProcessLeftIsCleared(t *testing.T) {
	directory := t.TempDir()
	openDisk(t, directory)
	long, short := filepath.Join(directory, "incoming", "LONG"), filepath.Join(directory, "incoming", "SHORT")
	for _, file := range []string{long, short} {
		if err := os.WriteFile(file, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	yesterday := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(long, yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
	openDisk(t, directory)
	if _, err := os.Stat(long); !os.IsNotExist(err) {
		t.Errorf("the old one is still there: %v", err)
	}
	if _, err := os.Stat(short); err != nil {
		t.Errorf("one that may still be written is gone: %v", err)
	}
}

func TestALinkLeadsNowhere(t *testing.T) {
	directory, outside := t.TempDir(), t.TempDir()
	d := openDisk(t, directory)
	if err := os.WriteFile(filepath.Join(outside, "linked.txt"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(directory, "li")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Get(t.Context(), "linked.txt"); err == nil {
		t.Error("a blob was read through a link out of the directory")
	}
}

// The kernel says "no space left on device" of this file whenever it is written to.
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
	if got := blob.Failed(err); graph.KindOf(got) != graph.Unavailable {
		t.Errorf("%v is %v", err, got)
	}
}
