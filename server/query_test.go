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

func TestAQueryEndsWithItsRequest(t *testing.T) {
	store := watched{memory.New(), make(chan struct{}), make(chan error, 1)}
	s := servertest.Serve(t, store)
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+queryPath, strings.NewReader(`{"conceptIds":[404404]}`))
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan error)
	go func() {
		response, err := http.DefaultClient.Do(r)
		if err == nil {
			_ = response.Body.Close()
		}
		gone <- err
	}()
	<-store.asked
	leave()
	if err := <-store.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the query ended with %v", err)
	}
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("the request ended with %v", err)
	}
}

// A watched store says when it is asked for the concept 404404, which it looks for as long as anybody waits.
type watched struct {
	graph.Store
	asked chan struct{}
	ended chan error
}

func (w watched) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	if !slices.Contains(ids, 404404) {
		return w.Store.Concepts(ctx, ids)
	}
	close(w.asked)
	<-ctx.Done()
	w.ended <- ctx.Err()
	return nil, ctx.Err()
}

// Each is answered with a sentence that names the member, at once.
var badQueries = []struct {
	what, body string
	status     int
	names      string
}{
	{"logic that ends too soon", filtered("f AND"), 400, "logic"},
	{"logic that is no logic", filtered("f f"), 400, "character 3"},
	{"logic 1,000 deep", filtered(strings.Repeat("(", 1000) + "f" + strings.Repeat(")", 1000)), 413, "logic"},
	{"logic of 100 kB", filtered("f" + strings.Repeat(" OR f", 20_000)), 413, "logic"},
	{"a filter on nothing", `{"type":"the_a","filters":[{"name":"f","operateon":"nowhere"}],"filterLogic":"f"}`, 400, `"nowhere"`},
	{"a comparison that is none", `{"type":"the_a","filters":[{"name":"f","logicoperator":"~"}],"filterLogic":"f"}`, 400, `"~"`},
	{"an id that is none", `{"type":"the_a","filters":[{"name":"f","type":"id","search":"x"}],"filterLogic":"f"}`, 400, `"x"`},
	{"a time that is none", `{"type":"the_a","filters":[{"name":"f","type":"entry_timestamp","search":"x"}],"filterLogic":"f"}`, 400, `"x"`},
	{"an ancestor that is none", `{"type":"the_a","freeschemaQueries":[{"typeConnection":"the_a_b","name":"n","filterAncestor":"x"}],
		"filters":[{"name":"f","operateon":"n"}],"filterLogic":"f EXAND f"}`, 400, `"x"`},
	{"10,000 filters", `{"type":"the_a","filters":[{"name":"f"}` + strings.Repeat(`,{"name":"f"}`, 9_999) + `],"filterLogic":"f"}`, 413, "10000 filters"},
	{"filters on a hop", `{"type":"the_a","freeschemaQueries":[{"typeConnection":"the_a_b","filters":[{"name":"f"}]}]}`, 400, "filters"},
	{"100 levels", `{"type":"the_a"` + strings.Repeat(`,"freeschemaQueries":[{"typeConnection":"the_a_b"`, 100) + strings.Repeat("}]", 100) + "}", 413, "levels"},
	{"2,000 selectors", `{"type":"the_a","selectors":["self"` + strings.Repeat(`,"self"`, 1_999) + `]}`, 413, "selectors"},
	{"20,000 concepts", `{"conceptIds":[1` + strings.Repeat(`,1`, 19_999) + `]}`, 413, "20000 concept ids"},
	{"no start", `{}`, 400, "type"},
	{"a page before the first", `{"type":"the_a","page":-1}`, 400, "page -1"},
	{"an order that is none", `{"type":"the_a","order":"up"}`, 400, `"UP"`},
	{"a depth that is none", `{"type":"the_a","freeschemaQueries":[{"typeConnection":"the_a_b","depth":-1}]}`, 400, "depth"},
	{"a depth without an end", `{"type":"the_a","freeschemaQueries":[{"typeConnection":"the_a_b","depth":1000000000}]}`, 413, "depth"},
	{"a depth in pages", `{"type":"the_a","freeschemaQueries":[{"typeConnection":"the_a_b","depth":2,"limit":true}]}`, 400, "depth"},
	{"an aggregate that is none", `{"type":"the_a","freeschemaQueries":[{"typeConnection":"the_a_b","aggregate":"sum"}]}`, 400, `"sum"`},
	{"an aggregate of records", `{"type":"the_a","freeschemaQueries":[{"typeConnection":"the_a_b","aggregate":"group","selectors":["self"]}]}`, 400, "aggregate"},
	{"own data backwards", `{"type":"the_a","freeschemaQueries":[{"typeConnection":"self","reverse":true}]}`, 400, "self"},
}

func filtered(logic string) string {
	return fmt.Sprintf(`{"type":"the_a","filters":[{"name":"f","search":"x"}],"filterLogic":%q}`, logic)
}

func TestBadQueries(t *testing.T) {
	s := servertest.Start(t)
	for _, bad := range badQueries {
		status, e := refused(t, s.URL, bad.body)
		if status != bad.status || !strings.Contains(e.Message, bad.names) || len(e.Message) > 300 {
			t.Errorf("%s: %d %+v; want %d and %q", bad.what, status, e, bad.status, bad.names)
		}
	}
	for _, fine := range []string{
		`{"type":"the_nothing","filters":[{"name":"f","type":"the_nowhere"}],"filterLogic":"f","freeschemaQueries":[{"typeConnection":"the_none"}]}`,
		`{"type":"the_a","inpage":1000000000,"page":9007199254740991}`, `{"conceptIds":[404404],"inpage":-0}`, filtered("nobody"), filtered(""),
	} {
		if status, e := refused(t, s.URL, fine); status != http.StatusOK {
			t.Errorf("%s: %d %+v", fine, status, e)
		}
	}
}

func refused(t *testing.T, url, body string) (status int, e wire.Error) {
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

func TestQueriesHaveSoMuchRoom(t *testing.T) {
	for held, heavily := range map[string]int{
		`{"conceptIds":[404404],"selectors":["self","the_a"]}`: http.StatusServiceUnavailable, `{"conceptIds":[404404]}`: http.StatusOK,
	} {
		t.Run(held, func(t *testing.T) { askBeside(t, held, heavily) })
	}
}

// askBeside holds a query up. A heavy one is answered with a status meanwhile.
func askBeside(t *testing.T, held string, heavily int) {
	store := paused{memory.New(), make(chan struct{}), make(chan struct{})}
	s := servertest.Serve(t, store, func(o *server.Options) { o.Queries.Weight = 10 })
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
		status, _, _ := ask(held)
		first <- status
	}()
	<-store.asked
	if status, again, e := ask(heavy); status != heavily || (again == "") != (status == http.StatusOK) || (e.Kind == graph.Unavailable) != (again != "") {
		t.Errorf("a heavy query beside another: %d %q %+v; want %d", status, again, e, heavily)
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

func TestAQueryIsExplained(t *testing.T) {
	s := servertest.Start(t)
	var sent synced
	call(t, s).raw2sync(rooms, &sent)
	for who, token := range map[string]string{"a guest": "", "a user": servertest.SignUp(t, s.URL, "ann@example.org"), "an admin": servertest.Admin(t, s, "root@example.org")} {
		headers := http.Header{}
		if token != "" {
			headers.Set("Authorization", "Bearer "+token)
		}
		body := `{"type":"the_room","freeschemaQueries":[{"typeConnection":"self","name":"in"}],"explain":%t,
			"filters":[{"name":"hall","operateon":"in","type":"the_label","logicoperator":"like","search":"%%stairs%%"}],"filterLogic":"hall"}`
		line := server.Line{Method: http.MethodPost, Path: queryPath, Kind: asJSON}
		var with, without wire.Answer
		for explain, answer := range map[bool]*wire.Answer{true: &with, false: &without} {
			status, text := send(t, line, s.URL, badRequest{asJSON, fmt.Sprintf(body, explain)}, headers)
			if err := json.Unmarshal(text, answer); err != nil || status != http.StatusOK {
				t.Fatalf("%s: %d %s", who, status, text)
			}
		}
		t.Logf("%s:\n%s", who, with.Plan)
		for words, told := range map[string]bool{
			"(in) (actual 1": true, "stairs": false, "estimated": who == "an admin", "gather": who == "an admin",
		} {
			if strings.Contains(with.Plan, words) != told {
				t.Errorf("%s is told %q: %v\n%s", who, words, !told, with.Plan)
			}
		}
		with.Plan = ""
		if diff := cmp.Diff(without, with); diff != "" || len(with.MainCompositionIDs) != 1 {
			t.Errorf("%s finds something else when it is explained:\n%s", who, diff)
		}
	}
}

func TestASlowQueryIsLoggedWithItsPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		l, stop := servePipes(t, late{memory.New()}, func(o *server.Options) {
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

// A late store takes two seconds to look for the concept 404404.
type late struct{ graph.Store }

func (s late) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	if slices.Contains(ids, 404404) {
		time.Sleep(2 * time.Second)
	}
	return s.Store.Concepts(ctx, ids)
}
