package clientlog_test

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
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/telemetry/clientlog"
)

const ann graph.ID = 70_001

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main{M: m}) }

// onEveryStore runs a test in every store.
func onEveryStore(t *testing.T, test func(*testing.T, kv.Store)) {
	everystore.Run(t, func(t *testing.T, store graph.Store) { test(t, kv.In(store)) })
}

// newClock returns a clock that starts at the beginning of the current quarter, because entries expire by the clock of
// the store.
func newClock() *clock.Clock { return clock.At(time.Now().Truncate(clientlog.Quarter)) }

// A fixture is a log with a clock that the test advances.
type fixture struct {
	*clientlog.Log
	*clock.Clock
	t *testing.T
}

func newFixture(t *testing.T, store kv.Store, o clientlog.Options) fixture {
	c := newClock()
	o.Now = c.Now
	return fixture{clientlog.New(store, o), c, t}
}

func (f fixture) append(user graph.ID, session, typ string, entries ...string) {
	f.t.Helper()
	if err := f.tryAppend(user, session, typ, entries...); err != nil {
		f.t.Fatal(err)
	}
}

func (f fixture) tryAppend(user graph.ID, session, typ string, entries ...string) error {
	raw := make([]json.RawMessage, len(entries))
	for i, e := range entries {
		raw[i] = json.RawMessage(e)
	}
	return f.Append(f.t.Context(), clientlog.Source{User: user, Session: session}, typ, raw)
}

// searchAll reads every page of a query and returns the messages.
func (f fixture) searchAll(q clientlog.Query) (messages []string) {
	f.t.Helper()
	for {
		page, err := f.Search(f.t.Context(), q)
		if err != nil {
			f.t.Fatal(err)
		}
		for _, r := range page.Data {
			var e struct{ Message string }
			if err := json.Unmarshal(r.Entry, &e); err != nil {
				f.t.Fatal(err)
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
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		f := newFixture(t, store, clientlog.Options{})
		start := f.Now()
		f.append(ann, "s1", clientlog.App, message("1"), message("2"))
		f.Move(time.Minute)
		f.append(graph.Anonymous, "s2", clientlog.Client, message("3"), `{"level":"ERROR","message":"4","sessionId":77}`)
		f.Move(time.Minute)
		f.append(ann, "s1", clientlog.Client, `{"level":"Error","message":"5","code":"Ünusual"}`)
		f.Move(time.Minute)
		f.append(ann+1, "s3", clientlog.App, `{"level":"INFO","message":"6","data":{"sessionId":"77"}}`)
		for name, row := range map[string]struct {
			query clientlog.Query
			want  []string
		}{
			"everything, the newest first": {clientlog.Query{}, []string{"6", "5", "4", "3", "2", "1"}},
			"a type":                       {clientlog.Query{Type: clientlog.App}, []string{"6", "2", "1"}},
			"a user":                       {clientlog.Query{User: ann}, []string{"5", "2", "1"}},
			"guests":                       {clientlog.Query{User: clientlog.GuestUser}, []string{"4", "3"}},
			"an unknown user":              {clientlog.Query{User: 5}, nil},
			"a level in any case":          {clientlog.Query{Level: "error"}, []string{"5", "4"}},
			"the session of the sender":    {clientlog.Query{Session: "s1"}, []string{"5", "2", "1"}},
			"the session in the entry":     {clientlog.Query{Session: "77"}, []string{"6", "4"}},
			"a text":                       {clientlog.Query{Text: "üNUSUAL"}, []string{"5"}},
			"a time":                       {clientlog.Query{From: start.Add(time.Minute), To: start.Add(2 * time.Minute)}, []string{"5", "4", "3"}},
			"a user in a time":             {clientlog.Query{User: ann, From: start.Add(time.Second)}, []string{"5"}},
		} {
			for _, limit := range []int{0, 1, 2} {
				row.query.Limit = limit
				if diff := cmp.Diff(row.want, f.searchAll(row.query)); diff != "" {
					t.Errorf("%s, %d a page:\n%s", name, limit, diff)
				}
			}
		}
	})
}

func TestSearchesAreBounded(t *testing.T) {
	f := newFixture(t, &kv.Memory{}, clientlog.Options{})
	for i := range 600 {
		f.append(ann, "", clientlog.App, message(fmt.Sprint(i)))
		f.Move(time.Millisecond)
	}
	pages := 0
	q := clientlog.Query{Text: `"0"`}
	for ; ; pages++ {
		page, err := f.Search(t.Context(), q)
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

func TestSearchRejectsInvalidQueries(t *testing.T) {
	f := newFixture(t, &kv.Memory{}, clientlog.Options{})
	for _, q := range []clientlog.Query{
		{Limit: -1}, {Limit: 1_001}, {Type: "other"}, {Before: "x"}, {Before: "a/b.1"}, {Before: "a.-1"}, {Before: strings.Repeat("a", 101) + ".1"},
	} {
		if _, err := f.Search(t.Context(), q); graph.KindOf(err) != graph.Invalid {
			t.Errorf("%+v returned %v; want an invalid error", q, err)
		}
	}
}

func TestAppendRejectsInvalidEntries(t *testing.T) {
	f := newFixture(t, &kv.Memory{}, clientlog.Options{})
	if got := graph.KindOf(f.tryAppend(ann, "", "other", "{}")); got != graph.Invalid {
		t.Errorf("an unknown type of log: %q; want invalid", got)
	}
	for _, entry := range []string{"1", "null", "[]", `"x"`} {
		if got := graph.KindOf(f.tryAppend(ann, "", clientlog.App, "{}", entry)); got != graph.Invalid {
			t.Errorf("the entry %s: %q; want invalid", entry, got)
		}
	}
	if got := graph.KindOf(f.tryAppend(ann, "", clientlog.App, make([]string, 1_001)...)); got != graph.TooLarge {
		t.Errorf("1,001 entries: %q; want tooLarge", got)
	}
	if stored := f.searchAll(clientlog.Query{}); stored != nil {
		t.Errorf("entries were stored: %v", stored)
	}
}

func TestSecretsAreNotStored(t *testing.T) {
	const hidden = "hunter2"
	jwt := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0." + hidden
	inText := func(v string) string { text, _ := json.Marshal(v); return string(text) }
	for name, entry := range map[string]string{
		"a password":                       `{"password":"hunter2"}`,
		"a nested password in any case":    `{"data":{"a":[{"userPassWord":{"x":"hunter2"}}]}}`,
		"a token":                          `{"refreshToken":"hunter2","access_token":"hunter2","apiKey":"hunter2","api-key":"hunter2"}`,
		"headers":                          `{"headers":{"Authorization":"hunter2","Set-Cookie":"hunter2","X-Api-Key":"hunter2"}}`,
		"a login":                          `{"functionName":"LoginToBackend","functionParameters":[["a@b.co","hunter2","app"]]}`,
		"a signup":                         `{"functionName":"signUp","functionParameters":{"0":"hunter2"}}`,
		"a short name":                     `{"pwd":"hunter2","message":"pwd=hunter2"}`,
		"a bearer":                         `{"message":"sent Authorization: Bearer hunter2-abc and bearer hunter2"}`,
		"a JWT":                            `{"message":` + inText("got "+jwt+" back") + `}`,
		"JSON in a text":                   `{"data":{"body":` + inText(`{"email":"a@b.co","password":"x\"hunter2"}`) + `}}`,
		"JSON in JSON in a text":           `{"arguments":` + inText(`["{\"password\":\"hunter2\"}"]`) + `}`,
		"JSON in JSON in a JSON text":      `{"arguments":` + inText(`{"a":"{\"password\":\"hunter2\"}"}`) + `}`,
		"truncated JSON":                   `{"message":` + inText(`body {"password": "hunter2`) + `}`,
		"an address":                       `{"data":{"url":"https://x.co/reset?token=hunter2&a=1"}}`,
		"a form":                           `{"body":"email=a&password=hunter2"}`,
		"a name and a value in a list":     `{"message":"password: hunter2, user: ann"}`,
		"a secret at the cut":              `{"message":` + inText(strings.Repeat("x", 4080)+" token="+strings.Repeat(hidden, 200)) + `}`,
		"a secret in a very long text":     `{"message":` + inText(strings.Repeat("x", 9000)+" token="+hidden) + `}`,
		"other values under a secret name": `{"password":["hunter2",{"a":"hunter2"}],"kept":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, &kv.Memory{}, clientlog.Options{})
			f.append(ann, "", clientlog.Client, entry)
			page, err := f.Search(t.Context(), clientlog.Query{})
			if err != nil || len(page.Data) != 1 {
				t.Fatal(page, err)
			}
			if stored := string(page.Data[0].Entry); strings.Contains(stored, hidden) {
				t.Errorf("%s is stored as %s", entry, stored)
			}
		})
	}
}

func TestHarmlessTextsAreStoredUnchanged(t *testing.T) {
	f := newFixture(t, &kv.Memory{}, clientlog.Options{})
	entry := `{"data":{"code":500,"deep":[true,null,1.50]},"functionParameters":["a"],"level":"INFO","message":"passing by <a&b>: \"x\" – ünchanged","zebra":"unknown"}`
	f.append(ann, "", clientlog.Client, entry)
	page, err := f.Search(t.Context(), clientlog.Query{})
	if err != nil || len(page.Data) != 1 || string(page.Data[0].Entry) != entry {
		t.Errorf("%+v, %v; want %s", page, err, entry)
	}
}

func TestLongEntriesAreCut(t *testing.T) {
	f := newFixture(t, &kv.Memory{}, clientlog.Options{})
	deep := strings.Repeat(`{"a":`, 1_000) + "1" + strings.Repeat("}", 1_000)
	long := fmt.Sprintf(`{"stack":%q,"message":"still here"}`, strings.Repeat("é", 1<<20))
	wide := `{"message":"still here","list":[` + strings.Repeat(`"x",`, 100_000) + `"x"]` + strings.Repeat(`,"a":{"b":"c"}`, 1_000) + "}"
	var many strings.Builder
	many.WriteString(`{"message":"still here"`)
	for i := range 20_000 {
		fmt.Fprintf(&many, `,"%0200d":1`, i)
	}
	f.append(ann, "", clientlog.App, deep, long, wide, many.String()+"}")
	page, err := f.Search(t.Context(), clientlog.Query{})
	if err != nil || len(page.Data) != 4 {
		t.Fatal(len(page.Data), err)
	}
	for _, r := range page.Data {
		if n := len(r.Entry); n > 64<<10 {
			t.Errorf("an entry of %d bytes is stored: %.100s", n, r.Entry)
		}
	}
	if got := f.searchAll(clientlog.Query{}); !cmp.Equal(got, []string{"still here", "still here", "still here", ""}) {
		t.Errorf("messages %v", got)
	}
}

// Ten megabytes of entries must be stored in many values of permitted length, and keep their order.
func TestALongCallIsStoredInChunks(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		f := newFixture(t, store, clientlog.Options{})
		var entries, want []string
		for i := range 600 {
			text := fmt.Sprintf("%d %s", i, strings.Repeat("x", 4_000))
			entries, want = append(entries, message(text)), append([]string{text}, want...)
		}
		f.append(ann, "", clientlog.App, entries...)
		if diff := cmp.Diff(want, f.searchAll(clientlog.Query{User: ann})); diff != "" {
			t.Error(diff)
		}
		chunks, err := store.List(t.Context(), kv.Range{Prefix: "log/entry/"})
		if err != nil || len(chunks) < 8 || len(chunks) > 12 {
			t.Errorf("%d chunks, %v; want about ten", len(chunks), err)
		}
	})
}

func TestTheOldestEntriesAreDeletedFirst(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		const maxBytes = 100_000
		f := newFixture(t, store, clientlog.Options{MaxBytes: maxBytes})
		other := clientlog.New(store, clientlog.Options{MaxBytes: maxBytes, Now: f.Now})
		entry := func(i int) []json.RawMessage {
			return []json.RawMessage{json.RawMessage(message(fmt.Sprintf("%d %s", i, strings.Repeat("x", 3_000))))}
		}
		for i := range 100 {
			log := []*clientlog.Log{f.Log, other}[i%2]
			if err := log.Append(t.Context(), clientlog.Source{User: ann}, clientlog.Types[i%2], entry(i)); err != nil {
				t.Fatal(err)
			}
			f.Move(2 * time.Minute) // so that each log reads the sum again
		}
		count, bytes := 0, 0
		for _, prefix := range []string{"log/entry/", "log/own/"} {
			found, err := store.List(t.Context(), kv.Range{Prefix: prefix})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range found {
				bytes += len(e.Value)
			}
			count = len(found)
		}
		if bytes > maxBytes || count < 10 {
			t.Errorf("%d chunks of %d bytes remain; want a little less than %d bytes", count, bytes, maxBytes)
		}
		remaining := f.searchAll(clientlog.Query{})
		if len(remaining) != count || !strings.HasPrefix(remaining[0], "99 ") || !strings.HasPrefix(remaining[count-1], fmt.Sprint(100-count)+" ") {
			t.Errorf("the remaining entries are not the newest %d", count)
		}
	})
}

func TestEntriesExpire(t *testing.T) {
	store := &kv.Memory{}
	f := newFixture(t, store, clientlog.Options{Keep: time.Hour})
	f.append(ann, "s", clientlog.App, route("a", "/x", "s", "Initial Load", f.Now()))
	if _, err := f.AddSession(t.Context(), clientlog.Session{}); err != nil {
		t.Fatal(err)
	}
	all, err := store.List(t.Context(), kv.Range{})
	if err != nil || len(all) < 7 {
		t.Fatal(len(all), err)
	}
	for _, e := range all {
		if e.Expires.IsZero() || e.Expires.After(f.Now().Add(26*time.Hour)) {
			t.Errorf("%s expires %v", e.Key, e.Expires)
		}
	}
}

func route(application, url, session, message string, at time.Time) string {
	return fmt.Sprintf(`{"timestamp":%q,"level":"ROUTE","message":%q,"data":{"url":%q,"requestFrom":%q,"sessionId":%q}}`,
		at.UTC().Format(time.RFC3339Nano), message, url, application, session)
}

func TestVisits(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		f := newFixture(t, store, clientlog.Options{})
		start := f.Now()
		visit := func(app, url, session, message string) {
			f.append(graph.Anonymous, "998", clientlog.App, route(app, url, session, message, f.Now()))
		}
		visit("shop", "https://x.co/a?token=1#top", "1", "Initial Load")
		f.Move(10 * time.Second)
		visit("shop", "https://x.co/b", "1", "Route Change")
		visit("shop", "https://x.co/a", "2", "Initial Load")
		visit("blog", "https://y.co/", "1", "Initial Load")
		f.Move(20 * time.Second)
		visit("shop", "https://x.co/b", "1", "Unload")
		f.Move(20 * time.Minute)
		visit("shop", "https://x.co/a", "2", "Unload")
		visit("shop", "https://x.co/a", "1", "Initial Load")
		f.Move(2 * time.Hour)
		visit("shop", "https://x.co/b", "1", "Route Change") // after longestStay, so the visitor was away

		got, err := f.Visits(t.Context(), clientlog.VisitQuery{Application: "shop", From: start, To: start.Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		second := start.Add(clientlog.Quarter).UTC()
		want := clientlog.Visits{
			From: start.UTC(), To: start.Add(time.Hour).UTC(), Visits: 4, Count: 2,
			Pages: []clientlog.PageVisits{
				{Application: "shop", Page: "https://x.co/a", Visits: 3, Seconds: 10 + 20*60 + 20},
				{Application: "shop", Page: "https://x.co/b", Visits: 1, Seconds: 20},
			},
			Latest: []clientlog.SessionVisit{
				{Application: "shop", Session: "1", Visits: 3, First: start.UTC(), Last: second},
				{Application: "shop", Session: "2", Visits: 1, First: start.UTC(), Last: start.UTC()},
			},
			Quarter: []clientlog.QuarterVisit{{At: start.UTC(), Visits: 3, Sessions: 2}, {At: second, Visits: 1, Sessions: 1}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		all, err := f.Visits(t.Context(), clientlog.VisitQuery{From: start, To: start.Add(24 * time.Hour)})
		if err != nil || all.Visits != 6 || all.Count != 3 || len(all.Pages) != 3 {
			t.Errorf("all visits = %+v, %v; want 6 in 3 sessions on 3 pages", all, err)
		}
	})
}

func TestInvalidPeriodsAreRefused(t *testing.T) {
	f := newFixture(t, &kv.Memory{}, clientlog.Options{})
	now := f.Now()
	for _, q := range []clientlog.VisitQuery{{From: now, To: now}, {From: now, To: now.Add(-1)}, {From: now.Add(-32 * 24 * time.Hour), To: now}} {
		if _, err := f.Visits(t.Context(), q); graph.KindOf(err) != graph.Invalid {
			t.Errorf("%+v: %v; want the kind invalid", q, err)
		}
	}
}

// A sender who invents page names must only cause a bounded number of keys.
func TestInventedPagesAreBounded(t *testing.T) {
	store := &kv.Memory{}
	f := newFixture(t, store, clientlog.Options{})
	for i := range 8 {
		var entries []string
		for k := range 1_000 {
			n := i*1_000 + k
			entries = append(entries, route(fmt.Sprint("app|", n), strings.Repeat("/", n%500)+fmt.Sprint(n), fmt.Sprint(n), "Initial Load", f.Now()))
		}
		f.append(graph.Anonymous, "998", clientlog.App, entries...)
	}
	counts, err := store.List(t.Context(), kv.Range{Prefix: "log/visit/"})
	if err != nil || len(counts) > 5_002 {
		t.Errorf("%d counts are stored, %v", len(counts), err)
	}
	all, err := f.Visits(t.Context(), clientlog.VisitQuery{From: f.Now(), To: f.Now().Add(time.Hour)})
	if err != nil || all.Visits != 8_000 || len(all.Pages) > 500 || len(all.Latest) > 500 {
		t.Errorf("%d visits, %d pages, %d sessions, %v", all.Visits, len(all.Pages), len(all.Latest), err)
	}
}

// Several servers count the visits of one session concurrently. No visit may be lost.
func TestConcurrentVisitsAreAllCounted(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		f := newFixture(t, store, clientlog.Options{})
		var writers sync.WaitGroup
		for range 4 {
			log := clientlog.New(store, clientlog.Options{Now: f.Now})
			writers.Go(func() {
				for range 10 {
					entry := json.RawMessage(route("shop", "/a", "1", "Route Change", f.Now()))
					if err := log.Append(context.Background(), clientlog.Source{User: graph.Anonymous}, clientlog.App, []json.RawMessage{entry}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		writers.Wait()
		got, err := f.Visits(t.Context(), clientlog.VisitQuery{From: f.Now(), To: f.Now().Add(time.Hour)})
		if err != nil || got.Visits != 40 || len(f.searchAll(clientlog.Query{})) != 40 {
			t.Errorf("%d visits, %d entries, %v; want 40", got.Visits, len(f.searchAll(clientlog.Query{})), err)
		}
	})
}

func TestSessions(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		f := newFixture(t, store, clientlog.Options{})
		anns, err := f.AddSession(t.Context(), clientlog.Session{
			ID: 5, User: ann, Address: "192.0.2.1", RemoteAddress: "10.0.0.1", Self: "/x?token=hunter2", UserAgent: strings.Repeat("a", 1_000),
		})
		if err != nil || anns.ID < 1_000_000 || anns.ID > int64(graph.MaxID) || strings.Contains(anns.Self, "hunter2") || len(anns.UserAgent) > 500 {
			t.Fatalf("began %+v, %v", anns, err)
		}
		f.Move(time.Second)
		guests, err := f.AddSession(t.Context(), clientlog.Session{User: graph.Anonymous})
		if err != nil {
			t.Fatal(err)
		}
		for _, url := range []string{"https://x.co/1", "https://x.co/2?password=hunter2"} {
			if _, err := f.AddPageVisit(t.Context(), ann, anns.ID, url); err != nil {
				t.Fatal(err)
			}
		}
		for _, row := range []struct{ user, session int64 }{{int64(ann) + 1, anns.ID}, {int64(ann), 404}, {int64(ann), -1}, {int64(ann), 0}} {
			if _, err := f.AddPageVisit(t.Context(), graph.ID(row.user), row.session, "x"); graph.KindOf(err) != graph.NotFound {
				t.Errorf("a visit of %d in session %d: %v; want not found", row.user, row.session, err)
			}
		}
		newest, err := f.Sessions(t.Context(), 0, 1)
		if err != nil || len(newest) != 1 || newest[0].ID != guests.ID {
			t.Errorf("the newest session = %+v, %v; want only session %d", newest, err, guests.ID)
		}
		anns.Pages = 2
		rest, err := f.Sessions(t.Context(), newest[0].ID, 10)
		if diff := cmp.Diff([]clientlog.Session{anns}, rest); err != nil || diff != "" {
			t.Errorf("the other sessions: %v, (-want +got)\n%s", err, diff)
		}
		pages, err := f.PageVisits(t.Context(), anns.ID, 1, 10)
		if err != nil || len(pages) != 1 || pages[0].URL != "https://x.co/2?password=[redacted]" {
			t.Errorf("the second page visit = %+v, %v; want its URL without the password", pages, err)
		}
	})
}

func TestCallsOfOneMillisecondStayInOrder(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		f := newFixture(t, store, clientlog.Options{Keep: time.Hour, MaxBytes: 1 << 20}) // the clock of a fixture does not advance by itself
		var want []string
		for i := range 20 {
			entry := fmt.Sprintf(`{"message":"%d"}`, i)
			f.append(ann, "", clientlog.App, entry)
			want = append([]string{entry}, want...)
		}
		page, err := f.Search(t.Context(), clientlog.Query{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range page.Data {
			got = append(got, string(r.Entry))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
