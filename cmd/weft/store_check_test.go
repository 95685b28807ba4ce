package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-graph/weft/internal/store/sqlite"
)

func TestStoreCheckRecognisesALogThatWasCutOff(t *testing.T) {
	dir := t.TempDir()
	crashed := filepath.Join(dir, "crashed")
	if err := os.Mkdir(crashed, 0o700); err != nil {
		t.Fatal(err)
	}
	from := filepath.Join(dir, "running")
	store, err := sqlite.Open(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	populate(t, store)
	copyFile := func(name string, change func([]byte) []byte) {
		content, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(crashed, name), change(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	whole := func(b []byte) []byte { return b }
	copyFile("weft.db", whole)
	copyFile("weft.db-shm", whole)
	copyFile("weft.db-wal", func(b []byte) []byte { return b[:len(b)/3] })
	err = storeCheck{storeFlags{Data: crashed}}.Run()
	if err == nil || !strings.Contains(err.Error(), "weft.db-wal was cut off: it has ") {
		t.Errorf("the error is %v; want an error about the truncated log", err)
	}
}
