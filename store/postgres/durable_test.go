package postgres

import (
	"testing"

	"github.com/weft-graph/weft/internal/pgtest"
)

// Whatever the database was told, a commit is on disk when it returns.
func TestACommitWaitsForTheDisk(t *testing.T) {
	url := pgtest.Database(t)
	for told, want := range map[string]string{"off": "on", "local": "local", "remote_apply": "remote_apply"} {
		pool, err := connect(t.Context(), url+"&synchronous_commit="+told)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		if err := pool.QueryRow(t.Context(), "select current_setting('synchronous_commit')").Scan(&got); err != nil || got != want {
			t.Errorf("told %s it is %s (%v); want %s", told, got, err, want)
		}
		pool.Close()
	}
}
