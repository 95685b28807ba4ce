package server_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/race"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/site/page"
	"github.com/weft-graph/weft/internal/store/memory"
)

// addLongWidget adds a public widget of a user with HTML of about 4 MB and returns its id.
func addLongWidget(t *testing.T, store graph.Store, n int) graph.ID {
	t.Helper()
	return addWidget(t, store, n, strings.Repeat("<b>x</b>", longText/8-1)+fmt.Sprintf("%8d", n))
}

// addWidget adds a public widget of a user and returns its id. Widgets of one store have different numbers.
func addWidget(t *testing.T, store graph.Store, n int, html string) graph.ID {
	t.Helper()
	receipt, err := store.Write(t.Context(), graph.Batch{
		Sender: graph.Sender{User: 70_001, Randomizer: int64(n + 1)},
		Concepts: []graph.ConceptDraft{
			{LocalID: -1, Kind: graph.DraftComposition, TypeName: "the_widget", Access: graph.Public},
			{LocalID: -2, TypeName: "the_name", Value: "W", Access: graph.Public},
			{LocalID: -3, TypeName: "the_html", Value: html, Access: graph.Public},
		},
		Connections: []graph.ConnectionDraft{
			{From: -1, To: -2, TypeName: "the_widget_name", Access: graph.Public},
			{From: -1, To: -3, TypeName: "the_widget_html", Access: graph.Public},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return receipt.Concepts[0].ID
}

// 48 guests request a widget with 4 MB of HTML. The process once held 48 parsed copies of it, 8 GB.
func TestWidgetTreesStayWithinTheMemory(t *testing.T) {
	race.Skip(t, "long widgets measure memory, not accesses to it")
	const guests, limit = 48, 384 << 20
	for name, widgets := range map[string]int{"one widget": 1, "different widgets": 12} {
		t.Run(name, func(t *testing.T) {
			store := memory.New()
			var ids []graph.ID
			for n := range widgets {
				ids = append(ids, addLongWidget(t, store, n))
			}
			registry, cleaner := prometheus.NewRegistry(), page.NewCleaner(32<<20, page.Looks{})
			s := servertest.Serve(t, store, func(o *server.Options) {
				o.Limits.Memory, o.Metrics = limit, registry
				o.Policies = server.NewPolicies(page.Policy{Cleaner: cleaner}, nil)
			})
			var next atomic.Int64
			statuses := statusesOf(t, guests, func() (*http.Response, error) {
				id := ids[int(next.Add(1))%len(ids)]
				return http.Get(s.URL + "/api/v1/widgets?id=" + id.String())
			})
			if statuses[http.StatusOK] == 0 || statuses[http.StatusOK]+statuses[http.StatusServiceUnavailable] != guests {
				t.Errorf("statuses %v; want 200 and 503", statuses)
			}
			if widgets == 1 && cleaner.Parsed() != 1 {
				t.Errorf("the HTML was parsed %d times", cleaner.Parsed())
			}
			peak := metricValue(t, registry, "weft_request_memory_peak_bytes")
			if peak > limit {
				t.Errorf("requests held %.0f MiB", peak/(1<<20))
			}
			waitForMemory(t, registry, func(bytes float64) bool { return bytes == 0 })
			t.Logf("statuses %v, parsed %d times, peak %.0f MiB", statuses, cleaner.Parsed(), peak/(1<<20))
		})
	}
}

// An untrusted user has placed widgets with long HTML on a trusted page. The page and its small widgets must still
// be shown.
func TestTreeLeavesOutTextsThatDoNotFit(t *testing.T) {
	store := memory.New()
	plain := strings.Repeat("x", longText-100)
	root, sender := addWidget(t, store, 0, plain), graph.Sender{User: 70_001, Randomizer: 1000}
	for n := range 8 {
		sender.Randomizer++
		_, err := store.Write(t.Context(), graph.Batch{
			Sender: sender,
			Concepts: []graph.ConceptDraft{
				{LocalID: -1, Kind: graph.DraftComposition, TypeName: "the_child_widget", Access: graph.Public},
				{LocalID: -2, TypeName: "the_wrapper", Value: fmt.Sprint("w", n), Access: graph.Public},
			},
			Connections: []graph.ConnectionDraft{
				{From: root, To: -1, TypeName: "the_widget_s_child", Access: graph.Public},
				{From: -1, To: -2, TypeName: "the_child_widget_wrapper", Access: graph.Public},
				{From: -1, To: addWidget(t, store, n+1, plain+fmt.Sprint(n)), TypeName: "the_child_widget_info", Access: graph.Public},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	registry := prometheus.NewRegistry()
	s := servertest.Serve(t, store, func(o *server.Options) { o.Limits.Memory, o.Metrics, o.ConceptCache = 128<<20, registry, 1<<20 })
	response, err := http.Get(s.URL + "/api/v1/widgets?id=" + root.String())
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		t.Errorf("36 MB of HTML of which 8 MB fit: %s %s", response.Status, text)
	}
}
