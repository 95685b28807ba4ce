package sqlite

import "testing"

// With a write-ahead log, a commit waits for the disk only if synchronous is full.
func TestCommitWaitsForTheDisk(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2"} {
		var got string
		if err := s.writer.conn.QueryRowContext(t.Context(), "pragma "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q, %v; want %q", pragma, got, err, want)
		}
	}
}
