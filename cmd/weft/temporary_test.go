//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAServerRemovesTheTemporaryFoldersOfKilledOnes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and kills a server")
	}
	binary, temporary := build(t), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	folders := func() []string {
		found, err := filepath.Glob(filepath.Join(temporary, "weft-blobs-*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	serve := []string{"serve", "--listen", "127.0.0.1:0", "--store", "memory"}
	killed, _ := startProgram(t, binary, serve...)
	stale := folders()
	if len(stale) != 1 {
		t.Fatalf("the folders of the first server = %v; want 1", stale)
	}
	living, _ := startProgram(t, binary, serve...)
	if n := len(folders()); n != 2 {
		t.Fatalf("two servers have %d folders; want 2", n)
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait() // returns an error, because the process was killed
	startProgram(t, binary, serve...)
	if _, err := os.Stat(stale[0]); !os.IsNotExist(err) {
		t.Errorf("the folder of the killed server remains: %v", err)
	}
	if n := len(folders()); n != 2 || living.ProcessState != nil {
		t.Errorf("two living servers have %d folders, or one of the servers has ended; want 2 folders", n)
	}
}
