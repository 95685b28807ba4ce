package postgres

import (
	"testing"

	"github.com/weft-graph/weft/internal/pgtest"
)

// With synchronous_commit off, a crash of the database loses commits that were acknowledged.
func TestConnectReplacesOnlyOffAsSynchronousCommit(t *testing.T) {
	url := pgtest.Database(t)
	for configured, want := range map[string]string{"off": "on", "local": "local", "remote_apply": "remote_apply"} {
		pool, err := connect(t.Context(), url+"&synchronous_commit="+configured)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		if err := pool.QueryRow(t.Context(), "select current_setting('synchronous_commit')").Scan(&got); err != nil || got != want {
			t.Errorf("synchronous_commit configured as %s became %s (%v); want %s", configured, got, err, want)
		}
		pool.Close()
	}
}
