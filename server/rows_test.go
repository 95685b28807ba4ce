package server_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
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

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/page"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/store/sqlite"
	"github.com/weft-graph/weft/track"
)

// The callers of these rows. The owner is Ann, the keys are hers: one only reads, one is for notes.
const (
	guest    = "a guest"
	owner    = "the owner"
	stranger = "a stranger"
	admin    = "an admin"
	reader   = "a key that only reads"
	narrow   = "a key for notes"
)

var callers = []string{guest, owner, stranger, admin, reader, narrow}

// The records of these rows. A connection is called by its ends.
var (
	annsConcepts = []string{"diary", "secret", "style", "draft", "sent"}
	annsLinks    = []string{"open>secret", "open=secret", "diary>secret", "board>diary", "open>board", "widget>style", "widget>draft", "widget=draft"}
	everybodys   = []string{"open", "board", "title", "widget", "html", "open>title", "open=title", "board>open", "widget>html"}
	all          = slices.Concat(everybodys, annsConcepts, annsLinks, []string{"bobs", "bobs>open", "vault", "vault>open"})

	// sees says who may see what: the table of who reads what, for these records.
	sees = map[string][]string{
		guest:    everybodys,
		stranger: append(slices.Clone(everybodys), "bobs", "bobs>open"),
		owner:    slices.Concat(everybodys, annsConcepts, annsLinks),
		reader:   slices.Concat(everybodys, annsConcepts, annsLinks),
		admin:    all,
		narrow:   {"open", "diary", "board", "board>open", "board>diary", "open>board"},
	}
)

// A house is a server with those records and callers.
type house struct {
	t        *testing.T
	as       func(auth.Caller) graph.Store
	url      string
	accounts *account.Accounts
	store    graph.Store
	ids      map[string]graph.ID // of records and types, by name
	users    map[string]graph.ID
	tokens   map[string]string
	asked    int // so that no two requests mean the same by a ghost
}

// newHouse serves a graph; change, if it is not nil, makes something else of what callers see.
func newHouse(t *testing.T, change func(view, whole graph.Store) graph.Store) *house {
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
	s := server.New(store, server.Options{Accounts: accounts, Pages: pages, Policies: policies, Tracker: track.New(kv.In(store), nil)})
	if change != nil {
		s.Look(change)
	}
	web := httptest.NewServer(s)
	t.Cleanup(func() { s.Close(); web.Close() })
	h := &house{t: t, as: s.As, accounts: accounts, url: web.URL, store: store, ids: map[string]graph.ID{}, users: map[string]graph.ID{guest: graph.Anonymous}, tokens: map[string]string{}}
	h.invite(accounts)
	h.furnish()
	return h
}

func (h *house) invite(accounts *account.Accounts) {
	h.t.Helper()
	for _, who := range []string{owner, stranger, admin} {
		u, err := accounts.Add(h.t.Context(), account.Person{Email: who[len(who)-5:] + "@example.org", Password: "correct horse"}, who == admin)
		if err != nil {
			h.t.Fatal(err)
		}
		h.users[who] = u.ID
		if h.tokens[who], err = accounts.Token(h.t.Context(), u.ID); err != nil {
			h.t.Fatal(err)
		}
	}
	for who, key := range map[string]account.Key{reader: {Name: "reads"}, narrow: {Name: "notes", Write: true, Types: []string{"the_note"}}} {
		key.User = h.users[owner]
		h.users[who] = key.User
		var err error
		if _, h.tokens[who], err = accounts.NewKey(h.t.Context(), key); err != nil {
			h.t.Fatal(err)
		}
	}
}

// furnish writes the records, all but one at once.
func (h *house) furnish() {
	h.t.Helper()
	var b graph.Batch
	ghosts := map[string]graph.ID{}
	concept := func(name, typ, value, who string, access graph.Access) {
		kind := graph.DraftValue
		if value == "" {
			kind = graph.DraftComposition
		}
		ghosts[name] = graph.ID(-1 - len(ghosts))
		b.Concepts = append(b.Concepts, graph.ConceptDraft{
			Ghost: ghosts[name], Kind: kind, TypeName: typ, Value: value, Owner: h.users[who], Access: access,
		})
	}
	concept("open", "the_note", "", owner, graph.Public)
	concept("diary", "the_note", "", owner, graph.Private)
	concept("board", "the_note", "", guest, graph.Private)
	concept("bobs", "the_note", "", stranger, graph.Private)
	concept("vault", "the_note", "", admin, graph.Admin)
	concept("title", "the_title", "hello", owner, graph.Public)
	concept("secret", "the_title", "hush", owner, graph.Private)
	concept("widget", "the_widget", "", owner, graph.Public)
	concept("draft", "the_widget", "", owner, graph.Private)
	concept("html", "the_html", "<b>", owner, graph.Public)
	concept("style", "the_css", "b{}", owner, graph.Private)
	var names []string
	link := func(name, typ, who string, access graph.Access) {
		at := strings.IndexAny(name, ">=")
		d := graph.ConnectionDraft{From: ghosts[name[:at]], To: ghosts[name[at+1:]], TypeName: typ, Owner: h.users[who], Access: access}
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
	link("bobs>open", "the_note_s_note", stranger, graph.Private)
	link("widget>html", "the_widget_html", owner, graph.Public)
	link("widget>style", "the_widget_css", owner, graph.Private)
	link("widget>draft", "the_widget_latest", owner, graph.Private)
	link("widget=draft", "the_widget_recent", owner, graph.Private)
	b.Sender.User = graph.System
	receipt := h.write(b)
	for name, ghost := range ghosts {
		h.ids[name] = receipt.Concepts[-1-ghost].ID
	}
	for i, name := range names {
		h.ids[name] = receipt.Connections[i].ID
	}
	h.ids["sent"] = h.write(graph.Batch{Sender: graph.Sender{User: h.users[owner]}, Concepts: []graph.ConceptDraft{
		{Ghost: -900, TypeName: "the_title", Value: "sent"},
	}}).Concepts[0].ID
	types := []string{"the_note", "the_title", "the_note_title", "the_note_s_note", "the_widget", "the_widget_html"}
	found, err := graph.TypesNamed(h.t.Context(), h.store, types...)
	if err != nil || len(found) != len(types) {
		h.t.Fatalf("found the types %v, %v", found, err)
	}
	for name, c := range found {
		h.ids[name] = c.ID
	}
	h.ids["ann"] = h.users[owner]
}

func (h *house) write(b graph.Batch) graph.Receipt {
	h.t.Helper()
	receipt, err := h.store.Write(h.t.Context(), b)
	if err != nil {
		h.t.Fatal(err)
	}
	return receipt
}

// ask sends a request in which the names in braces stand for ids.
func (h *house) ask(who, method, path, body string) (status int, answer string) {
	h.t.Helper()
	h.ids["me"] = h.users[who]
	path, body = h.fill(path), h.fill(body)
	ctx, cancel := context.WithTimeout(h.t.Context(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Content-Type", asForm)
	if strings.HasPrefix(body, "[") || strings.HasPrefix(body, "{") {
		r.Header.Set("Content-Type", asJSON)
	}
	if h.asked++; !strings.Contains(path, "translate") { // which knows no other sender than the first
		r.Header.Set("Randomizer", strconv.Itoa(h.asked))
	}
	if h.tokens[who] != "" {
		r.Header.Set("Authorization", "Bearer "+h.tokens[who])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	if response.Header.Get("Content-Type") == "text/event-stream" {
		return response.StatusCode, h.heard(response.Body)
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// heard is what a stream tells until everybody hears of a last note.
func (h *house) heard(stream io.Reader) string {
	_, made := h.ask(admin, "POST", "/api/v1/local-concepts",
		`{"concepts":[{"id":-1000,"categoryId":4,"typeCharacter":"the_note","characterValue":"`+rand.Text()+`","accessId":5}]}`)
	last := numbers.FindString(made)
	var text strings.Builder
	for lines := bufio.NewScanner(stream); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "data: ") && strings.Contains(lines.Text(), last) {
			return text.String()
		}
		text.WriteString(lines.Text() + "\n")
	}
	h.t.Error("the stream ended")
	return text.String()
}

var (
	names   = regexp.MustCompile(`\{[a-z_>=]+\}`)
	numbers = regexp.MustCompile(`\d{6,}`)
)

func (h *house) fill(text string) string {
	return names.ReplaceAllStringFunc(text, func(name string) string {
		id, known := h.ids[strings.Trim(name, "{}")]
		if !known {
			h.t.Fatalf("nothing is called %s", name)
		}
		return id.String()
	})
}

// mentioned are the records whose ids stand in an answer.
func (h *house) mentioned(answer string) []string {
	stand := map[graph.ID]bool{}
	for _, number := range numbers.FindAllString(answer, -1) {
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			stand[graph.ID(n)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !stand[h.ids[name]] })
}

// A reading asks for records. No answer mentions what the caller may not see.
type reading struct {
	method, path, body string
	about              []string            // of these, everybody finds what they see
	only               map[string][]string // who finds exactly this, because there is a page that hidden things must not cut
	says               map[string]string   // besides, what stands in the answer
}

// perRecord makes a row for each record of which a request names one, as {it}.
func perRecord(method, path, body string, names ...string) []reading {
	var rows []reading
	for _, name := range names {
		fill := strings.NewReplacer("{it}", "{"+name+"}")
		rows = append(rows, reading{method: method, path: fill.Replace(path), body: fill.Replace(body), about: []string{name}})
	}
	return rows
}

var (
	someConcepts = []string{"open", "diary", "board", "bobs", "vault", "title", "secret", "widget", "draft"}
	someLinks    = []string{"open>title", "open>secret", "open=secret", "board>open", "board>diary", "open>board", "vault>open", "bobs>open"}
	notes        = []string{"open", "diary", "board", "bobs", "vault"}
)

func readings() []reading {
	ids := func(names []string) string { return "[{" + strings.Join(names, "},{") + "}]" }
	newest := map[string][]string{stranger: {"bobs>open", "bobs", "open"}, admin: {"bobs>open", "bobs", "open"}}
	for _, who := range []string{guest, owner, reader, narrow} {
		newest[who] = []string{"board>open", "board", "open"}
	}
	next := map[string][]string{stranger: {"board>open", "board", "open"}, admin: {"vault>open", "vault", "open"}}
	for _, who := range []string{guest, owner, reader, narrow} {
		next[who] = nil
	}
	inOpen := []string{"open>title", "open>secret"}
	linked := []string{"open>board", "open=title", "open=secret", "open>title", "open>secret"}
	toOpen := []string{"board>open", "vault>open", "bobs>open"}
	const query = `{"type":"the_note","inpage":10,"page":1,"outputFormat":6,"filters":[],"filterLogic":"",`
	const titled = `{"type":"the_note","freeschemaQueries":[{"typeConnection":"the_note_title","name":"title"}],` +
		`"filters":[{"name":"hush","type":"the_title","operateon":"title","search":"HUSH"}],"filterLogic":"hush"}`
	hushed := []string{"open", "secret", "open=secret"}
	count := func(format string, guest_, stranger_, owner_, admin_, narrow_ int) map[string]string {
		return map[string]string{
			guest: fmt.Sprintf(format, guest_), stranger: fmt.Sprintf(format, stranger_), owner: fmt.Sprintf(format, owner_),
			reader: fmt.Sprintf(format, owner_), admin: fmt.Sprintf(format, admin_), narrow: fmt.Sprintf(format, narrow_),
		}
	}
	total := count(`"mainCount":%d,`, 2, 3, 3, 5, 3)
	own := func(anns, everybodys, bobs, roots []string) map[string][]string {
		return map[string][]string{owner: anns, reader: anns, guest: everybodys, stranger: bobs, admin: roots, narrow: {"diary", "open"}}
	}
	anns := []string{"diary", "draft", "html", "open", "secret", "sent", "style", "title", "widget"}
	uses := func(names []string) string { return `"{` + strings.Join(names, `}":1,"{`) + `}":1` }
	mine := map[string][]string{guest: nil, stranger: nil, admin: nil, narrow: nil, owner: {"sent"}, reader: {"sent"}}
	words := "?composition=the_note&search=&internalComposition=&type=the_note&inpage=10&page=1"
	hush := "?composition=the_note&search=hush&internalComposition=the_title&type=the_note&inpage=10&page=1"
	steps := `[{"composition":{open},"fullLinkers":["the_note_s_note"],"inpage":10,"page":1,"ofCompositions":[{open}]}]`
	back := `[{"composition":{open},"fullLinkers":["the_note_s_note"],"reverse":true,"inpage":10,"page":1,"ofCompositions":[{open}]}]`
	return slices.Concat(
		queryReadings(),
		perRecord("POST", "/api/getConcept", "id={it}", someConcepts...),
		perRecord("POST", "/api/get-connection-by-id", "id={it}", someLinks...),
		perRecord("POST", "/api/make-name-from-frontend", "newConceptId={it}", someConcepts...),
		perRecord("GET", "/api/get-widget?id={it}", "", "draft"),
		[]reading{
			{method: "POST", path: "/api/get_concept_bulk", body: ids(someConcepts), about: someConcepts},
			{method: "POST", path: "/api/get_concept_by_character_value", body: "character_value=hush", about: []string{"secret"}},
			{method: "POST", path: "/api/get_concept_by_character_value", body: "character_value=hello", about: []string{"title"}},
			{method: "POST", path: "/api/get_concept_by_character_and_category", body: "character_value=hush", about: []string{"secret"}},
			{method: "POST", path: "/api/get_concept_by_character_and_type", body: "character_value=hush&type_id={the_title}", about: []string{"secret"}},
			{method: "POST", path: "/api/get_concept_by_character_and_category_direct", body: "character_value=hush&category_id=4", about: []string{"secret"}},
			{method: "POST", path: "/api/get_character_by_character", body: "character_value=hush", about: []string{"secret"}},
			{method: "POST", path: "/api/create_character_data", body: `{"data":"hush"}`, about: []string{"secret"}},
			{method: "POST", path: "/api/get_type_concept_by_character_bulk", body: `["the_note"]`},
			{method: "POST", path: "/api/get_all_concepts_by_type", body: "type=the_note", about: notes},
			{method: "POST", path: "/api/get_all_concepts_by_type", body: "type=the_note&after={open}", about: notes[1:]},
			{method: "POST", path: "/api/get_all_concepts_by_type", body: "type=the_title", about: []string{"title", "secret", "sent"}},

			{method: "POST", path: "/api/get_connection_bulk", body: ids(someLinks), about: someLinks},
			{method: "POST", path: "/api/get_all_connections_of_composition", body: "composition_id={open}", about: inOpen},
			{method: "POST", path: "/api/get_all_connections_of_composition", body: "composition_id={diary}", about: []string{"diary>secret"}},
			{method: "POST", path: "/api/get_all_connections_of_composition_bulk", body: "[{open}]", about: inOpen},
			{method: "POST", path: "/api/view-api-internal-data-ccs-id-bulk", body: "[{open}]", about: inOpen},
			{method: "POST", path: "/api/get-link-connections", body: "typeId={the_note_title}&ofTheConceptId={open}", about: []string{"open=title", "open=secret"}},
			{method: "POST", path: "/api/get-link-reverse-connections", body: "typeId={the_note_s_note}&toTheConceptId={open}&inpage=1&page=1", only: newest},
			{method: "POST", path: "/api/get-link-reverse-connections", body: "typeId={the_note_s_note}&toTheConceptId={open}&inpage=1&page=2", only: next},
			{method: "GET", path: "/api/get-all-linkers-to-concept?conceptId={open}", about: toOpen},
			{method: "GET", path: "/api/get-all-linkers-from-concept?conceptId={open}", about: linked},
			{method: "POST", path: "/api/get-composition-connection-between-two-concepts", body: "ofConceptId={open}&mainKey={open}&toConceptId={secret}", about: []string{"open>secret"}},
			{method: "POST", path: "/api/get-connection-by-types", body: `{"ofTheConceptId":{open},"connectionTypes":["the_note_s_note"]}`, about: []string{"open>board"}},
			{method: "POST", path: "/api/get-connection-between", body: `[{"ofTheConceptId":{open},"toTheConceptId":{board},"type":"the_note_s_note"}]`, about: []string{"open>board"}},
			{method: "POST", path: "/api/get-connection-between", body: `[{"typeId":{open},"isComposition":true}]`, about: []string{"open", "open>title", "open>secret"}},

			{method: "POST", path: "/api/freeschema-query", body: query + `"freeschemaQueries":[]}`, about: notes, says: total},
			{method: "POST", path: "/api/freeschema-query", body: `{"type":"the_note","inpage":1,"page":2,"order":"ASC","freeschemaQueries":[]}`, says: total, only: map[string][]string{guest: {"board"}, owner: {"diary"}, reader: {"diary"}, stranger: {"board"}, admin: {"diary"}, narrow: {"diary"}}},
			{method: "POST", path: "/api/freeschema-query", body: `{"conceptIds":` + ids(notes) + `,"inpage":10,"page":1,"freeschemaQueries":[]}`, about: notes, says: total},
			{method: "POST", path: "/api/freeschema-query", body: `{"conceptIds":[{open}],"inpage":10,"page":1,"selectors":["the_note_title"],"freeschemaQueries":[{"typeConnection":"self","limit":true}]}`, about: []string{"open", "title", "secret", "open=title", "open=secret", "open>title", "open>secret"}},
			{method: "POST", path: "/api/freeschema-query", body: `{"conceptIds":[{open}],"inpage":10,"page":1,"freeschemaQueries":[{"typeConnection":"the_note_s_note"}]}`, about: []string{"open>board"}},
			{method: "POST", path: "/api/freeschema-query", body: `{"conceptIds":[{open}],"inpage":10,"page":1,"freeschemaQueries":[{"typeConnection":"the_note_s_note","reverse":true}]}`, about: toOpen},
			{method: "POST", path: "/api/freeschema-query", body: `{"conceptIds":[{open}],"inpage":10,"page":1,"freeschemaQueries":[{"typeConnection":"the_note_s_note","reverse":true,"limit":true,"inpage":1,"page":1}]}`, only: newest, says: count(`_%d"]`, 1, 2, 1, 3, 1)},
			{method: "POST", path: "/api/freeschema-query", body: titled, only: map[string][]string{guest: nil, stranger: nil, narrow: nil, owner: hushed, reader: hushed, admin: hushed}, says: count(`"mainCount":%d,`, 0, 0, 1, 1, 0)},

			{method: "POST", path: "/api/recursivesearch-concept-connection", body: `{"composition":{open},"listLinkers":["note"],"textSearch":""}`, about: append(slices.Clone(inOpen), "open", "diary>secret", "open>board")},
			{method: "POST", path: "/api/Connection/search-link-multiple-all-ccs", body: steps, about: []string{"open", "open>board", "open>title", "open>secret"}},
			{method: "POST", path: "/api/Connection/search-link-multiple-all", body: back, about: toOpen},
			{method: "POST", path: "/api/search-all-with-linker-ccs" + words, body: "", about: notes},
			{method: "POST", path: "/api-search-compositions-internal-clean-ccs" + words, body: "", about: notes},
			{method: "GET", path: "/api-search-compositions-internal-clean-ccs" + words, about: notes},
			{method: "GET", path: "/api-search-compositions-internal-clean-ccs" + hush, only: map[string][]string{guest: nil, stranger: nil, narrow: nil, owner: {"diary", "open"}, reader: {"diary", "open"}, admin: {"diary", "open"}}},
			{method: "GET", path: "/api/search-composition-internal-authenticated-ccs" + words, about: notes},
			{method: "GET", path: "/api/search-compositions" + words, about: notes},

			{method: "GET", path: "/api/get-widget?id={widget}", about: []string{"widget", "html", "style", "widget>html", "widget>style"}},
			{method: "GET", path: "/api/get-latest-widget?id={widget}", only: map[string][]string{guest: {"widget", "html", "widget>html"}, stranger: {"widget", "html", "widget>html"}, owner: {"draft"}, reader: {"draft"}, admin: {"draft"}, narrow: nil}},
			{method: "GET", path: "/api/get-recent-widget?id={widget}", only: map[string][]string{guest: {"widget", "html", "widget>html"}, stranger: {"widget", "html", "widget>html"}, owner: {"draft"}, reader: {"draft"}, admin: {"draft"}, narrow: nil}},

			{method: "POST", path: "/api/get_all_concepts_of_user", body: "user_id={me}", only: own(anns, nil, []string{"bobs"}, []string{"vault"})},
			{method: "POST", path: "/api/get_all_concepts_of_user", body: "user_id={ann}", only: own(anns, nil, nil, anns)},
			{method: "POST", path: "/api/get_all_connections_of_user?inpage=1", body: "user_id={me}", only: map[string][]string{narrow: {"open>board", "open", "board"}}},
			{method: "POST", path: "/api/get_all_connections_of_user", body: "user_id={me}", only: map[string][]string{guest: nil, stranger: {"bobs", "bobs>open", "open"}, admin: {"open", "vault", "vault>open"}}},
			{method: "POST", path: "/api/v1/access-tracker/sync-access-tracker", body: `{"concepts":{` + uses(someConcepts) + `},"connections":{` + uses(someLinks) + `}}`},
			{method: "GET", path: "/api/v1/access-tracker/list-concepts-file", about: someConcepts[:3]},
			{method: "GET", path: "/api/v1/access-tracker/list-connections-file", about: []string{"open>title", "board>open"}},

			{method: "POST", path: "/api/v1/local-concepts-translate", body: "id=-900", only: mine},
			{method: "GET", path: "/api/v1/events?after=0", about: all},
			{method: "GET", path: "/api/get-preloaded-concepts"},
			{method: "GET", path: "/api/v1/pages?slug=/"},
		},
	)
}

// seen is what somebody sees of records.
func seen(who string, records []string) (found []string) {
	for _, name := range records {
		if slices.Contains(sees[who], name) {
			found = append(found, name)
		}
	}
	return found
}

// read asks as everybody and says what was wrong with the answers.
func (r reading) read(h *house) (wrong []string) {
	for _, who := range callers {
		status, answer := h.ask(who, r.method, r.path, r.body)
		got := h.mentioned(answer)
		want := slices.Concat(seen(who, r.about), seen(who, got))
		if only, exactly := r.only[who]; exactly {
			want = only
		}
		slices.Sort(got)
		slices.Sort(want)
		diff := cmp.Diff(slices.Compact(want), got, cmpopts.EquateEmpty())
		if status >= 500 || diff != "" || !strings.Contains(answer, r.says[who]) {
			wrong = append(wrong, fmt.Sprintf("%s %s %s as %s: %d, want %s in it and (-want +got)\n%s%.600s", r.method, r.path, r.body, who, status, r.says[who], diff, answer))
		}
	}
	return wrong
}

// ghosts asks for what no route does, because each asks for the caller's own: somebody else's ghosts.
func (h *house) ghosts() (wrong []string) {
	notes := &auth.Scope{Types: []string{"the_note"}}
	for _, caller := range []auth.Caller{{User: h.users[stranger]}, {User: h.users[admin], Admin: true}, {User: h.users[owner], Scope: notes}} {
		found, err := h.as(caller).Ghosts(h.t.Context(), graph.Sender{User: h.users[owner]}, []graph.ID{-900})
		if err != nil || len(found) > 0 {
			wrong = append(wrong, fmt.Sprintf("%+v finds the ghost that %v is, %v", caller, found, err))
		}
	}
	return wrong
}

func TestWhoReadsWhat(t *testing.T) {
	h := newHouse(t, nil)
	for _, wrong := range h.ghosts() {
		t.Error(wrong)
	}
	for _, row := range readings() {
		for _, wrong := range row.read(h) {
			t.Error(wrong)
		}
	}
}
