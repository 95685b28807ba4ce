package weft_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weft-graph/weft"
	"github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

type Order struct {
	ID     graph.ID
	Number string `weft:",required,unique"`
	Total  float64
	Note   string
}

func orders(t *testing.T) *schema.Schema {
	t.Helper()
	s, err := schema.Define(Order{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// openApp opens an app on SQLite, which is closed at the end of the test.
func openApp(t *testing.T, directory string, o weft.Options) *weft.App {
	t.Helper()
	app, err := weft.Open(t.Context(), directory, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := app.Close(); err != nil {
			t.Error(err)
		}
	})
	return app
}

// serveApp serves an app on a free port until it is closed, and returns its URL.
func serveApp(t *testing.T, app *weft.App) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- app.Serve(context.Background(), l) }()
	t.Cleanup(func() {
		if err := errors.Join(app.Close(), <-served); err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String()
}

func signIn(t *testing.T, app *weft.App, url string) (*client.Client, weft.User) {
	t.Helper()
	ann, err := app.AddUser(t.Context(), "ann@example.org", "correct horse", false)
	if err != nil {
		t.Fatal(err)
	}
	c := client.New(url)
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SignIn(t.Context(), "ann@example.org", "correct horse"); err != nil {
		t.Fatal(err)
	}
	return c, ann
}

func TestHooksRefuseAndFollowBatches(t *testing.T) {
	var mu sync.Mutex
	var stored []weft.Write
	app := openApp(t, t.TempDir(), weft.Options{
		Schema: orders(t),
		BeforeWrite: func(_ context.Context, w weft.Write) error {
			for _, d := range w.Batch.Concepts {
				if d.TypeName == "the_note" && strings.Contains(d.Value, "free") {
					return errors.New("orders are not free")
				}
			}
			return nil
		},
		AfterWrite: func(ctx context.Context, w weft.Write) {
			mu.Lock()
			defer mu.Unlock()
			stored = append(stored, w)
			if _, err := client.For[Order](w.App.System()).Create(ctx, Order{Number: "copy", Note: "free"}); err != nil {
				t.Error(err)
			}
		},
	})
	c, ann := signIn(t, app, serveApp(t, app))
	records := client.For[Order](c)
	if _, err := records.Create(t.Context(), Order{Number: "1", Note: "free!"}); graph.KindOf(err) != graph.Forbidden || err.Error() != "orders are not free" {
		t.Errorf("a batch that the hook refuses: %v", err)
	}
	if _, err := records.Create(t.Context(), Order{Note: "no number"}); graph.KindOf(err) != graph.Invalid {
		t.Errorf("a batch that the schema refuses: %v; want the kind invalid", err)
	}
	id, err := records.Create(t.Context(), Order{Number: "2", Total: 9.5})
	if err != nil {
		t.Fatal(err)
	}
	if len(stored) != 1 || stored[0].User != ann || stored[0].Receipt.Seq == 0 || stored[0].Receipt.Concepts[0].ID != id {
		t.Errorf("the hook after a write got %+v; want one write by Ann, with concept %d first", stored, id)
	}
	if n, err := records.Find().Count(t.Context()); err != nil || n != 1 {
		t.Errorf("Ann reads %d orders, %v; the copy belongs to the system", n, err)
	}
	if n, err := client.For[Order](app.System()).Find().Count(t.Context()); err != nil || n != 2 {
		t.Errorf("the system reads %d orders, %v", n, err)
	}
}

func TestRoutesReceiveTheirCaller(t *testing.T) {
	app := openApp(t, t.TempDir(), weft.Options{
		Schema: orders(t),
		Routes: map[string]weft.Handler{
			"GET /api/orders/{number}": func(w http.ResponseWriter, r *weft.Request) error {
				order, err := client.For[Order](r.Records()).Find(client.Eq("number", r.PathValue("number"))).First(r.Context())
				if err != nil {
					return err
				}
				return json.NewEncoder(w).Encode(map[string]any{"total": order.Total, "guest": r.User.IsGuest()})
			},
			"POST /echo": func(w http.ResponseWriter, r *weft.Request) error {
				_, err := io.Copy(w, r.Body)
				return err
			},
			"GET /broken": func(http.ResponseWriter, *weft.Request) error { return errors.New("a secret") },
		},
	})
	url := serveApp(t, app)
	c, ann := signIn(t, app, url)
	if _, err := client.For[Order](app.As(ann)).Create(t.Context(), Order{Number: "7", Total: 9.5}); err != nil {
		t.Fatal(err)
	}
	for name, request := range map[string]struct {
		method, path, token, body string
		status                    int
		want                      string
	}{
		"the owner":     {"GET", "/api/orders/7", c.Tokens().Access, "", 200, `"total":9.5`},
		"a guest":       {"GET", "/api/orders/7", "", "", 404, `"kind":"notFound"`},
		"a false token": {"GET", "/api/orders/7", "x", "", 401, `"kind":"unauthorized"`},
		"a body":        {"POST", "/echo", "", "hello", 200, "hello"},
		"a long body":   {"POST", "/echo", "", strings.Repeat("x", 5<<20), 413, `"kind":"tooLarge"`},
		"another error": {"GET", "/broken", "", "", 500, "internal server error"},
		"the contract":  {"GET", "/api/health", "", "", 200, `"seq"`},
	} {
		r, err := http.NewRequestWithContext(t.Context(), request.method, url+request.path, strings.NewReader(request.body))
		if err != nil {
			t.Fatal(err)
		}
		if request.token != "" {
			r.Header.Set("Authorization", "Bearer "+request.token)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != request.status || !strings.Contains(string(body), request.want) || strings.Contains(string(body), "secret") {
			t.Errorf("%s: %d %s, %v; want %d %s", name, response.StatusCode, body, err, request.status, request.want)
		}
	}
}

// A handler that panics in the middle of its response ends the response, not the program: net/http recovers from such panics of requests over
// a connection.
func TestAPanicInAHandlerEndsARequestInProcess(t *testing.T) {
	app := openApp(t, "", weft.Options{Store: "memory", Routes: map[string]weft.Handler{
		"GET /begun": func(w http.ResponseWriter, _ *weft.Request) error {
			_, _ = io.WriteString(w, "the first part")
			panic("a defect")
		},
		"GET /aborted":   func(http.ResponseWriter, *weft.Request) error { panic(http.ErrAbortHandler) },
		"GET /not-begun": func(http.ResponseWriter, *weft.Request) error { panic("a defect") },
	}})
	c := app.System()
	get := func(path string) (int, string, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://weft.invalid"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := c.HTTP.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		return response.StatusCode, string(body), err
	}
	for path, part := range map[string]string{"/begun": "the first part", "/aborted": ""} {
		if _, body, err := get(path); err == nil || body != part {
			t.Errorf("%s: the body is %q, %v; want %q and an error", path, body, err, part)
		}
	}
	if status, body, err := get("/not-begun"); status != 500 || err != nil || strings.Contains(body, "defect") {
		t.Errorf("/not-begun: %d %q, %v; want the status 500 without the text of the panic", status, body, err)
	}
}

func TestOpenRefusesOptionsThatCannotWork(t *testing.T) {
	serve := func(http.ResponseWriter, *weft.Request) error { return nil }
	run := func(context.Context, *weft.App) error { return nil }
	for text, o := range map[string]weft.Options{
		"needs a name":            {Jobs: []weft.Job{{Every: time.Hour, Run: run}}},
		`two jobs have the name`:  {Jobs: []weft.Job{{Name: "a", Every: time.Hour, Run: run}, {Name: "a", Every: time.Hour, Run: run}}},
		"has no handler":          {Routes: map[string]weft.Handler{"/a": nil}},
		`"GET /{" cannot be`:      {Routes: map[string]weft.Handler{"GET /{": serve}},
		`"GET /api/health" canno`: {Routes: map[string]weft.Handler{"GET /api/health": serve}},
		"unknown store":           {Store: "mysql://x"},
	} {
		if app, err := weft.Open(t.Context(), t.TempDir(), o); graph.KindOf(err) != graph.Invalid || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v, %v", text, app, err)
		}
	}
}

func TestAnAppKeepsItsDataAndServesLiveQueriesInProcess(t *testing.T) {
	directory := t.TempDir()
	app := openApp(t, directory, weft.Options{Schema: orders(t)})
	ann, err := app.AddUser(t.Context(), "ann@example.org", "correct horse", false)
	if err != nil {
		t.Fatal(err)
	}
	records := client.For[Order](app.As(ann))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	seen := 0
	for page, err := range records.Find().Live(ctx) {
		if err != nil || len(page.Records) != seen {
			t.Fatalf("%d records, %v; want %d", len(page.Records), err, seen)
		}
		if seen == 2 {
			break
		}
		seen++
		if _, err := records.Create(ctx, Order{Number: strings.Repeat("x", seen)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := app.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := records.Find().Count(ctx); err == nil {
		t.Error("a closed app responds")
	}
	again := openApp(t, directory, weft.Options{})
	if user, err := again.AddUser(ctx, "ann@example.org", "other", true); err != nil || user != ann {
		t.Errorf("the user is %+v, %v; want %+v", user, err, ann)
	}
	if n, err := client.For[Order](again.As(ann)).Find().Count(ctx); err != nil || n != 2 {
		t.Errorf("after reopening there are %d orders, %v; want 2", n, err)
	}
}

func TestJobsRunWhenTheyAreDue(t *testing.T) {
	directory, ran := t.TempDir(), make(chan string)
	var log strings.Builder
	var isStopped atomic.Bool
	options := func(hourly string) weft.Options {
		report := func(name string, err error) func(context.Context, *weft.App) error {
			return func(ctx context.Context, _ *weft.App) error {
				select {
				case ran <- name:
					return err
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
		return weft.Options{
			Log: slog.New(slog.NewTextHandler(lockedWriter{&sync.Mutex{}, &log}, nil)),
			Jobs: []weft.Job{
				{Name: "often", Every: time.Millisecond, Run: report("often", nil)},
				{Name: "hourly", Every: time.Hour, Run: report(hourly, errors.New("not at work"))},
				{Name: "panics", Every: time.Hour, Run: func(context.Context, *weft.App) error { ran <- "panics"; panic("at work") }},
				{Name: "waits", Every: time.Hour, Run: func(ctx context.Context, _ *weft.App) error {
					ran <- "waits"
					<-ctx.Done()
					isStopped.Store(true)
					return ctx.Err()
				}},
			},
		}
	}
	count := map[string]int{}
	app := openApp(t, directory, options("first"))
	for count["often"] < 3 || count["first"] < 1 || count["panics"] < 1 || count["waits"] < 1 {
		count[<-ran]++
	}
	if err := app.Close(); err != nil {
		t.Fatal(err)
	}
	if !isStopped.Load() {
		t.Error("Close did not wait for a job")
	}
	if text := log.String(); count["first"] != 1 || count["panics"] != 1 || !strings.Contains(text, "panic: at work") || !strings.Contains(text, "not at work") {
		t.Errorf("ran %v, log %s", count, text)
	}
	again := openApp(t, directory, options("second"))
	for count["often"] < 10 {
		count[<-ran]++
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	if count["second"] != 0 || count["panics"] != 1 {
		t.Errorf("a restart repeated jobs that were not due: %v", count)
	}
}

// A lockedWriter is a writer for several goroutines.
type lockedWriter struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}
