package server_test

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/page"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/store/memory"
)

// record writes a record of somebody with texts, each "relation=value", and links, each relation to a record.
func (h *house) record(who, typ string, access graph.Access, texts []string, links map[string]graph.ID) graph.ID {
	h.t.Helper()
	h.asked++
	b := graph.Batch{Sender: graph.Sender{User: graph.System, Randomizer: int64(h.asked)}}
	b.Concepts = []graph.ConceptDraft{{Ghost: -1, Kind: graph.DraftComposition, TypeName: typ, Owner: h.users[who], Access: access}}
	for i, text := range texts {
		relation, value, _ := strings.Cut(text, "=")
		ghost := graph.ID(-2 - i)
		leaf := "the_" + strings.TrimPrefix(relation, typ+"_")
		b.Concepts = append(b.Concepts, graph.ConceptDraft{Ghost: ghost, TypeName: leaf, Value: value, Owner: h.users[who], Access: access})
		b.Connections = append(b.Connections, graph.ConnectionDraft{From: -1, To: ghost, TypeName: relation, Owner: h.users[who], Access: access})
	}
	for relation, to := range links {
		b.Connections = append(b.Connections, graph.ConnectionDraft{From: -1, To: to, TypeName: relation, Owner: h.users[who], Access: access})
	}
	return h.write(b).Concepts[0].ID
}

func (h *house) widget(who, name string, access graph.Access) graph.ID {
	h.t.Helper()
	return h.record(who, "the_widget", access, []string{
		"the_widget_name=" + name, "the_widget_html=<p>" + name + "</p>", "the_widget_before_render=hook('" + name + "')",
	}, nil)
}

func (h *house) linked(who string, from graph.ID, relation string, to graph.ID, access graph.Access) {
	h.t.Helper()
	h.write(graph.Batch{Sender: graph.Sender{User: graph.System}, Connections: []graph.ConnectionDraft{
		{From: from, To: to, TypeName: relation, Owner: h.users[who], Access: access},
	}})
}

// tree asks for a widget; it is nil when there is none.
func (h *house) tree(who string, id graph.ID, version string) *page.Widget {
	h.t.Helper()
	status, text := h.ask(who, "GET", "/api/v1/widgets?id="+id.String()+"&version="+version, "")
	var answer struct{ Widget *page.Widget }
	if err := json.Unmarshal([]byte(text), &answer); err != nil || status != http.StatusOK {
		h.t.Fatalf("%s is told %d %s", who, status, text)
	}
	return answer.Widget
}

func TestWhoSeesWhichWidget(t *testing.T) {
	h := newHouse(t, nil)
	opened, hidden := h.widget(owner, "Open", graph.Public), h.widget(owner, "Hidden", graph.Private)
	published, draft := h.widget(owner, "Published", graph.Public), h.widget(owner, "Draft", graph.Private)
	h.linked(owner, opened, "the_widget_latest", published, graph.Public)
	h.linked(owner, opened, "the_widget_recent", draft, graph.Private)
	h.linked(stranger, opened, "the_widget_latest", h.widget(stranger, "Theirs", graph.Public), graph.Public)
	admins, secret := h.widget(admin, "Admin's", graph.Public), h.widget(admin, "Secret", graph.Private)
	h.linked(admin, admins, "the_widget_s_documentation", h.record(admin, "the_documentation", graph.Private, nil, nil), graph.Private)
	for _, row := range []struct {
		name    string
		id      graph.ID
		version string
		shows   map[string]string // name and trust, by caller; those who are not named get nothing
	}{
		{"a public widget", opened, "fixed", map[string]string{guest: "Open", owner: "Open", stranger: "Open", admin: "Open", reader: "Open"}},
		{"the fixed version, when none is named", opened, "", map[string]string{guest: "Open", owner: "Open", stranger: "Open", admin: "Open", reader: "Open"}},
		{"what is published of it", opened, "latest", map[string]string{guest: "Published", owner: "Published", stranger: "Published", admin: "Published", reader: "Published"}},
		{"what was saved last of it", opened, "recent", map[string]string{guest: "Open", stranger: "Open", owner: "Draft", reader: "Draft", admin: "Draft"}},
		{"a private widget", hidden, "fixed", map[string]string{owner: "Hidden", reader: "Hidden", admin: "Hidden"}},
		{"what is published of a private one", hidden, "latest", map[string]string{owner: "Hidden", reader: "Hidden", admin: "Hidden"}},
		{"what was saved last of a private one", hidden, "recent", map[string]string{owner: "Hidden", reader: "Hidden", admin: "Hidden"}},
		{"an admin's", admins, "latest", map[string]string{
			guest: "Admin's trusted", owner: "Admin's trusted", stranger: "Admin's trusted", admin: "Admin's trusted", reader: "Admin's trusted",
		}},
		{"an admin's private one", secret, "fixed", map[string]string{admin: "Secret sandbox"}},
		{"nothing", 1 << 40, "fixed", nil},
		{"something else", h.ids["open"], "fixed", nil},
	} {
		for _, who := range callers {
			got := ""
			if w := h.tree(who, row.id, row.version); w != nil {
				got = strings.TrimSpace(w.Name + " " + string(w.Trust))
				if (w.Code != nil) != (w.Trust != page.Static) {
					t.Errorf("%s as %s: the code is %+v", row.name, who, w.Code)
				}
			}
			if got != row.shows[who] {
				t.Errorf("%s: %s gets %q; want %q", row.name, who, got, row.shows[who])
			}
		}
	}
	if status, text := h.ask(guest, "GET", "/api/v1/widgets?id=1&version=newest", ""); status != http.StatusBadRequest || !strings.Contains(text, "newest") {
		t.Errorf("a version that is none: %d %s", status, text)
	}
}

func TestCodeGoesOutToEverybodyOrNobody(t *testing.T) {
	h := newHouse(t, nil)
	admins := h.widget(admin, "Admin's", graph.Public)
	address := h.tree(guest, admins, "").Code.Modules["beforeRender"]
	const module = "export default async function (tsccs) {\nhook('Admin's')\n}\n"
	for _, who := range callers {
		if status, text := h.ask(who, "GET", address, ""); status != http.StatusOK || text != module {
			t.Errorf("%s is told %d %q", who, status, text)
		}
	}
	answer, _ := get(t, "GET", h.url+address)
	for name, want := range map[string]string{
		"Content-Type": "text/javascript; charset=utf-8", "X-Content-Type-Options": "nosniff",
		"Cache-Control": "public, max-age=31536000, immutable", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
	} {
		if got := answer.Header.Get(name); got != want {
			t.Errorf("%s is %q; want %q", name, got, want)
		}
	}
	of := func(id graph.ID) string { return strings.Replace(address, admins.String(), id.String(), 1) }
	for name, path := range map[string]string{
		"another hash":                    address + "x",
		"another part":                    strings.Replace(address, "beforeRender", "js", 1),
		"a part that is none":             strings.Replace(address, "beforeRender", "html", 1),
		"a widget of a user":              of(h.widget(owner, "Admin's", graph.Public)),
		"a private widget of an admin":    of(h.widget(admin, "Admin's", graph.Private)),
		"a widget that is not there":      of(1 << 40),
		"a widget that is something else": of(h.ids["open"]),
	} {
		for _, who := range callers {
			if status, text := h.ask(who, "GET", path, ""); status != http.StatusNotFound {
				t.Errorf("%s: %s is told %d %s", name, who, status, text)
			}
		}
	}
	another, err := h.accounts.Add(t.Context(), account.Person{Email: "carol@example.org", Password: "correct horse"}, true)
	if err != nil {
		t.Fatal(err)
	}
	h.users["carol"] = another.ID
	carols := h.widget("carol", "Carol's", graph.Public)
	address = h.tree(guest, carols, "").Code.Modules["beforeRender"]
	if _, err := h.accounts.SetAdmin(t.Context(), another.ID, false); err != nil {
		t.Fatal(err)
	}
	if w := h.tree(guest, carols, ""); w.Trust != page.Static || w.Code != nil {
		t.Errorf("the widget of somebody who was an admin is %+v", w)
	}
	if status, _ := h.ask(guest, "GET", address, ""); status != http.StatusNotFound {
		t.Errorf("code of somebody who was an admin is %d", status)
	}
}

func TestWhoReadsDocumentation(t *testing.T) {
	h := newHouse(t, nil)
	for access, may := range map[graph.Access][]string{graph.Public: {guest, owner, stranger, admin, reader}, graph.Private: {owner, admin, reader}} {
		id := h.widget(owner, "W", graph.Public)
		entry := h.record(owner, "the_documentation", access, []string{
			"the_documentation_type=api", "the_documentation_username=ann", "the_documentation_password=swordfish",
			"the_documentation_content=<p onclick=\"x()\">How</p>", "the_documentation_method_url=javascript:x()",
		}, nil)
		h.linked(owner, id, "the_widget_s_documentation", entry, access)
		for _, who := range callers {
			_, text := h.ask(who, "GET", "/api/v1/widgets/documentation?id="+id.String(), "")
			if can := strings.Contains(text, `"content":"<p>How</p>"`); can != slices.Contains(may, who) || !strings.HasPrefix(text, `{"entries":[`) {
				t.Errorf("%s reads %s", who, text)
			}
			if strings.Contains(text, "swordfish") || strings.Contains(text, "javascript:") || strings.Contains(text, `"ann"`) {
				t.Errorf("%s is told %s", who, text)
			}
			if w := h.tree(who, id, ""); w != nil && w.Documented != slices.Contains(may, who) {
				t.Errorf("%s sees that it is documented: %v", who, w.Documented)
			}
		}
	}
}

// Where the operator names a widget that shows documentation, whatever is shown by itself has some.
func TestAWidgetForDocumentation(t *testing.T) {
	store := seeded(t)
	pages, err := server.Pages(store, built, server.PageOptions{Documented: true})
	if err != nil {
		t.Fatal(err)
	}
	s := servertest.Serve(t, store, func(o *server.Options) { o.Pages, o.DocumentationWidget = pages, 7 })
	_, text := get(t, "GET", s.URL+"/api/v1/pages?slug=/404")
	var sent page.Page
	if err := json.Unmarshal([]byte(text), &sent); err != nil || !sent.Body.Documented {
		t.Fatalf("the page is %.200s, %v", text, err)
	}
	if _, body := get(t, "GET", s.URL+"/404"); !strings.Contains(body, `"documented":true`) {
		t.Errorf("the document does not say so: %.600s", body)
	}
	if _, text := get(t, "GET", s.URL+"/api/v1/widgets?id="+sent.Body.ID.String()); strings.Count(text, `"documented":true`) != 1 {
		t.Errorf("the widget is %s", text)
	}
}

func TestTheFrame(t *testing.T) {
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
	t.Run("lets its own script run and nothing reach anybody", func(t *testing.T) {
		answer, body := frame(fstest.MapFS{"assets/frame.js": {Data: []byte(script)}})
		text := strings.ReplaceAll(script, "\r\n", "\n")
		if answer.StatusCode != http.StatusOK || !strings.Contains(body, "<body><script>"+text+"</script></body>") {
			t.Fatalf("it is %d %s", answer.StatusCode, body)
		}
		policy := answer.Header.Get("Content-Security-Policy")
		for _, want := range []string{
			"default-src 'none'; ", "script-src " + page.HashSource(text) + " 'unsafe-eval' https://cdn.test/lib/ '" + hash + "'; ",
			"style-src 'unsafe-inline' https://cdn.test/lib/ " + library + "; ", "connect-src 'none'; ", "form-action 'none'; ",
			"base-uri 'none'; ", "frame-src 'none'; ", "frame-ancestors 'self'; ", "sandbox allow-scripts",
		} {
			if !strings.Contains(policy, want) {
				t.Errorf("the policy is %q; want %q in it", policy, want)
			}
		}
		if got := answer.Header.Get("X-Frame-Options"); got != "SAMEORIGIN" {
			t.Errorf("who may frame it is %q", got)
		}
	})
	t.Run("is not there where the site was not built", func(t *testing.T) {
		if answer, body := frame(fstest.MapFS{}); answer.StatusCode != http.StatusNotFound {
			t.Errorf("it is %d %s", answer.StatusCode, body)
		}
	})
	t.Run("is not made of a script that would end its element", func(t *testing.T) {
		answer, body := frame(fstest.MapFS{"assets/frame.js": {Data: []byte("'</SCRIPT>'")}})
		if answer.StatusCode != http.StatusInternalServerError || strings.Contains(body, "SCRIPT") {
			t.Errorf("it is %d %s", answer.StatusCode, body)
		}
	})
}
