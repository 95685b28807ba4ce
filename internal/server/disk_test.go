package server_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/store/memory"
)

func TestAFullDiskRefusesAdditionsAndNothingElse(t *testing.T) {
	for name, test := range map[string]struct {
		free   int64
		status string
		logs   bool
	}{
		"much": {400 << 20, "ok", false}, "little": {399 << 20, "low", true}, "nearly none": {99 << 20, "full", true},
	} {
		t.Run(name, func(t *testing.T) {
			var free atomic.Int64
			free.Store(1 << 40)
			var log bytes.Buffer
			registry := prometheus.NewRegistry()
			disk := server.Disk{Reserve: 100 << 20, Free: func() (int64, error) { return free.Load(), nil }}
			store := memory.New()
			receipt, err := store.Write(t.Context(), graph.Batch{
				Sender: graph.Sender{User: graph.Anonymous}, Concepts: []graph.ConceptDraft{{TypeName: "the_tag", Value: "a"}},
			})
			if err != nil {
				t.Fatal(err)
			}
			free.Store(test.free)
			s := serveWithUploads(t, store, func(o *server.Options) {
				o.Disk, o.Metrics, o.Log = disk, registry, slog.New(slog.NewTextHandler(&log, nil))
			})
			c := newCaller(t, s)
			var health struct{ Status, Disk string }
			if c.get("/api/health", &health); health.Status != "ok" || health.Disk != test.status {
				t.Errorf("the health is %+v; want %s", health, test.status)
			}
			want := http.StatusOK
			if test.status == "full" {
				want = http.StatusServiceUnavailable
			}
			const batches = "/api/v1/local-concepts"
			if status, e := c.send(http.MethodPost, batches, object{"concepts": []object{{"id": -1, "categoryId": 4, "typeCharacter": "the_tag", "characterValue": "b"}}}); status != want {
				t.Errorf("adding a concept: %d %v", status, e)
			}
			contentType, body := form(t, "file", "a.txt", "text/plain", []byte("Hello"))
			var uploaded any
			if status := c.do(http.MethodPost, "/api/Image/UploadFile", contentType, body, &uploaded); status != want {
				t.Errorf("an upload: %d %v", status, uploaded)
			}
			if status, e := c.send(http.MethodPost, batches, object{"removeConcepts": []graph.ID{receipt.Concepts[0].ID}}); status != http.StatusOK {
				t.Errorf("removing a concept: %d %v", status, e)
			}
			if strings.Contains(log.String(), "the disk is "+test.status) != test.logs {
				t.Errorf("the log = %q; want the status of the disk to be logged: %t", log.String(), test.logs)
			}
			families, err := registry.Gather()
			if err != nil {
				t.Fatal(err)
			}
			for _, family := range families {
				if family.GetName() == "weft_disk_free_bytes" && family.GetMetric()[0].GetGauge().GetValue() != float64(test.free) {
					t.Errorf("the metric = %v; want %d free bytes", family, test.free)
				}
			}
		})
	}
}
