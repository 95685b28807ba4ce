package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/wire"
)

// theNote sends a record of a type from a session of its own; its number of the change is the answer's.
func theNote(c caller, typ string) (id graph.ID, seq graph.Seq) {
	c.t.Helper()
	var sent struct {
		synced
		Seq graph.Seq `json:"seq"`
	}
	c.headers = map[string]string{"X-Session-Id": typ, "Randomizer": itoa(int(time.Now().UnixNano() % 1e9)), "Authorization": c.headers["Authorization"]}
	c.json("/api/v1/local-concepts", map[string]any{
		"concepts": []any{map[string]any{"id": -1, "ghostId": -1, "categoryId": 4, "typeCharacter": typ, "isComposition": true, "accessId": 5}},
	}, &sent)
	return graph.ID(sent.Concepts[0].ID), sent.Seq
}

func (e event) change(t *testing.T) wire.Change {
	t.Helper()
	var c wire.Change
	if err := json.Unmarshal([]byte(e.data), &c); e.name != "change" || err != nil {
		t.Fatalf("heard %+v, %v; want a change", e, err)
	}
	return c
}

func TestAStreamOfWhatIsAskedFor(t *testing.T) {
	s := servertest.Start(t)
	c := call(t, s)
	first, _ := theNote(c, "the_note")
	for _, row := range []struct {
		what, query string
		heard       []string // of the types made in turn
	}{
		{"everything", "", []string{"the_note", "the_song", "the_note", "the_poem"}},
		{"a type by name", "types=the_note", []string{"the_note", "the_note"}},
		{"a type that nobody made yet", "types=the_poem", []string{"the_poem"}},
		{"two types", "types=the_note,the_poem", []string{"the_note", "the_note", "the_poem"}},
		{"a concept that nothing touches", "concepts=5,6&types=the_poem", []string{"the_poem"}},
	} {
		t.Run(row.what, func(t *testing.T) {
			s := servertest.Start(t)
			c := call(t, s)
			theNote(c, "the_note")
			next := listen(t, s, "?"+row.query, "")
			next()
			made := map[graph.ID]string{}
			for _, typ := range []string{"the_note", "the_song", "the_note", "the_poem"} {
				id, _ := theNote(c, typ)
				made[id] = typ
			}
			for _, want := range row.heard {
				heard := next().change(t)
				if !slices.ContainsFunc(heard.Concepts, func(id graph.ID) bool { return made[id] == want }) {
					t.Fatalf("heard %+v; want one of %s", heard, want)
				}
			}
		})
	}
	t.Run("a concept", func(t *testing.T) {
		next := listen(t, s, "?concepts="+first.String(), "")
		next()
		theNote(c.in(t), "the_song")
		var done struct{ Success bool }
		c.in(t).raw("/api/delete_concept", "id="+first.String(), &done)
		if heard := next().change(t); !slices.Contains(heard.Concepts, first) {
			t.Errorf("heard %+v; want the end of %d", heard, first)
		}
	})
	t.Run("what nobody can ask for is refused", func(t *testing.T) {
		for query, want := range map[string]int{
			"concepts=x": http.StatusBadRequest, "kinds=news": http.StatusBadRequest,
			"types=" + strings.Repeat("x", 300):           http.StatusBadRequest,
			"concepts=" + many(1_001):                     http.StatusRequestEntityTooLarge,
			"types=the_" + many(101):                      http.StatusOK, // the_1 is one name, the rest are ids
			"types=" + strings.Repeat("the_x,", 101):      http.StatusRequestEntityTooLarge,
			"concepts=1&access_token=not-one-of-ours":     http.StatusUnauthorized,
			"concepts=1&access_token=weft_not-one-either": http.StatusUnauthorized,
		} {
			if got := statusOf(t, s, query, ""); got != want {
				t.Errorf("%.40s: %d; want %d", query, got, want)
			}
		}
	})
}

// many are the numbers from 1 on, as a list.
func many(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = itoa(i + 1)
	}
	return strings.Join(list, ",")
}

// statusOf opens a stream and says how it begins.
func statusOf(t *testing.T, s *servertest.Server, query, token string) int {
	t.Helper()
	status, _ := begins(t, s, query, token)
	return status
}

func begins(t *testing.T, s *servertest.Server, query, token string) (status int, retryAfter string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/api/v1/events?"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode, response.Header.Get("Retry-After")
}

func TestCompositionUpdates(t *testing.T) {
	s := servertest.Start(t)
	c := call(t, s)
	next := listen(t, s, "?kinds=compositionUpdate", "")
	next()
	theNote(c, "the_empty") // nothing inside: no update
	var sent synced
	c.json("/api/v1/local-concepts", map[string]any{
		"concepts": []any{
			map[string]any{"id": -1, "categoryId": 4, "typeCharacter": "the_note", "isComposition": true},
			map[string]any{"id": -2, "categoryId": 4, "typeCharacter": "the_text", "characterValue": "x"},
		},
		"connections": []any{map[string]any{"id": -1, "ofTheConceptId": -1, "toTheConceptId": -2, "typeId": -1}},
	}, &sent)
	id := sent.real(t, -1).ID
	want := `{"id":` + itoa(int(id)) + `}`
	if e := next(); e.name != "compositionUpdate" || e.data != want || e.id != "2" {
		t.Fatalf("heard %+v; want %s", e, want)
	}
	both := listen(t, s, "?kinds=change,compositionUpdate", "")
	both()
	var done struct{ Success bool }
	c.raw("/api/delete_concept", "id="+itoa(int(id)), &done)
	if e := next(); e.name != "compositionUpdate" || e.data != want {
		t.Errorf("heard %+v of its end; want %s", e, want)
	}
	if e := both(); e.name != "compositionUpdate" || e.data != want || e.id != "2" {
		t.Errorf("heard %+v before the change; want %s, of what was told before", e, want)
	}
	if e := both(); e.name != "change" || e.id != "3" {
		t.Errorf("heard %+v after it", e)
	}
}

func TestStreamsAreCounted(t *testing.T) {
	s := servertest.Start(t, func(o *server.Options) { o.Streams = server.Streams{All: 3, Each: 2} })
	ann := servertest.SignUp(t, s.URL, "ann@example.org")
	for range 2 {
		listen(t, s, "", "")()
	}
	if got, later := begins(t, s, "", ""); got != http.StatusServiceUnavailable || later == "" {
		t.Errorf("the third stream of an address is answered with %d, and to come again after %q", got, later)
	}
	next := listen(t, s, "?access_token="+ann, "")
	next()
	bob := servertest.SignUp(t, s.URL, "bob@example.org")
	if got := statusOf(t, s, "", bob); got != http.StatusServiceUnavailable {
		t.Errorf("the fourth of all is answered with %d", got)
	}
	var e wire.Error
	if status := call(t, s).do(http.MethodGet, "/api/auth/sessions?access_token="+ann, "", nil, &e); status != http.StatusUnauthorized {
		t.Errorf("a token in another address is answered with %d", status)
	}
}

// Whatever becomes of a stream, its token is not in the log.
func TestTheTokenOfAStreamIsNotLogged(t *testing.T) {
	var log strings.Builder
	var token string
	t.Run("while it serves", func(t *testing.T) {
		s := servertest.Start(t, func(o *server.Options) {
			o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		})
		token = servertest.SignUp(t, s.URL, "ann@example.org")
		listen(t, s, "?access_token="+token, "")()
		for query, want := range map[string]int{"": http.StatusOK, "&after=x": http.StatusBadRequest, "x": http.StatusUnauthorized} {
			if got := statusOf(t, s, "access_token="+token+query, ""); got != want {
				t.Errorf("%q is answered with %d; want %d", query, got, want)
			}
		}
	})
	if text := log.String(); !strings.Contains(text, "/api/v1/events") || strings.Contains(text, token) || strings.Contains(text, "access_token") {
		t.Errorf("the log says\n%s", text)
	}
}

func TestAStreamEndsWithItsToken(t *testing.T) {
	s := servertest.Start(t)
	c := call(t, s)
	ann := servertest.SignUp(t, s.URL, "ann@example.org")
	next := listen(t, s, "?access_token="+ann, "")
	next()
	t.Run("it hears what is private", func(t *testing.T) {
		c := c.in(t)
		c.headers = map[string]string{"Authorization": "Bearer " + ann}
		var sent synced
		c.json("/api/v1/local-concepts", map[string]any{"concepts": []any{
			map[string]any{"id": -1, "categoryId": 4, "typeCharacter": "the_note", "characterValue": "private"},
		}}, &sent)
		if heard := next().change(t); !slices.Contains(heard.Concepts, graph.ID(sent.Concepts[0].ID)) {
			t.Errorf("heard %+v", heard)
		}
	})
	t.Run("and nothing once it was signed out", func(t *testing.T) {
		signOut := c.in(t)
		signOut.headers = map[string]string{"Authorization": "Bearer " + ann}
		var done any
		signOut.ok(http.MethodPost, "/api/auth/logout", "", nil, &done)
		theNote(c.in(t), "the_note")
		if e := next(); e.name != "expired" {
			t.Errorf("heard %+v; want that it expired", e)
		}
		if e := next(); e.name != "" {
			t.Errorf("heard %+v after the end", e)
		}
	})
}

// The clock of the accounts is moved on, and the next event is that the token is over.
func TestAStreamEndsWhenItsTokenIsOver(t *testing.T) {
	store := memory.New()
	late := make(chan struct{})
	accounts, err := account.New(t.Context(), store, account.Options{Now: func() time.Time {
		select {
		case <-late:
			return time.Now().Add(time.Hour)
		default:
			return time.Now()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := servertest.Serve(t, store, func(o *server.Options) { o.Accounts = accounts })
	ann := servertest.SignUp(t, s.URL, "ann@example.org")
	next := listen(t, s, "?access_token="+ann, "")
	next()
	close(late)
	theNote(call(t, s), "the_note")
	if e := next(); e.name != "expired" || strings.Contains(e.data, "concepts") {
		t.Errorf("heard %+v; want that it expired", e)
	}
}

func TestABeatSaysHowFarAllIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		l, stop := servePipes(t, store)
		defer stop()
		connection := l.dial()
		defer connection.Close()
		if _, err := io.WriteString(connection, "GET /api/v1/events?types=the_nothing HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		_, err := store.Write(t.Context(), graph.Batch{
			Sender: graph.Sender{User: graph.Anonymous}, Concepts: []graph.ConceptDraft{{TypeName: "the_note", Value: "x"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		stream, seen := bufio.NewReader(connection), ""
		for seen != "id: 1\n" {
			if seen, err = stream.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
	})
}
