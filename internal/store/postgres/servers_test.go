package postgres_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/internal/server/servertest"
)

// Changes that are written through one server must be streamed and readable through another server.
func TestServersStreamEachOthersChanges(t *testing.T) {
	url := pgtest.Database(t)
	first, second := servertest.Serve(t, open(t, url), servertest.LogWarnings(t)), servertest.Serve(t, open(t, url), servertest.LogWarnings(t))
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	events := listen(t, second.URL)
	if name := (<-events).name; name != "ready" {
		t.Fatalf("the first event = %s; want ready", name)
	}
	for n := range 10 {
		id := createRecord(t, first.URL, n)
		waitForChange(t, events, id)
		for range 2 {
			if found := readConcept(t, second.URL, id); found != id {
				t.Errorf("concept %d was reported as created, but reading it returned %d", id, found)
			}
		}
		by := graph.Sender{User: graph.Anonymous}
		if _, err := first.Store.Write(t.Context(), graph.Batch{Sender: by, RemoveConcepts: []graph.ID{id}}); err != nil {
			t.Fatal(err)
		}
		waitForChange(t, events, id)
		if found := readConcept(t, second.URL, id); found == id {
			t.Errorf("concept %d was reported as removed, but can be read", id)
		}
	}
}

// An event of a change stream consists of its name and the ids of the changed concepts.
type event struct {
	name     string
	Concepts []graph.ID
}

// listen opens a change stream until the end of the test.
func listen(t *testing.T, url string) <-chan event {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r) //nolint:bodyclose // closed with the test
	if err != nil {
		t.Fatal(err)
	}
	events, ended := make(chan event, 100), make(chan struct{})
	go func() {
		defer close(ended)
		defer close(events)
		lines := bufio.NewScanner(response.Body)
		var e event
		for lines.Scan() {
			switch name, value, _ := strings.Cut(lines.Text(), ": "); name {
			case "event":
				e.name = value
			case "data":
				_ = json.Unmarshal([]byte(value), &e)
			case "":
				events <- e
				e = event{}
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		response.Body.Close()
	})
	return events
}

// waitForChange waits for a change of a concept. The deadline exceeds the interval of the server's heartbeat, 15 seconds:
// at a heartbeat the server finds changes whose notification was lost.
func waitForChange(t *testing.T, events <-chan event, id graph.ID) {
	t.Helper()
	deadline := time.After(time.Minute)
	var received []event
	for {
		select {
		case e, ok := <-events:
			switch {
			case !ok:
				t.Fatalf("the stream ended before the change of %d, after %+v", id, received)
			case slices.Contains(e.Concepts, id):
				return
			}
			received = append(received, e)
		case <-deadline:
			t.Fatalf("no change of %d was received, only %+v", id, received)
		}
	}
}

// createRecord creates the record with the local id -100-n and returns its real id.
func createRecord(t *testing.T, url string, n int) graph.ID {
	t.Helper()
	body := fmt.Sprintf(`{"concepts":[{"id":%d,"categoryId":4,"typeCharacter":"the_note","isComposition":true,"characterValue":"","accessId":5}],"connections":[]}`, -100-n)
	response, err := http.Post(url+"/api/v1/local-concepts", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var result struct {
		Concepts []struct{ ID graph.ID }
	}
	text, _ := io.ReadAll(response.Body)
	if err := json.Unmarshal(text, &result); err != nil || len(result.Concepts) != 1 {
		t.Fatalf("%s: %s (%v)", response.Status, text, err)
	}
	return result.Concepts[0].ID
}

// readConcept reads a concept and returns its id, or 0 if it does not exist.
func readConcept(t *testing.T, url string, id graph.ID) graph.ID {
	t.Helper()
	response, err := http.Post(url+"/api/get_concept_bulk", "application/json", strings.NewReader(fmt.Sprintf("[%d]", id)))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var found []struct{ ID graph.ID }
	if err := json.NewDecoder(response.Body).Decode(&found); err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		return 0
	}
	return found[0].ID
}
