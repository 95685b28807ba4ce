package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

func TestCloseRemovesTheWriteAheadLog(t *testing.T) {
	dir := t.TempDir()
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Write(t.Context(), graph.Batch{
		Sender:   graph.Sender{User: 1001},
		Concepts: []graph.ConceptDraft{{TypeName: "the_name", Value: "Ann"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "weft.db-*")); len(files) > 0 {
		t.Errorf("files left next to weft.db: %v; want none", files)
	}
}
