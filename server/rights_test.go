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

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/server/servertest"
)

// A writing changes the store, or takes ids from it, for those who may; for the others nothing happens.
type writing struct {
	method, path, body string
	may                []string
	takes              bool                                // ids, so the store does not change
	before             func(h *house, who string) graph.ID // what makes {it}
}

func writings() []writing {
	signed := []string{owner, stranger, admin, narrow}
	people := []string{owner, stranger, admin}
	anns := []string{owner, admin, narrow}
	fresh := func(who string, access graph.Access) func(*house, string) graph.ID {
		return func(h *house, _ string) graph.ID {
			return h.write(graph.Batch{Sender: graph.Sender{User: h.users[who]}, Concepts: []graph.ConceptDraft{
				{Kind: graph.DraftComposition, TypeName: "the_note", Access: access},
			}}).Concepts[0].ID
		}
	}
	link := func(who, from, to string, access graph.Access) func(*house, string) graph.ID {
		return func(h *house, _ string) graph.ID {
			return h.write(graph.Batch{Sender: graph.Sender{User: h.users[who]}, Connections: []graph.ConnectionDraft{
				{From: h.ids[from], To: h.ids[to], TypeName: "the_note_s_note", Access: access},
			}}).Connections[0].ID
		}
	}
	reserved := func(h *house, who string) graph.ID {
		ids, err := h.store.Reserve(h.t.Context(), h.users[who], 1)
		if err != nil {
			h.t.Fatal(err)
		}
		return ids[0]
	}
	const note = `{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_note","characterValue":"{text}"}]}`
	const title = `{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_title","characterValue":"{text}"}]}`
	const secret = `{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_note","characterValue":"{text}","accessId":3}]}`
	connect := func(from, to string) string {
		return `{"connections":[{"id":-2,"ofTheConceptId":{` + from + `},"toTheConceptId":{` + to + `},"typeCharacter":"the_note_s_note"}]}`
	}
	inside := `{"connections":[{"id":-3,"ofTheConceptId":{board},"toTheConceptId":{open},"typeId":{open}}]}`
	rows := []writing{
		{path: "/api/v1/local-concepts", body: note, may: signed},
		{path: "/api/v1/local-concepts-without-auth", body: note, may: signed},
		{path: "/api/v1/local-concepts", body: title, may: people},
		{path: "/api/v1/local-concepts", body: secret, may: []string{admin}},
		{path: "/api/v1/local-concepts", body: connect("open", "board"), may: anns},
		{path: "/api/v1/local-concepts", body: connect("board", "open"), may: signed},
		{path: "/api/v1/local-concepts", body: connect("board", "diary"), may: anns},
		{path: "/api/v1/local-concepts", body: connect("diary", "board"), may: anns},
		{path: "/api/v1/local-concepts", body: connect("bobs", "board"), may: []string{stranger, admin}},
		{path: "/api/v1/local-concepts", body: connect("vault", "board"), may: []string{admin}},
		{path: "/api/v1/local-concepts", body: inside, may: anns},
		{path: "/api/v1/local-concepts", body: `{"removeConcepts":[{it}]}`, before: fresh(owner, graph.Public), may: anns},
		{path: "/api/v1/local-concepts", body: `{"removeConnections":[{it}]}`, before: link(owner, "open", "board", graph.Public), may: anns},
		{path: "/api/v1/local-connections", body: `[{"id":-4,"ofTheConceptId":{open},"toTheConceptId":{board},"typeCharacter":"the_note_s_note"}]`, may: anns},
		{path: "/api/v1/contact", body: `{"name":"{text}","email":"ann@example.org","message":"{text}"}`, may: callers},
		{path: "/api/make_the_type_concept", body: "type=the_{text}", may: signed},
		{path: "/api/create_the_concept", body: `[{"id":{it},"categoryId":4,"typeCharacter":"the_note","characterValue":"{text}"}]`, before: reserved, may: signed},
		{path: "/api/create_the_connection", body: `[{"id":{it},"ofTheConceptId":{open},"toTheConceptId":{board},"typeId":{the_note_s_note}}]`, before: reserved, may: anns},
		{path: "/api/create_the_connection_new", body: `[{"id":{it},"ofTheConceptId":{board},"toTheConceptId":{open},"typeId":{the_note_s_note}}]`, before: reserved, may: signed},
		{path: "/api/create-prototype", body: `{"prototype":"the_note"}`, may: signed},
		{path: "/api/create_text_data", body: `{"data":"{text}"}`, may: signed, takes: true},
		{method: "GET", path: "/api/get_reserved_ids", may: signed, takes: true},
		{method: "GET", path: "/api/get_reserved_connection_ids", may: signed, takes: true},
		{path: "/api/delete_concept", body: "id={it}", before: fresh(guest, 0), may: []string{admin}},
		{path: "/api/delete_concept", body: "id={it}", before: fresh(owner, graph.Public), may: anns},
		{path: "/api/delete_concept", body: "id={it}", before: fresh(owner, graph.Private), may: anns},
		{path: "/api/delete_concept", body: "id={it}", before: fresh(admin, graph.Admin), may: []string{admin}},
		{path: "/api/delete_concept", body: "id={the_note}"},
		{path: "/api/delete_connection", body: "id={it}", before: link(owner, "open", "board", graph.Public), may: anns},
		{path: "/api/delete_connection", body: "id={it}", before: link(owner, "open", "board", graph.Private), may: anns},
		{path: "/api/delete_connection", body: "id={it}", before: link(guest, "board", "open", 0), may: []string{admin}},
		{path: "/api/delete_connection_bulk", body: "[{it}]", before: link(owner, "open", "secret", graph.Private), may: []string{owner, admin}},
		{path: "/api/delete_connection_bulk", body: "[{it}]", before: link(stranger, "bobs", "open", graph.Public), may: []string{stranger, admin}},
	}
	for i := range rows {
		if rows[i].method == "" {
			rows[i].method = "POST"
		}
	}
	return rows
}

// write asks as everybody and says what was wrong with what became of it.
func (w writing) write(h *house) (wrong []string) {
	for i, who := range callers {
		if w.before != nil {
			h.ids["it"] = w.before(h, who)
		}
		before := h.lastSeq()
		text := fmt.Sprintf("note%d%d", i, before)
		body := strings.ReplaceAll(w.body, "{text}", text)
		status, answer := h.ask(who, w.method, w.path, body)
		did := h.lastSeq() > before || w.takes && status == 200
		if status >= 500 || did != slices.Contains(w.may, who) {
			wrong = append(wrong, fmt.Sprintf("%s %s %s as %s: %d %.300s, and it happened: %v", w.method, w.path, body, who, status, answer, did))
		}
	}
	return wrong
}

func (h *house) lastSeq() graph.Seq {
	h.t.Helper()
	seq, err := h.store.LastSeq(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	return seq
}

func TestWhoWritesWhat(t *testing.T) {
	h := newHouse(t, nil)
	for _, row := range writings() {
		for _, wrong := range row.write(h) {
			t.Error(wrong)
		}
	}
}

// A list is cut at ten thousand. The last of these is Ann's alone: who does not see it has seen all there is.
func TestWhereAListIsCutDoesNotTellOfWhatIsHidden(t *testing.T) {
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
	for i := range listed + 2 { // the first is what the others hang on
		access := graph.Public
		if i == 1 {
			access = graph.Private
		}
		ghost := graph.ID(-1 - i)
		typ := "the_leaf"
		if i == 0 {
			typ = "the_tree"
		}
		b.Concepts = append(b.Concepts, graph.ConceptDraft{Ghost: ghost, Kind: graph.DraftComposition, TypeName: typ, Access: access})
		if i > 0 {
			b.Connections = append(b.Connections, graph.ConnectionDraft{From: -1, To: ghost, TypeName: "the_tree_s_leaf", Access: graph.Public})
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
		for authorization, more := range map[string]bool{"": false, "Bearer " + token: true} {
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
			if after := response.Header.Get("X-Weft-After"); len(found) != listed || (after != "") != more {
				t.Errorf("%s signed with %.10q: %d records, and more after %q", path, authorization, len(found), after)
			}
		}
	}
}

// withoutRow says why a route needs no row: it reads and writes nothing of the graph for a caller.
var withoutRow = map[string][]string{
	"says what is the same for everybody": {
		"POST /api/v1/config", "GET /api/v1/config", "GET /api/health", "GET /api/openapi.json", "GET /api/docs",
		"GET /v1/get-frontend-anomaly-parameters", "GET /api/v1/get-frontend-anomaly-parameters",
		"GET /sitemap.xml", "GET /robots.txt", "GET /og/{name...}",
	},
	"is about the caller's own account, which stands in kv": {
		"POST /api/auth/signup", "POST /api/v1/entity/signup", "POST /api/auth/login", "POST /api/auth/refresh", "POST /api/auth/logout",
		"GET /api/auth/me", "GET /api/auth/sessions", "DELETE /api/auth/sessions", "POST /api/auth/password/forgot",
		"POST /api/auth/password/reset", "POST /api/auth/password/change", "POST /api/auth/email/confirm", "POST /api/auth/email/resend",
		"POST /api/auth/setup", "GET /api/auth/keys", "POST /api/auth/keys", "DELETE /api/auth/keys",
	},
	"ends or manages accounts, see package account": {
		"POST /api/deleteuser", "DELETE /api/deleteuser", "GET /api/admin/users", "POST /api/admin/users", "DELETE /api/admin/users",
		"POST /api/admin/users/disable", "POST /api/admin/users/admin",
	},
	"has rows of its own, see trees_test.go": {
		"GET /api/v1/widgets", "GET /api/v1/widgets/documentation", "GET /api/v1/widgets/code", "GET /api/v1/widgets/frame",
	},
	"is about files and mails, which stand beside the graph": {
		"POST /api/Image/UploadImage", "POST /api/Image/UploadImageV2", "POST /api/Image/UploadFile", "GET /api/upload/limit", "GET /api/uploads",
		"DELETE /api/uploads/{name}", "GET /uploads/{name}", "POST /api/sendmail", "POST /api/sendmail/personal", "POST /api/sendmail/bulk",
		"POST /api/sendmail/bulk/personal", "GET /api/mail/{id}", "GET /api/mail/failed",
	},
	"asks a language model, which sees the question and nothing of the graph; see ask_test.go": {
		"GET /api/v1/ask", "POST /api/v1/ask",
	},
	"is about logs, which stand beside the graph": {
		"POST /api/logger", "GET /api/check", "GET /api/logs", "GET /api/logs/visits", "POST /api/create-session-id-remote",
		"POST /api/create-remote-session-visit", "GET /api/logs/sessions", "GET /api/logs/pages",
	},
}

func TestEveryRouteHasARow(t *testing.T) {
	covered := map[string]bool{}
	cover := func(method, path string) {
		path, _, _ = strings.Cut(path, "?")
		covered[method+" "+path] = true
	}
	for _, row := range readings() {
		cover(row.method, row.path)
	}
	for _, row := range writings() {
		cover(row.method, row.path)
	}
	for _, routes := range withoutRow {
		for _, route := range routes {
			if covered[route] {
				t.Errorf("%s has a row and a reason to have none", route)
			}
			covered[route] = true
		}
	}
	known := map[string]bool{"GET /api/v1/pages": true} // of the pages, not in the table
	for _, line := range server.Lines() {
		route := line.Method + " " + line.Path
		known[route] = true
		if !covered[route] {
			t.Errorf("%s has no row that says who may use it, and no reason", route)
		}
	}
	for _, route := range slices.Sorted(maps.Keys(covered)) {
		if !known[route] {
			t.Errorf("there is no %s", route)
		}
	}
}

// Each of these rows would notice if callers got one answer, or one write, from the store itself.
func TestTheRowsNoticeADoorLeftOpen(t *testing.T) {
	for _, method := range []string{
		"Concepts", "ConceptsByValue", "ConceptsByType", "CountByType", "Connections", "Links", "CountLinks", "Select", "Ghosts", "Changes", "Write", "Reserve",
	} {
		t.Run(method, func(t *testing.T) {
			h := newHouse(t, func(view, whole graph.Store) graph.Store { return open{view, whole, method} })
			if noticed := h.notice(); noticed == "" {
				t.Errorf("nothing notices that %s is not guarded", method)
			} else {
				t.Log(noticed)
			}
		})
	}
}

// notice returns the first row that fails.
func (h *house) notice() string {
	if wrong := h.ghosts(); len(wrong) > 0 {
		return wrong[0]
	}
	for _, row := range readings() {
		if wrong := row.read(h); len(wrong) > 0 {
			return wrong[0]
		}
	}
	for _, row := range writings() {
		if wrong := row.write(h); len(wrong) > 0 {
			return wrong[0]
		}
	}
	return ""
}

// An open door lets one method through to the store.
type open struct {
	graph.Store
	behind graph.Store
	method string
}

func (o open) at(method string) graph.Store {
	if method == o.method {
		return o.behind
	}
	return o.Store
}

func (o open) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	return o.at("Concepts").Concepts(ctx, ids)
}

func (o open) ConceptsByValue(ctx context.Context, keys []graph.ValueKey) ([]graph.Concept, error) {
	return o.at("ConceptsByValue").ConceptsByValue(ctx, keys)
}

func (o open) ConceptsByType(ctx context.Context, typ graph.ID, page graph.Page) ([]graph.Concept, error) {
	return o.at("ConceptsByType").ConceptsByType(ctx, typ, page)
}

func (o open) CountByType(ctx context.Context, typ graph.ID, atMost int) (int, error) {
	return o.at("CountByType").CountByType(ctx, typ, atMost)
}

func (o open) Connections(ctx context.Context, ids []graph.ID) ([]graph.Connection, error) {
	return o.at("Connections").Connections(ctx, ids)
}

func (o open) Links(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	return o.at("Links").Links(ctx, links)
}

func (o open) CountLinks(ctx context.Context, links graph.Links) ([]graph.LinkCount, error) {
	return o.at("CountLinks").CountLinks(ctx, links)
}

func (o open) Select(ctx context.Context, s graph.Selection) ([]graph.ID, error) {
	return o.at("Select").(graph.Selector).Select(ctx, s)
}

func (o open) Sizes(ctx context.Context, types []graph.ID) ([]graph.Size, error) {
	return o.at("Sizes").(graph.Sizer).Sizes(ctx, types)
}

func (o open) Ghosts(ctx context.Context, sender graph.Sender, ghosts []graph.ID) (map[graph.ID]graph.ID, error) {
	return o.at("Ghosts").Ghosts(ctx, sender, ghosts)
}

func (o open) Changes(ctx context.Context, after graph.Seq, limit int) ([]graph.Change, error) {
	return o.at("Changes").Changes(ctx, after, limit)
}

func (o open) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	return o.at("Write").Write(ctx, b)
}

func (o open) Reserve(ctx context.Context, user graph.ID, n int) ([]graph.ID, error) {
	return o.at("Reserve").Reserve(ctx, user, n)
}
