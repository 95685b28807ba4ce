package server_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/race"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/memory"
)

const longText = 4 << 20

// storeWithLongTexts returns a store with public concepts of the type the_note that have long values, and their
// ids.
func storeWithLongTexts(t *testing.T, texts int) (graph.Store, []graph.ID) {
	t.Helper()
	store := memory.New()
	var ids []graph.ID
	for n := range texts {
		text := strings.Repeat("é", longText/2-8) + fmt.Sprintf("%16d", n)
		receipt, err := store.Write(t.Context(), graph.Batch{
			Sender:   graph.Sender{User: graph.System, Randomizer: int64(n + 1)},
			Concepts: []graph.ConceptDraft{{TypeName: "the_note", Value: text, Access: graph.Public}},
		})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, receipt.Concepts[0].ID)
	}
	return store, ids
}

// statusesOf sends requests at the same time and returns how many responses had each status. It reads no body
// before all responses are open.
func statusesOf(t *testing.T, requests int, send func() (*http.Response, error)) map[int]int {
	t.Helper()
	statuses := map[int]int{}
	var mu sync.Mutex
	var group, opened sync.WaitGroup
	opened.Add(requests)
	for range requests {
		group.Go(func() {
			response, err := send()
			opened.Done()
			if err != nil {
				t.Error(err)
				return
			}
			defer response.Body.Close()
			opened.Wait()
			if _, err := io.Copy(io.Discard, response.Body); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			statuses[response.StatusCode]++
		})
	}
	group.Wait()
	return statuses
}

// Guests request many long values at the same time. The process once held a copy of the values for each of them.
func TestAnswersStayWithinTheMemory(t *testing.T) {
	race.Skip(t, "large answers measure memory, not accesses to it")
	const limit = 256 << 20
	store, ids := storeWithLongTexts(t, 20)
	list, err := json.Marshal(ids)
	if err != nil {
		t.Fatal(err)
	}
	for name, request := range map[string][2]string{
		"records of a query":     {"/api/freeschema-query", `{"type":"the_note","inpage":20,"outputFormat":1}`},
		"concepts by id":         {"/api/get_concept_bulk", string(list)},
		"many ids of one":        {"/api/get_concept_bulk", "[" + strings.Repeat(ids[0].String()+",", 1000) + "1]"},
		"concepts of a type":     {"/api/get_all_concepts_by_type", `{"type":"the_note"}`},
		"a long value in a list": {"/api/view-api-internal-data-ccs-id-bulk", string(list)},
	} {
		t.Run(name, func(t *testing.T) {
			registry := prometheus.NewRegistry()
			s := servertest.Serve(t, store, func(o *server.Options) { o.Limits.Memory, o.Metrics = limit, registry })
			statuses := statusesOf(t, 20, func() (*http.Response, error) {
				return http.Post(s.URL+request[0], "application/json", strings.NewReader(request[1]))
			})
			if statuses[http.StatusOK] == 0 || statuses[http.StatusOK]+statuses[http.StatusServiceUnavailable] != 20 {
				t.Errorf("statuses %v; want 200 and 503", statuses)
			}
			if peak := metricValue(t, registry, "weft_request_memory_peak_bytes"); peak > limit {
				t.Errorf("requests held %.0f MiB; want at most %d", peak/(1<<20), limit>>20)
			}
			waitForMemory(t, registry, func(bytes float64) bool { return bytes == 0 })
			t.Logf("statuses %v, peak %.0f MiB", statuses, metricValue(t, registry, "weft_request_memory_peak_bytes")/(1<<20))
		})
	}
}

// A request whose response exceeds the memory share of one request must be refused before the server has read all
// records.
func TestAnswerBeyondTheShareOfARequestIsTooLarge(t *testing.T) {
	store, ids := storeWithLongTexts(t, 12)
	s := servertest.Serve(t, store, func(o *server.Options) { o.Limits.Memory, o.ConceptCache = 32<<20, 1<<20 })
	list, err := json.Marshal(ids)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(s.URL+"/api/get_concept_bulk", "application/json", strings.NewReader(string(list)))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(string(text), "request fewer") {
		t.Errorf("48 MiB of 16: %s %s", response.Status, text)
	}
}

// A list of long values is cut before 16 MiB. Its cursors must lead to all records, each once.
func TestListsAreCutByTheSizeOfTheirTexts(t *testing.T) {
	race.Skip(t, "one request at a time, with long values")
	store, ids := storeWithLongTexts(t, 9)
	s := servertest.Serve(t, store)
	var listed []graph.ID
	after, pages := "", 0
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		body := `{"type":"the_note","after":"` + after + `"}`
		response, err := http.Post(s.URL+"/api/get_all_concepts_by_type", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		var page []struct{ ID graph.ID }
		err = json.NewDecoder(response.Body).Decode(&page)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s, %v", response.Status, err)
		}
		pages++
		if len(page) > 4 {
			t.Errorf("page %d has %d values of 4 MiB; want at most 4", pages, len(page))
		}
		for _, c := range page {
			listed = append(listed, c.ID)
		}
		if after = response.Header.Get("X-Weft-After"); after == "" {
			break
		}
	}
	if fmt.Sprint(listed) != fmt.Sprint(ids) {
		t.Errorf("%d pages list %v; want %v", pages, listed, ids)
	}
}

// Open streams read every change to decide whether the caller may see it. The streams once held the values of all
// changes until they ended: writes of 50 MB during five streams left no memory for other requests, and the streams
// broke.
func TestStreamsHoldNoMemoryOfPastChanges(t *testing.T) {
	race.Skip(t, "long values measure memory, not accesses to it")
	const streams, writes = 5, 12
	registry := prometheus.NewRegistry()
	s := servertest.Start(t, func(o *server.Options) { o.Limits.Memory, o.Metrics = 64<<20, registry })
	c := newCaller(t, s)
	var open []*bufio.Scanner
	for range streams {
		response, err := http.Get(s.URL + "/api/v1/events")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		lines := bufio.NewScanner(response.Body)
		waitForEvent(t, lines, "ready")
		open = append(open, lines)
	}
	for n := range writes {
		c.headers = map[string]string{"X-Session-Id": "notes", "Randomizer": itoa(n + 1)}
		c.postJSON("/api/v1/local-concepts", object{"concepts": []any{object{
			"id": -1, "ghostId": -1, "categoryId": 4, "typeCharacter": "the_note", "accessId": 5,
			"characterValue": strings.Repeat("x", longText-8) + fmt.Sprintf("%8d", n),
		}}}, &synced{})
		for _, lines := range open {
			waitForEvent(t, lines, "change")
		}
	}
	if held := metricValue(t, registry, "weft_request_memory_bytes"); held != 0 {
		t.Errorf("after %d changes the streams hold %.0f MiB", writes, held/(1<<20))
	}
}

// waitForEvent reads a stream up to an event.
func waitForEvent(t *testing.T, lines *bufio.Scanner, name string) {
	t.Helper()
	for lines.Scan() {
		if lines.Text() == "event: "+name {
			return
		}
	}
	t.Fatalf("the stream ended before the event %q: %v", name, lines.Err())
}
