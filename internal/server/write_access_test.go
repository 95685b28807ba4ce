package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/race"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
)

// A writeTest is a request that stores data, in the graph or elsewhere. It must do so for the allowed callers and
// nothing for other callers.
type writeTest struct {
	method, path, body string
	allowed            []string                                           // the callers who may write; empty means that every caller is refused
	leavesGraph        bool                                               // an allowed request does not change the graph
	prepare            func(f *accessFixture, callerName string) graph.ID // creates or reserves the record {it}
}

// writeTests returns at least one test for each route that writes to the graph.
func writeTests() []writeTest {
	signedIn := []string{owner, otherUser, admin, noteKey}
	users := []string{owner, otherUser, admin}
	anns := []string{owner, admin, noteKey}
	newNote := func(callerName string, access graph.Access) func(*accessFixture, string) graph.ID {
		return func(f *accessFixture, _ string) graph.ID {
			return f.write(graph.Batch{Sender: graph.Sender{User: f.users[callerName]}, Concepts: []graph.ConceptDraft{
				{Kind: graph.DraftComposition, TypeName: "the_note", Access: access},
			}}).Concepts[0].ID
		}
	}
	newLink := func(callerName, from, to string, access graph.Access) func(*accessFixture, string) graph.ID {
		return func(f *accessFixture, _ string) graph.ID {
			return f.write(graph.Batch{Sender: graph.Sender{User: f.users[callerName]}, Connections: []graph.ConnectionDraft{
				{From: f.ids[from], To: f.ids[to], TypeName: "the_note_s_note", Access: access},
			}}).Connections[0].ID
		}
	}
	reservedID := func(f *accessFixture, callerName string) graph.ID {
		ids, err := f.store.Reserve(f.t.Context(), f.users[callerName], 1)
		if err != nil {
			f.t.Fatal(err)
		}
		return ids[0]
	}
	const note = `{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_note","characterValue":"{text}"}]}`
	const title = `{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_title","characterValue":"{text}"}]}`
	const secret = `{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_note","characterValue":"{text}","accessId":3}]}`
	connect := func(from, to string) string {
		return `{"connections":[{"id":-2,"ofTheConceptId":{` + from + `},"toTheConceptId":{` + to + `},"typeCharacter":"the_note_s_note"}]}`
	}
	connectInside := `{"connections":[{"id":-3,"ofTheConceptId":{board},"toTheConceptId":{open},"typeId":{open}}]}`
	rows := []writeTest{
		{path: "/api/v1/local-concepts", body: note, allowed: signedIn},
		{path: "/api/v1/local-concepts-without-auth", body: note, allowed: signedIn},
		{path: "/api/v1/local-concepts", body: title, allowed: users},
		{path: "/api/v1/local-concepts", body: secret, allowed: []string{admin}},
		{path: "/api/v1/local-concepts", body: connect("open", "board"), allowed: anns},
		{path: "/api/v1/local-concepts", body: connect("board", "open"), allowed: signedIn},
		{path: "/api/v1/local-concepts", body: connect("board", "diary"), allowed: anns},
		{path: "/api/v1/local-concepts", body: connect("diary", "board"), allowed: anns},
		{path: "/api/v1/local-concepts", body: connect("bobs", "board"), allowed: []string{otherUser, admin}},
		{path: "/api/v1/local-concepts", body: connect("vault", "board"), allowed: []string{admin}},
		{path: "/api/v1/local-concepts", body: connectInside, allowed: anns},
		{path: "/api/v1/local-concepts", body: `{"removeConcepts":[{it}]}`, prepare: newNote(owner, graph.Public), allowed: anns},
		{path: "/api/v1/local-concepts", body: `{"removeConnections":[{it}]}`, prepare: newLink(owner, "open", "board", graph.Public), allowed: anns},
		{path: "/api/v1/local-connections", body: `[{"id":-4,"ofTheConceptId":{open},"toTheConceptId":{board},"typeCharacter":"the_note_s_note"}]`, allowed: anns},
		{path: "/api/v1/contact", body: `{"name":"{text}","email":"ann@example.org","message":"{text}"}`, allowed: []string{guest, owner, otherUser, admin}},
		{path: "/api/make_the_type_concept", body: "type=the_{text}", allowed: signedIn},
		{path: "/api/create_the_concept", body: `[{"id":{it},"categoryId":4,"typeCharacter":"the_note","characterValue":"{text}"}]`, prepare: reservedID, allowed: signedIn},
		{path: "/api/create_the_connection", body: `[{"id":{it},"ofTheConceptId":{open},"toTheConceptId":{board},"typeId":{the_note_s_note}}]`, prepare: reservedID, allowed: anns},
		{path: "/api/create_the_connection_new", body: `[{"id":{it},"ofTheConceptId":{board},"toTheConceptId":{open},"typeId":{the_note_s_note}}]`, prepare: reservedID, allowed: signedIn},
		{path: "/api/create-prototype", body: `{"prototype":"the_note"}`, allowed: signedIn},
		{path: "/api/create_text_data", body: `{"data":"{text}"}`, allowed: signedIn, leavesGraph: true},
		{method: "GET", path: "/api/get_reserved_ids", allowed: signedIn, leavesGraph: true},
		{method: "GET", path: "/api/get_reserved_connection_ids", allowed: signedIn, leavesGraph: true},
		{path: "/api/delete_concept", body: "id={it}", prepare: newNote(guest, 0), allowed: []string{admin}},
		{path: "/api/delete_concept", body: "id={it}", prepare: newNote(owner, graph.Public), allowed: anns},
		{path: "/api/delete_concept", body: "id={it}", prepare: newNote(owner, graph.Private), allowed: anns},
		{path: "/api/delete_concept", body: "id={it}", prepare: newNote(admin, graph.Admin), allowed: []string{admin}},
		{path: "/api/delete_concept", body: "id={the_note}"},
		{path: "/api/delete_connection", body: "id={it}", prepare: newLink(owner, "open", "board", graph.Public), allowed: anns},
		{path: "/api/delete_connection", body: "id={it}", prepare: newLink(owner, "open", "board", graph.Private), allowed: anns},
		{path: "/api/delete_connection", body: "id={it}", prepare: newLink(guest, "board", "open", 0), allowed: []string{admin}},
		{path: "/api/delete_connection_bulk", body: "[{it}]", prepare: newLink(owner, "open", "secret", graph.Private), allowed: []string{owner, admin}},
		{path: "/api/delete_connection_bulk", body: "[{it}]", prepare: newLink(otherUser, "bobs", "open", graph.Public), allowed: []string{otherUser, admin}},
	}
	for i := range rows {
		if rows[i].method == "" {
			rows[i].method = "POST"
		}
	}
	return rows
}

// run sends the request as each caller and returns a description of each failure.
func (w writeTest) run(f *accessFixture) (failures []string) {
	for i, callerName := range callers {
		if w.prepare != nil {
			f.ids["it"] = w.prepare(f, callerName)
		}
		before := f.lastSeq()
		text := fmt.Sprintf("note%d%d", i, before)
		body := strings.ReplaceAll(w.body, "{text}", text)
		status, responseBody := f.send(callerName, w.method, w.path, body)
		written := f.lastSeq() > before || w.leavesGraph && status == 200
		if status >= 500 || written != slices.Contains(w.allowed, callerName) {
			failures = append(failures, fmt.Sprintf("%s %s %s as %s: status %d %.300s, written: %v", w.method, w.path, body, callerName, status, responseBody, written))
		}
	}
	return failures
}

func (f *accessFixture) lastSeq() graph.Seq {
	f.t.Helper()
	seq, err := f.store.LastSeq(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	return seq
}

func TestWriteAccessOfEveryRoute(t *testing.T) {
	f := newAccessFixture(t, nil)
	for _, row := range writeTests() {
		for _, failure := range row.run(f) {
			t.Error(failure)
		}
	}
}

// A list is cut at ten thousand records. The last record is private to Ann, so the cursor must not reveal to other
// callers that it exists.
func TestCursorDoesNotRevealHiddenRecords(t *testing.T) {
	const listed = 10_000
	s := servertest.Start(t)
	ann, err := s.Accounts.Add(t.Context(), account.Person{Email: "ann@example.org", Password: "correct horse"}, false)
	if err != nil {
		t.Fatal(err)
	}
	token, err := s.Accounts.Token(t.Context(), ann.ID)
	if err != nil {
		t.Fatal(err)
	}
	b := graph.Batch{Sender: graph.Sender{User: ann.ID}}
	for i := range listed + 2 { // connects all other concepts with the first
		access := graph.Public
		if i == 1 {
			access = graph.Private
		}
		localID := graph.ID(-1 - i)
		typ := "the_leaf"
		if i == 0 {
			typ = "the_tree"
		}
		b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: localID, Kind: graph.DraftComposition, TypeName: typ, Access: access})
		if i > 0 {
			b.Connections = append(b.Connections, graph.ConnectionDraft{From: -1, To: localID, TypeName: "the_tree_s_leaf", Access: graph.Public})
		}
	}
	receipt, err := s.Store.Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"POST /api/get_all_concepts_by_type?type=the_leaf",
		"GET /api/get-all-linkers-from-concept?conceptId=" + receipt.Concepts[0].ID.String(),
	} {
		method, path, _ := strings.Cut(path, " ")
		for authorization, seesLast := range map[string]bool{"": false, "Bearer " + token: true} {
			r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", authorization)
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			var found []struct{}
			if err := json.NewDecoder(response.Body).Decode(&found); err != nil {
				t.Error(err)
			}
			response.Body.Close()
			if after := response.Header.Get("X-Weft-After"); len(found) != listed || (after != "") != seesLast {
				t.Errorf("%s authorized with %.10q: %d records, cursor %q; want %d records, and a cursor: %v", path, authorization, len(found), after, listed, seesLast)
			}
		}
	}
}

// untestedRoutes lists the routes that need no read or write test, by reason: they do not access the graph for a caller, or
// the named tests check their access.
var untestedRoutes = map[string][]string{
	"the response is the same for all callers": {
		"POST /api/v1/config", "GET /api/v1/config", "GET /api/health", "GET /api/openapi.json", "GET /api/docs",
		"GET /v1/get-frontend-anomaly-parameters", "GET /api/v1/get-frontend-anomaly-parameters",
		"GET /sitemap.xml", "GET /robots.txt", "GET /og/{name...}", "GET /packages/{path...}", "GET /client/{path...}",
		"GET /console", "GET /console/{path...}",
		"GET /docs", "GET /docs/{page...}", "GET /docs/search", "GET /llms.txt",
	},
	"concerns the caller's own account, which is not in the graph": {
		"POST /api/auth/signup", "POST /api/v1/entity/signup", "POST /api/auth/login", "POST /api/auth/refresh", "POST /api/Auth/refresh", "POST /api/auth/logout",
		"GET /api/auth/me", "GET /api/auth/sessions", "DELETE /api/auth/sessions", "POST /api/auth/password/forgot",
		"POST /api/auth/password/reset", "POST /api/auth/password/change", "POST /api/auth/email/confirm", "POST /api/auth/email/resend",
		"POST /api/auth/setup", "GET /api/auth/keys", "POST /api/auth/keys", "DELETE /api/auth/keys",
	},
	"manages accounts, see package account": {
		"POST /api/deleteuser", "DELETE /api/deleteuser", "GET /api/admin/users", "POST /api/admin/users", "DELETE /api/admin/users",
		"POST /api/admin/users/disable", "POST /api/admin/users/admin",
	},
	"is tested in widget_tree_test.go": {
		"GET /api/v1/widgets", "POST /api/v1/widgets/preview", "GET /api/v1/widgets/documentation", "GET /api/v1/widgets/code", "GET /api/v1/widgets/frame",
	},
	"concerns files and e-mails, which are not in the graph": {
		"POST /api/Image/UploadImage", "POST /api/Image/UploadImageV2", "POST /api/Image/UploadFile", "GET /api/upload/limit", "GET /api/uploads",
		"DELETE /api/uploads/{name}", "GET /uploads/{name}", "POST /api/sendmail", "POST /api/sendmail/personal", "POST /api/sendmail/bulk",
		"POST /api/sendmail/bulk/personal", "GET /api/mail/{id}", "GET /api/mail/failed",
	},
	"asks the language model, which receives the question and no data of the graph; see ask_test.go": {
		"GET /api/v1/ask", "POST /api/v1/ask",
	},
	"edits the site through the functions of weft content; see content_test.go": {
		"GET /api/v1/content", "GET /api/v1/content/widget", "POST /api/v1/content/widget", "POST /api/v1/content/publish",
		"GET /api/v1/content/page", "POST /api/v1/content/page",
	},
	"concerns the schema; see schema_test.go and schema_console_test.go": {
		"GET /api/v1/schema", "POST /api/v1/schema", "POST /api/v1/schema/preview", "GET /api/v1/schema/found", "GET /api/v1/schema/source",
	},
	"is tested in typelist_test.go": {"GET /api/v1/types"},
	"concerns logs, which are not in the graph": {
		"POST /api/logger", "GET /api/check", "GET /api/logs", "GET /api/logs/visits", "POST /api/create-session-id-remote",
		"POST /api/create-remote-session-visit", "GET /api/logs/sessions", "GET /api/logs/pages",
	},
}

func TestEveryRouteHasAnAccessTest(t *testing.T) {
	covered := map[string]bool{}
	cover := func(method, path string) {
		path, _, _ = strings.Cut(path, "?")
		covered[method+" "+path] = true
	}
	for _, row := range readTests() {
		cover(row.method, row.path)
	}
	for _, row := range writeTests() {
		cover(row.method, row.path)
	}
	for _, routes := range untestedRoutes {
		for _, route := range routes {
			if covered[route] {
				t.Errorf("%s has an access test and a reason to have none", route)
			}
			covered[route] = true
		}
	}
	known := map[string]bool{"GET /api/v1/pages": true} // served by the handler of pages, not by a route
	for _, info := range server.Routes() {
		route := info.Method + " " + info.Path
		known[route] = true
		if !covered[route] && info.Effect != "administers" { // TestAdminRoutes covers these
			t.Errorf("%s has neither an access test nor a reason to have none", route)
		}
	}
	for _, route := range slices.Sorted(maps.Keys(covered)) {
		if !known[route] {
			t.Errorf("unknown route %s", route)
		}
	}
}

// If one method of the store lacks its access check, at least one access test must fail.
func TestAccessTestsDetectAMissingCheck(t *testing.T) {
	race.Skip(t, "it tests other tests")
	for _, method := range []string{
		"Concepts", "ConceptsByValue", "ConceptsByType", "CountByType", "Connections", "Links", "CountLinks", "Select", "ResolveIDs", "ResolveConnections",
		"Changes", "Write", "Reserve",
	} {
		t.Run(method, func(t *testing.T) {
			f := newAccessFixture(t, func(view, whole graph.Store) graph.Store { return bypass{view, whole, method} })
			if failure := f.firstFailure(); failure == "" {
				t.Errorf("no access test fails without the check in %s", method)
			} else {
				t.Log(failure)
			}
		})
	}
}

// firstFailure runs the access tests until one fails, and returns its description.
func (f *accessFixture) firstFailure() string {
	if failure := f.checkLocalIDs(); len(failure) > 0 {
		return failure[0]
	}
	for _, row := range readTests() {
		if failure := row.run(f); len(failure) > 0 {
			return failure[0]
		}
	}
	for _, row := range writeTests() {
		if failure := row.run(f); len(failure) > 0 {
			return failure[0]
		}
	}
	return ""
}

// A bypass is a store with access checks, except in one method, which reads or writes the whole store.
type bypass struct {
	graph.Store
	whole  graph.Store
	method string
}

func (b bypass) storeFor(method string) graph.Store {
	if method == b.method {
		return b.whole
	}
	return b.Store
}

func (b bypass) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	return b.storeFor("Concepts").Concepts(ctx, ids)
}

func (b bypass) ConceptsByValue(ctx context.Context, keys []graph.ValueKey) ([]graph.Concept, error) {
	return b.storeFor("ConceptsByValue").ConceptsByValue(ctx, keys)
}

func (b bypass) ConceptsByType(ctx context.Context, typ graph.ID, page graph.Page) ([]graph.Concept, error) {
	return b.storeFor("ConceptsByType").ConceptsByType(ctx, typ, page)
}

func (b bypass) CountByType(ctx context.Context, typ graph.ID, atMost int) (int, error) {
	return b.storeFor("CountByType").CountByType(ctx, typ, atMost)
}

func (b bypass) Connections(ctx context.Context, ids []graph.ID) ([]graph.Connection, error) {
	return b.storeFor("Connections").Connections(ctx, ids)
}

func (b bypass) Links(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	return b.storeFor("Links").Links(ctx, links)
}

func (b bypass) CountLinks(ctx context.Context, links graph.Links) ([]graph.LinkCount, error) {
	return b.storeFor("CountLinks").CountLinks(ctx, links)
}

func (b bypass) Select(ctx context.Context, s graph.Selection) ([]graph.ID, error) {
	return b.storeFor("Select").(graph.Selector).Select(ctx, s)
}

func (b bypass) Sizes(ctx context.Context, types []graph.ID) ([]graph.Size, error) {
	return b.storeFor("Sizes").(graph.Sizer).Sizes(ctx, types)
}

func (b bypass) ResolveIDs(ctx context.Context, sender graph.Sender, localIDs []graph.ID) (map[graph.ID]graph.ID, error) {
	return b.storeFor("ResolveIDs").ResolveIDs(ctx, sender, localIDs)
}

func (b bypass) ResolveConnections(ctx context.Context, sender graph.Sender, localIDs []graph.ID) (map[graph.ID]graph.ID, error) {
	return b.storeFor("ResolveConnections").ResolveConnections(ctx, sender, localIDs)
}

func (b bypass) Changes(ctx context.Context, after graph.Seq, limit int) ([]graph.Change, error) {
	return b.storeFor("Changes").Changes(ctx, after, limit)
}

func (b bypass) Write(ctx context.Context, batch graph.Batch) (graph.Receipt, error) {
	return b.storeFor("Write").Write(ctx, batch)
}

func (b bypass) Reserve(ctx context.Context, user graph.ID, n int) ([]graph.ID, error) {
	return b.storeFor("Reserve").Reserve(ctx, user, n)
}
