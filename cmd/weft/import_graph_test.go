package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/race"
	"github.com/weft-graph/weft/internal/site/content"
	"github.com/weft-graph/weft/internal/site/page"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// A foreignFile builds a graph file as an attacker would write it by hand.
type foreignFile struct {
	lines strings.Builder
	last  graph.ID
	types map[string]graph.ID
	links []string
	owner string // JSON member of every record, such as `"owner":2,`
}

func newForeignFile(owner string) *foreignFile {
	f := &foreignFile{last: graph.FirstFree, types: map[string]graph.ID{}, owner: owner}
	f.lines.WriteString(`{"weft":"graph","version":1,"store":"foreign","seq":1}` + "\n")
	return f
}

func (f *foreignFile) concept(kind, of, value string) graph.ID {
	f.last++
	fmt.Fprintf(&f.lines, `{"concept":%d,"kind":%q,"of":%q,"value":%q,%s"access":5,"created":"2026-01-01T00:00:00Z"}`+"\n", f.last, kind, of, value, f.owner)
	return f.last
}

func (f *foreignFile) link(from graph.ID, relation string, to graph.ID) {
	typ, found := f.types[relation]
	if !found {
		typ = f.concept("type", relation, "")
		f.types[relation] = typ
	}
	f.last++
	f.links = append(f.links, fmt.Sprintf(`{"connection":%d,"from":%d,"to":%d,"type":%d,"order":1000,%s"access":5,"created":"2026-01-01T00:00:00Z"}`+"\n", f.last, from, to, typ, f.owner))
}

func (f *foreignFile) text(from graph.ID, relation, typ, value string) {
	f.link(from, relation, f.concept("", typ, value))
}

func (f *foreignFile) String() string { return f.lines.String() + strings.Join(f.links, "") }

// foreignLogin returns a file with a page at /login whose widget has code.
func foreignLogin(owner string) string {
	f := newForeignFile(owner)
	login, widget := f.concept("composition", "the_page", ""), f.concept("composition", "the_widget", "")
	f.text(login, "the_page_slug", "the_slug", "/login")
	f.text(login, "the_page_title", "the_title", "Foreign sign-in")
	f.link(login, "the_page_body", widget)
	f.text(widget, "the_widget_name", "the_name", "foreign")
	f.text(widget, "the_widget_html", "the_html", "<p>give me your password</p>")
	f.text(widget, "the_widget_after_render", "the_after_render", "steal()")
	return f.String()
}

// seededStore creates a store with the site, an admin and a user, and returns its directory.
func seededStore(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := content.Seed(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	accounts, err := account.New(t.Context(), store, account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for email, isAdmin := range map[string]bool{"boss@example.org": true, "ann@example.org": false} {
		if _, err := accounts.Add(t.Context(), account.Person{Email: email, Password: "correct horse"}, isAdmin); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// loginTitle returns the title of the page that the store serves at /login, and whether its body has code of the foreign
// file. Pages and code of the admins of the store are trusted.
func loginTitle(t *testing.T, dir string) (title string, runsForeignCode bool) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	accounts, err := account.New(t.Context(), store, account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	admins, err := accounts.Admins(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := page.Load(t.Context(), store, page.Policy{Admins: admins}, "/login")
	if err != nil {
		t.Fatal(err)
	}
	return p.Settings.Title, p.Body != nil && p.Body.Code != nil && strings.Contains(p.Body.Code.AfterRender, "steal")
}

func writeFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "graph.jsonl")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestImportOfAForeignGraphReplacesNoPage(t *testing.T) {
	for _, owner := range []string{`"owner":2,`, `"owner":0,`, ``, `"owner":-7,`} {
		dir := seededStore(t)
		before, _ := loginTitle(t, dir)
		_ = importGraph{storeFlags: storeFlags{Data: dir}, File: writeFile(t, foreignLogin(owner))}.Run()
		if after, runs := loginTitle(t, dir); after != before || runs {
			t.Errorf("with %q the page /login has the title %q, and runs the code of the file: %t; want %q, false", owner, after, runs, before)
		}
	}
}

func TestImportKeepsOnlyWhatTheFlagsName(t *testing.T) {
	race.Skip(t, "one goroutine")
	for _, c := range []struct {
		command  importGraph
		want     string // start of the error; "" if the import must succeed
		isServed bool
	}{
		{importGraph{Yes: true}, "line 2: the record is owned by the system", false},
		{importGraph{Yes: true, SameUsers: true}, "line 2: the record is owned by the system", false},
		{importGraph{As: "ann@example.org"}, "nothing was imported; set --yes", false},
		{importGraph{Yes: true, As: "eve@example.org"}, "no user has the e-mail", false},
		{importGraph{Yes: true, As: "ann@example.org"}, "", false},
		{importGraph{Yes: true, As: "boss@example.org"}, "the file has 1 page that would be served and 1 widget whose code would run with the rights of visitors; if you trust it, add --trust pages,scripts", false},
		{importGraph{Yes: true, Trust: []string{"system"}}, "the file has 1 page that would be served and 1 widget", false},
		{importGraph{Yes: true, Trust: []string{"system", "pages"}}, "the file has 1 widget whose code would run", false},
		{importGraph{Yes: true, Trust: []string{"system", "pages", "scripts"}}, "", true},
		{importGraph{Yes: true, As: "boss@example.org", Trust: []string{"pages", "scripts"}}, "", true},
	} {
		dir := seededStore(t)
		c.command.Data, c.command.File = dir, writeFile(t, foreignLogin(`"owner":2,`))
		name := fmt.Sprintf("--as %s --trust %v --yes=%t", c.command.As, c.command.Trust, c.command.Yes)
		if err := c.command.Run(); fmt.Sprint(err) == "<nil>" != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: the error is %v; want %q", name, err, c.want)
		}
		if title, runs := loginTitle(t, dir); (title == "Foreign sign-in") != c.isServed || runs != c.isServed {
			t.Errorf("%s: /login has the title %q, and has foreign code = %t; want foreign title and code = %t", name, title, runs, c.isServed)
		}
	}
}

func TestImportOfUsersWhoAreAdminsHereNeedsTrust(t *testing.T) {
	dir := seededStore(t)
	store, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	accounts, err := account.New(t.Context(), store, account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	boss, err := accounts.ByEmail(t.Context(), "boss@example.org")
	if err := errors.Join(err, store.Close()); err != nil {
		t.Fatal(err)
	}
	c := importGraph{storeFlags: storeFlags{Data: dir}, Yes: true, SameUsers: true, File: writeFile(t, foreignLogin(fmt.Sprintf(`"owner":%d,`, boss.ID)))}
	if err := c.Run(); graph.KindOf(err) != graph.Forbidden {
		t.Errorf("the error is %v; want Forbidden", err)
	}
	if title, _ := loginTitle(t, dir); title != "Sign in" {
		t.Errorf("the title of /login = %q; want \"Sign in\"", title)
	}
}

func TestImportSummaryNamesWhatWouldRunAndBeReplaced(t *testing.T) {
	store := open(t)
	if err := content.Seed(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	s := newFileSurvey(ownerRule{keepsSystem: true}, page.Policy{}, nil)
	if err := s.readAll(t.Context(), strings.NewReader(foreignLogin(`"owner":2,`))); err != nil {
		t.Fatal(err)
	}
	got, err := s.summary(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^the file holds 6 types, 5 values, 2 compositions, 0 prototypes and 6 connections of the store "foreign"
19 records would be records of the system
1 page would be served, and the code of 1 widget would run in pages
  "/login" would replace page \d+, "Sign in"
$`)
	if !want.MatchString(got) {
		t.Errorf("the summary is\n%s", got)
	}
}

// Another process may replace a file between the summary and the import.
func TestImportRefusesCodeThatTheSurveyDidNotSee(t *testing.T) {
	store, owners := open(t), ownerRule{keepsSystem: true}
	r := guardedReader{newFileSurvey(owners, page.Policy{}, []string{"system", "pages"}), &fileReader{store: store, owners: owners, report: func(int) {}}}
	if err := readGraphFile(t.Context(), strings.NewReader(foreignLogin(`"owner":2,`)), r); graph.KindOf(err) != graph.Forbidden {
		t.Errorf("the error is %v; want Forbidden", err)
	}
}

func TestUntrustedFileCannotTakeOverIDsOfAnotherImport(t *testing.T) {
	trusted := ownerRule{keepsSystem: true}.sender("a")
	for _, untrusted := range []ownerRule{{importer: graph.FirstFree}, {}, {keepsUsers: true}} {
		got := untrusted.sender("a")
		if isApart := got.User != trusted.User || got.Randomizer < 0 && trusted.Randomizer >= 0; !isApart {
			t.Errorf("with %+v the sender is %v, and that of a trusted file is %v; want another user or a negative number", untrusted, got, trusted)
		}
	}
}

func TestJSONImportCreatesNoPages(t *testing.T) {
	dir := seededStore(t)
	record := `{"slug": "/login", "title": "Foreign sign-in", "page_slug": "/login", "body": {"widget": {"name": "x", "after_render": "steal()"}}}`
	for _, typ := range []string{"the_page", "the_note"} {
		file := writeFile(t, fmt.Sprintf(`[%s, {"page": %s}]`, record, record))
		flags := recordFlags{adminFlags: adminFlags{storeFlags: storeFlags{Data: dir}}, Type: typ, Access: "public"}
		if err := (importJSON{recordFlags: flags, File: file}).Run(); err != nil {
			t.Fatal(err)
		}
	}
	if title, runs := loginTitle(t, dir); title != "Sign in" || runs {
		t.Errorf("the title of /login = %q, and it has foreign code = %t; want \"Sign in\" and false", title, runs)
	}
}
