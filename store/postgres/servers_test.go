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
	"github.com/weft-graph/weft/server/servertest"
)

// What is written or removed through one server is heard and seen through another.
func TestServersHearOfEachOther(t *testing.T) {
	url := pgtest.Database(t)
	here, there := servertest.Serve(t, open(t, url)), servertest.Serve(t, open(t, url))
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	heard := listen(t, there.URL)
	if name := (<-heard).name; name != "ready" {
		t.Fatalf("first heard %s", name)
	}
	for n := range 10 {
		id := post(t, here.URL, n)
		wait(t, heard, id)
		for range 2 {
			if found := ask(t, there.URL, id); found != id {
				t.Errorf("%d was heard of and is not there: %d", id, found)
			}
		}
		by := graph.Sender{User: graph.Anonymous}
		if _, err := here.Store.Write(t.Context(), graph.Batch{Sender: by, RemoveConcepts: []graph.ID{id}}); err != nil {
			t.Fatal(err)
		}
		wait(t, heard, id)
		if found := ask(t, there.URL, id); found == id {
			t.Errorf("%d was heard to be removed and is there", id)
		}
	}
}

// An event as it stands in the stream.
type event struct {
	name     string
	Concepts []graph.ID
}

// listen opens a stream of changes.
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
	heard, ended := make(chan event, 100), make(chan struct{})
	go func() {
		defer close(ended)
		lines := bufio.NewScanner(response.Body)
		var e event
		for lines.Scan() {
			switch name, value, _ := strings.Cut(lines.Text(), ": "); name {
			case "event":
				e.name = value
			case "data":
				_ = json.Unmarshal([]byte(value), &e)
			case "":
				heard <- e
				e = event{}
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		response.Body.Close()
	})
	return heard
}

// wait waits until a change of a concept is heard.
func wait(t *testing.T, heard <-chan event, id graph.ID) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		select {
		case e := <-heard:
			if slices.Contains(e.Concepts, id) {
				return
			}
		case <-deadline:
			t.Fatalf("nothing was heard of %d", id)
		}
	}
}

// post makes a record and returns its id.
func post(t *testing.T, url string, n int) graph.ID {
	t.Helper()
	body := fmt.Sprintf(`{"concepts":[{"id":%d,"categoryId":4,"typeCharacter":"the_note","isComposition":true,"characterValue":"","accessId":5}],"connections":[]}`, -100-n)
	response, err := http.Post(url+"/api/v1/local-concepts", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		Concepts []struct{ ID graph.ID }
	}
	text, _ := io.ReadAll(response.Body)
	if err := json.Unmarshal(text, &answer); err != nil || len(answer.Concepts) != 1 {
		t.Fatalf("%s: %s (%v)", response.Status, text, err)
	}
	return answer.Concepts[0].ID
}

// ask reads a concept and returns its id, or 0 when it is not there.
func ask(t *testing.T, url string, id graph.ID) graph.ID {
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
