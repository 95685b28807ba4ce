package server_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/clock"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/memory"
)

// The place of ann's browser. Requests without identity are assigned to a user by their place; see identityless.go.
const (
	annAddress = "198.51.100.7"
	annAgent   = "Mozilla/5.0 (ann's browser)"
	annOrigin  = "https://app.example.org"
)

// A readerFixture is a server behind a trusted proxy, where ann has signed in with a client of the contract and written
// a private note with private text.
type readerFixture struct {
	caller
	now        *clock.Clock
	accounts   *account.Accounts
	ann        caller // signs its requests
	cookies    []*http.Cookie
	note, text graph.ID
}

func newReaderFixture(t *testing.T, mode server.IdentityLessReads) *readerFixture {
	t.Helper()
	f := newDirectReaderFixture(t, mode, netip.MustParsePrefix("127.0.0.0/8"))
	f.ann, f.cookies = f.signIn(ann, f.at(annAddress, annAgent, annOrigin))
	f.writeNote()
	return f
}

// newDirectReaderFixture returns a fixture with the given proxies and without a user.
func newDirectReaderFixture(t *testing.T, mode server.IdentityLessReads, proxies ...netip.Prefix) *readerFixture {
	t.Helper()
	store, now := memory.New(), clock.At(time.Now())
	accounts, err := account.New(t.Context(), store, account.Options{InsecureHashes: true, Now: now.Now})
	if err != nil {
		t.Fatal(err)
	}
	s := servertest.Serve(t, store, func(o *server.Options) {
		o.Accounts, o.IdentityLessReads = accounts, mode
		o.TrustedProxies = proxies
	})
	return &readerFixture{caller: caller{t: t, url: s.URL}, now: now, accounts: accounts}
}

// writeNote writes ann's note.
func (f *readerFixture) writeNote() {
	f.t.Helper()
	var written struct{ Concepts []struct{ ID graph.ID } }
	f.ann.postJSON("/api/v1/local-concepts", object{
		"concepts": []object{
			{"id": -1, "categoryId": 4, "typeCharacter": "the_note", "isComposition": true, "accessId": 4},
			{"id": -2, "categoryId": 4, "typeCharacter": "the_text", "characterValue": "a secret", "accessId": 4},
		},
		"connections": []object{{"id": -11, "ofTheConceptId": -1, "toTheConceptId": -2, "typeId": -1, "accessId": 4}},
	}, &written)
	f.note, f.text = written.Concepts[0].ID, written.Concepts[1].ID
}

// at returns a caller at a place. The requests of the caller have no identity.
func (f *readerFixture) at(address, agent, origin string) caller {
	return caller{t: f.t, url: f.url, headers: map[string]string{"X-Forwarded-For": address, "User-Agent": agent, "Origin": origin}}
}

// with returns the same caller with a header.
func (c caller) with(name, value string) caller {
	headers := maps.Clone(c.headers)
	headers[name] = value
	return caller{t: c.t, url: c.url, headers: headers}
}

// signIn creates an account and signs in, as a client of the contract does. The returned caller signs its requests.
func (f *readerFixture) signIn(email string, from caller) (signed caller, cookies []*http.Cookie) {
	f.t.Helper()
	from.mustPost("/api/auth/signup", credentials(email, password))
	body := strings.NewReader(fmt.Sprintf(`{"email":%q,"password":%q}`, email, password))
	r, err := http.NewRequestWithContext(f.t.Context(), http.MethodPost, f.url+"/api/auth/login", body)
	if err != nil {
		f.t.Fatal(err)
	}
	for name, value := range from.headers {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		f.t.Fatal(err)
	}
	defer response.Body.Close()
	var signedIn struct{ Data struct{ Token string } }
	if err := json.NewDecoder(response.Body).Decode(&signedIn); err != nil {
		f.t.Fatal(err)
	}
	return from.with("X-Session-Id", "998").withToken(signedIn.Data.Token), response.Cookies()
}

// read sends the three reads of a client without identity. It reports which of them found the private connection, the first
// two, or the private text, the third.
func (f *readerFixture) read(c caller) (inside, between, byValue bool) {
	f.t.Helper()
	var connections []object
	c.postMultipart("/api/get_all_connections_of_composition", map[string]string{"composition_id": f.note.String()}, &connections)
	inside = len(connections) > 0
	c.postMultipart("/api/get-composition-connection-between-two-concepts",
		map[string]string{"ofConceptId": f.note.String(), "toConceptId": f.text.String(), "mainKey": f.note.String()}, &connections)
	between = len(connections) > 0
	if text := fmt.Sprint(connections); strings.Contains(text, "secret") {
		f.t.Errorf("the connections contain text: %s", text)
	}
	var concept object
	c.postMultipart("/api/get_concept_by_character_value", map[string]string{"character_value": "a secret"}, &concept)
	return inside, between, concept["id"] != 0.0
}

// mustBeGuest fails if a read without identity finds anything private.
func (f *readerFixture) mustBeGuest(what string, c caller) {
	f.t.Helper()
	if inside, between, byValue := f.read(c); inside || between || byValue {
		f.t.Errorf("%s: the reads find %t, %t, %t; want nothing", what, inside, between, byValue)
	}
}

// mustSeeConnections fails the test unless the reads find connections but no text.
func (f *readerFixture) mustSeeConnections(what string, c caller) {
	f.t.Helper()
	if inside, between, byValue := f.read(c); !inside || !between || byValue {
		f.t.Errorf("%s: the reads find %t, %t, %t; want the connections only", what, inside, between, byValue)
	}
}

// sign sends a signed request, that is, one with the token of the caller, from the place of the caller.
func (c caller) sign() {
	c.t.Helper()
	c.get("/api/auth/me", new(object))
}

func TestReadsWithoutIdentityFollowSignedRequestsOfTheSamePlace(t *testing.T) {
	f := newReaderFixture(t, server.ReadsByActivity)
	home := f.at(annAddress, annAgent, annOrigin)
	f.mustSeeConnections("the place of a signed request", home)
	for what, c := range map[string]caller{
		"another address":                      f.at("198.51.100.8", annAgent, annOrigin),
		"another address of the same /64":      f.at("2001:db8::1", annAgent, annOrigin),
		"another user agent":                   f.at(annAddress, "curl/8", annOrigin),
		"another origin":                       f.at(annAddress, annAgent, "https://evil.example.org"),
		"an opaque origin":                     f.at(annAddress, annAgent, "null"),
		"the origin of the server":             f.at(annAddress, annAgent, f.url),
		"a guest with a session id":            home.with("X-Session-Id", "998"),
		"a chain of proxies ending elsewhere":  f.at(annAddress+", 203.0.113.1", annAgent, annOrigin),
		"a request without a client's address": {t: t, url: f.url, headers: map[string]string{"User-Agent": annAgent, "Origin": annOrigin}},
	} {
		f.mustBeGuest(what, c)
		f.ann.sign()
	}
	f.mustSeeConnections("after the attempts of others", home)
	f.now.Move(15 * time.Minute)
	f.mustBeGuest("15 minutes later", home)
	f.ann.sign()
	f.mustSeeConnections("after another signed request", home)
}

func TestTwoUsersAtOnePlaceReadNothingWithoutIdentity(t *testing.T) {
	f := newReaderFixture(t, server.ReadsByActivity)
	home := f.at(annAddress, annAgent, annOrigin)
	bo, _ := f.signIn("bo@example.org", home)
	bo.sign()
	f.mustBeGuest("after a request of bo", home)
	f.ann.sign()
	f.mustBeGuest("after requests of both users", home)
	f.now.Move(10 * time.Minute)
	f.ann.sign()
	f.mustBeGuest("10 minutes after the last request of bo", home)
	f.now.Move(5 * time.Minute)
	f.ann.sign()
	f.mustSeeConnections("15 minutes after the last request of bo", home)
}

func TestAGuestAtThePlaceOfAUserEndsReadsWithoutIdentity(t *testing.T) {
	f := newReaderFixture(t, server.ReadsByActivity)
	home := f.at(annAddress, annAgent, annOrigin)
	home.with("X-Session-Id", "998").mustPost("/api/freeschema-query", object{"type": "the_note"})
	f.now.Move(time.Second)
	home.with("X-Session-Id", "998").mustPost("/api/freeschema-query", object{"type": "the_note"})
	f.mustBeGuest("after a request of a guest", home)
	f.now.Move(time.Second)
	f.ann.sign()
	f.mustSeeConnections("after another signed request", home)
}

func TestEnumerationWithoutIdentityFindsNothing(t *testing.T) {
	f := newReaderFixture(t, server.ReadsByActivity)
	stranger := f.at("203.0.113.50", annAgent, annOrigin)
	for id := graph.ID(1); id <= f.text+20; id++ {
		if id > 200 && id < 99_990 {
			id = 99_990
		}
		var found []object
		stranger.postMultipart("/api/get_all_connections_of_composition", map[string]string{"composition_id": id.String()}, &found)
		if len(found) > 0 {
			t.Errorf("composition %d: a stranger reads %v", id, found)
		}
	}
	t.Run("enumeration at the place of a user ends after 500 reads", func(t *testing.T) {
		home, readable := f.at(annAddress, annAgent, annOrigin).in(t), 0
		for range 600 {
			var found []object
			home.postMultipart("/api/get_all_connections_of_composition", map[string]string{"composition_id": f.note.String()}, &found)
			readable += len(found)
		}
		if readable != 500 {
			t.Errorf("%d reads after one signed request found the note; want 500", readable)
		}
	})
}

func TestReadsWithoutIdentityEndWithTheSession(t *testing.T) {
	f := newReaderFixture(t, server.ReadsByActivity)
	home := f.at(annAddress, annAgent, annOrigin)
	f.ann.mustPost("/api/auth/logout", nil)
	f.mustBeGuest("after signing out", home)
	f.mustBeGuest("with the cookie of that session", home.with("Cookie", f.cookie()))
}

func TestReadsWithoutIdentityHaveNoRightsOfAnAdmin(t *testing.T) {
	f := newReaderFixture(t, server.ReadsByActivity)
	place := f.at("198.51.100.20", annAgent, annOrigin)
	admin, cookies := f.signIn("boss@example.org", place)
	users, err := f.accounts.Users(t.Context(), 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range users {
		if u.Email == "boss@example.org" {
			if _, err := f.accounts.SetAdmin(t.Context(), u.ID, true); err != nil {
				t.Fatal(err)
			}
		}
	}
	admin.sign()
	var found []object
	admin.postMultipart("/api/get_all_connections_of_composition", map[string]string{"composition_id": f.note.String()}, &found)
	if len(found) == 0 {
		t.Error("a signed request of an admin finds nothing; want the note")
	}
	f.mustBeGuest("by a recent request of an admin", place)
	for _, c := range cookies {
		if c.Name == "weft_reader" {
			f.mustBeGuest("by the cookie of an admin", place.with("Cookie", c.Name+"="+c.Value))
		}
	}
}

func TestOnlyClientsThatNeverRenewTokensAreFoundWithoutIdentity(t *testing.T) {
	f := newReaderFixture(t, server.ReadsByActivity)
	body := credentials(ann, password)
	body["refresh"] = true
	place := f.at("198.51.100.30", annAgent, annOrigin)
	data := place.mustPost("/api/auth/login", body)["data"].(object)
	place.withToken(data["token"].(string)).sign()
	f.mustBeGuest("after a request of a client that renews tokens", place)
}

// cookie returns the reader cookie of ann's browser, as the header Cookie.
func (f *readerFixture) cookie() string {
	for _, c := range f.cookies {
		if c.Name == "weft_reader" {
			return c.Name + "=" + c.Value
		}
	}
	return ""
}

func TestTheReaderCookieIdentifiesReadsOfTheSameBrowser(t *testing.T) {
	f := newReaderFixture(t, server.ReadsByCookie)
	elsewhere := f.at("203.0.113.60", "another agent", f.url)
	if inside, between, byValue := f.read(elsewhere.with("Cookie", f.cookie())); !inside || !between || !byValue {
		t.Errorf("with the cookie, the reads find %t, %t, %t; want all", inside, between, byValue)
	}
	f.mustBeGuest("the place of a signed request", f.at(annAddress, annAgent, annOrigin))
	user, rest, _ := strings.Cut(strings.TrimPrefix(f.cookie(), "weft_reader="), ".")
	session, mac, _ := strings.Cut(rest, ".")
	forged := "x" + mac[1:]
	if forged == mac {
		forged = "y" + mac[1:]
	}
	for what, value := range map[string]string{
		"another user's id": "100999." + session + "." + mac, "another session": user + ".x." + mac,
		"no signature": user + "." + session + ".", "a forged signature": user + "." + session + "." + forged,
		"the number of the session": user + "." + session, "nothing": "", "a path": user + "./../" + mac, "a long text": strings.Repeat("x", 3000),
	} {
		f.mustBeGuest("a cookie with "+what, elsewhere.with("Cookie", "weft_reader="+value))
	}
	for _, path := range []string{"/api/getConcept", "/api/get_concept_bulk", "/api/auth/me", "/api/freeschema-query"} {
		var body any = object{"id": f.text, "conceptIds": []graph.ID{f.note}}
		method := http.MethodPost
		switch path {
		case "/api/get_concept_bulk":
			body = []graph.ID{f.text}
		case "/api/auth/me":
			method = http.MethodGet
		}
		if _, got := elsewhere.with("Cookie", f.cookie()).sendAny(method, path, body); strings.Contains(got, "secret") || strings.Contains(got, ann) || strings.Contains(got, f.note.String()) {
			t.Errorf("%s accepts the cookie: %s", path, got)
		}
	}
}

func TestReaderCookiesAreOutOfReachOfScriptsAndOtherSites(t *testing.T) {
	f := newReaderFixture(t, server.ReadsByActivity)
	paths := map[string]bool{}
	for _, c := range f.cookies {
		if c.Name != "weft_reader" {
			continue
		}
		paths[c.Path] = true
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Domain != "" {
			t.Errorf("the cookie is %v; want HttpOnly and SameSite=Strict, without a domain", c)
		}
	}
	if len(paths) != 3 || paths["/"] {
		t.Errorf("the paths are %v; want the paths of the three reads", paths)
	}
}

func TestReadsWithoutIdentityCanBeSwitchedOff(t *testing.T) {
	on, off := newReaderFixture(t, server.ReadsByCookie), newReaderFixture(t, "")
	off.mustBeGuest("the place of a signed request", off.at(annAddress, annAgent, annOrigin))
	off.mustBeGuest("a cookie", off.at(annAddress, annAgent, annOrigin).with("Cookie", on.cookie()))
	if cookie := off.cookie(); cookie != "" {
		t.Errorf("signing in sets %s", cookie)
	}
}

func TestRequestsOfUnknownProxiesHaveNoPlace(t *testing.T) {
	for what, test := range map[string]struct {
		headers map[string]string
		found   bool
	}{
		"a local app":                        {map[string]string{"Origin": "http://localhost:5173"}, true},
		"an app on the server itself":        {map[string]string{}, true},
		"an app in the local network":        {map[string]string{"Origin": "http://192.168.1.5:3000"}, true},
		"a public app behind a silent proxy": {map[string]string{"Origin": annOrigin}, false},
		"a proxy that names the client":      {map[string]string{"Origin": "http://localhost:5173", "X-Forwarded-For": annAddress}, false},
		"a proxy that names itself":          {map[string]string{"Origin": "http://localhost:5173", "Via": "1.1 proxy"}, false},
		"a client without a user agent":      {map[string]string{"Origin": "http://localhost:5173", "User-Agent": ""}, false},
	} {
		t.Run(what, func(t *testing.T) {
			f := newDirectReaderFixture(t, server.ReadsByActivity)
			place := caller{t: t, url: f.url, headers: map[string]string{"User-Agent": annAgent}}
			maps.Copy(place.headers, test.headers)
			f.ann, _ = f.signIn(ann, place)
			f.writeNote()
			if test.found {
				f.mustSeeConnections(what, place)
			} else {
				f.mustBeGuest(what, place)
			}
		})
	}
}

// A proxy that speaks HTTP/1.0 need not add a header that reveals the proxy, so a request of HTTP/1.0 may come from any client
// behind it.
func TestRequestsOfHTTP10AreNoPlaces(t *testing.T) {
	f := newDirectReaderFixture(t, server.ReadsByActivity)
	place := caller{t: t, url: f.url, headers: map[string]string{"User-Agent": annAgent, "Origin": "http://localhost:5173"}}
	f.ann, _ = f.signIn(ann, place)
	f.writeNote()
	for version, found := range map[string]bool{"1.1": true, "1.0": false} {
		connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(f.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		body := "composition_id=" + f.note.String()
		_, err = fmt.Fprintf(connection, "POST /api/get_all_connections_of_composition HTTP/%s\r\nHost: %s\r\nUser-Agent: %s\r\n"+
			"Origin: http://localhost:5173\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s",
			version, strings.TrimPrefix(f.url, "http://"), annAgent, len(body), body)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		var connections []object
		if err := json.NewDecoder(response.Body).Decode(&connections); err != nil || (len(connections) > 0) != found {
			t.Errorf("HTTP/%s: status %d with %d connections, %v; want found %t", version, response.StatusCode, len(connections), err, found)
		}
	}
}
