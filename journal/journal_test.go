package journal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/clock"
	"github.com/weft-graph/weft/internal/everystore"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/journal"
	"github.com/weft-graph/weft/kv"
)

const ann graph.ID = 70_001

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main{M: m}) }

// Every test runs in every store.
func everywhere(t *testing.T, test func(*testing.T, kv.Store)) {
	everystore.Run(t, func(t *testing.T, store graph.Store) { test(t, kv.In(store)) })
}

// aClock starts at a quarter of an hour that has just begun, in the present: entries expire by the store's clock.
func aClock() *clock.Clock { return clock.At(time.Now().Truncate(journal.Quarter)) }

type world struct {
	*journal.Journal
	*clock.Clock
	t *testing.T
}

func newWorld(t *testing.T, store kv.Store, o journal.Options) world {
	c := aClock()
	o.Now = c.Now
	return world{journal.New(store, o), c, t}
}

func (w world) append(user graph.ID, session, typ string, entries ...string) {
	w.t.Helper()
	if err := w.try(user, session, typ, entries...); err != nil {
		w.t.Fatal(err)
	}
}

func (w world) try(user graph.ID, session, typ string, entries ...string) error {
	raw := make([]json.RawMessage, len(entries))
	for i, e := range entries {
		raw[i] = json.RawMessage(e)
	}
	return w.Append(w.t.Context(), journal.Source{User: user, Session: session}, typ, raw)
}

// all reads every page of a query, and returns the messages.
func (w world) all(q journal.Query) (messages []string) {
	w.t.Helper()
	for {
		page, err := w.Search(w.t.Context(), q)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, r := range page.Data {
			var e struct{ Message string }
			if err := json.Unmarshal(r.Entry, &e); err != nil {
				w.t.Fatal(err)
			}
			messages = append(messages, e.Message)
		}
		if q.Before = page.Before; q.Before == "" {
			return messages
		}
	}
}

func message(text string) string { return fmt.Sprintf(`{"level":"INFO","message":%q}`, text) }

func TestSearch(t *testing.T) {
	everywhere(t, func(t *testing.T, store kv.Store) {
		w := newWorld(t, store, journal.Options{})
		start := w.Now()
		w.append(ann, "s1", journal.App, message("1"), message("2"))
		w.Move(time.Minute)
		w.append(graph.Anonymous, "s2", journal.Client, message("3"), `{"level":"ERROR","message":"4","sessionId":77}`)
		w.Move(time.Minute)
		w.append(ann, "s1", journal.Client, `{"level":"Error","message":"5","code":"Ünusual"}`)
		w.Move(time.Minute)
		w.append(ann+1, "s3", journal.App, `{"level":"INFO","message":"6","data":{"sessionId":"77"}}`)
		for name, row := range map[string]struct {
			query journal.Query
			want  []string
		}{
			"everything, the newest first": {journal.Query{}, []string{"6", "5", "4", "3", "2", "1"}},
			"a type":                       {journal.Query{Type: journal.App}, []string{"6", "2", "1"}},
			"a user":                       {journal.Query{User: ann}, []string{"5", "2", "1"}},
			"nobody":                       {journal.Query{User: journal.Nobody}, []string{"4", "3"}},
			"a stranger":                   {journal.Query{User: 5}, nil},
			"a level in any case":          {journal.Query{Level: "error"}, []string{"5", "4"}},
			"the session of the sender":    {journal.Query{Session: "s1"}, []string{"5", "2", "1"}},
			"the session in the entry":     {journal.Query{Session: "77"}, []string{"6", "4"}},
			"a text":                       {journal.Query{Text: "üNUSUAL"}, []string{"5"}},
			"a time":                       {journal.Query{From: start.Add(time.Minute), To: start.Add(2 * time.Minute)}, []string{"5", "4", "3"}},
			"a user in a time":             {journal.Query{User: ann, From: start.Add(time.Second)}, []string{"5"}},
		} {
			for _, limit := range []int{0, 1, 2} {
				row.query.Limit = limit
				if diff := cmp.Diff(row.want, w.all(row.query)); diff != "" {
					t.Errorf("%s, %d a page:\n%s", name, limit, diff)
				}
			}
		}
	})
}

func TestASearchIsBounded(t *testing.T) {
	w := newWorld(t, &kv.Memory{}, journal.Options{})
	for i := range 600 {
		w.append(ann, "", journal.App, message(fmt.Sprint(i)))
		w.Move(time.Millisecond)
	}
	pages := 0
	q := journal.Query{Text: `"0"`}
	for ; ; pages++ {
		page, err := w.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Data) == 1 {
			break
		}
		if q.Before = page.Before; q.Before == "" {
			t.Fatal("the oldest entry was not found")
		}
	}
	if pages != 2 {
		t.Errorf("%d pages were empty; want 2 of 256 chunks each", pages)
	}
}

func TestSearchRefuses(t *testing.T) {
	w := newWorld(t, &kv.Memory{}, journal.Options{})
	for _, q := range []journal.Query{
		{Limit: -1}, {Limit: 1_001}, {Type: "other"}, {Before: "x"}, {Before: "a/b.1"}, {Before: "a.-1"}, {Before: strings.Repeat("a", 101) + ".1"},
	} {
		if _, err := w.Search(t.Context(), q); graph.KindOf(err) != graph.Invalid {
			t.Errorf("%+v is answered with %v; want an invalid error", q, err)
		}
	}
}

func TestAppendRefuses(t *testing.T) {
	w := newWorld(t, &kv.Memory{}, journal.Options{})
	if got := graph.KindOf(w.try(ann, "", "other", "{}")); got != graph.Invalid {
		t.Errorf("a strange log is %q", got)
	}
	for _, entry := range []string{"1", "null", "[]", `"x"`} {
		if got := graph.KindOf(w.try(ann, "", journal.App, "{}", entry)); got != graph.Invalid {
			t.Errorf("the entry %s is %q", entry, got)
		}
	}
	if got := graph.KindOf(w.try(ann, "", journal.App, make([]string, 1_001)...)); got != graph.TooLarge {
		t.Errorf("1,001 entries are %q", got)
	}
	if left := w.all(journal.Query{}); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

func TestSecretsAreNotKept(t *testing.T) {
	const hidden = "hunter2"
	jwt := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0." + hidden
	inText := func(v string) string { text, _ := json.Marshal(v); return string(text) }
	for name, entry := range map[string]string{
		"a password":                    `{"password":"hunter2"}`,
		"any case, deep down":           `{"data":{"a":[{"userPassWord":{"x":"hunter2"}}]}}`,
		"a token":                       `{"refreshToken":"hunter2","access_token":"hunter2","apiKey":"hunter2","api-key":"hunter2"}`,
		"headers":                       `{"headers":{"Authorization":"hunter2","Set-Cookie":"hunter2","X-Api-Key":"hunter2"}}`,
		"a login":                       `{"functionName":"LoginToBackend","functionParameters":[["a@b.co","hunter2","app"]]}`,
		"a signup":                      `{"functionName":"signUp","functionParameters":{"0":"hunter2"}}`,
		"a bearer":                      `{"message":"sent Authorization: Bearer hunter2-abc and bearer hunter2"}`,
		"a JWT":                         `{"message":` + inText("got "+jwt+" back") + `}`,
		"JSON in a text":                `{"data":{"body":` + inText(`{"email":"a@b.co","password":"x\"hunter2"}`) + `}}`,
		"JSON in JSON in a text":        `{"arguments":` + inText(`["{\"password\":\"hunter2\"}"]`) + `}`,
		"JSON in JSON in a JSON text":   `{"arguments":` + inText(`{"a":"{\"password\":\"hunter2\"}"}`) + `}`,
		"JSON that breaks off":          `{"message":` + inText(`body {"password": "hunter2`) + `}`,
		"an address":                    `{"data":{"url":"https://x.co/reset?token=hunter2&a=1"}}`,
		"a form":                        `{"body":"email=a&password=hunter2"}`,
		"a name and a value in a list":  `{"message":"password: hunter2, user: ann"}`,
		"a secret where the text ends":  `{"message":` + inText(strings.Repeat("x", 4080)+" token="+strings.Repeat(hidden, 200)) + `}`,
		"a secret in a very long text":  `{"message":` + inText(strings.Repeat("x", 9000)+" token="+hidden) + `}`,
		"a name that is a secret's own": `{"password":["hunter2",{"a":"hunter2"}],"kept":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, &kv.Memory{}, journal.Options{})
			w.append(ann, "", journal.Client, entry)
			page, err := w.Search(t.Context(), journal.Query{})
			if err != nil || len(page.Data) != 1 {
				t.Fatal(page, err)
			}
			if kept := string(page.Data[0].Entry); strings.Contains(kept, hidden) {
				t.Errorf("%s is kept as %s", entry, kept)
			}
		})
	}
}

func TestWhatIsNoSecretStays(t *testing.T) {
	w := newWorld(t, &kv.Memory{}, journal.Options{})
	entry := `{"data":{"code":500,"deep":[true,null,1.50]},"functionParameters":["a"],"level":"INFO","message":"passing by <a&b>: \"x\" – ünchanged","zebra":"unknown"}`
	w.append(ann, "", journal.Client, entry)
	page, err := w.Search(t.Context(), journal.Query{})
	if err != nil || len(page.Data) != 1 || string(page.Data[0].Entry) != entry {
		t.Errorf("%+v, %v; want %s", page, err, entry)
	}
}

func TestEntriesAreCutToSize(t *testing.T) {
	w := newWorld(t, &kv.Memory{}, journal.Options{})
	deep := strings.Repeat(`{"a":`, 1_000) + "1" + strings.Repeat("}", 1_000)
	long := fmt.Sprintf(`{"stack":%q,"message":"still here"}`, strings.Repeat("é", 1<<20))
	wide := `{"message":"still here","list":[` + strings.Repeat(`"x",`, 100_000) + `"x"]` + strings.Repeat(`,"a":{"b":"c"}`, 1_000) + "}"
	var many strings.Builder
	many.WriteString(`{"message":"still here"`)
	for i := range 20_000 {
		fmt.Fprintf(&many, `,"%0200d":1`, i)
	}
	w.append(ann, "", journal.App, deep, long, wide, many.String()+"}")
	page, err := w.Search(t.Context(), journal.Query{})
	if err != nil || len(page.Data) != 4 {
		t.Fatal(len(page.Data), err)
	}
	for _, r := range page.Data {
		if n := len(r.Entry); n > 64<<10 {
			t.Errorf("an entry of %d bytes is kept: %.100s", n, r.Entry)
		}
	}
	if got := w.all(journal.Query{}); !cmp.Equal(got, []string{"still here", "still here", "still here", ""}) {
		t.Errorf("messages %v", got)
	}
}

// Ten megabytes of entries are many values in the store, none too long for it, and still in order.
func TestALongCallIsKeptInChunks(t *testing.T) {
	everywhere(t, func(t *testing.T, store kv.Store) {
		w := newWorld(t, store, journal.Options{})
		var entries, want []string
		for i := range 600 {
			text := fmt.Sprintf("%d %s", i, strings.Repeat("x", 4_000))
			entries, want = append(entries, message(text)), append([]string{text}, want...)
		}
		w.append(ann, "", journal.App, entries...)
		if diff := cmp.Diff(want, w.all(journal.Query{User: ann})); diff != "" {
			t.Error(diff)
		}
		chunks, err := store.List(t.Context(), kv.Range{Prefix: "log/entry/"})
		if err != nil || len(chunks) < 8 || len(chunks) > 12 {
			t.Errorf("%d chunks, %v; want about ten", len(chunks), err)
		}
	})
}

func TestTheOldestMakeRoom(t *testing.T) {
	everywhere(t, func(t *testing.T, store kv.Store) {
		const most = 100_000
		w := newWorld(t, store, journal.Options{Most: most})
		other := journal.New(store, journal.Options{Most: most, Now: w.Now})
		entry := func(i int) []json.RawMessage {
			return []json.RawMessage{json.RawMessage(message(fmt.Sprintf("%d %s", i, strings.Repeat("x", 3_000))))}
		}
		for i := range 100 {
			j := []*journal.Journal{w.Journal, other}[i%2]
			if err := j.Append(t.Context(), journal.Source{User: ann}, journal.Types[i%2], entry(i)); err != nil {
				t.Fatal(err)
			}
			w.Move(2 * time.Minute) // so that each looks at the sum again
		}
		held, bytes := 0, 0
		for _, prefix := range []string{"log/entry/", "log/own/"} {
			found, err := store.List(t.Context(), kv.Range{Prefix: prefix})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range found {
				bytes += len(e.Value)
			}
			held = len(found)
		}
		if bytes > most || held < 10 {
			t.Errorf("%d chunks of %d bytes are left; want a little less than %d bytes", held, bytes, most)
		}
		left := w.all(journal.Query{})
		if len(left) != held || !strings.HasPrefix(left[0], "99 ") || !strings.HasPrefix(left[held-1], fmt.Sprint(100-held)+" ") {
			t.Errorf("the newest %d are not what is left", held)
		}
	})
}

func TestEntriesExpire(t *testing.T) {
	store := &kv.Memory{}
	w := newWorld(t, store, journal.Options{Keep: time.Hour})
	w.append(ann, "s", journal.App, route("a", "/x", "s", "Initial Load", w.Now()))
	if _, err := w.Begin(t.Context(), journal.Session{}); err != nil {
		t.Fatal(err)
	}
	all, err := store.List(t.Context(), kv.Range{})
	if err != nil || len(all) < 7 {
		t.Fatal(len(all), err)
	}
	for _, e := range all {
		if e.Expires.IsZero() || e.Expires.After(w.Now().Add(26*time.Hour)) {
			t.Errorf("%s expires %v", e.Key, e.Expires)
		}
	}
}

func route(application, url, session, message string, at time.Time) string {
	return fmt.Sprintf(`{"timestamp":%q,"level":"ROUTE","message":%q,"data":{"url":%q,"requestFrom":%q,"sessionId":%q}}`,
		at.UTC().Format(time.RFC3339Nano), message, url, application, session)
}

func TestVisits(t *testing.T) {
	everywhere(t, func(t *testing.T, store kv.Store) {
		w := newWorld(t, store, journal.Options{})
		start := w.Now()
		visit := func(app, url, session, message string) {
			w.append(graph.Anonymous, "998", journal.App, route(app, url, session, message, w.Now()))
		}
		visit("shop", "https://x.co/a?token=1#top", "1", "Initial Load")
		w.Move(10 * time.Second)
		visit("shop", "https://x.co/b", "1", "Route Change")
		visit("shop", "https://x.co/a", "2", "Initial Load")
		visit("blog", "https://y.co/", "1", "Initial Load")
		w.Move(20 * time.Second)
		visit("shop", "https://x.co/b", "1", "Unload")
		w.Move(20 * time.Minute)
		visit("shop", "https://x.co/a", "2", "Unload")
		visit("shop", "https://x.co/a", "1", "Initial Load")
		w.Move(2 * time.Hour)
		visit("shop", "https://x.co/b", "1", "Route Change") // was away

		got, err := w.Visits(t.Context(), journal.VisitQuery{Application: "shop", From: start, To: start.Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		second := start.Add(journal.Quarter).UTC()
		want := journal.Visits{
			From: start.UTC(), To: start.Add(time.Hour).UTC(), Visits: 4, Count: 2,
			Pages: []journal.PageVisits{
				{Application: "shop", Page: "https://x.co/a", Visits: 3, Seconds: 10 + 20*60 + 20},
				{Application: "shop", Page: "https://x.co/b", Visits: 1, Seconds: 20},
			},
			Latest: []journal.SessionVisit{
				{Application: "shop", Session: "1", Visits: 3, First: start.UTC(), Last: second},
				{Application: "shop", Session: "2", Visits: 1, First: start.UTC(), Last: start.UTC()},
			},
			Quarter: []journal.QuarterVisit{{At: start.UTC(), Visits: 3, Sessions: 2}, {At: second, Visits: 1, Sessions: 1}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		all, err := w.Visits(t.Context(), journal.VisitQuery{From: start, To: start.Add(24 * time.Hour)})
		if err != nil || all.Visits != 6 || all.Count != 3 || len(all.Pages) != 3 {
			t.Errorf("all visits are %+v, %v", all, err)
		}
	})
}

func TestVisitsOfAStrangeTimeAreRefused(t *testing.T) {
	w := newWorld(t, &kv.Memory{}, journal.Options{})
	now := w.Now()
	for _, q := range []journal.VisitQuery{{From: now, To: now}, {From: now, To: now.Add(-1)}, {From: now.Add(-32 * 24 * time.Hour), To: now}} {
		if _, err := w.Visits(t.Context(), q); graph.KindOf(err) != graph.Invalid {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

// Whoever makes up pages makes up a bounded number of keys.
func TestMadeUpPagesAreBounded(t *testing.T) {
	store := &kv.Memory{}
	w := newWorld(t, store, journal.Options{})
	for i := range 8 {
		var entries []string
		for k := range 1_000 {
			n := i*1_000 + k
			entries = append(entries, route(fmt.Sprint("app|", n), strings.Repeat("/", n%500)+fmt.Sprint(n), fmt.Sprint(n), "Initial Load", w.Now()))
		}
		w.append(graph.Anonymous, "998", journal.App, entries...)
	}
	counts, err := store.List(t.Context(), kv.Range{Prefix: "log/visit/"})
	if err != nil || len(counts) > 5_002 {
		t.Errorf("%d counts are kept, %v", len(counts), err)
	}
	all, err := w.Visits(t.Context(), journal.VisitQuery{From: w.Now(), To: w.Now().Add(time.Hour)})
	if err != nil || all.Visits != 8_000 || len(all.Pages) > 500 || len(all.Latest) > 500 {
		t.Errorf("%d visits, %d pages, %d sessions, %v", all.Visits, len(all.Pages), len(all.Latest), err)
	}
}

// Several servers count the visits of one session at once.
func TestVisitsAtOnceAreAllCounted(t *testing.T) {
	everywhere(t, func(t *testing.T, store kv.Store) {
		w := newWorld(t, store, journal.Options{})
		var writers sync.WaitGroup
		for range 4 {
			j := journal.New(store, journal.Options{Now: w.Now})
			writers.Go(func() {
				for range 10 {
					entry := json.RawMessage(route("shop", "/a", "1", "Route Change", w.Now()))
					if err := j.Append(context.Background(), journal.Source{User: graph.Anonymous}, journal.App, []json.RawMessage{entry}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		writers.Wait()
		got, err := w.Visits(t.Context(), journal.VisitQuery{From: w.Now(), To: w.Now().Add(time.Hour)})
		if err != nil || got.Visits != 40 || len(w.all(journal.Query{})) != 40 {
			t.Errorf("%d visits, %d entries, %v; want 40", got.Visits, len(w.all(journal.Query{})), err)
		}
	})
}

func TestSessions(t *testing.T) {
	everywhere(t, func(t *testing.T, store kv.Store) {
		w := newWorld(t, store, journal.Options{})
		anns, err := w.Begin(t.Context(), journal.Session{
			ID: 5, User: ann, Address: "192.0.2.1", RemoteAddress: "10.0.0.1", Self: "/x?token=hunter2", UserAgent: strings.Repeat("a", 1_000),
		})
		if err != nil || anns.ID < 1_000_000 || anns.ID > int64(graph.MaxID) || strings.Contains(anns.Self, "hunter2") || len(anns.UserAgent) > 500 {
			t.Fatalf("began %+v, %v", anns, err)
		}
		w.Move(time.Second)
		guests, err := w.Begin(t.Context(), journal.Session{User: graph.Anonymous})
		if err != nil {
			t.Fatal(err)
		}
		for _, url := range []string{"https://x.co/1", "https://x.co/2?password=hunter2"} {
			if _, err := w.Visit(t.Context(), ann, anns.ID, url); err != nil {
				t.Fatal(err)
			}
		}
		for _, row := range []struct{ user, session int64 }{{int64(ann) + 1, anns.ID}, {int64(ann), 404}, {int64(ann), -1}, {int64(ann), 0}} {
			if _, err := w.Visit(t.Context(), graph.ID(row.user), row.session, "x"); graph.KindOf(err) != graph.NotFound {
				t.Errorf("a visit of %d in session %d is answered with %v", row.user, row.session, err)
			}
		}
		newest, err := w.Sessions(t.Context(), 0, 1)
		if err != nil || len(newest) != 1 || newest[0].ID != guests.ID {
			t.Errorf("the newest is %+v, %v", newest, err)
		}
		anns.Pages = 2
		rest, err := w.Sessions(t.Context(), newest[0].ID, 10)
		if diff := cmp.Diff([]journal.Session{anns}, rest); err != nil || diff != "" {
			t.Errorf("the rest is %s, %v", diff, err)
		}
		pages, err := w.Pages(t.Context(), anns.ID, 1, 10)
		if err != nil || len(pages) != 1 || pages[0].URL != "https://x.co/2?password=[redacted]" {
			t.Errorf("the second page is %+v, %v", pages, err)
		}
	})
}
