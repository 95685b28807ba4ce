package server_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
)

func TestGuestsCannotFillTheStore(t *testing.T) {
	s := servertest.Serve(t, inSQLite(t), func(o *server.Options) { o.Quotas.Guests = graph.Usage{Records: 50} })
	guest := newCaller(t, s)
	user := guest.withToken(servertest.SignUp(t, s.URL, ann))
	add := func(c caller, id int) (int, object) {
		return c.send(http.MethodPost, "/api/v1/local-concepts",
			object{"concepts": []object{{"id": -id, "categoryId": 4, "typeCharacter": "the_tag", "characterValue": fmt.Sprint("text ", id)}}})
	}
	written := 0
	for i := 1; i <= 100; i++ {
		status, e := add(guest, i)
		if status == http.StatusOK {
			written++
			continue
		}
		if status != http.StatusRequestEntityTooLarge || e["kind"] != string(graph.TooLarge) {
			t.Fatalf("write %d: %d %v", i, status, e)
		}
	}
	if written < 40 || written > 50 {
		t.Errorf("guests wrote %d concepts; want 50 records with those of the types", written)
	}
	var health struct {
		Quota *struct{ Records, Bytes, MaxRecords int64 }
	}
	if guest.get("/api/health", &health); health.Quota == nil || health.Quota.Records != 50 || health.Quota.MaxRecords != 50 || health.Quota.Bytes == 0 {
		t.Errorf("the quota in the health for guests = %+v; want 50 of 50 records, and bytes", health.Quota)
	}
	health.Quota = nil
	if user.get("/api/health", &health); health.Quota != nil {
		t.Errorf("the quota in the health for a user without a quota = %+v; want none", health.Quota)
	}
	if status, e := add(user, 1_000); status != http.StatusOK {
		t.Errorf("a user: %d %v", status, e)
	}
}
