package sqlite_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// crashedStore returns the files of a store as after a kill of its process: it copies the files of an open store.
func crashedStore(t *testing.T) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for n := range 20 {
		b := graph.Batch{Sender: graph.Sender{User: 7}, Concepts: []graph.ConceptDraft{{TypeName: "the_name", Value: fmt.Sprint(n)}}}
		if _, err := s.Write(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, name := range []string{"weft.db", "weft.db-wal", "weft.db-shm"} {
		if files[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestCheckLog(t *testing.T) {
	const frame = 24 + 4096
	noise := make([]byte, 2*frame)
	if _, err := rand.Read(noise); err != nil {
		t.Fatal(err)
	}
	crashed := crashedStore(t)
	log := crashed["weft.db-wal"]
	if len(log) < 20*frame || (len(log)-32)%frame != 0 {
		t.Fatalf("the log has %d bytes; want whole frames of %d", len(log), frame)
	}
	overwrite := func(at int, by []byte) []byte {
		changed := bytes.Clone(log)
		copy(changed[at:], by)
		return changed
	}
	half := 32 + (len(log)-32)/frame/2*frame
	for name, c := range map[string]struct {
		log          []byte
		withoutIndex bool
		want         string // part of the error; "" for a complete log
	}{
		"as the crash left it":                   {log: log},
		"without its index":                      {log: log, withoutIndex: true},
		"with the start of a frame":              {log: append(bytes.Clone(log), log[32:132]...)},
		"with frames that were never written":    {log: append(bytes.Clone(log), make([]byte, 3*frame)...)},
		"cut off at a frame":                     {log: log[:half], want: "was cut off: it has "},
		"cut off within a frame":                 {log: log[:half+100], want: "was cut off: it has "},
		"cut off to nothing":                     {log: []byte{}, want: "was cut off: it has 0 frames"},
		"removed":                                {want: "was cut off: it has 0 frames"},
		"with noise in the middle":               {log: overwrite(half, noise), want: fmt.Sprintf("is damaged: an invalid frame was found at byte %d;", half)},
		"with a changed byte":                    {log: overwrite(half+2000, []byte("x")), want: "is damaged: an invalid frame was found at byte "},
		"with a changed byte, without its index": {log: overwrite(half+2000, []byte("x")), withoutIndex: true, want: "is damaged: an invalid frame was found at byte "},
		"with noise at the end":                  {log: overwrite(len(log)-frame, noise), withoutIndex: true, want: "is damaged: an invalid frame was found at byte "},
		"with a damaged header":                  {log: overwrite(10, noise[:8]), want: "is damaged: an invalid frame was found at byte 0;"},
	} {
		dir := t.TempDir()
		for file, content := range map[string][]byte{"weft.db": crashed["weft.db"], "weft.db-shm": crashed["weft.db-shm"], "weft.db-wal": c.log} {
			if content == nil || c.withoutIndex && file == "weft.db-shm" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, file), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		err := sqlite.CheckLog(t.Context(), dir)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("a log %s: the error is %v; want %q", name, err, c.want)
		}
	}
}

func TestCheckLogLeavesAnOpenStoreAlone(t *testing.T) {
	dir := t.TempDir()
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := sqlite.CheckLog(t.Context(), dir); err != nil {
		t.Errorf("CheckLog of an open store = %v; want no error", err)
	}
}
