package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/wire"
)

const queryPath = "/api/freeschema-query"

func TestAQueryHasItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, stop := servePipes(t, stuck{memory.New()})
		defer stop()
		client := l.client()
		defer client.CloseIdleConnections()
		began := time.Now()
		response, err := client.Post("http://x"+queryPath, asJSON, strings.NewReader(`{"conceptIds":[404404]}`))
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		var e wire.Error
		if err := json.NewDecoder(response.Body).Decode(&e); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 30*time.Second || response.StatusCode != http.StatusServiceUnavailable ||
			e.Kind != graph.Unavailable || !strings.Contains(e.Message, "30s") {
			t.Errorf("after %s: %s %+v", took, response.Status, e)
		}
	})
}

func TestQueriesHaveSoMuchRoom(t *testing.T) {
	store := paused{memory.New(), make(chan struct{}), make(chan struct{})}
	s := servertest.Serve(t, store, func(o *server.Options) { o.Queries.Weight = 4 })
	ask := func(body string) (status int, again string, e wire.Error) {
		response, err := http.Post(s.URL+queryPath, asJSON, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return 0, "", e
		}
		defer response.Body.Close()
		if err := json.NewDecoder(response.Body).Decode(&e); err != nil {
			t.Error(err)
		}
		return response.StatusCode, response.Header.Get("Retry-After"), e
	}
	const heavy = `{"conceptIds":[1],"inpage":1000,"selectors":["self"]}`
	first := make(chan int)
	go func() {
		status, _, _ := ask(`{"conceptIds":[404404],"selectors":["self","the_a"]}`)
		first <- status
	}()
	<-store.asked
	if status, again, e := ask(heavy); status != http.StatusServiceUnavailable || again == "" || e.Kind != graph.Unavailable {
		t.Errorf("a heavy query beside another: %d %q %+v", status, again, e)
	}
	if status, _, e := ask(`{"conceptIds":[1]}`); status != http.StatusOK {
		t.Errorf("a light query beside another: %d %+v", status, e)
	}
	close(store.answer)
	if status := <-first; status != http.StatusOK {
		t.Errorf("the first query: %d", status)
	}
	if status, _, e := ask(heavy); status != http.StatusOK {
		t.Errorf("a heavy query when it is alone: %d %+v", status, e)
	}
}
