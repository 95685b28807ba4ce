package server_test

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/site/page"
	"github.com/weft-graph/weft/internal/store/memory"
)

// writeRecord writes a record of a user with values, each "relation=value", and with links, each from a relation to a
// record.
func (f *accessFixture) writeRecord(callerName, typ string, access graph.Access, texts []string, links map[string]graph.ID) graph.ID {
	f.t.Helper()
	f.requests++
	b := graph.Batch{Sender: graph.Sender{User: graph.System, Randomizer: int64(f.requests)}}
	b.Concepts = []graph.ConceptDraft{{LocalID: -1, Kind: graph.DraftComposition, TypeName: typ, Owner: f.users[callerName], Access: access}}
	for i, text := range texts {
		relation, value, _ := strings.Cut(text, "=")
		localID := graph.ID(-2 - i)
		leaf := "the_" + strings.TrimPrefix(relation, typ+"_")
		b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: localID, TypeName: leaf, Value: value, Owner: f.users[callerName], Access: access})
		b.Connections = append(b.Connections, graph.ConnectionDraft{From: -1, To: localID, TypeName: relation, Owner: f.users[callerName], Access: access})
	}
	for relation, to := range links {
		b.Connections = append(b.Connections, graph.ConnectionDraft{From: -1, To: to, TypeName: relation, Owner: f.users[callerName], Access: access})
	}
	return f.write(b).Concepts[0].ID
}

// writeWidget writes a widget with a name, HTML and a beforeRender hook.
func (f *accessFixture) writeWidget(callerName, name string, access graph.Access) graph.ID {
	f.t.Helper()
	return f.writeRecord(callerName, "the_widget", access, []string{
		"the_widget_name=" + name, "the_widget_html=<p>" + name + "</p>", "the_widget_before_render=hook('" + name + "')",
	}, nil)
}

func (f *accessFixture) writeLink(callerName string, from graph.ID, relation string, to graph.ID, access graph.Access) {
	f.t.Helper()
	f.write(graph.Batch{Sender: graph.Sender{User: graph.System}, Connections: []graph.ConnectionDraft{
		{From: from, To: to, TypeName: relation, Owner: f.users[callerName], Access: access},
	}})
}

// loadTree returns the tree of a widget as a caller receives it, or nil if the response has no tree.
func (f *accessFixture) loadTree(callerName string, id graph.ID, version string) *page.Widget {
	f.t.Helper()
	status, text := f.send(callerName, "GET", "/api/v1/widgets?id="+id.String()+"&version="+version, "")
	var result struct{ Widget *page.Widget }
	if err := json.Unmarshal([]byte(text), &result); err != nil || status != http.StatusOK {
		f.t.Fatalf("%s: status %d %s", callerName, status, text)
	}
	return result.Widget
}

func TestWidgetTreeContainsWhatTheCallerMayRead(t *testing.T) {
	f := newAccessFixture(t, nil)
	public, hidden := f.writeWidget(owner, "Open", graph.Public), f.writeWidget(owner, "Hidden", graph.Private)
	published, draft := f.writeWidget(owner, "Published", graph.Public), f.writeWidget(owner, "Draft", graph.Private)
	f.writeLink(owner, public, "the_widget_latest", published, graph.Public)
	f.writeLink(owner, public, "the_widget_recent", draft, graph.Private)
	f.writeLink(otherUser, public, "the_widget_latest", f.writeWidget(otherUser, "Theirs", graph.Public), graph.Public)
	admins, secret := f.writeWidget(admin, "Admin's", graph.Public), f.writeWidget(admin, "Secret", graph.Private)
	f.writeLink(admin, admins, "the_widget_s_documentation", f.writeRecord(admin, "the_documentation", graph.Private, nil, nil), graph.Private)
	for _, row := range []struct {
		name    string
		id      graph.ID
		version string
		want    map[string]string // name and trust, by caller; other callers receive nothing
	}{
		{"a public widget", public, "fixed", map[string]string{guest: "Open", owner: "Open", otherUser: "Open", admin: "Open", readKey: "Open"}},
		{"the fixed version, when none is named", public, "", map[string]string{guest: "Open", owner: "Open", otherUser: "Open", admin: "Open", readKey: "Open"}},
		{"its published version", public, "latest", map[string]string{guest: "Published", owner: "Published", otherUser: "Published", admin: "Published", readKey: "Published"}},
		{"its newest version", public, "recent", map[string]string{guest: "Open", otherUser: "Open", owner: "Draft", readKey: "Draft", admin: "Draft"}},
		{"a private widget", hidden, "fixed", map[string]string{owner: "Hidden", readKey: "Hidden", admin: "Hidden"}},
		{"the published version of a private widget", hidden, "latest", map[string]string{owner: "Hidden", readKey: "Hidden", admin: "Hidden"}},
		{"the newest version of a private widget", hidden, "recent", map[string]string{owner: "Hidden", readKey: "Hidden", admin: "Hidden"}},
		{"a widget of an admin", admins, "latest", map[string]string{
			guest: "Admin's trusted", owner: "Admin's trusted", otherUser: "Admin's trusted", admin: "Admin's trusted", readKey: "Admin's trusted",
		}},
		{"a private widget of an admin", secret, "fixed", map[string]string{admin: "Secret sandbox"}},
		{"an unknown id", 1 << 40, "fixed", nil},
		{"a record that is not a widget", f.ids["open"], "fixed", nil},
	} {
		for _, callerName := range callers {
			got := ""
			if w := f.loadTree(callerName, row.id, row.version); w != nil {
				got = strings.TrimSpace(w.Name + " " + string(w.Trust))
				if (w.Code != nil) != (w.Trust != page.Static) {
					t.Errorf("%s as %s: the code = %+v; want code only if the widget is not static", row.name, callerName, w.Code)
				}
			}
			if got != row.want[callerName] {
				t.Errorf("%s: %s gets %q; want %q", row.name, callerName, got, row.want[callerName])
			}
		}
	}
	if status, text := f.send(guest, "GET", "/api/v1/widgets?id=1&version=newest", ""); status != http.StatusBadRequest || !strings.Contains(text, "newest") {
		t.Errorf("an unknown version: %d %s", status, text)
	}
}

func TestModulesArePublicOrMissing(t *testing.T) {
	f := newAccessFixture(t, nil)
	admins := f.writeWidget(admin, "Admin's", graph.Public)
	address := f.loadTree(guest, admins, "").Code.Modules["beforeRender"]
	const module = "export default async function (tsccs) {\nhook('Admin's')\n}\n"
	for _, callerName := range callers {
		if status, text := f.send(callerName, "GET", address, ""); status != http.StatusOK || text != module {
			t.Errorf("%s: status %d %q; want 200 %q", callerName, status, text, module)
		}
	}
	response, _ := get(t, "GET", f.url+address)
	for name, want := range map[string]string{
		"Content-Type": "text/javascript; charset=utf-8", "X-Content-Type-Options": "nosniff",
		"Cache-Control": "public, max-age=31536000, immutable", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
	} {
		if got := response.Header.Get(name); got != want {
			t.Errorf("%s is %q; want %q", name, got, want)
		}
	}
	addressOf := func(id graph.ID) string { return strings.Replace(address, admins.String(), id.String(), 1) }
	for name, path := range map[string]string{
		"another hash":                  address + "x",
		"another part":                  strings.Replace(address, "beforeRender", "js", 1),
		"an unknown part":               strings.Replace(address, "beforeRender", "html", 1),
		"a widget of a user":            addressOf(f.writeWidget(owner, "Admin's", graph.Public)),
		"a private widget of an admin":  addressOf(f.writeWidget(admin, "Admin's", graph.Private)),
		"a widget that does not exist":  addressOf(1 << 40),
		"a record that is not a widget": addressOf(f.ids["open"]),
	} {
		for _, callerName := range callers {
			if status, text := f.send(callerName, "GET", path, ""); status != http.StatusNotFound {
				t.Errorf("%s: %s: status %d %s; want 404", name, callerName, status, text)
			}
		}
	}
	carol, err := f.accounts.Add(t.Context(), account.Person{Email: "carol@example.org", Password: "correct horse"}, true)
	if err != nil {
		t.Fatal(err)
	}
	f.users["carol"] = carol.ID
	carols := f.writeWidget("carol", "Carol's", graph.Public)
	address = f.loadTree(guest, carols, "").Code.Modules["beforeRender"]
	if _, err := f.accounts.SetAdmin(t.Context(), carol.ID, false); err != nil {
		t.Fatal(err)
	}
	if w := f.loadTree(guest, carols, ""); w.Trust != page.Static || w.Code != nil {
		t.Errorf("the widget of a former admin = %+v; want it static, without code", w)
	}
	if status, _ := f.send(guest, "GET", address, ""); status != http.StatusNotFound {
		t.Errorf("the code of a former admin: status %d; want 404", status)
	}
}

func TestDocumentationIsShownToItsReadersWithoutCredentials(t *testing.T) {
	f := newAccessFixture(t, nil)
	for access, readers := range map[graph.Access][]string{graph.Public: {guest, owner, otherUser, admin, readKey}, graph.Private: {owner, admin, readKey}} {
		id := f.writeWidget(owner, "W", graph.Public)
		entry := f.writeRecord(owner, "the_documentation", access, []string{
			"the_documentation_type=api", "the_documentation_username=ann", "the_documentation_password=swordfish",
			"the_documentation_content=<p onclick=\"x()\">How</p>", "the_documentation_method_url=javascript:x()",
		}, nil)
		f.writeLink(owner, id, "the_widget_s_documentation", entry, access)
		for _, callerName := range callers {
			_, text := f.send(callerName, "GET", "/api/v1/widgets/documentation?id="+id.String(), "")
			if isShown := strings.Contains(text, `"content":"<p>How</p>"`); isShown != slices.Contains(readers, callerName) || !strings.HasPrefix(text, `{"entries":[`) {
				t.Errorf("%s reads %s", callerName, text)
			}
			if strings.Contains(text, "swordfish") || strings.Contains(text, "javascript:") || strings.Contains(text, `"ann"`) {
				t.Errorf("%s gets %s", callerName, text)
			}
			if w := f.loadTree(callerName, id, ""); w != nil && w.Documented != slices.Contains(readers, callerName) {
				t.Errorf("%s: documented = %v; want true only for callers who may read the documentation", callerName, w.Documented)
			}
		}
	}
}

// If the operator has a widget that shows documentation, every tree must be marked as documented.
func TestDocumentationWidgetMarksTrees(t *testing.T) {
	store := seededStore(t)
	pages, err := server.Pages(store, builtSite, server.PageOptions{Documented: true})
	if err != nil {
		t.Fatal(err)
	}
	s := servertest.Serve(t, store, func(o *server.Options) { o.Pages, o.DocumentationWidget = pages, 7 })
	_, text := get(t, "GET", s.URL+"/api/v1/pages?slug=/404")
	var sent page.Page
	if err := json.Unmarshal([]byte(text), &sent); err != nil || !sent.Body.Documented {
		t.Fatalf("the page = %.200s, %v; want a documented body", text, err)
	}
	if _, body := get(t, "GET", s.URL+"/404"); !strings.Contains(body, `"documented":true`) {
		t.Errorf("the document is not marked as documented: %.600s", body)
	}
	if _, text := get(t, "GET", s.URL+"/api/v1/widgets?id="+sent.Body.ID.String()); strings.Count(text, `"documented":true`) != 1 {
		t.Errorf("the widget = %s; want documented once", text)
	}
}

func TestFrame(t *testing.T) {
	const script = "(()=>{'a < b'})()\r\n"
	const library = "https://cdn.test/a.js"
	hash := "sha384-" + strings.Repeat("a", 64)
	libraries := page.Libraries{{Address: "https://cdn.test/lib/"}, {Address: library, Integrity: hash}}
	frame := func(site fs.FS) (head, string) {
		s := servertest.Serve(t, memory.New(), func(o *server.Options) {
			o.Site, o.Policies = site, server.NewPolicies(page.Policy{Libraries: libraries}, nil)
		})
		return get(t, "GET", s.URL+"/api/v1/widgets/frame")
	}
	t.Run("allows its own script and no network access", func(t *testing.T) {
		response, body := frame(fstest.MapFS{"assets/frame.js": {Data: []byte(script)}})
		text := strings.ReplaceAll(script, "\r\n", "\n")
		if response.StatusCode != http.StatusOK || !strings.Contains(body, "<body><script>"+text+"</script></body>") {
			t.Fatalf("status %d %s; want 200 and the script in the body", response.StatusCode, body)
		}
		policy := response.Header.Get("Content-Security-Policy")
		for _, want := range []string{
			"default-src 'none'; ", "script-src " + page.HashSource(text) + " 'unsafe-eval' https://cdn.test/lib/ '" + hash + "'; ",
			"style-src 'unsafe-inline' https://cdn.test/lib/ " + library + "; ", "connect-src 'none'; ", "form-action 'none'; ",
			"base-uri 'none'; ", "frame-src 'none'; ", "child-src 'none'; ", "object-src 'none'; ", "frame-ancestors 'self'; ", "sandbox allow-scripts",
		} {
			if !strings.Contains(policy, want) {
				t.Errorf("the policy is %q; want %q in it", policy, want)
			}
		}
		if got := response.Header.Get("Connection-Allowlist"); got != `(response-origin "https://cdn.test/*")` {
			t.Errorf("Connection-Allowlist = %q; want only https://cdn.test/*", got)
		}
		if got := response.Header.Get("X-Frame-Options"); got != "SAMEORIGIN" {
			t.Errorf("X-Frame-Options = %q; want SAMEORIGIN", got)
		}
	})
	t.Run("is not found when the site was not built", func(t *testing.T) {
		if response, body := frame(fstest.MapFS{}); response.StatusCode != http.StatusNotFound {
			t.Errorf("status %d %s; want 404", response.StatusCode, body)
		}
	})
	t.Run("rejects a script that would end its element", func(t *testing.T) {
		response, body := frame(fstest.MapFS{"assets/frame.js": {Data: []byte("'</SCRIPT>'")}})
		if response.StatusCode != http.StatusInternalServerError || strings.Contains(body, "SCRIPT") {
			t.Errorf("status %d %s; want 500 without the script", response.StatusCode, body)
		}
	})
}
