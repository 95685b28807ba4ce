package server_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/files/blob"
	"github.com/weft-graph/weft/internal/files/upload"
	"github.com/weft-graph/weft/internal/mail"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/site/page"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/sqlite"
	"github.com/weft-graph/weft/internal/telemetry/clientlog"
	"github.com/weft-graph/weft/internal/telemetry/usage"
)

// The callers of the access tests. The owner is Ann. Both API keys belong to Ann: one may only read, the other is
// limited to the type the_note. The other user is Bob.
const (
	guest     = "a guest"
	owner     = "the owner"
	otherUser = "another user"
	admin     = "an admin"
	readKey   = "a key that only reads"
	noteKey   = "a key for notes"
)

var callers = []string{guest, owner, otherUser, admin, readKey, noteKey}

// The records of the access tests. A connection is named by its ends: "a>b", or "a=b" for a second connection between
// the same records.
var (
	annsConcepts  = []string{"diary", "secret", "style", "draft", "sent"}
	annsLinks     = []string{"open>secret", "open=secret", "diary>secret", "board>diary", "open>board", "widget>style", "widget>draft", "widget=draft"}
	sharedRecords = []string{"open", "board", "title", "widget", "html", "open>title", "open=title", "board>open", "widget>html"}
	allRecords    = slices.Concat(sharedRecords, annsConcepts, annsLinks, []string{"bobs", "bobs>open", "vault", "vault>open"})

	// visibleTo lists the records that each caller may see.
	visibleTo = map[string][]string{
		guest:     sharedRecords,
		otherUser: append(slices.Clone(sharedRecords), "bobs", "bobs>open"),
		owner:     slices.Concat(sharedRecords, annsConcepts, annsLinks),
		readKey:   slices.Concat(sharedRecords, annsConcepts, annsLinks),
		admin:     allRecords,
		noteKey:   {"open", "diary", "board", "board>open", "board>diary", "open>board"},
	}
)

// An accessFixture is a server with the records and callers of the access tests.
type accessFixture struct {
	t        *testing.T
	as       func(access.Caller) graph.Store
	url      string
	accounts *account.Accounts
	store    graph.Store
	ids      map[string]graph.ID // of records and types, by name
	users    map[string]graph.ID
	tokens   map[string]string
	requests int // makes the local ids of each request unique
}

// newAccessFixture starts a server. If change is not nil, it replaces the store as callers see it.
func newAccessFixture(t *testing.T, change func(view, store graph.Store) graph.Store) *accessFixture {
	t.Helper()
	store, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	accounts, err := account.New(t.Context(), store, account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	policies := server.NewPolicies(page.Policy{}, accounts)
	pages, err := server.Pages(store, fstest.MapFS{}, server.PageOptions{Policies: policies})
	if err != nil {
		t.Fatal(err)
	}
	disk, err := blob.OpenDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = disk.Close() })
	log := slog.New(slog.DiscardHandler)
	s := server.New(store, server.Options{
		Accounts: accounts, Pages: pages, Policies: policies, Usage: usage.New(kv.In(store), nil), Attempts: 1_000,
		ClientLog: clientlog.New(kv.In(store), clientlog.Options{}), Mail: mail.NewQueue(kv.In(store), 1_000, log),
		Uploads: upload.New(kv.In(store), disk, upload.Options{Limits: upload.Limits{Image: 1 << 20, File: 1 << 20, Quota: 1 << 20}, Spool: t.TempDir(), Log: log}),
	})
	if change != nil {
		s.ReplaceView(change)
	}
	web := httptest.NewServer(s)
	t.Cleanup(func() { s.Close(); web.Close() })
	f := &accessFixture{t: t, as: s.As, accounts: accounts, url: web.URL, store: store, ids: map[string]graph.ID{}, users: map[string]graph.ID{guest: graph.Anonymous}, tokens: map[string]string{}}
	f.addUsers(accounts)
	f.writeTestRecords()
	return f
}

func (f *accessFixture) addUsers(accounts *account.Accounts) {
	f.t.Helper()
	for _, callerName := range []string{owner, otherUser, admin} {
		u, err := accounts.Add(f.t.Context(), account.Person{Email: strings.ReplaceAll(callerName, " ", "-") + "@example.org", Password: "correct horse"}, callerName == admin)
		if err != nil {
			f.t.Fatal(err)
		}
		f.users[callerName] = u.ID
		if f.tokens[callerName], err = accounts.Token(f.t.Context(), u.ID); err != nil {
			f.t.Fatal(err)
		}
	}
	for callerName, key := range map[string]account.Key{readKey: {Name: "reads"}, noteKey: {Name: "notes", Write: true, Types: []string{"the_note"}}} {
		key.User = f.users[owner]
		f.users[callerName] = key.User
		var err error
		if _, f.tokens[callerName], err = accounts.NewKey(f.t.Context(), key); err != nil {
			f.t.Fatal(err)
		}
	}
}

// writeTestRecords writes the records: one record in a batch of its own, the others in one batch.
func (f *accessFixture) writeTestRecords() {
	f.t.Helper()
	var b graph.Batch
	localIDs := map[string]graph.ID{}
	concept := func(name, typ, value, callerName string, access graph.Access) {
		kind := graph.DraftValue
		if value == "" {
			kind = graph.DraftComposition
		}
		localIDs[name] = graph.ID(-1 - len(localIDs))
		b.Concepts = append(b.Concepts, graph.ConceptDraft{
			LocalID: localIDs[name], Kind: kind, TypeName: typ, Value: value, Owner: f.users[callerName], Access: access,
		})
	}
	concept("open", "the_note", "", owner, graph.Public)
	concept("diary", "the_note", "", owner, graph.Private)
	concept("board", "the_note", "", guest, graph.Private)
	concept("bobs", "the_note", "", otherUser, graph.Private)
	concept("vault", "the_note", "", admin, graph.Admin)
	concept("title", "the_title", "hello", owner, graph.Public)
	concept("secret", "the_title", "hush", owner, graph.Private)
	concept("widget", "the_widget", "", owner, graph.Public)
	concept("draft", "the_widget", "", owner, graph.Private)
	concept("html", "the_html", "<b>", owner, graph.Public)
	concept("style", "the_css", "b{}", owner, graph.Private)
	var names []string
	link := func(name, typ, callerName string, access graph.Access) {
		at := strings.IndexAny(name, ">=")
		d := graph.ConnectionDraft{From: localIDs[name[:at]], To: localIDs[name[at+1:]], TypeName: typ, Owner: f.users[callerName], Access: access}
		if typ == "" {
			d.Type = d.From
		}
		names, b.Connections = append(names, name), append(b.Connections, d)
	}
	link("open>title", "", owner, graph.Public)
	link("open>secret", "", owner, graph.Private)
	link("diary>secret", "", owner, graph.Private)
	link("open=title", "the_note_title", owner, graph.Public)
	link("open=secret", "the_note_title", owner, graph.Private)
	link("board>open", "the_note_s_note", guest, 0)
	link("board>diary", "the_note_s_note", guest, 0)
	link("open>board", "the_note_s_note", owner, graph.Private)
	link("vault>open", "the_note_s_note", admin, graph.Public)
	link("bobs>open", "the_note_s_note", otherUser, graph.Private)
	link("widget>html", "the_widget_html", owner, graph.Public)
	link("widget>style", "the_widget_css", owner, graph.Private)
	link("widget>draft", "the_widget_latest", owner, graph.Private)
	link("widget=draft", "the_widget_recent", owner, graph.Private)
	b.Sender.User = graph.System
	receipt := f.write(b)
	for name, localID := range localIDs {
		f.ids[name] = receipt.Concepts[-1-localID].ID
	}
	for i, name := range names {
		f.ids[name] = receipt.Connections[i].ID
	}
	f.ids["sent"] = f.write(graph.Batch{Sender: graph.Sender{User: f.users[owner]}, Concepts: []graph.ConceptDraft{
		{LocalID: -900, TypeName: "the_title", Value: "sent"},
	}}).Concepts[0].ID
	f.write(graph.Batch{ // a connection that is removed keeps its local id
		Sender:            graph.Sender{User: f.users[owner]},
		Connections:       []graph.ConnectionDraft{{LocalID: -900, From: f.ids["open"], To: f.ids["board"], TypeName: "the_note_s_note"}},
		RemoveConnections: []graph.ID{-900},
	})
	types := []string{"the_note", "the_title", "the_note_title", "the_note_s_note", "the_widget", "the_widget_html"}
	found, err := graph.TypesNamed(f.t.Context(), f.store, types...)
	if err != nil || len(found) != len(types) {
		f.t.Fatalf("found the types %v, %v", found, err)
	}
	for name, c := range found {
		f.ids[name] = c.ID
	}
	f.ids["ann"] = f.users[owner]
}

func (f *accessFixture) write(b graph.Batch) graph.Receipt {
	f.t.Helper()
	receipt, err := f.store.Write(f.t.Context(), b)
	if err != nil {
		f.t.Fatal(err)
	}
	return receipt
}

// send sends a request in which names in braces are replaced by ids.
func (f *accessFixture) send(callerName, method, path, body string) (status int, responseBody string) {
	f.t.Helper()
	f.ids["me"] = f.users[callerName]
	path, body = f.fillIDs(path), f.fillIDs(body)
	ctx, cancel := context.WithTimeout(f.t.Context(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, f.url+path, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("Content-Type", asForm)
	switch {
	case strings.HasPrefix(body, "[") || strings.HasPrefix(body, "{"):
		r.Header.Set("Content-Type", asJSON)
	case strings.HasPrefix(body, "--part"):
		r.Header.Set("Content-Type", "multipart/form-data; boundary=part")
	}
	if f.requests++; !strings.Contains(path, "translate") { // translate works only for a session with one randomizer
		r.Header.Set("Randomizer", strconv.Itoa(f.requests))
	}
	if f.tokens[callerName] != "" {
		r.Header.Set("Authorization", "Bearer "+f.tokens[callerName])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		f.t.Fatal(err)
	}
	defer response.Body.Close()
	if response.Header.Get("Content-Type") == "text/event-stream" {
		return response.StatusCode, f.readEvents(response.Body)
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// readEvents writes a note that all callers can see, and returns the events that precede the note in the stream.
func (f *accessFixture) readEvents(stream io.Reader) string {
	_, created := f.send(admin, "POST", "/api/v1/local-concepts",
		`{"concepts":[{"id":-1000,"categoryId":4,"typeCharacter":"the_note","characterValue":"`+rand.Text()+`","accessId":5}]}`)
	last := idNumbers.FindString(created)
	var text strings.Builder
	for lines := bufio.NewScanner(stream); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "data: ") && strings.Contains(lines.Text(), last) {
			return text.String()
		}
		text.WriteString(lines.Text() + "\n")
	}
	f.t.Error("the stream ended")
	return text.String()
}

var (
	placeholders = regexp.MustCompile(`\{[a-z_>=]+\}`)
	idNumbers    = regexp.MustCompile(`\d{6,}`)
)

// fillIDs replaces each name in braces with the id of the record or type.
func (f *accessFixture) fillIDs(text string) string {
	return placeholders.ReplaceAllStringFunc(text, func(name string) string {
		id, known := f.ids[strings.Trim(name, "{}")]
		if !known {
			f.t.Fatalf("unknown record %s", name)
		}
		return id.String()
	})
}

// recordsIn returns the records whose ids occur in a response.
func (f *accessFixture) recordsIn(responseBody string) []string {
	ids := map[graph.ID]bool{}
	for _, number := range idNumbers.FindAllString(responseBody, -1) {
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			ids[graph.ID(n)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(allRecords), func(name string) bool { return !ids[f.ids[name]] })
}

// A readTest is a request for records. No response may mention a record that the caller may not see.
type readTest struct {
	method, path, body string
	finds              []string            // records of which each caller finds those that the caller may see
	exactly            map[string][]string // keyed by caller, the exact records on a page; hidden records must not shorten the page
	contains           map[string]string   // keyed by caller, text that the response must contain
}

// perRecord returns one readTest for each record. The request names the record as {it}.
func perRecord(method, path, body string, names ...string) []readTest {
	var rows []readTest
	for _, name := range names {
		fill := strings.NewReplacer("{it}", "{"+name+"}")
		rows = append(rows, readTest{method: method, path: fill.Replace(path), body: fill.Replace(body), finds: []string{name}})
	}
	return rows
}

var (
	someConcepts = []string{"open", "diary", "board", "bobs", "vault", "title", "secret", "widget", "draft"}
	someLinks    = []string{"open>title", "open>secret", "open=secret", "board>open", "board>diary", "open>board", "vault>open", "bobs>open"}
	notes        = []string{"open", "diary", "board", "bobs", "vault"}
)

// perCaller formats a number for each caller.
func perCaller(format string, guests, others, owners, admins, noteKeys int) map[string]string {
	return map[string]string{
		guest: fmt.Sprintf(format, guests), otherUser: fmt.Sprintf(format, others), owner: fmt.Sprintf(format, owners),
		readKey: fmt.Sprintf(format, owners), admin: fmt.Sprintf(format, admins), noteKey: fmt.Sprintf(format, noteKeys),
	}
}

// readTests returns at least one test for each route that reads from the graph.
func readTests() []readTest {
	ids := func(names []string) string { return "[{" + strings.Join(names, "},{") + "}]" }
	newest := map[string][]string{otherUser: {"bobs>open", "bobs", "open"}, admin: {"bobs>open", "bobs", "open"}}
	for _, callerName := range []string{guest, owner, readKey, noteKey} {
		newest[callerName] = []string{"board>open", "board", "open"}
	}
	next := map[string][]string{otherUser: {"board>open", "board", "open"}, admin: {"vault>open", "vault", "open"}}
	for _, callerName := range []string{guest, owner, readKey, noteKey} {
		next[callerName] = nil
	}
	inOpen := []string{"open>title", "open>secret"}
	linked := []string{"open>board", "open=title", "open=secret", "open>title", "open>secret"}
	toOpen := []string{"board>open", "vault>open", "bobs>open"}
	const query = `{"type":"the_note","inpage":10,"page":1,"outputFormat":6,"filters":[],"filterLogic":"",`
	const titled = `{"type":"the_note","freeschemaQueries":[{"typeConnection":"the_note_title","name":"title"}],` +
		`"filters":[{"name":"hush","type":"the_title","operateon":"title","search":"HUSH"}],"filterLogic":"hush"}`
	secretFound := []string{"open", "secret", "open=secret"}
	total := perCaller(`"mainCount":%d,`, 2, 3, 3, 5, 3)
	ownedBy := func(anns, guests, bobs, admins []string) map[string][]string {
		return map[string][]string{owner: anns, readKey: anns, guest: guests, otherUser: bobs, admin: admins, noteKey: {"diary", "open"}}
	}
	anns := []string{"diary", "draft", "html", "open", "secret", "sent", "style", "title", "widget"}
	oneUseEach := func(names []string) string { return `"{` + strings.Join(names, `}":1,"{`) + `}":1` }
	sentOnly := map[string][]string{guest: nil, otherUser: nil, admin: nil, noteKey: nil, owner: {"sent"}, readKey: {"sent"}}
	const taken = `{"taken":true}`
	takenUnlessLimited := map[string]string{owner: taken, readKey: taken, guest: taken, otherUser: taken, admin: taken, noteKey: `{"taken":false}`}
	anyText := "?composition=the_note&search=&internalComposition=&type=the_note&inpage=10&page=1"
	textHush := "?composition=the_note&search=hush&internalComposition=the_title&type=the_note&inpage=10&page=1"
	steps := `[{"composition":{open},"fullLinkers":["the_note_s_note"],"inpage":10,"page":1,"ofCompositions":[{open}]}]`
	back := `[{"composition":{open},"fullLinkers":["the_note_s_note"],"reverse":true,"inpage":10,"page":1,"ofCompositions":[{open}]}]`
	return slices.Concat(
		queryReadTests(),
		perRecord("POST", "/api/getConcept", "id={it}", someConcepts...),
		perRecord("POST", "/api/get-connection-by-id", "id={it}", someLinks...),
		perRecord("POST", "/api/make-name-from-frontend", "newConceptId={it}", someConcepts...),
		perRecord("GET", "/api/get-widget?id={it}", "", "draft"),
		[]readTest{
			{method: "POST", path: "/api/get_concept_bulk", body: ids(someConcepts), finds: someConcepts},
			{method: "POST", path: "/api/get_concept_by_character_value", body: "character_value=hush", finds: []string{"secret"}},
			{method: "POST", path: "/api/get_concept_by_character_value", body: "character_value=hello", finds: []string{"title"}},
			{method: "POST", path: "/api/get_concept_by_character_and_category", body: "character_value=hush", finds: []string{"secret"}},
			{method: "POST", path: "/api/get_concept_by_character_and_type", body: "character_value=hush&type_id={the_title}", finds: []string{"secret"}},
			// Uniqueness is checked among the records of all users; see unique_test.go.
			{method: "POST", path: "/api/v1/value-taken", body: `{"type":"the_title","value":"hush"}`, contains: takenUnlessLimited},
			{method: "POST", path: "/api/get_concept_by_character_and_category_direct", body: "character_value=hush&category_id=4", finds: []string{"secret"}},
			{method: "POST", path: "/api/get_character_by_character", body: "character_value=hush", finds: []string{"secret"}},
			{method: "POST", path: "/api/create_character_data", body: `{"data":"hush"}`, finds: []string{"secret"}},
			{method: "POST", path: "/api/get_type_concept_by_character_bulk", body: `["the_note"]`},
			{method: "POST", path: "/api/get_all_concepts_by_type", body: "type=the_note", finds: notes},
			{method: "POST", path: "/api/get_all_concepts_by_type", body: "type=the_note&after={open}", finds: notes[1:]},
			{method: "POST", path: "/api/get_all_concepts_by_type", body: "type=the_title", finds: []string{"title", "secret", "sent"}},

			{method: "POST", path: "/api/get_connection_bulk", body: ids(someLinks), finds: someLinks},
			{method: "POST", path: "/api/get_all_connections_of_composition", body: "composition_id={open}", finds: inOpen},
			{method: "POST", path: "/api/get_all_connections_of_composition", body: "composition_id={diary}", finds: []string{"diary>secret"}},
			{method: "POST", path: "/api/get_all_connections_of_composition_bulk", body: "[{open}]", finds: inOpen},
			{method: "POST", path: "/api/view-api-internal-data-ccs-id-bulk", body: "[{open}]", finds: inOpen},
			{method: "POST", path: "/api/get-link-connections", body: "typeId={the_note_title}&ofTheConceptId={open}", finds: []string{"open=title", "open=secret"}},
			{method: "POST", path: "/api/get-link-reverse-connections", body: "typeId={the_note_s_note}&toTheConceptId={open}&inpage=1&page=1", exactly: newest},
			{method: "POST", path: "/api/get-link-reverse-connections", body: "typeId={the_note_s_note}&toTheConceptId={open}&inpage=1&page=2", exactly: next},
			{method: "GET", path: "/api/get-all-linkers-to-concept?conceptId={open}", finds: toOpen},
			{method: "GET", path: "/api/get-all-linkers-from-concept?conceptId={open}", finds: linked},
			{method: "POST", path: "/api/get-composition-connection-between-two-concepts", body: "ofConceptId={open}&mainKey={open}&toConceptId={secret}", finds: []string{"open>secret"}},
			{method: "POST", path: "/api/get-connection-by-types", body: `{"ofTheConceptId":{open},"connectionTypes":["the_note_s_note"]}`, finds: []string{"open>board"}},
			{method: "POST", path: "/api/get-connection-between", body: `[{"ofTheConceptId":{open},"toTheConceptId":{board},"type":"the_note_s_note"}]`, finds: []string{"open>board"}},
			{method: "POST", path: "/api/get-connection-between", body: `[{"typeId":{open},"isComposition":true}]`, finds: []string{"open", "open>title", "open>secret"}},

			{method: "GET", path: "/api/v1/graph/node?id={open}&nearest=100", finds: []string{"open", "board", "bobs", "vault", "title", "secret", "open>board", "board>open", "bobs>open", "vault>open", "open=title", "open=secret"}},
			{method: "GET", path: "/api/v1/graph/node?id={vault}", finds: []string{"vault"}},
			{method: "GET", path: "/api/v1/graph/neighbors?id={open}&type=the_note_s_note&reverse=true", finds: []string{"board", "bobs", "vault", "board>open", "bobs>open", "vault>open"}},
			{method: "GET", path: "/api/v1/graph/neighbors?id={open}&type=the_note_title&search=HUSH", finds: []string{"secret", "open=secret"}},
			{method: "GET", path: "/api/v1/graph/neighbors?id={secret}&reverse=true", exactly: map[string][]string{owner: {"open", "diary", "secret", "open>secret", "diary>secret"}, readKey: {"open", "diary", "secret", "open>secret", "diary>secret"}, admin: {"open", "diary", "secret", "open>secret", "diary>secret"}}},
			{method: "POST", path: "/api/v1/graph/nodes", body: ids([]string{"open", "diary", "board", "vault"}), finds: []string{"open", "diary", "board", "vault", "board>open", "board>diary", "vault>open", "open>board"}},
			{method: "GET", path: "/api/v1/graph/path?from={diary}&to={open}", exactly: map[string][]string{owner: {"diary", "board", "open", "secret", "board>open", "board>diary"}, readKey: {"diary", "board", "open", "secret", "board>open", "board>diary"}, admin: {"diary", "board", "open", "secret", "board>open", "board>diary"}, noteKey: {"diary", "board", "open", "board>open", "board>diary"}}},
			{method: "GET", path: "/api/v1/graph/path?from={bobs}&to={vault}", exactly: map[string][]string{admin: {"open", "bobs", "secret", "vault", "bobs>open", "vault>open"}}},

			{method: "POST", path: "/api/freeschema-query", body: query + `"freeschemaQueries":[]}`, finds: notes, contains: total},
			{method: "POST", path: "/api/freeschema-query", body: `{"type":"the_note","inpage":1,"page":2,"order":"ASC","freeschemaQueries":[]}`, contains: total, exactly: map[string][]string{guest: {"board"}, owner: {"diary"}, readKey: {"diary"}, otherUser: {"board"}, admin: {"diary"}, noteKey: {"diary"}}},
			{method: "POST", path: "/api/freeschema-query", body: `{"conceptIds":` + ids(notes) + `,"inpage":10,"page":1,"freeschemaQueries":[]}`, finds: notes, contains: total},
			{method: "POST", path: "/api/freeschema-query", body: `{"conceptIds":[{open}],"inpage":10,"page":1,"selectors":["the_note_title"],"freeschemaQueries":[{"typeConnection":"self","limit":true}]}`, finds: []string{"open", "title", "secret", "open=title", "open=secret", "open>title", "open>secret"}},
			{method: "POST", path: "/api/freeschema-query", body: `{"conceptIds":[{open}],"inpage":10,"page":1,"freeschemaQueries":[{"typeConnection":"the_note_s_note"}]}`, finds: []string{"open>board"}},
			{method: "POST", path: "/api/freeschema-query", body: `{"conceptIds":[{open}],"inpage":10,"page":1,"freeschemaQueries":[{"typeConnection":"the_note_s_note","reverse":true}]}`, finds: toOpen},
			{method: "POST", path: "/api/freeschema-query", body: `{"conceptIds":[{open}],"inpage":10,"page":1,"freeschemaQueries":[{"typeConnection":"the_note_s_note","reverse":true,"limit":true,"inpage":1,"page":1}]}`, exactly: newest, contains: perCaller(`_%d"]`, 1, 2, 1, 3, 1)},
			{method: "POST", path: "/api/freeschema-query", body: titled, exactly: map[string][]string{guest: nil, otherUser: nil, noteKey: nil, owner: secretFound, readKey: secretFound, admin: secretFound}, contains: perCaller(`"mainCount":%d,`, 0, 0, 1, 1, 0)},

			{method: "POST", path: "/api/recursivesearch-concept-connection", body: `{"composition":{open},"listLinkers":["note"],"textSearch":""}`, finds: append(slices.Clone(inOpen), "open", "diary>secret", "open>board")},
			{method: "POST", path: "/api/Connection/search-link-multiple-all-ccs", body: steps, finds: []string{"open", "open>board", "open>title", "open>secret"}},
			{method: "POST", path: "/api/Connection/search-link-multiple-all", body: back, finds: toOpen},
			{method: "POST", path: "/api/search-all-with-linker-ccs" + anyText, body: "", finds: notes},
			{method: "POST", path: "/api-search-compositions-internal-clean-ccs" + anyText, body: "", finds: notes},
			{method: "GET", path: "/api-search-compositions-internal-clean-ccs" + anyText, finds: notes},
			{method: "GET", path: "/api-search-compositions-internal-clean-ccs" + textHush, exactly: map[string][]string{guest: nil, otherUser: nil, noteKey: nil, owner: {"diary", "open"}, readKey: {"diary", "open"}, admin: {"diary", "open"}}},
			{method: "GET", path: "/api/search-composition-internal-authenticated-ccs" + anyText, finds: notes},
			{method: "GET", path: "/api/search-compositions" + anyText, finds: notes},

			{method: "GET", path: "/api/get-widget?id={widget}", finds: []string{"widget", "html", "style", "widget>html", "widget>style"}},
			{method: "GET", path: "/api/get-latest-widget?id={widget}", exactly: map[string][]string{guest: {"widget", "html", "widget>html"}, otherUser: {"widget", "html", "widget>html"}, owner: {"draft"}, readKey: {"draft"}, admin: {"draft"}, noteKey: nil}},
			{method: "GET", path: "/api/get-recent-widget?id={widget}", exactly: map[string][]string{guest: {"widget", "html", "widget>html"}, otherUser: {"widget", "html", "widget>html"}, owner: {"draft"}, readKey: {"draft"}, admin: {"draft"}, noteKey: nil}},

			{method: "POST", path: "/api/get_all_concepts_of_user", body: "user_id={me}", exactly: ownedBy(anns, nil, []string{"bobs"}, []string{"vault"})},
			{method: "POST", path: "/api/get_all_concepts_of_user", body: "user_id={ann}", exactly: ownedBy(anns, nil, nil, anns)},
			{method: "POST", path: "/api/get_all_connections_of_user?inpage=1", body: "user_id={me}", exactly: map[string][]string{noteKey: {"open>board", "open", "board"}}},
			{method: "POST", path: "/api/get_all_connections_of_user", body: "user_id={me}", exactly: map[string][]string{guest: nil, otherUser: {"bobs", "bobs>open", "open"}, admin: {"open", "vault", "vault>open"}}},
			{method: "POST", path: "/api/v1/access-tracker/sync-access-tracker", body: `{"concepts":{` + oneUseEach(someConcepts) + `},"connections":{` + oneUseEach(someLinks) + `}}`},
			{method: "GET", path: "/api/v1/access-tracker/list-concepts-file", finds: someConcepts[:3]},
			{method: "GET", path: "/api/v1/access-tracker/list-connections-file", finds: []string{"open>title", "board>open"}},

			{method: "POST", path: "/api/v1/local-concepts-translate", body: "id=-900", exactly: sentOnly},
			{method: "GET", path: "/api/v1/events?after=0", finds: allRecords},
			{method: "GET", path: "/api/get-preloaded-concepts"},
			{method: "GET", path: "/api/v1/pages?slug=/"},
		},
	)
}

func visible(callerName string, records []string) (found []string) {
	for _, name := range records {
		if slices.Contains(visibleTo[callerName], name) {
			found = append(found, name)
		}
	}
	return found
}

// run sends the request as each caller and returns a description of each failure.
func (r readTest) run(f *accessFixture) (failures []string) {
	for _, callerName := range callers {
		status, responseBody := f.send(callerName, r.method, r.path, r.body)
		got := f.recordsIn(responseBody)
		want := slices.Concat(visible(callerName, r.finds), visible(callerName, got))
		if exact, ok := r.exactly[callerName]; ok {
			want = exact
		}
		slices.Sort(got)
		slices.Sort(want)
		diff := cmp.Diff(slices.Compact(want), got, cmpopts.EquateEmpty())
		if status >= 500 || diff != "" || !strings.Contains(responseBody, r.contains[callerName]) {
			failures = append(failures, fmt.Sprintf("%s %s %s as %s: status %d; want %s in the response and (-want +got)\n%s%.600s", r.method, r.path, r.body, callerName, status, r.contains[callerName], diff, responseBody))
		}
	}
	return failures
}

// checkLocalIDs checks that no caller can resolve the local ids of another user. It asks the store directly, because
// every route resolves only ids of the caller.
func (f *accessFixture) checkLocalIDs() (failures []string) {
	notes := &access.Scope{Types: []string{"the_note"}}
	for _, caller := range []access.Caller{{User: f.users[otherUser]}, {User: f.users[admin], Admin: true}, {User: f.users[owner], Scope: notes}} {
		found, err := f.as(caller).ResolveIDs(f.t.Context(), graph.Sender{User: f.users[owner]}, []graph.ID{-900})
		if err != nil || len(found) > 0 {
			failures = append(failures, fmt.Sprintf("%+v resolves a local id of another user to %v, %v", caller, found, err))
		}
		found, err = f.as(caller).ResolveConnections(f.t.Context(), graph.Sender{User: f.users[owner]}, []graph.ID{-900})
		if err != nil || len(found) > 0 {
			failures = append(failures, fmt.Sprintf("%+v resolves a local id of a connection of another user to %v, %v", caller, found, err))
		}
	}
	return failures
}

func TestReadAccessOfEveryRoute(t *testing.T) {
	f := newAccessFixture(t, nil)
	for _, failure := range f.checkLocalIDs() {
		t.Error(failure)
	}
	for _, row := range readTests() {
		for _, failure := range row.run(f) {
			t.Error(failure)
		}
	}
}
