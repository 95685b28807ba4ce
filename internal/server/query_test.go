package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/wire"
)

const queryPath = "/api/freeschema-query"

func TestQueryTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, stop := servePipes(t, stuckStore{memory.New()})
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

func TestQueryStopsWithItsRequest(t *testing.T) {
	store := blockingStore{memory.New(), make(chan struct{}), make(chan error, 1)}
	s := servertest.Serve(t, store)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+queryPath, strings.NewReader(`{"conceptIds":[404404]}`))
	if err != nil {
		t.Fatal(err)
	}
	requestErr := make(chan error)
	go func() {
		response, err := http.DefaultClient.Do(r)
		if err == nil {
			_ = response.Body.Close()
		}
		requestErr <- err
	}()
	<-store.reading
	cancel()
	if err := <-store.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the query ended with %v", err)
	}
	if err := <-requestErr; !errors.Is(err, context.Canceled) {
		t.Errorf("the request ended with %v", err)
	}
}

// A blockingStore signals a read of the concept 404404 and blocks the read until its context ends.
type blockingStore struct {
	graph.Store
	reading chan struct{}
	ended   chan error
}

func (s blockingStore) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	if !slices.Contains(ids, 404404) {
		return s.Store.Concepts(ctx, ids)
	}
	close(s.reading)
	<-ctx.Done()
	s.ended <- ctx.Err()
	return nil, ctx.Err()
}

// badQueries are rejected before they run. The message names the member or quotes its value.
var badQueries = []struct {
	what, body string
	status     int
	message    string // part of the error message
}{
	{"logic that ends too soon", filtered("f AND"), 400, "logic"},
	{"malformed logic", filtered("f f"), 400, "character 3"},
	{"logic 1,000 deep", filtered(strings.Repeat("(", 1000) + "f" + strings.Repeat(")", 1000)), 413, "logic"},
	{"logic of 100 kB", filtered("f" + strings.Repeat(" OR f", 20_000)), 413, "logic"},
	{"a filter on nothing", `{"type":"the_a","filters":[{"name":"f","operateon":"nowhere"}],"filterLogic":"f"}`, 400, `"nowhere"`},
	{"an unknown comparison", `{"type":"the_a","filters":[{"name":"f","logicoperator":"~"}],"filterLogic":"f"}`, 400, `"~"`},
	{"a malformed id", `{"type":"the_a","filters":[{"name":"f","type":"id","search":"x"}],"filterLogic":"f"}`, 400, `"x"`},
	{"a malformed time", `{"type":"the_a","filters":[{"name":"f","type":"entry_timestamp","search":"x"}],"filterLogic":"f"}`, 400, `"x"`},
	{"an unknown ancestor", `{"type":"the_a","freeschemaQueries":[{"typeConnection":"the_a_b","name":"n","filterAncestor":"x"}],
		"filters":[{"name":"f","operateon":"n"}],"filterLogic":"f EXAND f"}`, 400, `"x"`},
	{"10,000 filters", `{"type":"the_a","filters":[{"name":"f"}` + strings.Repeat(`,{"name":"f"}`, 9_999) + `],"filterLogic":"f"}`, 413, "10000 filters"},
	{"filters on a hop", `{"type":"the_a","freeschemaQueries":[{"typeConnection":"the_a_b","filters":[{"name":"f"}]}]}`, 400, "filters"},
	{"100 levels", `{"type":"the_a"` + strings.Repeat(`,"freeschemaQueries":[{"typeConnection":"the_a_b"`, 100) + strings.Repeat("}]", 100) + "}", 413, "levels"},
	{"2,000 selectors", `{"type":"the_a","selectors":["self"` + strings.Repeat(`,"self"`, 1_999) + `]}`, 413, "selectors"},
	{"20,000 concepts", `{"conceptIds":[1` + strings.Repeat(`,1`, 19_999) + `]}`, 413, "20000 concept ids"},
	{"a negative page", `{"type":"the_a","page":-1}`, 400, "page -1"},
	{"an unknown order", `{"type":"the_a","order":"up"}`, 400, `"UP"`},
	{"a negative depth", `{"type":"the_a","freeschemaQueries":[{"typeConnection":"the_a_b","depth":-1}]}`, 400, "depth"},
	{"an excessive depth", `{"type":"the_a","freeschemaQueries":[{"typeConnection":"the_a_b","depth":1000000000}]}`, 413, "depth"},
	{"a depth on a hop with pages", `{"type":"the_a","freeschemaQueries":[{"typeConnection":"the_a_b","depth":2,"limit":true}]}`, 400, "depth"},
	{"an unknown aggregate", `{"type":"the_a","freeschemaQueries":[{"typeConnection":"the_a_b","aggregate":"sum"}]}`, 400, `"sum"`},
	{"an aggregate with selectors", `{"type":"the_a","freeschemaQueries":[{"typeConnection":"the_a_b","aggregate":"group","selectors":["self"]}]}`, 400, "aggregate"},
	{"a reverse self hop", `{"type":"the_a","freeschemaQueries":[{"typeConnection":"self","reverse":true}]}`, 400, "self"},
}

// filtered returns a query with one filter, f, and the given logic.
func filtered(logic string) string {
	return fmt.Sprintf(`{"type":"the_a","filters":[{"name":"f","search":"x"}],"filterLogic":%q}`, logic)
}

func TestBadQueriesAreRefusedWithTheReason(t *testing.T) {
	s := servertest.Start(t)
	for _, test := range badQueries {
		status, e := postQuery(t, s.URL, test.body)
		if status != test.status || !strings.Contains(e.Message, test.message) || len(e.Message) > 300 {
			t.Errorf("%s: %d %+v; want %d and %q", test.what, status, e, test.status, test.message)
		}
	}
	for _, valid := range []string{
		`{"type":"the_nothing","filters":[{"name":"f","type":"the_nowhere"}],"filterLogic":"f","freeschemaQueries":[{"typeConnection":"the_none"}]}`,
		`{"type":"the_a","inpage":1000000000,"page":9007199254740991}`, `{"conceptIds":[404404],"inpage":-0}`, filtered("unknown"), filtered(""),
	} {
		if status, e := postQuery(t, s.URL, valid); status != http.StatusOK {
			t.Errorf("%s: %d %+v", valid, status, e)
		}
	}
}

// postQuery sends a query and returns the status and, if it was rejected, the error.
func postQuery(t *testing.T, url, body string) (status int, e wire.Error) {
	t.Helper()
	response, err := http.Post(url+queryPath, asJSON, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&e); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, e
}

func TestQueryWeightIsLimited(t *testing.T) {
	for blocked, want := range map[string]int{
		`{"conceptIds":[404404],"selectors":["self","the_a"]}`: http.StatusServiceUnavailable, `{"conceptIds":[404404]}`: http.StatusOK,
	} {
		t.Run(blocked, func(t *testing.T) { testQueriesBeside(t, blocked, want) })
	}
}

// testQueriesBeside blocks a query and sends two others meanwhile: a heavy query, whose status must be want, and a
// light query.
func testQueriesBeside(t *testing.T, blocked string, want int) {
	store := pausedStore{memory.New(), make(chan struct{}), make(chan struct{})}
	s := servertest.Serve(t, store, func(o *server.Options) { o.Queries.Weight = 10 })
	post := func(body string) (status int, retryAfter string, e wire.Error) {
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
		status, _, _ := post(blocked)
		first <- status
	}()
	<-store.reading
	if status, retryAfter, e := post(heavy); status != want || (retryAfter == "") != (status == http.StatusOK) || (e.Kind == graph.Unavailable) != (retryAfter != "") {
		t.Errorf("a heavy query during another query: %d %q %+v; want %d", status, retryAfter, e, want)
	}
	if status, _, e := post(`{"conceptIds":[1]}`); status != http.StatusOK {
		t.Errorf("a light query during another query: %d %+v", status, e)
	}
	close(store.released)
	if status := <-first; status != http.StatusOK {
		t.Errorf("the status of the first query = %d; want 200", status)
	}
	if status, _, e := post(heavy); status != http.StatusOK {
		t.Errorf("a heavy query alone: %d %+v", status, e)
	}
}

func TestOnlyAdminsReadEstimatesInAQueryPlan(t *testing.T) {
	s := servertest.Start(t)
	var sent synced
	newCaller(t, s).postSync(roomsBatch, &sent)
	for who, token := range map[string]string{"a guest": "", "a user": servertest.SignUp(t, s.URL, "ann@example.org"), "an admin": servertest.Admin(t, s, "root@example.org")} {
		headers := http.Header{}
		if token != "" {
			headers.Set("Authorization", "Bearer "+token)
		}
		body := `{"type":"the_room","freeschemaQueries":[{"typeConnection":"self","name":"in"}],"explain":%t,
			"filters":[{"name":"hall","operateon":"in","type":"the_label","logicoperator":"like","search":"%%stairs%%"}],"filterLogic":"hall"}`
		route := server.RouteInfo{Method: http.MethodPost, Path: queryPath, ContentType: asJSON}
		var with, without wire.Answer
		for explain, answer := range map[bool]*wire.Answer{true: &with, false: &without} {
			status, text := send(t, route, s.URL, badRequest{asJSON, fmt.Sprintf(body, explain)}, headers)
			if err := json.Unmarshal(text, answer); err != nil || status != http.StatusOK {
				t.Fatalf("%s: %d %s", who, status, text)
			}
		}
		t.Logf("%s:\n%s", who, with.Plan)
		for text, want := range map[string]bool{
			"(in) (actual 1": true, "stairs": false, "estimated": who == "an admin", "gather": who == "an admin",
		} {
			if strings.Contains(with.Plan, text) != want {
				t.Errorf("%s: %q in the plan: %v\n%s", who, text, !want, with.Plan)
			}
		}
		with.Plan, with.PlanSteps = "", nil
		if diff := cmp.Diff(without, with); diff != "" || len(with.MainCompositionIDs) != 1 {
			t.Errorf("%s receives a different answer with a plan:\n%s", who, diff)
		}
	}
}

func TestSlowQueryIsLoggedWithItsPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		l, stop := servePipes(t, slowStore{memory.New()}, func(o *server.Options) {
			o.Log = slog.New(slog.NewJSONHandler(&log, nil))
		})
		client := l.client()
		for _, body := range []string{`{"conceptIds":[1]}`, `{"conceptIds":[404404], "selectors":["the_a_b"],
			"filters":[{"name":"f","search":"secret"}],"filterLogic":"NOT f"}`} {
			response, err := client.Post("http://x"+queryPath, asJSON, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if response.StatusCode != http.StatusOK {
				t.Errorf("%s: %s", body, response.Status)
			}
		}
		client.CloseIdleConnections()
		stop()
		var slow []struct{ Msg, Request, Plan string }
		for line := range bytes.Lines(log.Bytes()) {
			var entry struct{ Msg, Request, Plan string }
			if err := json.Unmarshal(line, &entry); err != nil {
				t.Fatal(err)
			}
			if entry.Msg == "slow query" {
				slow = append(slow, entry)
			}
		}
		if len(slow) != 1 || slow[0].Request == "" || !strings.Contains(slow[0].Plan, "actual") || strings.Contains(log.String(), "secret") {
			t.Errorf("logged %+v in\n%s", slow, log.String())
		}
	})
}

// A slowStore takes two seconds to read the concept 404404.
type slowStore struct{ graph.Store }

func (s slowStore) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	if slices.Contains(ids, 404404) {
		time.Sleep(2 * time.Second)
	}
	return s.Store.Concepts(ctx, ids)
}
