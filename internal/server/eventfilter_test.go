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

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/wire"
)

// writeRecordOf writes a record of a type in a new session, and returns its id and the number of the change.
func writeRecordOf(c caller, typ string) (id graph.ID, seq graph.Seq) {
	c.t.Helper()
	var sent struct {
		synced
		Seq graph.Seq `json:"seq"`
	}
	c.headers = map[string]string{"X-Session-Id": typ, "Randomizer": itoa(int(time.Now().UnixNano() % 1e9)), "Authorization": c.headers["Authorization"]}
	c.postJSON("/api/v1/local-concepts", map[string]any{
		"concepts": []any{map[string]any{"id": -1, "ghostId": -1, "categoryId": 4, "typeCharacter": typ, "isComposition": true, "accessId": 5}},
	}, &sent)
	return graph.ID(sent.Concepts[0].ID), sent.Seq
}

func (e event) change(t *testing.T) wire.Change {
	t.Helper()
	var c wire.Change
	if err := json.Unmarshal([]byte(e.data), &c); e.name != "change" || err != nil {
		t.Fatalf("got event %+v, %v; want a change", e, err)
	}
	return c
}

func TestStreamIsFiltered(t *testing.T) {
	s := servertest.Start(t)
	c := newCaller(t, s)
	first, _ := writeRecordOf(c, "the_note")
	for _, row := range []struct {
		what, query string
		want        []string // the types of the changes received, in order
	}{
		{"everything", "", []string{"the_note", "the_song", "the_note", "the_poem"}},
		{"a type by name", "types=the_note", []string{"the_note", "the_note"}},
		{"a type that does not exist yet", "types=the_poem", []string{"the_poem"}},
		{"two types", "types=the_note,the_poem", []string{"the_note", "the_note", "the_poem"}},
		{"a concept that no change touches", "concepts=5,6&types=the_poem", []string{"the_poem"}},
	} {
		t.Run(row.what, func(t *testing.T) {
			s := servertest.Start(t)
			c := newCaller(t, s)
			writeRecordOf(c, "the_note")
			next := listen(t, s, "?"+row.query, "")
			next()
			created := map[graph.ID]string{}
			for _, typ := range []string{"the_note", "the_song", "the_note", "the_poem"} {
				id, _ := writeRecordOf(c, typ)
				created[id] = typ
			}
			for _, want := range row.want {
				received := next().change(t)
				if !slices.ContainsFunc(received.Concepts, func(id graph.ID) bool { return created[id] == want }) {
					t.Fatalf("got event %+v; want one of %s", received, want)
				}
			}
		})
	}
	t.Run("sends the removal of a watched concept", func(t *testing.T) {
		next := listen(t, s, "?concepts="+first.String(), "")
		next()
		writeRecordOf(c.in(t), "the_song")
		var done struct{ Success bool }
		c.in(t).postForm("/api/delete_concept", "id="+first.String(), &done)
		if received := next().change(t); !slices.Contains(received.Concepts, first) {
			t.Errorf("got event %+v; want the removal of %d", received, first)
		}
	})
	t.Run("rejects invalid filters", func(t *testing.T) {
		for query, want := range map[string]int{
			"concepts=x": http.StatusBadRequest, "kinds=news": http.StatusBadRequest,
			"types=" + strings.Repeat("x", 300):           http.StatusBadRequest,
			"concepts=" + numberList(1_001):               http.StatusRequestEntityTooLarge,
			"types=the_" + numberList(101):                http.StatusOK, // the_1 is one name, the rest are ids
			"types=" + strings.Repeat("the_x,", 101):      http.StatusRequestEntityTooLarge,
			"concepts=1&access_token=not-one-of-ours":     http.StatusUnauthorized,
			"concepts=1&access_token=weft_not-one-either": http.StatusUnauthorized,
		} {
			if got := streamStatus(t, s, query, ""); got != want {
				t.Errorf("%.40s: %d; want %d", query, got, want)
			}
		}
	})
}

// numberList returns the numbers from 1 to n, separated by commas.
func numberList(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = itoa(i + 1)
	}
	return strings.Join(list, ",")
}

// streamStatus opens a stream and returns the status.
func streamStatus(t *testing.T, s *servertest.Server, query, token string) int {
	t.Helper()
	status, _ := openStream(t, s, query, token)
	return status
}

// openStream opens a stream, closes it immediately, and returns the status and the header Retry-After.
func openStream(t *testing.T, s *servertest.Server, query, token string) (status int, retryAfter string) {
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

func TestStreamReportsCompositionUpdates(t *testing.T) {
	s := servertest.Start(t)
	c := newCaller(t, s)
	next := listen(t, s, "?kinds=compositionUpdate", "")
	next()
	writeRecordOf(c, "the_empty") // nothing inside: no update
	var sent synced
	c.postJSON("/api/v1/local-concepts", map[string]any{
		"concepts": []any{
			map[string]any{"id": -1, "categoryId": 4, "typeCharacter": "the_note", "isComposition": true},
			map[string]any{"id": -2, "categoryId": 4, "typeCharacter": "the_text", "characterValue": "x"},
		},
		"connections": []any{map[string]any{"id": -1, "ofTheConceptId": -1, "toTheConceptId": -2, "typeId": -1}},
	}, &sent)
	id := sent.recordOf(t, -1).ID
	want := `{"id":` + itoa(int(id)) + `}`
	if e := next(); e.name != "compositionUpdate" || e.data != want || e.id != "2" {
		t.Fatalf("got event %+v; want %s", e, want)
	}
	nextOfBoth := listen(t, s, "?kinds=change,compositionUpdate", "")
	nextOfBoth()
	var done struct{ Success bool }
	c.postForm("/api/delete_concept", "id="+itoa(int(id)), &done)
	if e := next(); e.name != "compositionUpdate" || e.data != want {
		t.Errorf("got event %+v for the removal; want %s", e, want)
	}
	if e := nextOfBoth(); e.name != "compositionUpdate" || e.data != want || e.id != "2" {
		t.Errorf("got event %+v before the change; want %s, the id of the previous event", e, want)
	}
	if e := nextOfBoth(); e.name != "change" || e.id != "3" {
		t.Errorf("got event %+v after the last expected event", e)
	}
}

func TestStreamsAreLimited(t *testing.T) {
	s := servertest.Start(t, func(o *server.Options) { o.Streams = server.Streams{Total: 3, PerUser: 2} })
	ann := servertest.SignUp(t, s.URL, "ann@example.org")
	for range 2 {
		listen(t, s, "", "")()
	}
	if got, later := openStream(t, s, "", ""); got != http.StatusServiceUnavailable || later == "" {
		t.Errorf("the third stream of an address: status %d, Retry-After %q; want 503 and a time", got, later)
	}
	next := listen(t, s, "?access_token="+ann, "")
	next()
	bob := servertest.SignUp(t, s.URL, "bob@example.org")
	if got := streamStatus(t, s, "", bob); got != http.StatusServiceUnavailable {
		t.Errorf("the fourth stream in total: status %d; want 503", got)
	}
	var e wire.Error
	if status := newCaller(t, s).do(http.MethodGet, "/api/auth/sessions?access_token="+ann, "", nil, &e); status != http.StatusUnauthorized {
		t.Errorf("a token in the URL of another route: status %d; want 401", status)
	}
}

// The token is not in the log, however the stream ends.
func TestTokenOfStreamIsNotLogged(t *testing.T) {
	var log strings.Builder
	var token string
	t.Run("until the server stops", func(t *testing.T) {
		s := servertest.Start(t, func(o *server.Options) {
			o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		})
		token = servertest.SignUp(t, s.URL, "ann@example.org")
		listen(t, s, "?access_token="+token, "")()
		for query, want := range map[string]int{"": http.StatusOK, "&after=x": http.StatusBadRequest, "x": http.StatusUnauthorized} {
			if got := streamStatus(t, s, "access_token="+token+query, ""); got != want {
				t.Errorf("%q: status %d; want %d", query, got, want)
			}
		}
	})
	if text := log.String(); !strings.Contains(text, "/api/v1/events") || strings.Contains(text, token) || strings.Contains(text, "access_token") {
		t.Errorf("the log is\n%s", text)
	}
}

func TestStreamEndsWhenItsTokenIsRevoked(t *testing.T) {
	s := servertest.Start(t)
	c := newCaller(t, s)
	ann := servertest.SignUp(t, s.URL, "ann@example.org")
	next := listen(t, s, "?access_token="+ann, "")
	next()
	t.Run("the stream has private changes", func(t *testing.T) {
		c := c.in(t)
		c.headers = map[string]string{"Authorization": "Bearer " + ann}
		var sent synced
		c.postJSON("/api/v1/local-concepts", map[string]any{"concepts": []any{
			map[string]any{"id": -1, "categoryId": 4, "typeCharacter": "the_note", "characterValue": "private"},
		}}, &sent)
		if received := next().change(t); !slices.Contains(received.Concepts, graph.ID(sent.Concepts[0].ID)) {
			t.Errorf("got event %+v", received)
		}
	})
	t.Run("the stream ends after signing out", func(t *testing.T) {
		signOut := c.in(t)
		signOut.headers = map[string]string{"Authorization": "Bearer " + ann}
		var done any
		signOut.mustDo(http.MethodPost, "/api/auth/logout", "", nil, &done)
		writeRecordOf(c.in(t), "the_note")
		if e := next(); e.name != "expired" {
			t.Errorf("got event %+v; want expired", e)
		}
		if e := next(); e.name != "" {
			t.Errorf("got event %+v after the end", e)
		}
	})
}

// The test moves the clock of the accounts forward. The next event must report that the token has expired.
func TestStreamEndsWhenItsTokenExpires(t *testing.T) {
	store := memory.New()
	expired := make(chan struct{})
	accounts, err := account.New(t.Context(), store, account.Options{Now: func() time.Time {
		select {
		case <-expired:
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
	close(expired)
	writeRecordOf(newCaller(t, s), "the_note")
	if e := next(); e.name != "expired" || strings.Contains(e.data, "concepts") {
		t.Errorf("got event %+v; want expired", e)
	}
}

func TestHeartbeatHasTheNumberOfTheLastChange(t *testing.T) {
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
